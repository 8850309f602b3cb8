"""Placing another program's chunks onto the source: exactly, else nearly, else listed with the reason."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from inspector.core.chunk import OVERLAP, Chunk, Chunking, Fate, Piece, SectionResult
from inspector.core.document import Document
from inspector.core.options import Options
from inspector.core.section import is_empty
from inspector.core.strategies.choices import Imported
from inspector.core.strategies.flow import Cut, Flow, read_flow

REWORDED = "not in the source"
"""Why a piece of an imported chunk is synthetic: the other program wrote it, or changed the author's words."""

_Run = tuple[int, int, int]
Locate = Callable[[str, str, int], tuple[float, Sequence[_Run]] | None]
"""How much of a text agrees (0 to 1) with the stretch of a source most like it, expected from an offset on, and what
does: (offset in the text, offset in the source, length), rising in both."""

NEAR = 50_000
"""Characters after the chunk before in which a text is looked for first: also but for white space."""

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class ForeignChunk:
    """A chunk as another program wrote it: its text, its offsets in the document where it says any, and its number.

    `is_named` says whether it named the document: else it is looked for in all. `pieces` is what this program writes of
    its own chunks: source spans (start, end), and texts that are not the author's, in order.
    """

    text: str
    number: int
    start: int | None = None
    end: int | None = None
    is_named: bool = True
    pieces: tuple[tuple[int, int] | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a foreign chunk was placed: as chunk `index`, `likeness` 1 where every character agrees but white space.

    `how` is `exact` (the text as it stands), `pieces` (each as it stands where the chunk says, with what this program
    has put between), `white space` (but for blanks), or `nearly`.
    """

    number: int
    index: int
    how: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A foreign chunk that is nowhere in the document, and why; one that names none may be in another."""

    number: int
    text: str
    reason: str
    is_named: bool = True


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every foreign chunk of a document."""

    placed: tuple[Placed, ...]
    unplaced: tuple[Unplaced, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    number: int
    how: str
    likeness: float
    runs: tuple[_Run, ...]  # (offset in the chunk, position in the document, length)
    text: str

    @property
    def start(self) -> int:
        return self.runs[0][1]

    @property
    def end(self) -> int:
        return self.runs[-1][1] + self.runs[-1][2]


class _Squeezed:
    """A text without white space: `at` says where each word begins in it, `places` where it stands in the text."""

    __slots__ = ("at", "places", "text")

    def __init__(self, text: str) -> None:
        words = [(match.start(), match.group()) for match in _WORD.finditer(text)]
        self.places = [start for start, _word in words]
        self.text = "".join([word for _start, word in words])
        self.at = list(accumulate((len(word) for _start, word in words), initial=0))


def nowhere(reports: Iterable[ImportReport]) -> tuple[Unplaced, ...]:
    """Return the foreign chunks that are in no document: of those that name none, what no report places."""
    listed = list(reports)
    placed = {entry.number for report in listed for entry in report.placed}
    found: dict[int, Unplaced] = {}
    for report in listed:
        for entry in report.unplaced:
            if entry.is_named or entry.number not in placed:
                found.setdefault(entry.number, entry)
    return tuple(found[number] for number in sorted(found))


def place_chunks(
    document: Document,
    options: Options,
    own: Imported,
    foreign: Sequence[ForeignChunk],
    locate: Locate | None,
) -> Chunking:
    """Place chunks onto a document's text, in the order they stand there.

    Each is looked for where it says that it or its pieces stand, then after the chunk before it, then anywhere; then
    but for white space; then nearly, by `locate`.
    """
    text = document.line_map.text
    places = _Places(text)
    matches: list[_Match] = []
    unplaced: list[Unplaced] = []
    after = 0
    for chunk in foreign:
        wanted = chunk.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if is_empty(wanted):
            unplaced.append(Unplaced(chunk.number, chunk.text, "it holds no text", chunk.is_named))
            continue
        match = _by_pieces(document, wanted, chunk)
        if match is None:
            match = places.find(wanted, chunk.number, after, _stated(document, chunk))
        if match is None and locate is not None:
            match = _nearly(text, wanted, chunk, after, locate, own.likeness / 100)
        if match is None:
            reason = f"no text of this document agrees with {own.likeness} % of it"
            unplaced.append(Unplaced(chunk.number, chunk.text, reason, chunk.is_named))
            continue
        after = match.start + 1
        matches.append(match)
    matches.sort(key=lambda match: (match.start, match.end, match.number))
    flow = read_flow(document, options, False)
    chunks = tuple(_chunks(flow, matches))
    placed = tuple(Placed(m.number, index, m.how, m.likeness) for index, m in enumerate(matches))
    sections = tuple(_sections(flow, chunks))
    return Chunking(document, options, sections, chunks, own, ImportReport(placed, tuple(unplaced)))


class _Places:
    """Looks for texts in another: as they are, or but for white space; nearby first, then anywhere."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._whole: _Squeezed | None = None  # made when it is needed

    def find(self, wanted: str, number: int, after: int, stated: Iterable[int] = ()) -> _Match | None:
        """Return where a text stands: where it is `stated` to, after an offset, or anywhere; None for nowhere."""
        at = next((at for at in stated if self._text.startswith(wanted, at)), -1)
        if at < 0:
            at = self._text.find(wanted, after, after + len(wanted) + NEAR)
        if at >= 0:
            return _Match(number, "exact", 1.0, ((0, at, len(wanted)),), wanted)
        if self._whole is None:
            self._whole = _Squeezed(self._text)
        whole, mine = self._whole, _Squeezed(wanted)
        expected = whole.at[bisect_left(whole.places, after)]
        first = whole.text.find(mine.text, expected, expected + len(mine.text) + NEAR)
        if first < 0:
            at = _anywhere(self._text, wanted, after)
            if at >= 0:
                return _Match(number, "exact", 1.0, ((0, at, len(wanted)),), wanted)
            first = _anywhere(whole.text, mine.text, expected)
        if first < 0:
            return None
        runs = tuple(_grown(_words(mine, whole, first), wanted, self._text))
        return _Match(number, "white space", 1.0, runs, wanted)


def _stated(document: Document, chunk: ForeignChunk) -> tuple[int, ...]:
    """Return where a chunk says that it stands: in the source, or in the source with LF line ends."""
    start = chunk.start
    if start is None or not 0 <= start <= document.characters:
        return ()
    return document.line_map.position(start), start


def _by_pieces(document: Document, wanted: str, chunk: ForeignChunk) -> _Match | None:
    """Return where a chunk's own pieces stand, if the document has them there and they make up its text."""
    text, position = document.line_map.text, document.line_map.position
    runs: list[_Run] = []
    at = last = 0
    for piece in chunk.pieces:
        if isinstance(piece, str):
            length = len(piece)
            agrees = wanted.startswith(piece, at)
        else:
            first = position(piece[0])
            length = position(piece[1]) - first
            agrees = last <= first < first + length <= len(text) and wanted.startswith(text[first : first + length], at)
            runs.append((at, first, length))
            last = first + length
        if not agrees:
            return None
        at += length
    if not runs or at != len(wanted):
        return None
    is_whole = last - runs[0][1] == len(wanted) == sum(length for _at, _first, length in runs)
    return _Match(chunk.number, "exact" if is_whole else "pieces", 1.0, tuple(runs), wanted)


def placed_cuts(text: str, wanted: Sequence[str]) -> tuple[list[Cut], ImportReport]:
    """Return the cuts of a flow's text that give the texts which another program made of it, in order."""
    places, after = _Places(text), 0
    matches: list[_Match] = []
    unplaced: list[Unplaced] = []
    for number, chunk in enumerate(wanted, 1):
        if is_empty(chunk):
            continue
        match = places.find(chunk, number, after)
        if match is None:
            unplaced.append(Unplaced(number, chunk, "it is not in the text that was split"))
            continue
        after = match.start + 1
        matches.append(match)
    matches.sort(key=lambda match: (match.start, match.end))
    placed = tuple(Placed(match.number, index, match.how, match.likeness) for index, match in enumerate(matches))
    return [Cut(match.start, match.end) for match in matches], ImportReport(placed, tuple(unplaced))


def _anywhere(text: str, wanted: str, after: int) -> int:
    """Return where a text stands from an offset on, else before it, else -1."""
    at = text.find(wanted, after)
    return at if at >= 0 else text.find(wanted, 0, after + len(wanted))


def _words(mine: _Squeezed, whole: _Squeezed, first: int) -> Iterator[_Run]:
    """Yield what stands together in both texts, where the squeezed one is at `first` of the other."""
    there = bisect_right(whole.at, first) - 1
    here = done = 0
    while done < len(mine.text):
        offset = mine.places[here] + done - mine.at[here]
        position = whole.places[there] + first + done - whole.at[there]
        length = min(mine.at[here + 1] - done, whole.at[there + 1] - first - done)
        yield offset, position, length
        done += length
        here += done == mine.at[here + 1]
        there += first + done == whole.at[there + 1]


def _grown(runs: Iterable[_Run], wanted: str, text: str) -> Iterator[_Run]:
    """Join runs between which both texts have the same, and let the last take in what follows in both."""
    start: _Run | None = None
    for offset, position, length in (*runs, (len(wanted), len(text), 0)):
        if start is None:
            start = (offset, position, length)
            continue
        end, place = start[0] + start[2], start[1] + start[2]
        common = 0
        while end + common < offset and place + common < position and wanted[end + common] == text[place + common]:
            common += 1
        grown = (start[0], start[1], start[2] + common)
        if end + common == offset and place + common == position and length:
            start = (grown[0], grown[1], grown[2] + length)
        else:
            yield grown
            start = (offset, position, length)


def _nearly(text: str, wanted: str, chunk: ForeignChunk, after: int, locate: Locate, likeness: float) -> _Match | None:
    found = locate(wanted, text, after)
    if found is None or found[0] < likeness or not found[1]:
        return None
    return _Match(chunk.number, "nearly", found[0], tuple(found[1]), wanted)


def _chunks(flow: Flow, matches: Sequence[_Match]) -> Iterator[Chunk]:
    document = flow.document
    first = flow.run.origins[0] if flow.run.origins else 0
    held = 0
    for index, match in enumerate(matches):
        pieces: list[Piece] = []
        at = 0
        for offset, position, length in match.runs:
            if offset > at:
                pieces.append(Piece(match.text[at:offset], None, REWORDED))
            pieces.extend(_verbatim(document, match.text[offset : offset + length], position, held))
            at = offset + length
        if at < len(match.text):
            pieces.append(Piece(match.text[at:], None, REWORDED))
        number = max(0, _section_number(flow, match.start - first))
        section = flow.sections[number][1].index if flow.sections else 0
        start = match.start
        while document.line_map.text[start : start + 1].isspace() and start + 1 < match.end:
            start += 1
        rung = flow.rung_at(max(0, start - first))
        trail = flow.outline.trails.at(start)
        yield Chunk(index, section, trail, rung, (), tuple(pieces), len(match.text))
        held = max(held, match.end)


def _verbatim(document: Document, text: str, position: int, held: int) -> Iterator[Piece]:
    """Yield a run in what an earlier chunk holds too, and what it does not."""
    split = min(max(held - position, 0), len(text))
    if split:
        yield Piece(text[:split], document.line_map.span(position, position + split), OVERLAP)
    if split < len(text):
        yield Piece(text[split:], document.line_map.span(position + split, position + len(text)))


def _section_number(flow: Flow, offset: int) -> int:
    return bisect_right(flow.section_starts, offset) - 1


def _sections(flow: Flow, chunks: Sequence[Chunk]) -> Iterator[SectionResult]:
    """Every section, with the first chunk that starts in it or holds its beginning."""
    document = flow.document
    heading_of = {block.start: heading for block, heading in zip(document.outline, document.headings, strict=True)}
    if not flow.outline.sections and chunks:
        span = document.line_map.span(0, len(document.line_map.text))
        yield SectionResult(0, None, (), span, len(flow.text), Fate.KEPT, 0)
    ends = list(accumulate((chunk.span.end for chunk in chunks), max))
    for section in flow.outline.sections:
        heading = heading_of[section.heading.start] if section.heading is not None else None
        span = document.line_map.span(section.start, section.end)
        number = bisect_right(ends, span.start)
        mine = number if number < len(chunks) and chunks[number].span.start < span.end else None
        fate = Fate.KEPT if mine is not None else Fate.DROPPED
        yield SectionResult(section.index, heading, section.trail, span, section.length, fate, mine)
