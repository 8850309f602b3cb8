"""CommonMark's and GFM's own examples: every law holds, and the outline is the parser's top-level headings."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from inspector.core.dialects import DIALECTS
from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
FILES = (
    CORPORA / "spec-commonmark" / "commonmark-spec-tests.json",
    CORPORA / "spec-gfm" / "gfm-spec-tests.json",
)
COUNTS = (655, 673)

pytestmark = pytest.mark.skipif(
    not all(path.is_file() for path in FILES), reason="the specifications' examples are not beside the project"
)

OPTION_SETS = (
    Options(drop=0, fold=0),
    Options(drop=0, fold=20, cap=40, code_lines=1),
    Options(drop=0, fold=0, dialects=frozenset(DIALECTS)),
)
DIFFERS = re.compile(r"\[\^|\$\$|\A(?:---|\+\+\+|\{)", re.MULTILINE)
"""What this program reads beyond CommonMark: footnotes, `$$` blocks, front matter."""


def examples(path: Path) -> list[dict[str, Any]]:
    """Return the examples of a specification."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def plain_headings(text: str) -> list[tuple[int, str]]:
    """Return level and words of the top-level headings, by a parser of its own."""
    tokens = MarkdownIt("commonmark").parse(text)
    found = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0:
            found.append((int(opening.tag[1]), words(inline.children or [])))
    return found


def words(tokens: list[Any]) -> str:
    """Return inline text as plain words; tags and images are no words."""
    said = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            said.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            said.append(" ")
    return " ".join("".join(said).split())


@pytest.mark.parametrize(("path", "count"), list(zip(FILES, COUNTS, strict=True)), ids=["commonmark", "gfm"])
def test_the_outline_is_the_parsers(path: Path, count: int) -> None:
    compared = headings = 0
    for example in examples(path):
        text = example["markdown"]
        if DIFFERS.search(text):
            continue
        outline = [(heading.level, heading.text) for heading in document_from_text("a.md", text).headings]
        expected = plain_headings(text)
        if any("{" in said for _level, said in expected):
            outline = [(level, "") for level, _said in outline]  # attributes in braces are no words here
            expected = [(level, "") for level, _said in expected]
        assert outline == expected, f"example {example['example']}: {text!r}"
        compared += 1
        headings += len(outline)
    assert compared > count * 0.95 and headings > 50


@pytest.mark.parametrize("path", FILES, ids=["commonmark", "gfm"])
@pytest.mark.parametrize("options", OPTION_SETS, ids=["whole", "small", "dialects"])
def test_laws_hold_on_every_example(path: Path, options: Options) -> None:
    for example in examples(path):
        for text in (example["markdown"], example["markdown"].replace("\n", "\r\n")):
            try:
                check_chunking(chunk_document(document_from_text("a.md", text), options))
            except AssertionError as error:
                raise AssertionError(f"example {example['example']}: {error}") from error


def test_all_examples_together_are_one_document() -> None:
    text = "\n\n".join(example["markdown"] for path in FILES for example in examples(path))
    for options in OPTION_SETS:
        check_chunking(chunk_document(document_from_text("a.md", text), options))
