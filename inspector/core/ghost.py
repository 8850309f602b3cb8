"""The ghost: where a naive splitter, of the kind many sites run in JavaScript, would cut the same source.

It splits on LF only, tests each line by itself, and knows no fences:
`source.split("\\n")`, then `/^#{2,3}\\s+(.+)$/` without the m flag, whose `.` matches no line terminator of
ECMAScript (ECMA-262, 12.3: LF, CR, U+2028, U+2029) and whose `$` is the end of the line it was given. A line that
ends with CRLF keeps its CR, so it is never a heading, and the whole post becomes one chunk.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from inspector.core.document import Document

_JS_SPACE = "\t\x0b\x0c\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_HEADING = re.compile(f"#{{2,3}}[{_JS_SPACE}]+[^\r\n\u2028\u2029]+")
LEVELS = frozenset({2, 3})


@dataclass(frozen=True)
class Ghost:
    """The naive splitter's cuts in a document, as source offsets of line starts, in order.

    `invented` are no headings of the document, `lost` are headings (of levels 2 and 3) that it does not find.
    """

    cuts: tuple[int, ...]
    invented: tuple[int, ...]
    lost: tuple[int, ...]
    length: int

    @property
    def differs(self) -> bool:
        """Whether the naive splitter cuts anywhere else than at the headings."""
        return bool(self.invented or self.lost)

    @cached_property
    def chunks(self) -> tuple[tuple[int, int], ...]:
        """The naive splitter's chunks as half-open ranges of the source; what is before the first cut is one."""
        edges = [0, *(cut for cut in self.cuts if cut), self.length]
        return tuple(pairwise(edges)) if self.length else ()

    def chunk_at(self, offset: int) -> int:
        """Return the number of the naive chunk that holds an offset, from 0."""
        return bisect_right([start for start, _ in self.chunks[1:]], offset)


def why_lost(document: Document, start: int) -> str:
    """Return why the naive splitter does not take the heading on the line at `start` for one."""
    lines = document.lines
    number = lines.line_of(start)
    line = document.source[start : lines.span_of(number).end]
    before = lines.ends[number - 2] if number > 1 else ""
    if before == "\r":
        return "after a lone CR"
    if lines.ends[number - 1].startswith("\r"):
        return "CRLF" if lines.ends[number - 1] == "\r\n" else "lone CR"
    if not line.lstrip().startswith("#"):
        return "underlined" if line[:1] != "\ufeff" else "byte order mark"
    if line[0] in " \t":
        return "indented"
    return "line separator" if re.search("[\u2028\u2029]", line) else "no words"


def why_invented(document: Document, start: int) -> str:
    """Return what the line at `start` is that the naive splitter takes for a heading."""
    if start < document.body_start:
        return "front matter"
    if any(fence.span.start <= start < fence.span.end for fence in document.fences):
        return "code"
    return "no heading"


def naive_cuts(source: str) -> tuple[int, ...]:
    """Return the offsets of the lines that the naive splitter takes for headings."""
    cuts, start = [], 0
    for line in source.split("\n"):
        if _HEADING.fullmatch(line):
            cuts.append(start)
        start += len(line) + 1
    return tuple(cuts)


def find_ghost(document: Document) -> Ghost:
    """Compare the naive splitter's cuts with the headings that are there."""
    source, lines = document.source, document.lines
    found = naive_cuts(source)
    real = {
        lines.starts[lines.line_of(heading.span.start) - 1] for heading in document.headings if heading.level in LEVELS
    }
    return Ghost(
        found,
        tuple(cut for cut in found if cut not in real),
        tuple(sorted(real - set(found))),
        len(source),
    )
