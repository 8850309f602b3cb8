"""Packing: a group of sections longer than the cap is split down the ladder. Step 8.

Offsets are into the group's text: its sections' texts with a blank line between each two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import regex

from inspector.core.blocks import Kind
from inspector.core.chunk import Rung
from inspector.core.fold import Group
from inspector.core.section import Section
from inspector.core.units import LINE, SECTION, SENTENCE, TEXT, WORD, Frame, Node, parts

SEPARATOR = "\n\n"

_GRAPHEME = regex.compile(r"\X")
_BLANK_RUN = regex.compile(r"\s+")
_WHOLE_SENTENCES = frozenset({Kind.PARAGRAPH, Kind.HEADING, TEXT})
_BLOCKY = frozenset({Kind.QUOTE, Kind.ITEM, Kind.FOOTNOTE})
_LINED = frozenset({Kind.LIST, Kind.TABLE, Kind.FENCE, Kind.CODE, Kind.HTML, Kind.MATH})


@dataclass(slots=True)
class Packed:
    """One chunk to be: `[start, end)` of the group's text between synthetic text.

    `member` is the number of the section it starts in; `opening` and `closing` hold (text, why) of what
    is repeated around it.
    """

    start: int
    end: int
    rung: Rung
    member: int
    opening: tuple[tuple[str, str], ...] = ()
    closing: tuple[tuple[str, str], ...] = ()

    @property
    def length(self) -> int:
        """Code points of the chunk's text."""
        around = sum(len(text) for text, _why in self.opening + self.closing)
        return around + self.end - self.start


@dataclass(slots=True)
class _Unit:
    """A stretch of the group's text that is kept together. The frames say what a cut at its start
    or at its end repeats; `stays` that it wants to stay with what follows."""

    start: int
    end: int
    rung: Rung
    member: int
    nodes: list[Node]
    before: Frame | None = None
    after: Frame | None = None
    stays: bool = False

    @property
    def is_word(self) -> bool:
        return len(self.nodes) == 1 and self.nodes[0].kind == WORD


@dataclass(slots=True)
class Packer:
    """Packs one group under a fold and a cap, in code points."""

    group: Group
    texts: Sequence[str]
    node_of: Callable[[Section], Node]
    fold: int
    cap: int
    lang: str
    headings: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        at = 0
        for section in self.group.members:
            self.offsets.append(at)
            at += section.length + len(SEPARATOR)
            self.headings.append(repeated_heading(section, self.cap))

    def pack(self) -> list[Packed]:
        """Return the chunks of the group, in order."""
        length = self.group.length
        if length <= self.cap:
            return [Packed(0, length, Rung.SECTION, 0)]
        units: list[_Unit] = []
        for member in range(len(self.group.members)):
            units.extend(self._units_of_member(member))
        units, breaks = self._fill(units)
        if len(breaks) > 1:
            units, breaks = self._balance(units, breaks)
        ends = [*breaks[1:], len(units)]
        return [self._packed(units, a, b) for a, b in zip(breaks, ends, strict=True)]

    def _units_of_member(self, member: int) -> list[_Unit]:
        section = self.group.members[member]
        node = self.node_of(section)
        return self._stay_together(list(self._units(node, Rung.SECTION, member, self._room(member))))

    def _room(self, member: int) -> int:
        return self.cap - self._heading_length(member)

    def _heading_length(self, member: int) -> int:
        heading = self.headings[member]
        return len(heading) + len(SEPARATOR) if heading else 0

    def _units(self, node: Node, rung: Rung, member: int, room: int, frame: Frame | None = None) -> Iterator[_Unit]:
        """Yield a node as one unit where it fits, else the units of its parts."""
        offset = self.offsets[member]
        fits = node.length <= (self.cap if node.kind == SECTION else room)
        pieces = [] if fits else parts(node, self.texts[member], self.lang, room)
        if not pieces:
            yield _Unit(node.start + offset, node.end + offset, rung, member, [node], frame, frame, node.stays and fits)
            return
        if node.frame is not None:
            frame = self._allowed(node.frame, member)
            if frame is not None:
                room -= len(frame.opening) + 1 + (len(frame.closing) + 1 if frame.closing else 0)
        inner: list[_Unit] = []
        for number, piece in enumerate(pieces):
            inner.extend(self._units(piece, piece.rung if number else rung, member, room, frame))
        if node.frame is not None and inner:
            inner[0].before = None
            inner[-1].after = None
        yield from inner

    def _allowed(self, frame: Frame, member: int) -> Frame | None:
        """A frame is repeated when each line is at most a quarter of the cap, all under half of it."""
        quarter = self.cap // 4
        if len(frame.opening) > quarter or len(frame.closing) > quarter:
            return None
        total = self._heading_length(member) + len(frame.opening) + len(frame.closing) + 2
        return frame if total < self.cap / 2 else None

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
            else:
                joined.append(unit)
        return joined

    def _fit_together(self, first: _Unit, second: _Unit) -> bool:
        return len_of(self._opening(first)) + second.end - first.start + len_of(_closing(second)) <= self.cap

    def _opening(self, unit: _Unit) -> tuple[tuple[str, str], ...]:
        """What a chunk that starts with this unit repeats before it."""
        opening: list[tuple[str, str]] = []
        if unit.start != self.offsets[unit.member] and self.headings[unit.member]:
            opening.append((self.headings[unit.member], "heading repeated"))
            opening.append((SEPARATOR, "blank line"))
        if unit.before is not None:
            opening.append((unit.before.opening + "\n", unit.before.why))
        return tuple(opening)

    def _fill(self, units: list[_Unit]) -> tuple[list[_Unit], list[int]]:
        """Fill chunks greedily; return the units (long words cut) and the index at which each chunk starts."""
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
                    head, tail = self._cut_word(unit, room, at_least_one=False)
                    if head is not None and tail is not None:
                        filled.append(head)
                        unit = tail
            opening = len_of(self._opening(unit))
            breaks.append(len(filled))
            budget = opening
            room = self.cap - opening - len_of(_closing(unit))
            if unit.end - unit.start > room:
                head, tail = self._cut_word(unit, room, at_least_one=True)
                assert head is not None
                filled.append(head)
                if tail is not None:
                    pending.append(tail)
            else:
                filled.append(unit)
        return filled, breaks

    def _room_for(self, unit: _Unit) -> int:
        return self.cap - len_of(self._opening(unit)) - len_of(_closing(unit))

    def _cut_word(self, unit: _Unit, room: int, at_least_one: bool) -> tuple[_Unit | None, _Unit | None]:
        """Cut a word at the last grapheme boundary within `room`; a grapheme that is larger is cut."""
        text = self.texts[unit.member]
        offset = self.offsets[unit.member]
        start, end = unit.start - offset, unit.end - offset
        cut = start
        for match in _GRAPHEME.finditer(text, start, end):
            if match.end() - start > room:
                break
            cut = match.end()
        if cut == start:
            if not at_least_one:
                return None, unit
            cut = min(end, start + max(1, room))
        node = unit.nodes[0]
        head = Node(WORD, start, cut, node.rung)
        first = _Unit(unit.start, cut + offset, unit.rung, unit.member, [head], unit.before, unit.after)
        if cut >= end:
            return first, None
        tail = Node(WORD, cut, end, Rung.CHARACTER)
        rest = _Unit(cut + offset, unit.end, Rung.CHARACTER, unit.member, [tail], unit.after, unit.after)
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

    def _is_good(self, units: list[_Unit], start: int, middle: int) -> bool:
        first = self._packed(units, start, middle).length
        second = self._packed(units, middle, len(units)).length
        return self.fold <= first <= self.cap and self.fold <= second <= self.cap

    def _parted(self, unit: _Unit, rung: Rung) -> Iterator[tuple[_Unit, _Unit]]:
        """Yield the ways to part a unit one rung down, the latest first."""
        node = unit.nodes[-1]
        if not _may_part(node, rung):
            return
        member, offset = unit.member, self.offsets[unit.member]
        room = self._room(member)
        frame = self._allowed(node.frame, member) if node.frame is not None else None
        pieces = [
            _Unit(piece.start + offset, piece.end + offset, piece.rung, member, [piece], frame, frame, piece.stays)
            for piece in parts(node, self.texts[member], self.lang, room)
        ]
        pieces = self._stay_together(pieces)
        for index in range(len(pieces) - 1, 0, -1):
            here = pieces[index]
            yield (
                _Unit(unit.start, pieces[index - 1].end, unit.rung, member, [node], unit.before, frame),
                _Unit(here.start, unit.end, here.rung, member, [node], frame, unit.after),
            )

    def _packed(self, units: list[_Unit], start: int, end: int) -> Packed:
        first, last = units[start], units[end - 1]
        return Packed(first.start, last.end, first.rung, first.member, self._opening(first), _closing(last))


def repeated_heading(section: Section, cap: int) -> str:
    """Return a section's heading on one line, clipped at a grapheme to a quarter of the cap."""
    heading = _BLANK_RUN.sub(" ", section.run.text[: section.heading_end]).strip()
    limit = cap // 4
    if len(heading) <= limit:
        return heading
    end = 0
    for match in _GRAPHEME.finditer(heading):
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


__all__ = ["LINE", "SENTENCE", "Packed", "Packer", "repeated_heading"]
