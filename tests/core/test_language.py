"""Sentence rules: the document's language, else the folder's, else English; unknown ones count for nothing."""

from __future__ import annotations

import pytest

from inspector.core.document import document_from_text
from inspector.core.language import KNOWN, sentence_language
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document

TEXT = "Das gilt z. B. Hier immer, bzw. Dort usw. Noch mehr. " * 8


@pytest.mark.parametrize(
    ("stated", "setting", "language"),
    [
        (None, "en", "en"), ("de", "en", "de"), ("pt-BR", "en", "pt"), ("pt_BR", "en", "pt"), (" DE ", "en", "de"),
        ("xx", "de", "de"), ("xx-YY", "de", "de"), ("klingon", "en", "en"), ("", "fr", "fr"), (3, "fr", "fr"),
        (["de"], "en", "en"), ("xx", "yy", "en"), ("zh-Hans", "en", "zh"), ("gsw", "en", "gsw"), (False, "en", "no"),
        (True, "en", "en"), (None, "", "en"), (None, "xx", "en"), ("-", "sv", "sv"),
    ],
)  # fmt: skip
def test_which_language(stated: object, setting: str, language: str) -> None:
    assert sentence_language(stated, setting) == language


def cuts(head: str, lang: str = "en") -> list[str]:
    document = document_from_text("a.md", f"{head}## Teil\n\n{TEXT}\n")
    return [chunk.text for chunk in chunk_document(document, Options(drop=0, fold=0, cap=90, lang=lang)).chunks]


def test_a_document_is_cut_by_its_own_language() -> None:
    german = cuts("---\nlang: de\n---\n")
    assert german != cuts("")
    assert german == cuts("", "de") == cuts("---\nlang: xx-YY\n---\n", "de") == cuts("---\nlang: de-AT\n---\n", "fr")
    assert cuts("---\nlang: xx\n---\n") == cuts("")


def test_known_languages_are_lower_case_words() -> None:
    assert all(language.isalpha() and language.islower() for language in KNOWN) and {"en", "de", "zh"} <= KNOWN
