"""Reading a text in its dialects: what is site syntax in it, and the blocks that are left to CommonMark.

Each dialect in turn finds its syntax outside code; what it finds is blotted out, at the same length, and the
blocks are read again. So a tag in a link's address, a table or a heading disturbs no parsing, and what is
found later cannot reach into it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from inspector.core.blocks import Block, BlockTree, Kind, read_blocks
from inspector.core.dialects import DIALECTS
from inspector.core.dialects.mdx import is_mdx
from inspector.core.dialects.page import FILLER, Code, Find, Page

_FENCE_PLACE = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*\Z")
_CLOSING_PLACE = re.compile(r"[ \t>]*\Z")
FENCE = "~"
LEAST_FENCE = 6


@dataclass(frozen=True, slots=True)
class SiteSyntax:
    """The blocks of a text, and the ranges of site syntax in it: in order, disjoint."""

    tree: BlockTree
    ranges: tuple[tuple[int, int], ...] = ()


def read_in_dialects(text: str, start: int, names: Collection[str]) -> SiteSyntax:
    """Read the blocks of `text[start:]`, a text with LF line ends, in the dialects named."""
    masked = text
    tree: BlockTree | None = None
    ranges: list[tuple[int, int]] = []
    has_indented_code = True
    for dialect in DIALECTS.values():
        if dialect.name not in names or not dialect.hint.search(masked, start):
            continue
        if tree is None:
            tree = read_blocks(masked, start, has_indented_code)
        if dialect.name == "mdx" and is_mdx(Page(masked, start, tree)):
            has_indented_code = False
            tree = read_blocks(masked, start, has_indented_code)
        for _ in range(dialect.passes):
            found = list(dialect.finds(Page(masked, start, tree)))
            if not found:
                break
            masked, tree = _blot(masked, start, tree, found, has_indented_code)
            ranges.extend((find.start, find.end) for find in _plain(found))
    if tree is None:
        tree = read_blocks(masked, start, has_indented_code)
    return SiteSyntax(tree, tuple(_merged(ranges)))


def _plain(found: Iterable[Find | Code]) -> Iterable[Find]:
    for entry in found:
        if isinstance(entry, Code):
            yield entry.opening
            yield entry.closing
        else:
            yield entry


def _blot(
    text: str, start: int, tree: BlockTree, found: list[Find | Code], has_indented_code: bool
) -> tuple[str, BlockTree]:
    """Blot out what was found. Tags around code become a fence where that makes one block, no more and no less."""
    page = Page(text, start, tree)
    codes = [entry for entry in found if isinstance(entry, Code)]
    fences = {code: ends for code in codes if (ends := _fence(page, code)) is not None}
    while True:
        finds = [entry for entry in found if isinstance(entry, Find)]
        for code in codes:
            finds.extend(fences.get(code) or (code.opening, code.closing))
        masked = _masked(page, finds)
        fresh = read_blocks(masked, start, has_indented_code)
        good = _fences_of(fresh)
        kept = {code: ends for code, ends in fences.items() if _is_fence(fresh, good, code)}
        if len(kept) == len(fences):
            return masked, fresh
        fences = kept if len(kept) * 2 > len(fences) else {}


def _fence(page: Page, code: Code) -> tuple[Find, Find] | None:
    """Return the ends of a fence for tags around code, None where they do not stand on lines of their own."""
    opening, closing = code
    length = min(opening.end - opening.start, closing.end - closing.start)
    before, before_closing = page.line_before(opening.start), page.line_before(closing.start)
    if (
        length < LEAST_FENCE
        or before is None
        or before_closing is None
        or not _FENCE_PLACE.match(before)
        or not _CLOSING_PLACE.match(before_closing)
        or not page.is_line_end(closing.end)
        or "\n" in page.text[opening.start : opening.end]
        or "\n" in page.text[closing.start : closing.end]
        or FENCE * length in page.text[opening.end : closing.start]
    ):
        return None
    width = opening.end - opening.start
    return (
        Find(opening.start, opening.end, FENCE * length + FILLER * (width - length)),
        Find(closing.start, closing.end, FENCE * (closing.end - closing.start)),
    )


def _fences_of(tree: BlockTree) -> dict[int, Block]:
    """The closed fences of a tree by their first line."""
    found: dict[int, Block] = {}
    stack = list(tree.blocks)
    while stack:
        block = stack.pop()
        stack.extend(block.children)
        if block.kind is Kind.FENCE and block.is_closed:
            found[block.first_line] = block
    return found


def _is_fence(tree: BlockTree, fences: dict[int, Block], code: Code) -> bool:
    first = bisect_right(tree.line_starts, code.opening.start) - 1
    last = bisect_right(tree.line_starts, code.closing.start) - 1
    return first in fences and fences[first].last_line == last


def _masked(page: Page, finds: list[Find]) -> str:
    pieces: list[str] = []
    at = 0
    for find in sorted(finds, key=lambda find: (find.start, -find.end)):
        if find.start < at or find.start >= find.end:
            continue
        pieces.append(page.text[at : find.start])
        pieces.append(find.stand_in or page.stand_in(find.start, find.end))
        at = find.end
    pieces.append(page.text[at:])
    return "".join(pieces)


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
