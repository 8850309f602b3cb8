"""Corners of the dialects: syntax that stands in other syntax, or stops short."""

from __future__ import annotations

import pytest

from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document

CODE = "".join(f"line number {n}\n" for n in range(12))


@pytest.mark.parametrize(
    ("dialect", "source", "texts"),
    [
        ("kumascript", "{{xref(')}} word", ["word"]),
        ("containers", ":::]\n\nword", [":::]\n\nword"]),
        ("kramdown", "{:toc}\n\nword", ["word"]),
        ("kramdown", "{::comment}{::t}{:/} word", ["word"]),
        ("obsidian", "%%[[b]]%% word", ["word"]),
        ("obsidian", "%%==m==%% word", ["word"]),
        ("obsidian", "%%\nhidden ^abc\n\n> [!note] hidden\n%%\n\nword", ["word"]),
        ("obsidian", "[[#]] word", ["word"]),
        ("mdx", "import a from 'b'\n\n`{/* kept */}` {/* gone */} word {/* open", ["`{/* kept */}`  word {/* open"]),
        ("liquid", "a" * 65 + "{%highlight%}{%endhighlight%}", ["a" * 65]),
    ],
)
def test_corner(dialect: str, source: str, texts: list[str]) -> None:
    options = Options(drop=0, fold=0, dialects=frozenset({dialect}))
    chunking = chunk_document(document_from_text("a.md", source), options)
    check_chunking(chunking)
    assert [chunk.text for chunk in chunking.chunks] == texts


def test_code_between_tags_is_cut_by_line_without_a_fence() -> None:
    source = f"## H\n\n{{{{< highlight go >}}}}\n{CODE}{{{{< /highlight >}}}}\n"
    options = Options(drop=0, fold=0, cap=80, code_lines=0, dialects=frozenset({"hugo"}))
    chunking = chunk_document(document_from_text("a.md", source), options)
    check_chunking(chunking)
    assert len(chunking.chunks) > 2
    assert not any("```" in chunk.text or "highlight" in chunk.text for chunk in chunking.chunks)


def test_a_lookalike_of_a_heading_in_code_is_none() -> None:
    chunking = chunk_document(document_from_text("a.md", "```\n##\u00a0x\n```\n"), Options(drop=0, fold=0))
    assert "heading-lookalike" not in [problem.code for problem in chunking.problems]


def test_a_comment_that_is_never_closed_is_found_after_one_that_is() -> None:
    chunking = chunk_document(
        document_from_text("a.md", "<div><!-- a -->\n<!-- never closed\n"), Options(drop=0, fold=0)
    )
    assert [(p.code, p.line) for p in chunking.problems] == [("unclosed-comment", 2)]
