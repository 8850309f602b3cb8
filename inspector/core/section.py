"""Sections of a cleaned document: their text, and where each of its characters comes from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from inspector.core.blocks import Block
from inspector.core.cleaning import Cleaned
from inspector.core.text import JOINS_BEFORE, WHITE

SYNTHETIC = -1

_VISIBLE = regex.compile(
    r"[^\s\p{Cf}\p{Cc}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_JOINS_AFTER = regex.compile(r"\p{GCB=Prepend}")
_GRAPHEME = regex.compile(r"\X")
_LEADING = regex.compile(rf"[{WHITE}]+")


def is_empty(text: str) -> bool:
    """Whether a text holds nothing but white space and invisible characters."""
    return _VISIBLE.search(text) is None


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return `[start, end)` without white space at its edges; a blank that carries a mark is kept."""
    match = _LEADING.match(text, start, end)
    if match:
        start = match.end()
        if start < end and text[start - 1] != "\n" and JOINS_BEFORE.match(text, start):
            start -= 1
    last = end
    while end > start and text[end - 1] in WHITE:
        end -= 1
    if end < last and end > start and text[end] != "\n" and _JOINS_AFTER.match(text, end - 1):
        end += 1
    return start, end


def is_break(text: str, at: int) -> bool:
    """Whether a text may be cut at an offset at which a sentence begins: not inside a grapheme."""
    return text[at - 1] == "\n" or _GRAPHEME.fullmatch(text, at - 1, at + 1) is None


@dataclass(slots=True)
class Run:
    """Text with the position each character comes from: segments of one origin each.

    `starts[i]` is where segment i begins in `text`, `origins[i]` the position it comes from, or
    SYNTHETIC with its reason in `whys[i]`.
    """

    text: str
    starts: list[int]
    origins: list[int]
    whys: list[str]

    def slice(self, start: int, end: int) -> Iterator[tuple[int, int, str, str]]:
        """Yield (position or SYNTHETIC, length, text, why) for the segments of `[start, end)`."""
        index = bisect_right(self.starts, start) - 1
        while index < len(self.starts) and self.starts[index] < end:
            segment_end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
            a, b = max(start, self.starts[index]), min(end, segment_end)
            origin = self.origins[index]
            if origin >= 0:
                origin += a - self.starts[index]
            yield origin, b - a, self.text[a:b], self.whys[index]
            index += 1

    def first_origin(self, start: int, end: int) -> int:
        """Return the position that the first character of `[start, end)` comes from; it is verbatim at a cut."""
        return next(self.slice(start, end))[0]


@dataclass(slots=True)
class Section:
    """A heading of a split level (or none) and all up to the next, cleaned.

    `start` and `end` are positions; `run` is the cleaned text without white space at its edges;
    `heading_end` where the heading ends in it; `line_ends` the positions of the line ends between its
    last character and the next section.
    """

    index: int
    heading: Block | None
    trail: tuple[str, ...]
    start: int
    end: int
    run: Run
    heading_end: int
    line_ends: list[int]
    blocks: list[Block] = field(default_factory=list)
    node: object = None
    _verbatim: tuple[list[int], list[int]] | None = None
    _heading_line: str | None = None

    @property
    def length(self) -> int:
        """Code points of the cleaned text."""
        return len(self.run.text)

    @property
    def heading_line(self) -> str:
        """The cleaned heading on one line, "" for none."""
        if self._heading_line is None:
            self._heading_line = " ".join(self.run.text[: self.heading_end].split())
        return self._heading_line

    @property
    def is_empty(self) -> bool:
        """Whether nothing that can be seen is left."""
        return is_empty(self.run.text)

    def place(self, position: int) -> int:
        """Return where in the cleaned text the first kept character at or after `position` stands."""
        if self._verbatim is None:
            verbatim = [i for i, origin in enumerate(self.run.origins) if origin >= 0]
            self._verbatim = (verbatim, [self.run.origins[i] for i in verbatim])
        indices, origins = self._verbatim
        at = bisect_right(origins, position) - 1
        run = self.run
        if at >= 0:
            index = indices[at]
            end = run.starts[index + 1] if index + 1 < len(run.starts) else len(run.text)
            offset = run.starts[index] + position - origins[at]
            if offset < end:
                return offset
        at += 1
        return run.starts[indices[at]] if at < len(indices) else len(run.text)


def build_section(
    text: str,
    index: int,
    heading: Block | None,
    trail: tuple[str, ...],
    start: int,
    end: int,
    cleaned: Cleaned,
    removal_starts: list[int],
) -> Section:
    """Put a section's cleaned text together from what removals leave of `text[start:end]`."""
    segments = list(_segments(text, start, end, cleaned, removal_starts))
    joined = "".join(segment for segment, _origin, _why in segments)
    first, last = trim(joined, 0, len(joined))
    run = Run(joined[first:last], [], [], [])
    line_ends: list[int] = []
    at = 0
    for segment, origin, why in segments:
        a, b = max(at, first), min(at + len(segment), last)
        if a < b:
            run.starts.append(a - first)
            run.origins.append(origin + a - at if origin >= 0 else SYNTHETIC)
            run.whys.append(why)
        if origin >= 0 and at + len(segment) > last:
            from_ = max(0, last - at)
            line_ends.extend(origin + i for i in range(from_, len(segment)) if segment[i] == "\n")
        at += len(segment)
    section = Section(index, heading, trail, start, end, run, 0, line_ends)
    if heading is not None:
        section.heading_end = section.place(heading.end)
        section.heading_end = len(run.text[: section.heading_end].rstrip(WHITE))
    return section


def _segments(
    text: str, start: int, end: int, cleaned: Cleaned, removal_starts: list[int]
) -> Iterator[tuple[str, int, str]]:
    """Yield (text, position or SYNTHETIC, why) for what stays of `[start, end)`."""
    insertions = cleaned.insertions
    insertion = bisect_left(insertions, start, key=lambda entry: entry.position)
    removals = cleaned.removals
    index = max(0, bisect_right(removal_starts, start) - 1)
    at = start
    while at < end:
        while index < len(removals) and removals[index].end <= at:
            index += 1
        if index < len(removals) and removals[index].start <= at:
            at = removals[index].end
            continue
        stop = min(end, removals[index].start) if index < len(removals) else end
        while insertion < len(insertions) and insertions[insertion].position < stop:
            entry = insertions[insertion]
            if entry.position > at:
                yield text[at : entry.position], at, ""
                at = entry.position
            yield entry.text, SYNTHETIC, entry.why
            insertion += 1
        yield text[at:stop], at, ""
        at = stop
