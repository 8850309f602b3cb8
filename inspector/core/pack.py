"""Packing: a group of sections longer than the cap is split down the ladder. Step 8.

Offsets are into the group's text: its sections' texts with a blank line between each two.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import regex

from inspector.core.blocks import Kind
from inspector.core.chunk import Rung
from inspector.core.fold import SEPARATOR, Group
from inspector.core.section import Section
from inspector.core.text import WHITE
from inspector.core.units import SECTION, TEXT, WORD, WORDS, Frame, Node, node_of, parts, sentence_cuts

RUNGS = tuple(Rung)
UGLIEST = 64
"""Cuts of one rung that are as ugly as one of the next."""

KEPT_UNITS = 4
"""Lists of units kept for a group, of caps that divide it differently."""

_GRAPHEME = regex.compile(r"\X")
_WHOLE_SENTENCES = frozenset({Kind.PARAGRAPH, Kind.HEADING, TEXT})
_WHOLE_PROSE = frozenset({Kind.PARAGRAPH, TEXT})
_BLOCKY = frozenset({Kind.QUOTE, Kind.ITEM, Kind.FOOTNOTE})
_LINED = frozenset({Kind.LIST, Kind.TABLE, Kind.FENCE, Kind.CODE, Kind.HTML, Kind.MATH})


@dataclass(slots=True)
class Packed:
    """One chunk to be: `[start, end)` of the group's text between synthetic text.

    `member` is the number of the section it starts in; `opening` and `closing` hold (text, why) of what
    is repeated around it; `[shared, start)` is what it repeats of the chunk before.
    """

    start: int
    end: int
    rung: Rung
    member: int
    opening: tuple[tuple[str, str], ...] = ()
    closing: tuple[tuple[str, str], ...] = ()
    shared: int | None = None

    @property
    def first(self) -> int:
        """Where its text of the group begins, with what it shares."""
        return self.start if self.shared is None else self.shared

    @property
    def length(self) -> int:
        """Code points of the chunk's text."""
        around = sum(len(text) for text, _why in self.opening + self.closing)
        return around + self.end - (self.start if self.shared is None else self.shared)


@dataclass(slots=True)
class _Unit:
    """A stretch of the group's text that is kept together. The frames say what a cut at its start
    or at its end repeats; `stays` that it wants to stay with what follows; `is_prose` that a part of it
    may be repeated."""

    start: int
    end: int
    rung: Rung
    member: int
    nodes: list[Node]
    before: Frame | None = None
    after: Frame | None = None
    stays: bool = False
    is_prose: bool = False

    @property
    def is_word(self) -> bool:
        return len(self.nodes) == 1 and self.nodes[0].kind == WORD


class Range:
    """The caps for which a result holds: every question about a length narrows it to those that answer alike."""

    __slots__ = ("cap", "high", "low")

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.low = 0
        self.high = sys.maxsize

    def holds(self, length: int) -> bool:
        """Whether a length is within the cap."""
        if length <= self.cap:
            self.low = max(self.low, length)
            return True
        self.high = min(self.high, length)
        return False

    def pin(self) -> None:
        """Note that a result depends on the very cap."""
        self.low, self.high = self.cap, self.cap + 1

    def narrow(self, low: int, high: int) -> None:
        """Take over the range of a result that this one is made from."""
        self.low, self.high = max(self.low, low), min(self.high, high)


@dataclass(slots=True)
class GroupUnits:
    """The units of a group for the caps in `[low, high)`, and their measures, one number a unit.

    `opening` is the length of what a chunk repeats that starts with the unit;
    `is_plain` says that no unit has to be cut and none repeats anything at its end.
    """

    units: list[_Unit]
    starts: list[int]
    ends: list[int]
    opening: list[int]
    is_plain: bool
    low: int
    high: int


@dataclass(slots=True)
class Packer:
    """Packs one group, in code points; keeps what several caps share. Make another for another group or fold."""

    group: Group
    texts: Sequence[str]
    fold: int
    lang: str
    is_balanced: bool = False
    overlap: int = 0
    cap: int = 0
    headings: list[str] = field(default_factory=list)
    _range: Range = field(default_factory=lambda: Range(0))
    _kept: list[GroupUnits] = field(default_factory=list)

    def pack(self, cap: int) -> tuple[list[Packed], int, int]:
        """Return the chunks of the group in order, and the caps `[low, high)` for which they are the same."""
        self._range = Range(cap)
        length = self.group.length
        if self._range.holds(length):
            return [Packed(0, length, Rung.SECTION, 0)], self._range.low, self._range.high
        whole = self._range
        packed, low, high = self._split(cap - self.overlap)
        whole.narrow(low + self.overlap, high + self.overlap)
        return packed, whole.low, whole.high

    def _split(self, cap: int) -> tuple[list[Packed], int, int]:
        self.cap = cap
        self._range = Range(cap)
        kept = self._units_for(cap)
        self._range.narrow(kept.low, kept.high)
        units = kept.units
        if kept.is_plain and not self.is_balanced:
            breaks = self._fill_plain(kept)
        else:
            units, breaks = self._fill(units)
        way = self._balance(units, breaks)
        if self.is_balanced:  # where a scrap cannot be helped between units, one at the end may be by parting one
            way = min(way, self._balance(units, self._shared_out(units)), key=self._cost)
        units, breaks = way
        ends = [*breaks[1:], len(units)]
        packed = [self._packed(units, a, b) for a, b in zip(breaks, ends, strict=True)]
        if self.overlap:
            for before, chunk, index in zip(packed, packed[1:], breaks[1:], strict=False):
                chunk.shared = self._carried(units, index, before.start)
                if chunk.shared is not None:
                    chunk.start = before.end  # the white space at the cut is its own
        return packed, self._range.low, self._range.high

    def _units_for(self, cap: int) -> GroupUnits:
        """Return the group's units for a cap, those of an earlier one where they are the same."""
        for kept in self._kept:
            if kept.low <= cap < kept.high:
                self.headings = [repeated_heading(section, cap, self._range) for section in self.group.members]
                return kept
        outer, self._range = self._range, Range(cap)
        self.headings = [repeated_heading(section, cap, self._range) for section in self.group.members]
        units: list[_Unit] = []
        for member in range(len(self.group.members)):
            units.extend(self._units_of_member(member))
        opening = [len_of(self._opening(unit)) for unit in units]
        closing = [len_of(_closing(unit)) for unit in units]
        is_plain = not any(closing) and all(
            unit.end - unit.start + open_length <= cap for unit, open_length in zip(units, opening, strict=True)
        )
        if not is_plain:
            self._range.pin()
        kept = GroupUnits(
            units,
            [unit.start for unit in units],
            [unit.end for unit in units],
            opening,
            is_plain,
            self._range.low,
            self._range.high,
        )
        self._range = outer
        self._kept = [kept, *self._kept[: KEPT_UNITS - 1]]
        return kept

    def _fill_plain(self, kept: GroupUnits) -> list[int]:
        """Fill chunks greedily where every unit fits and none repeats anything at its end."""
        starts, ends, opening = kept.starts, kept.ends, kept.opening
        cap, count = self.cap, len(starts)
        low, high = 0, sys.maxsize
        breaks: list[int] = []
        index = 0
        while index < count:
            breaks.append(index)
            base = starts[index] - opening[index]
            following = bisect_right(ends, base + cap, index)
            if ends[following - 1] - base > low:
                low = ends[following - 1] - base
            if following < count and ends[following] - base < high:
                high = ends[following] - base
            index = following
        self._range.narrow(low, high)
        return breaks

    def _units_of_member(self, member: int) -> list[_Unit]:
        section = self.group.members[member]
        node = node_of(section)
        if self._range.holds(node.length):
            offset = self.group.offsets[member]
            return [_Unit(node.start + offset, node.end + offset, Rung.SECTION, member, [node])]
        return self._stay_together(list(self._units(node, Rung.SECTION, member, self._heading_length(member))))

    def _heading_length(self, member: int) -> int:
        heading = self.headings[member]
        return len(heading) + len(SEPARATOR) if heading else 0

    def _units(
        self, node: Node, rung: Rung, member: int, around: int, frame: Frame | None = None, is_prose: bool = False
    ) -> Iterator[_Unit]:
        """Yield a node as one unit where it fits with what is repeated around it, else the units of its parts."""
        is_prose = is_prose or node.kind in _WHOLE_PROSE
        fits = node.kind != SECTION and self._range.holds(node.length + around)
        pieces = [] if fits else self._parts(node, member, around)
        if not pieces:
            offset = self.group.offsets[member]
            start, end, stays = node.start + offset, node.end + offset, node.stays and fits
            yield _Unit(start, end, rung, member, [node], frame, frame, stays, is_prose)
            return
        if node.frame is not None:
            frame = self._allowed(node.frame, member)
            if frame is not None:
                around += len(frame.opening) + 1 + (len(frame.closing) + 1 if frame.closing else 0)
        inner: list[_Unit] = []
        for number, piece in enumerate(pieces):
            inner.extend(self._units(piece, piece.rung if number else rung, member, around, frame, is_prose))
        if node.frame is not None and inner:
            inner[0].before = None
            inner[-1].after = None
        yield from inner

    def _parts(self, node: Node, member: int, around: int) -> list[Node]:
        return parts(node, self.texts[member], self.lang, lambda length: self._range.holds(length + around))

    def _allowed(self, frame: Frame, member: int) -> Frame | None:
        """A frame is repeated when each line is at most a quarter of the cap, all under half of it."""
        total = self._heading_length(member) + len(frame.opening) + len(frame.closing) + 2
        is_small = self._range.holds(4 * max(len(frame.opening), len(frame.closing)))
        return frame if is_small and self._range.holds(2 * total + 1) else None

    def _stay_together(self, units: list[_Unit]) -> list[_Unit]:
        """Join an inner heading, or a paragraph that ends in a colon, with what follows where both fit."""
        joined: list[_Unit] = []
        for unit in units:
            last = joined[-1] if joined else None
            if last is not None and last.stays and self._fit_together(last, unit):
                last.end = unit.end
                last.nodes.extend(unit.nodes)
                last.after = unit.after
                last.stays = unit.stays
                last.is_prose = last.is_prose and unit.is_prose
            else:
                joined.append(unit)
        return joined

    def _fit_together(self, first: _Unit, second: _Unit) -> bool:
        around = len_of(self._opening(first)) + len_of(_closing(second))
        return self._range.holds(around + second.end - first.start)

    def _opening(self, unit: _Unit) -> tuple[tuple[str, str], ...]:
        """What a chunk that starts with this unit repeats before it."""
        opening: list[tuple[str, str]] = []
        if unit.start != self.group.offsets[unit.member] and self.headings[unit.member]:
            opening.append((self.headings[unit.member], "heading repeated"))
            opening.append((SEPARATOR, "blank line"))
        if unit.before is not None:
            opening.append((unit.before.opening + "\n", unit.before.why))
        return tuple(opening)

    def _fill(self, units: list[_Unit]) -> tuple[list[_Unit], list[int]]:
        """Fill chunks greedily, unit by unit; return the units (long words cut) and where each chunk starts."""
        self._range.pin()
        filled: list[_Unit] = []
        breaks: list[int] = []
        pending = list(reversed(units))
        budget = 0
        while pending:
            unit = pending.pop()
            if breaks:
                start = filled[breaks[-1]].start
                if budget + unit.end - start + len_of(_closing(unit)) <= self.cap:
                    filled.append(unit)
                    continue
                room = self.cap - budget - (unit.start - start) - len_of(_closing(unit))
                if unit.is_word and unit.end - unit.start > self._room_for(unit):
                    head, unit = self._cut_word(unit, room, at_least_one=False)
                    if head is not None:
                        filled.append(head)
            opening = len_of(self._opening(unit))
            breaks.append(len(filled))
            budget = opening
            room = self.cap - opening - len_of(_closing(unit))
            if unit.end - unit.start > room:
                head, tail = self._cut_word(unit, room, at_least_one=True)
                assert head is not None
                filled.append(head)
                pending.append(tail)
            else:
                filled.append(unit)
        return filled, breaks

    def _room_for(self, unit: _Unit) -> int:
        return self.cap - len_of(self._opening(unit)) - len_of(_closing(unit))

    def _cut_word(self, unit: _Unit, room: int, at_least_one: bool) -> tuple[_Unit | None, _Unit]:
        """Cut a word that is longer than `room` at the last grapheme boundary within it.

        A grapheme that is larger is cut, or (not `at_least_one`) left for the next chunk: then there is no head.
        """
        text = self.texts[unit.member]
        offset = self.group.offsets[unit.member]
        start, end = unit.start - offset, unit.end - offset
        cut = start
        for match in _GRAPHEME.finditer(text, start, end):  # pragma: no branch - it ends past the room
            if match.end() - start > room:
                break
            cut = match.end()
        if cut == start:
            if not at_least_one:
                return None, unit
            cut = min(end, start + max(1, room))
        node = unit.nodes[0]
        head = Node(WORD, start, cut, node.rung)
        first = _Unit(
            unit.start, cut + offset, unit.rung, unit.member, [head], unit.before, unit.after, is_prose=unit.is_prose
        )
        tail = Node(WORD, cut, end, Rung.CHARACTER)
        rest = _Unit(
            cut + offset, unit.end, Rung.CHARACTER, unit.member, [tail], unit.after, unit.after, is_prose=unit.is_prose
        )
        return first, rest

    def _balance(self, units: list[_Unit], breaks: list[int]) -> tuple[list[_Unit], list[int]]:
        """Move the last break back where the last piece would be shorter than the fold."""
        last, previous = breaks[-1], breaks[-2]
        if self._packed(units, last, len(units)).length >= self.fold:
            return units, breaks
        rung = units[last].rung
        for index in range(last - 1, previous, -1):
            if units[index].rung == rung and self._is_good(units, previous, index):
                return units, [*breaks[:-1], index]
        for index in range(last - 1, previous - 1, -1):
            for parted in self._parted(units[index], rung):
                trial = [*units[:index], *parted, *units[index + 1 :]]
                if self._is_good(trial, previous, index + 1):
                    return trial, [*breaks[:-1], index + 1]
            if index > previous and units[index].rung in _finer(rung) and self._is_good(units, previous, index):
                return units, [*breaks[:-1], index]
        return units, breaks

    def _shared_out(self, units: list[_Unit]) -> list[int]:
        """Return where chunks start: the fewest, then the fewest under the fold, then the least ugly rungs, then even.

        Over the places to end at, each with the best way to get there (dynamic programming); the units a chunk can
        hold bound the work at each. Even is the least sum of squared lengths.
        """
        self._range.pin()
        starts, ends = [unit.start for unit in units], [unit.end for unit in units]
        opening = [len_of(self._opening(unit)) for unit in units]
        closing = [len_of(_closing(unit)) for unit in units]
        ugliness = [UGLIEST ** RUNGS.index(unit.rung) for unit in units]
        best: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]
        came_from = [0]
        for last in range(len(units)):
            found: tuple[int, int, int, int] | None = None
            origin = last
            for first in range(last, -1, -1):
                around = ends[last] + closing[last] - starts[first]
                if around > self.cap:
                    break
                length = around + opening[first]
                if length > self.cap:
                    continue
                chunks, runts, ugly, squares = best[first]
                cost = (chunks + 1, runts + (length < self.fold), ugly + ugliness[first], squares + length * length)
                if found is None or cost < found:
                    found, origin = cost, first
            assert found is not None  # each unit fits by itself
            best.append(found)
            came_from.append(origin)
        breaks = []
        at = len(units)
        while at:
            at = came_from[at]
            breaks.append(at)
        return breaks[::-1]

    def _cost(self, way: tuple[list[_Unit], list[int]]) -> tuple[int, int, int, int]:
        """What the chunks of a way to pack cost, as in `_shared_out`."""
        units, breaks = way
        lengths = [self._packed(units, a, b).length for a, b in zip(breaks, [*breaks[1:], len(units)], strict=True)]
        ugly = sum(UGLIEST ** RUNGS.index(units[index].rung) for index in breaks)
        return len(breaks), sum(length < self.fold for length in lengths), ugly, sum(n * n for n in lengths)

    def _carried(self, units: list[_Unit], index: int, start: int) -> int | None:
        """Return where the text begins that a chunk repeats of the one before: sentences of prose, else words.

        A section begins anew; tables and code repeat their head instead. `start` is where the chunk before begins.
        """
        unit = units[index]
        if unit.rung is Rung.SECTION or unit.before is not None:
            return None
        first = index
        while first and _is_prose(units[first - 1], unit.member) and units[first - 1].start >= start:
            first -= 1
        limit = max(unit.start - self.overlap, units[first].start)
        offset, text = self.group.offsets[unit.member], self.texts[unit.member]
        places = [entry.start for entry in units[first:index]]
        for entry in units[first:index]:
            if entry.end > limit:
                cuts = sentence_cuts(text[entry.start - offset : entry.end - offset], self.lang)
                places.extend(entry.start + cut for cut in cuts)
        whole = [place for place in places if limit <= place < unit.start]
        if not whole:
            words = WORDS.finditer(text, limit - offset, unit.start - offset)
            whole = [match.start() + offset for match in words if _begins_word(text, match.start())]
        return min(whole, default=None)

    def _is_good(self, units: list[_Unit], start: int, middle: int) -> bool:
        first = self._packed(units, start, middle).length
        second = self._packed(units, middle, len(units)).length
        return min(first, second) >= self.fold and self._range.holds(first) and self._range.holds(second)

    def _parted(self, unit: _Unit, rung: Rung) -> Iterator[tuple[_Unit, _Unit]]:
        """Yield the ways to part a unit one rung down, the latest first."""
        node = unit.nodes[-1]
        if not _may_part(node, rung):
            return
        member, offset = unit.member, self.group.offsets[unit.member]
        around = self._heading_length(member)
        frame = self._allowed(node.frame, member) if node.frame is not None else None
        pieces = [
            _Unit(piece.start + offset, piece.end + offset, piece.rung, member, [piece], frame, frame, piece.stays)
            for piece in self._parts(node, member, around)
        ]
        pieces = self._stay_together(pieces)
        prose = unit.is_prose
        for index in range(len(pieces) - 1, 0, -1):
            here = pieces[index]
            yield (
                _Unit(unit.start, pieces[index - 1].end, unit.rung, member, [node], unit.before, frame, is_prose=prose),
                _Unit(here.start, unit.end, here.rung, member, [node], frame, unit.after, is_prose=prose),
            )

    def _packed(self, units: list[_Unit], start: int, end: int) -> Packed:
        first, last = units[start], units[end - 1]
        return Packed(first.start, last.end, first.rung, first.member, self._opening(first), _closing(last))


def repeated_heading(section: Section, cap: int, range_: Range) -> str:
    """Return a section's heading on one line, clipped at a grapheme to a quarter of the cap."""
    heading = section.heading_line
    if range_.holds(4 * len(heading)):
        return heading
    range_.pin()
    limit = cap // 4
    end = 0
    for match in _GRAPHEME.finditer(heading):  # pragma: no branch - it ends past the limit
        if match.end() > limit:
            break
        end = match.end()
    return heading[:end].rstrip()


def len_of(pieces: tuple[tuple[str, str], ...]) -> int:
    """Return the code points of synthetic pieces."""
    return sum(len(text) for text, _why in pieces)


def _closing(unit: _Unit) -> tuple[tuple[str, str], ...]:
    """What a chunk that ends with this unit repeats after it."""
    if unit.after is None or not unit.after.closing:
        return ()
    return (("\n" + unit.after.closing, "fence closed"),)


def _is_prose(unit: _Unit, member: int) -> bool:
    """Whether a unit may be repeated in part: no table, no code, and of the same section."""
    return unit.is_prose and unit.member == member


def _begins_word(text: str, at: int) -> bool:
    """Whether no word goes on at an offset at which one is found."""
    return at == 0 or text[at - 1] in WHITE


def _finer(rung: Rung) -> frozenset[Rung]:
    if rung is Rung.SECTION:
        return frozenset({Rung.PARAGRAPH})
    if rung is Rung.PARAGRAPH:
        return frozenset({Rung.SENTENCE, Rung.LINE})
    return frozenset()


def _may_part(node: Node, rung: Rung) -> bool:
    if rung is Rung.SECTION:
        return node.kind == SECTION
    if rung is Rung.PARAGRAPH:
        return node.kind in _WHOLE_SENTENCES or node.kind in _LINED or node.kind in _BLOCKY
    return False
