"""Cuts in a flow: sliding windows, whole sentences, separators tried in order; sizes in units of a measure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import regex

from inspector.core.section import is_empty, trim
from inspector.core.strategies.choices import Recursive, Semantic, Sentences, Window
from inspector.core.strategies.flow import Cut, Flow, grapheme_starts
from inspector.core.units import WORDS

Measure = Callable[[str], Sequence[int]]
"""Where each unit of a text starts, in code points, rising: what sizes count."""

_BLANK_LINE = re.compile(r"\n(?:[ \t]*\n)+")
_LINE = re.compile(r"\n")
_GRAPHEME = regex.compile(r"\X")
_FINE = ("line", "word")


def characters(text: str) -> Sequence[int]:
    """Measure a text in code points."""
    return range(len(text))


class Ruler:
    """Counts units between two offsets of one text; the rest of a unit that began before counts as one."""

    def __init__(self, text: str, measure: Measure) -> None:
        self._text = text
        self.starts = measure(text)
        self.is_plain = isinstance(self.starts, range)

    def count(self, start: int, end: int) -> int:
        """Return how many units are in `[start, end)`."""
        if self.is_plain:
            return end - start
        first = bisect_left(self.starts, start)
        return bisect_left(self.starts, end, first) - first + self._begins_inside(start, first, end)

    def furthest(self, start: int, size: int) -> int:
        """Return the first offset at which more than `size` units have started since `start`, else a large one."""
        if self.is_plain:
            return start + size
        first = bisect_left(self.starts, start)
        index = first + size - self._begins_inside(start, first, len(self._text))
        return self.starts[index] if index < len(self.starts) else 1 << 60

    def earliest(self, end: int, size: int) -> int:
        """Return an offset from which at most `size` units stand before `end`, the least at which one starts."""
        if self.is_plain:
            return max(0, end - size)
        index = bisect_left(self.starts, end) - size
        return self.starts[index] if index > 0 else 0

    def _begins_inside(self, start: int, first: int, end: int) -> bool:
        """Whether `start` lies inside a unit; `first` is the number of the next."""
        following = self.starts[first] if first < len(self.starts) else end
        return start < following and not self._text[start : min(following, end)].isspace()


def window_cuts(flow: Flow, own: Window, measure: Measure) -> Iterator[Cut]:
    """Yield windows of `size` units, each `size - overlap` after the last: `ceil((units - overlap) / step)` of them.

    A unit is what can be parted: the tokens of one grapheme, or its characters, count once.
    """
    text = flow.text
    starts = grapheme_starts(text, measure(text))
    step = own.size - own.overlap
    count = max(1, -(-(len(starts) - own.overlap) // step)) if text else 0
    for number in range(count):
        first, last = number * step, number * step + own.size
        start = starts[first] if number else 0
        yield Cut(start, starts[last] if last < len(starts) else len(text))


def sentence_chunks(flow: Flow, own: Sentences, measure: Measure) -> Iterator[Cut]:
    """Yield runs of whole sentences up to `size`, each with the words of the tail before it up to `overlap`."""
    ruler = Ruler(flow.text, measure)
    parts = list(_fitting(flow, flow.sentences, ruler, own.size))
    words = _word_starts(flow.text)

    def carried(end: int, next_end: int) -> int:
        earliest = max(ruler.earliest(end, own.overlap), ruler.earliest(next_end, own.size))
        index = bisect_left(words, earliest)
        return words[index] if index < len(words) else next_end

    yield from _filled(parts, ruler, own.size, carried if own.overlap else None)


def recursive_chunks(flow: Flow, own: Recursive, measure: Measure) -> Iterator[Cut]:
    """Yield the parts that separators leave, tried in order until they fit, neighbours merged up to `size`.

    A chunk begins with as many whole parts of the one before as `overlap` percent of the size hold.
    """
    ruler = Ruler(flow.text, measure)
    borders = [_borders(flow, name) for name in own.separators]
    text = flow.text
    parts = [part for part in _parted(text, 0, len(text), borders, ruler, own.size) if not is_empty(text[slice(*part)])]
    starts = [start for start, _end in parts]
    allowed = own.size * own.overlap // 100

    def carried(end: int, next_end: int) -> int:
        earliest = max(ruler.earliest(end, allowed), ruler.earliest(next_end, own.size))
        index = bisect_left(starts, earliest)
        return starts[index] if index < len(starts) else next_end

    yield from _filled(parts, ruler, own.size, carried if allowed else None)


def semantic_parts(flow: Flow, own: Semantic) -> list[tuple[int, int]]:
    """Return the sentences that distances are measured between, those over the cap in parts."""
    return list(_fitting(flow, flow.sentences, Ruler(flow.text, characters), own.cap))


def semantic_cuts(
    parts: Sequence[tuple[int, int]], own: Semantic, distances: Sequence[float], threshold: float
) -> Iterator[Cut]:
    """Yield runs of sentences that end where the distance to the next is over the threshold, or the cap is full."""
    start, end = -1, -1
    for number, (first, last) in enumerate(parts):
        if start >= 0 and (last - start > own.cap or distances[number - 1] > threshold):
            yield Cut(start, end)
            start = -1
        if start < 0:
            start = first
        end = last
    if start >= 0:
        yield Cut(start, end)


def _filled(
    parts: Sequence[tuple[int, int]], ruler: Ruler, size: int, carried: Callable[[int, int], int] | None
) -> Iterator[Cut]:
    """Fill chunks with parts from the front; `carried` says where one begins that follows another."""
    start, end = -1, -1
    for first, last in parts:
        if start >= 0 and ruler.count(start, last) > size:
            yield Cut(start, end)
            start = first if carried is None else min(first, carried(end, last))
        elif start < 0:
            start = first
        end = last
    if start >= 0:
        yield Cut(start, end)


def _fitting(flow: Flow, parts: Sequence[tuple[int, int]], ruler: Ruler, size: int) -> Iterator[tuple[int, int]]:
    """Yield parts, those over the size in lines, then words, then characters."""
    borders: list[list[int]] = []
    for start, end in parts:
        if ruler.count(start, end) <= size:
            yield start, end
            continue
        if not borders:
            borders = [_borders(flow, name) for name in _FINE]
        fine = list(_parted(flow.text, start, end, borders, ruler, size))
        for cut in _filled(fine, ruler, size, None):
            yield cut.start, cut.end


def _parted(
    text: str, start: int, end: int, borders: Sequence[list[int]], ruler: Ruler, size: int
) -> Iterator[tuple[int, int]]:
    """Yield `[start, end)` where it fits, else its parts between the first borders, and so on; edges without blanks."""
    start, end = trim(text, start, end)
    if start >= end:
        return
    if ruler.count(start, end) <= size:
        yield start, end
        return
    if not borders:
        yield from _hard(text, start, end, ruler, size)
        return
    here = borders[0]
    inner = here[bisect_right(here, start) : bisect_left(here, end)]
    edges = [start, *inner, end]
    for first, last in pairwise(edges):
        yield from _parted(text, first, last, borders[1:], ruler, size)


def _hard(text: str, start: int, end: int, ruler: Ruler, size: int) -> Iterator[tuple[int, int]]:
    """Cut a stretch without borders at the last grapheme that fits; a grapheme that is larger is cut."""
    while start < end:
        limit = min(end, ruler.furthest(start, size))
        cut = limit if limit == end else start
        if limit < end:
            for match in _GRAPHEME.finditer(text, start, end):  # pragma: no branch - it ends past the limit
                if match.end() > limit:
                    break
                cut = match.end()
            if cut == start:
                cut = max(limit, start + 1)
        yield start, cut
        start = cut


def _borders(flow: Flow, name: str) -> list[int]:
    """Return where a separator lets the text be cut, rising."""
    text = flow.text
    if name == "heading":
        return flow.headings
    if name == "blank line":
        return [match.end() for match in _BLANK_LINE.finditer(text)]
    if name == "line":
        return [match.end() for match in _LINE.finditer(text)]
    if name == "sentence":
        return [start for start, _end in flow.sentences]
    return _word_starts(text)


def _word_starts(text: str) -> list[int]:
    return [match.start() for match in WORDS.finditer(text)]
