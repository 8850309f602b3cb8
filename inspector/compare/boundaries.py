"""Where the boundaries of two chunkings of one source agree."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from inspector.core.chunk import Chunking

NEAR = 2
"""Characters that two boundaries may lie apart and still agree: what was trimmed at one of them."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place at which a chunk begins, as a source offset for each side, None where that side does not cut.

    `offset` is the first of them.
    """

    left: int | None
    right: int | None

    @property
    def offset(self) -> int:
        """Where it lies in the source."""
        return min(offset for offset in (self.left, self.right) if offset is not None)

    @property
    def agrees(self) -> bool:
        """Whether both cut here."""
        return self.left is not None and self.right is not None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two sets of boundaries agree: counts, from which F1 follows, and WindowDiff from 0 (the same) to 1."""

    both: int
    left: int
    right: int
    windows: int = 0
    different: int = 0

    @property
    def f1(self) -> float:
        """The harmonic mean of the share of each side's boundaries that the other has; 1 where neither has any."""
        total = self.left + self.right
        return 2 * self.both / total if total else 1.0

    @property
    def window_diff(self) -> float:
        """The share of windows that hold another number of boundaries."""
        return self.different / self.windows if self.windows else 0.0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            self.both + other.both, self.left + other.left, self.right + other.right,
            self.windows + other.windows, self.different + other.different,
        )  # fmt: skip


def boundaries_of(chunking: Chunking) -> list[int]:
    """Return where chunks begin in the source, but the first, rising; of overlapping ones where their own text does."""
    starts = {chunk.own[0].start if chunk.own else chunk.span.start for chunk in chunking.chunks[1:]}
    return sorted(starts)


def match_boundaries(left: Chunking, right: Chunking) -> tuple[Boundary, ...]:
    """Return the boundaries of both chunkings of one source, in its order; those at the same place are one.

    Two agree where no more than NEAR characters, or white space alone, lie between them.
    """
    source = left.document.source
    ours, theirs = boundaries_of(left), boundaries_of(right)
    found: list[Boundary] = []
    a = b = 0
    while a < len(ours) or b < len(theirs):
        mine = ours[a] if a < len(ours) else None
        other = theirs[b] if b < len(theirs) else None
        if mine is not None and other is not None and _are_one(source, mine, other):
            found.append(Boundary(mine, other))
            a, b = a + 1, b + 1
        elif other is None or (mine is not None and mine < other):
            found.append(Boundary(mine, None))
            a += 1
        else:
            found.append(Boundary(None, other))
            b += 1
    return tuple(found)


def _are_one(source: str, first: int, second: int) -> bool:
    low, high = min(first, second), max(first, second)
    return high - low <= NEAR or (high - low < 200 and not source[low:high].strip(" \t\r\n#>"))


def agreement(left: Chunking, right: Chunking) -> Agreement:
    """Compare two chunkings of one source.

    WindowDiff as in Pevzner and Hearst, A Critique and Improvement of an Evaluation Metric for Text Segmentation
    (Computational Linguistics 28:1, 2002): windows of half the left side's mean chunk, here in characters; `left` is
    the reference.
    """
    pairs = match_boundaries(left, right)
    both = sum(pair.agrees for pair in pairs)
    ours = [pair.offset for pair in pairs if pair.left is not None]
    theirs = [pair.offset for pair in pairs if pair.right is not None]
    length = left.document.characters
    width = max(1, length // (2 * (len(ours) + 1)))
    windows = max(0, length - width)
    return Agreement(both, len(ours), len(theirs), windows, _different(ours, theirs, windows, width))


def _different(ours: Sequence[int], theirs: Sequence[int], windows: int, width: int) -> int:
    """Count the windows `(i, i + width]`, i from 0, that hold another number of boundaries."""
    edges = {0, windows}
    for offset in (*ours, *theirs):
        edges.update(edge for edge in (offset - width, offset) if 0 < edge < windows)
    ordered = sorted(edges)
    total = 0
    for start, end in pairwise(ordered):
        if _held(ours, start, width) != _held(theirs, start, width):
            total += end - start
    return total


def _held(offsets: Sequence[int], start: int, width: int) -> int:
    return bisect_left(offsets, start + width + 1) - bisect_left(offsets, start + 1)
