"""Blocks and their places, where markdown-it's own account needs help."""

from __future__ import annotations

import pytest

from inspector.core.blocks import Block, Kind, read_blocks
from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document


def walk(blocks: list[Block]) -> list[Block]:
    """Return blocks and all in them."""
    return [found for block in blocks for found in [block, *walk(block.children)]]


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("a [b](c) d", [0]),
        ("\u00a0\n[b](c) d", [2]),
        ("\u00a0\n\u00a0\n  x\n[b](c)\n\u00a0", [6]),
        ("> one\n> [b](c)", [2, 8]),
        ("> one\nlazy [b](c)", [2, 6]),
        ("- a\n\n\t[b](c)", [2, 6]),
        ("1.  [b](c)\n\n    # [d](e) #", [4, 18]),
        ("[b](c)\nTwo\n===", [0]),
    ],
)
def test_inline_text_is_placed_where_it_stands(source: str, places: list[int]) -> None:
    inlines = [inline for block in walk(read_blocks(source, 0).blocks) for inline in block.inlines]
    found = []
    for inline in inlines:
        for mark in inline.marks:
            assert source[inline.position(mark.start)] == inline.content[mark.start]
            assert source[inline.position(mark.inner_end)] == "]"
        found.extend(inline.position(at) for at in range(0, len(inline.content), 1000))
    assert len(found) == len(places) or found[0] == places[0]
    for inline in inlines:
        for at, character in enumerate(inline.content):
            assert source[inline.position(at)] == character


def test_cells_are_placed_and_their_escaped_bars_counted() -> None:
    source = "| a \\| b | [z](q(r)) |\n|--|--|\n| <b>1</b> |  | extra |\n"
    rows = [block for block in walk(read_blocks(source, 0).blocks) if block.kind is Kind.ROW]
    cells = [inline for row in rows for inline in row.inlines]
    assert [cell.content for cell in cells] == ["a | b", "[z](q(r))", "<b>1</b>"]
    assert [source[cell.position(0)] for cell in cells] == ["a", "[", "<"]
    assert source[cells[0].position(2)] == "|"


@pytest.mark.parametrize(
    ("source", "closed"),
    [
        ("```\na\n```", True), ("```\na", False), ("```\na\n", False), ("```", False), ("```\n```", True), ("~~~\n```\n~~~~", True),
        ("> ```\n> a\n\nafter", False), ("- ```\n  a\n  ```\n", True),
    ],
)  # fmt: skip
def test_whether_a_fence_is_closed(source: str, closed: bool) -> None:
    fences = [block for block in walk(read_blocks(source, 0).blocks) if block.kind is Kind.FENCE]
    assert [fence.is_closed for fence in fences] == [closed]


@pytest.mark.parametrize("cap", [40, 60, 200])
@pytest.mark.parametrize(
    "source",
    [
        "- a\n- \n- b\n\n-\n",
        "1. a\n\n   ```\n   code\n   code\n   ```\n\n   more\n2. b",
        "> - q\n>\n>   second\n> - r\n\n[^1]: note\n    more\n\n    second\n",
        "| a |\n|---|\n",
        "| a |\n|---|\n| one |\n| two |\n| three is a longer row |\n| four is an even longer row than that |\n",
        "```\n```\n\n```\none line only\n```\n\n~~~\n" + "word " * 30 + "\n~~~\n",
        "    indented\n\n    code that is long enough to be cut in two\n",
        "<div>\nraw words that go on for longer than the smallest cap\n</div>\n",
        "- \n\n  text after an empty item\n",
        "***\n\n" + "words without any stop at all " * 8 + "\n\n***",
        "#### Inner\n\n" + "A sentence. " * 20 + "\n\n##### Deeper\n\n- item one:\n- item two:\n\n  nested",
        "A first sentence. \u0301odd. " * 8,
        "[r]: x\n[s]: y\n\n- [r]: x\n- kept",
        "text\n\n<!-- gone -->\n<!-- gone too -->\ntext\n\n\n<!-- gone -->\n\n\ntext   ",
        "one<br/>two<td>three <p>four\n<br>\nfive",
    ],
)
def test_laws_hold_on_small_blocks(source: str, cap: int) -> None:
    for options in (Options(drop=0, fold=0, cap=cap, code_lines=0), Options(drop=0, fold=30, cap=cap)):
        for clean in (options.clean, frozenset[str]()):
            chunking = chunk_document(
                document_from_text("a.md", source),
                Options(drop=0, fold=options.fold, cap=cap, code_lines=options.code_lines, clean=clean),
            )
            check_chunking(chunking)
            assert chunking.chunks


@pytest.mark.parametrize(
    "source",
    [
        "-\n  text of an item that begins a line later, long enough to be cut at the cap\n- b\n",
        "```\n\u0600 \ncode after it\n   \nmore code to fill the cap with words\n```\n",
        " \u0301x and words that go on\n\n\u0600",
        "<div><!-- a -->\n<!-- never closed\n",
        "A sentence here. " * 900,
        "word " * 3000,
        "." * 9000 + " end",
        "## Heading\n<b> \U000e0041 the the https://example.org/a_(b)\n",
        "```\n" + "one long line of code " * 20,
        "[r]: http://example.org/one\n\n[s]: http://example.org/two\n\n[t]: http://example.org/three\n",
    ],
)
def test_laws_hold_where_marks_join_and_paragraphs_are_long(source: str) -> None:
    for cap in (40, 400):
        options = Options(drop=0, fold=0, cap=cap, code_lines=0, clean=frozenset())
        check_chunking(chunk_document(document_from_text("a.md", source), options))
        check_chunking(
            chunk_document(document_from_text("a.md", source), Options(drop=0, fold=0, cap=cap, code_lines=0))
        )
