"""Places in a document's source: half-open spans in code points, and its lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

LINE_END = re.compile("\r\n|\r|\n")
"""The only line ends there are (CommonMark 2.1); `str.splitlines` also cuts at U+2028 and others."""


class Span(NamedTuple):
    """Half-open `[start, end)` in code points of the source."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Code points in the span."""
        return self.end - self.start


class LineIndex:
    """The lines of a source: where each starts, and with what it ends."""

    def __init__(self, source: str) -> None:
        starts = [0]
        ends: list[str] = []
        for match in LINE_END.finditer(source):
            starts.append(match.end())
            ends.append(match.group())
        ends.append("")
        self.starts: tuple[int, ...] = tuple(starts)
        self.ends: tuple[str, ...] = tuple(ends)
        self.length = len(source)

    def __len__(self) -> int:
        return len(self.starts)

    def line_of(self, offset: int) -> int:
        """Return the 1-based line that holds `offset`."""
        return bisect_right(self.starts, offset)

    def span_of(self, line: int) -> Span:
        """Return the span of a 1-based line without its line end."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else self.length
        return Span(start, end - len(self.ends[line - 1]))

    def lines_of(self, span: Span) -> tuple[int, int]:
        """Return the first and last 1-based lines that a span touches, inclusive."""
        return self.line_of(span.start), self.line_of(max(span.start, span.end - 1))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many lines end with LF, CRLF and lone CR: keys `lf`, `crlf`, `cr`."""
        ends = self.ends
        return {"lf": ends.count("\n"), "crlf": ends.count("\r\n"), "cr": ends.count("\r")}
