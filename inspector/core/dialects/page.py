"""What a dialect sees of a document: its text, where its code and comments are, and how to find the ends of tags."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from inspector.core.blocks import Block, BlockTree, Inline, Kind, walk
from inspector.core.html import RAW, scan_html
from inspector.core.parser import find_marks

FILLER = "\ufdd0"
"""What the parser reads in place of syntax: a noncharacter, which CommonMark takes for a letter."""

_CODE = frozenset({Kind.FENCE, Kind.CODE, Kind.MATH})
_QUOTE_MARKS = re.compile(r"[ \t>]*\Z")
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)[ \t]*[^ \t\n]")
_NOT_LINE_END = re.compile(r"[^\n]")
_MAY_HOLD_MARKS = re.compile(r"[\[<]")
MARGIN = 64
"""Characters before a tag that are looked at to see whether it is alone on its line."""


class Find(NamedTuple):
    """A range of positions that is site syntax. `stand_in` is what the parser reads there, as long as the
    range; "" leaves it to `Page.stand_in`."""

    start: int
    end: int
    stand_in: str = ""


class Code(NamedTuple):
    """Tags whose inside is code: both go, what is between them is read as in a fence."""

    opening: Find
    closing: Find


class Page:
    """A document for one dialect: `text` has what dialects before found blotted out, `tree` is its blocks."""

    def __init__(self, text: str, start: int, tree: BlockTree) -> None:
        self.text = text
        self.start = start
        self.tree = tree
        self._next: dict[str, int] = {}
        self._spans: dict[int, list[tuple[int, int]]] = {}

    def blocks(self) -> Iterator[Block]:
        """Return all blocks, a container before what is in it."""
        return walk(self.tree.blocks)

    @cached_property
    def _closed(self) -> list[tuple[int, int]]:
        """Code, `$$` blocks, and of HTML blocks the comments, scripts, styles and what is preformatted."""
        closed: list[tuple[int, int]] = []
        for block in self.blocks():
            if block.kind in _CODE:
                closed.append((block.start, block.end))
            elif block.kind is Kind.HTML:
                closed.extend(_closed_in_html(self.text, block))
        return closed

    @cached_property
    def _html(self) -> list[tuple[int, int]]:
        return [(block.start, block.end) for block in self.blocks() if block.kind is Kind.HTML]

    @cached_property
    def _inlines(self) -> list[tuple[int, int, Inline]]:
        found = []
        for block in self.blocks():
            for inline in block.inlines:
                end = inline.position(len(inline.content) - 1) + 1
                found.append((inline.lines[0][1], end, inline))
        return found

    @cached_property
    def _inline_starts(self) -> list[int]:
        return [start for start, _end, _inline in self._inlines]

    def is_open(self, position: int) -> bool:
        """Whether a position is in no code, code span, `$$` block, comment, script, style or `pre`."""
        if _holds(self._closed, position):
            return False
        index = bisect_right(self._inline_starts, position) - 1
        if index < 0 or position >= self._inlines[index][1]:
            return True
        return not _holds(self._code_spans(index), position)

    def _code_spans(self, index: int) -> list[tuple[int, int]]:
        """The code spans and comments of a run of inline text."""
        spans = self._spans.get(index)
        if spans is None:
            inline = self._inlines[index][2]
            marks = inline.marks
            if "`" in inline.content and not _MAY_HOLD_MARKS.search(inline.content):
                marks = find_marks(inline.content, {"definitions": []})
            spans = [
                (inline.position(mark.start), inline.position(mark.end - 1) + 1)
                for mark in marks
                if mark.kind == "code" or (mark.kind == "html" and inline.content.startswith("<!--", mark.start))
            ]
            spans.sort()
            self._spans[index] = spans
        return spans

    def matches(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Return a pattern's matches that begin and end outside code."""
        return [
            match
            for match in pattern.finditer(self.text, self.start)
            if self.is_open(match.start()) and self.is_open(match.end() - 1)
        ]

    def find(self, needle: str, position: int) -> int:
        """Return where a string stands next, -1 for nowhere; positions asked for may only rise."""
        known = self._next.get(needle)
        if known is None or -1 < known < position:
            known = self._next[needle] = self.text.find(needle, position)
        return known

    def tag_end(self, position: int, closer: str) -> int | None:
        """Return where a tag ends that opened before `position`; a tag does not go over a blank line."""
        at = self.find(closer, position)
        blank = self.find("\n\n", position)
        if at < 0 or -1 < blank < at or not self.is_open(at):
            return None
        return at + len(closer)

    def stand_in(self, start: int, end: int) -> str:
        """What the parser reads in place of a tag: a blank line where it is alone on its line, else a word.

        It stays a word before indented text, which a blank line would turn into code, and in HTML blocks,
        which a blank line would end.
        """
        filler = " " if self._parts_blocks(start, end) else FILLER
        return _NOT_LINE_END.sub(filler, self.text[start:end])

    def _parts_blocks(self, start: int, end: int) -> bool:
        after = _LINE_END.match(self.text, end)
        if after is None or _INDENTED.match(self.text, after.end()):
            return False
        before = self.line_before(start)
        return before is not None and _QUOTE_MARKS.match(before) is not None and not _holds(self._html, start)

    def line_before(self, position: int) -> str | None:
        """Return what stands before a position on its line, None when that is long."""
        low = max(self.start, position - MARGIN)
        newline = self.text.rfind("\n", low, position)
        if newline < 0 and low > self.start:
            return None
        return self.text[newline + 1 if newline >= 0 else low : position]

    def is_line_end(self, position: int) -> bool:
        """Whether nothing but blanks stands between a position and the line's end."""
        return _LINE_END.match(self.text, position) is not None


def next_after(starts: list[int], position: int) -> int | None:
    """Return the index of the first of `starts`, which rise, at or after a position."""
    index = bisect_left(starts, position)
    return index if index < len(starts) else None


def _holds(ranges: list[tuple[int, int]], position: int) -> bool:
    index = bisect_right(ranges, (position, len(FILLER) << 40)) - 1
    return index >= 0 and ranges[index][0] <= position < ranges[index][1]


def _closed_in_html(text: str, block: Block) -> Iterator[tuple[int, int]]:
    raw_from = -1
    for mark in scan_html(text, block.start, block.end):
        if raw_from >= 0:
            yield raw_from, mark.start
            raw_from = -1
        if mark.kind in ("comment", "whole"):
            yield mark.start, mark.end
        elif mark.name in RAW and text[mark.start + 1] != "/":
            raw_from = mark.end
    if raw_from >= 0:
        yield raw_from, block.end
