"""Placing another program's chunks onto the source: exactly, else nearly, else listed with the reason."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from inspector.core.chunk import OVERLAP, Chunk, Chunking, Fate, Piece, SectionResult
from inspector.core.document import Document
from inspector.core.options import Options
from inspector.core.section import is_empty
from inspector.core.strategies.choices import Imported
from inspector.core.strategies.flow import Flow, read_flow

REWORDED = "not in the source"
"""Why a piece of an imported chunk is synthetic: the other program wrote it, or changed the author's words."""

Locate = Callable[[str, str, int], tuple[int, int, float] | None]


@dataclass(frozen=True, slots=True)
class ForeignChunk:
    """A chunk as another program wrote it: its text, its offsets in the document where it says any, and its number."""

    text: str
    number: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a foreign chunk was placed: as chunk `index`, `likeness` 1 where every character agrees but white space.

    `how` is `exact` (the text as it stands), `white space` (but for blanks), or `nearly`.
    """

    number: int
    index: int
    how: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A foreign chunk that is nowhere in the document, and why."""

    number: int
    text: str
    reason: str


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
    runs: tuple[tuple[int, int, int], ...]  # (offset in the chunk, position in the document, length)
    text: str

    @property
    def start(self) -> int:
        return self.runs[0][1]

    @property
    def end(self) -> int:
        return self.runs[-1][1] + self.runs[-1][2]


class _Squeezed:
    """A text without white space, and where each of its characters stands; made once a document."""

    def __init__(self, text: str) -> None:
        self.places = [index for index, character in enumerate(text) if not character.isspace()]
        self.text = "".join([text[index] for index in self.places])


def place_chunks(
    document: Document,
    options: Options,
    own: Imported,
    foreign: Sequence[ForeignChunk],
    locate: Locate | None,
) -> Chunking:
    """Place chunks onto a document's text, in the order they stand there.

    Each is looked for where it says it stands, then after the chunk before it, then anywhere; then but for white
    space; then nearly, by `locate`.
    """
    text = document.line_map.text
    squeezed: list[_Squeezed] = []
    matches: list[_Match] = []
    unplaced: list[Unplaced] = []
    after = 0
    for chunk in foreign:
        wanted = chunk.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if is_empty(wanted):
            unplaced.append(Unplaced(chunk.number, chunk.text, "it holds no text"))
            continue
        match = _exact(document, text, wanted, chunk, after) or _squeezed(text, wanted, chunk, after, squeezed)
        if match is None and locate is not None:
            match = _nearly(text, wanted, chunk, after, locate, own.likeness / 100)
        if match is None:
            reason = f"no text of this document agrees with {own.likeness} % of it"
            unplaced.append(Unplaced(chunk.number, chunk.text, reason))
            continue
        after = match.start + 1
        matches.append(match)
    matches.sort(key=lambda match: (match.start, match.end, match.number))
    flow = read_flow(document, options, False)
    chunks = tuple(_chunks(flow, matches))
    placed = tuple(Placed(m.number, index, m.how, m.likeness) for index, m in enumerate(matches))
    sections = tuple(_sections(flow, chunks))
    return Chunking(document, options, sections, chunks, own, ImportReport(placed, tuple(unplaced)))


def _exact(document: Document, text: str, wanted: str, chunk: ForeignChunk, after: int) -> _Match | None:
    if chunk.start is not None and 0 <= chunk.start <= document.characters:
        stated = document.line_map.position(chunk.start)
        for at in (stated, chunk.start):
            if text.startswith(wanted, at):
                return _Match(chunk.number, "exact", 1.0, ((0, at, len(wanted)),), wanted)
    at = text.find(wanted, after)
    if at < 0:
        at = text.find(wanted)
    return _Match(chunk.number, "exact", 1.0, ((0, at, len(wanted)),), wanted) if at >= 0 else None


def _squeezed(text: str, wanted: str, chunk: ForeignChunk, after: int, made: list[_Squeezed]) -> _Match | None:
    """Find a text whose white space the other program changed."""
    if not made:
        made.append(_Squeezed(text))
    whole, mine = made[0], _Squeezed(wanted)
    first = whole.text.find(mine.text, bisect_left(whole.places, after))
    if first < 0:
        first = whole.text.find(mine.text)
    if first < 0:
        return None
    pairs = zip(mine.places, whole.places[first : first + len(mine.places)], strict=True)
    runs = tuple(_grown(_joined(pairs), wanted, text))
    return _Match(chunk.number, "white space", 1.0, runs, wanted)


def _nearly(text: str, wanted: str, chunk: ForeignChunk, after: int, locate: Locate, likeness: float) -> _Match | None:
    found = locate(wanted, text, after)
    if found is None or found[2] < likeness:
        return None
    start, end, share = found
    blocks = SequenceMatcher(None, wanted, text[start:end], autojunk=False).get_matching_blocks()
    runs = tuple((block.a, start + block.b, block.size) for block in blocks if block.size)
    return _Match(chunk.number, "nearly", share, runs, wanted) if runs else None


def _joined(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Join pairs of (offset, position) that follow each other to runs."""
    run: tuple[int, int, int] | None = None
    for offset, position in pairs:
        if run is not None and offset == run[0] + run[2] and position == run[1] + run[2]:
            run = (run[0], run[1], run[2] + 1)
            continue
        if run is not None:
            yield run
        run = (offset, position, 1)
    if run is not None:
        yield run


def _grown(runs: Iterable[tuple[int, int, int]], wanted: str, text: str) -> Iterator[tuple[int, int, int]]:
    """Let each run take in the white space after it that both texts have."""
    listed = list(runs)
    for number, (offset, position, length) in enumerate(listed):
        last = number + 1 == len(listed)
        offset_end = len(wanted) if last else listed[number + 1][0]
        position_end = len(text) if last else listed[number + 1][1]
        while (
            offset + length < offset_end
            and position + length < position_end
            and wanted[offset + length] == text[position + length]
        ):
            length += 1
        yield offset, position, length


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
