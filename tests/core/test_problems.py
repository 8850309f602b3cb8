"""Problems that need more than a document: bytes, and token counts."""

from __future__ import annotations

import pytest

from inspector.core.document import document_from_text, read_document
from inspector.core.language import sentence_language
from inspector.core.options import OptionError, Options
from inspector.core.problems.problem import Severity
from inspector.core.problems.tokens import Tokens, token_problems
from inspector.core.strategies.headings import adopt_warm_state, chunk_document, is_warm, warm_state

ALL = Options(drop=0, fold=0)


def test_bad_bytes_are_named_with_their_place() -> None:
    document = read_document("a.md", "## Zeit für Tee, überall\n\nund ".encode() + b"\xff hier")
    problem = next(p for p in chunk_document(document, ALL).problems if p.code == "bad-bytes")
    assert (problem.line, problem.severity) == (3, Severity.WARNING)
    assert "Byte 0xFF" in problem.message
    assert document.encoding == "UTF-8"


def test_tokens_make_problems() -> None:
    chunking = chunk_document(
        document_from_text(
            "a.md", "## A\n\nsome words here\n\n## B\n\nmore words\n\n## C\n\nc\n\n## D\n\nd\n\n## E\n\ne"
        ),
        ALL,
    )
    at = chunking.document.source.index("words here")
    tokens = [
        Tokens(20, 16, 4, at, False, 0, 0),
        Tokens(20, 16, 4, None, True, 0, 0),
        Tokens(5, 16, 0, None, False, 1, 1280),
        Tokens(5, 16, 0, None, False, 2, 30),
        Tokens(5, 16, 0, None, False, 2, 2),  # two emoji
    ]
    found = token_problems(chunking, tokens, "model")
    assert [problem.code for problem in found] == ["truncated", "truncated", "unknown-tokens", "unknown-tokens"]
    assert found[0].message == "Chunk #1 is 20 tokens; model reads 16. 4 unread from “words here ##…”."
    assert found[0].span.start == at
    assert "added" in found[1].message
    assert "1 unknown token covers 1,280 characters" in found[2].message
    assert "2 unknown tokens cover 30 characters" in found[3].message


@pytest.mark.parametrize(
    ("stated", "setting", "language"),
    [
        ("de", "en", "de"),
        ("pt-BR", "en", "pt"),
        ("xx-YY", "fr", "fr"),
        (False, "en", "no"),
        (None, "zz", "en"),
        (7, "de", "de"),
    ],
)
def test_whose_sentence_rules_apply(stated: object, setting: str, language: str) -> None:
    assert sentence_language(stated, setting) == language


@pytest.mark.parametrize(("field", "value"), [("dialects", frozenset({"esperanto"})), ("lang", 7), ("stubs", 3)])
def test_more_nonsense_is_refused(field: str, value: object) -> None:
    with pytest.raises(OptionError) as caught:
        Options(**{field: value})  # type: ignore[arg-type]
    assert caught.value.field == field


def test_warm_state_of_other_dialects_is_of_no_use() -> None:
    document = document_from_text("a.md", "## A {% x %}\n\ntext")
    liquid = Options(drop=0, fold=0, dialects=frozenset({"liquid"}))
    state = warm_state(document, liquid)
    other = document_from_text("a.md", "## A {% x %}\n\ntext")
    adopt_warm_state(other, state)
    assert not is_warm(other, ALL)
