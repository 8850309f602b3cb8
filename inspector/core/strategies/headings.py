"""The heading strategy: sections at the author's own headings, folded and packed under a cap."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.core.chunk import OVERLAP, Chunk, Chunking, Fate, Fold, Piece, Rung, SectionResult
from inspector.core.document import ADOPTED, Document, Heading
from inspector.core.fold import SEPARATOR, Group, fold_sections
from inspector.core.language import sentence_language
from inspector.core.options import Options
from inspector.core.outline import Outline, outline_key, read_outline
from inspector.core.pack import Packed, Packer
from inspector.core.problems import STATIC, static_problems
from inspector.core.section import Section, is_empty
from inspector.core.units import node_of

FOLDED = "folded"
KEPT_PACKS = 8
"""Ways to pack kept for a group, of caps that divide it differently."""

LAST = "last"
"""Where a document keeps its last chunking, weakly: the chunking refers to the document."""


def chunk_document(document: Document, options: Options) -> Chunking:
    """Chunk a document. Other thresholds only fold and pack again: all before is kept with the document."""
    document = document.in_dialects(options.dialects)
    kept = document.warm.get(LAST)
    last = kept() if kept is not None else None
    if isinstance(last, Chunking) and last.options == options:
        return last
    chunking = _Strategy(document, options).run()
    document.warm[LAST] = weakref.ref(chunking)
    return chunking


def put_together(document: Document, options: Options) -> Iterator[None]:
    """Put the chunks of a warm document together one by one: `chunk_document` then finds them made."""
    return _Strategy(document.in_dialects(options.dialects), options).put_together()


class Sizes(NamedTuple):
    """The lengths of a document's sections and chunks in code points, and its fates counted."""

    sections: list[int]
    chunks: list[int]
    dropped: int
    folded: int
    split: int


class _Made:
    """How a group packs, for the caps in `[low, high)`; its chunks are put together when first asked for."""

    __slots__ = ("_chunks", "begins", "high", "low", "packed")

    def __init__(self, packed: list[Packed], low: int, high: int) -> None:
        self.packed = packed
        self.low = low
        self.high = high
        self.begins: tuple[tuple[int, int], ...] = ()
        self._chunks: tuple[Chunk, ...] | None = None

    def chunks(self, strategy: _Strategy, group: Group) -> tuple[Chunk, ...]:
        """Return the chunks of the group, numbered from 0; `begins` then says where each section begins."""
        for _ in self.making(strategy, group):
            pass
        return self._chunks or ()

    def making(self, strategy: _Strategy, group: Group) -> Iterator[None]:
        """Put the chunks together one by one, where they are not."""
        if self._chunks is None:
            begins: dict[int, int] = {}
            made: list[Chunk] = []
            for number, packed in enumerate(self.packed):
                made.append(strategy.chunk(number, group, packed, begins))
                yield
            if self._chunks is None:  # else somebody could not wait
                self._chunks, self.begins = tuple(made), tuple(begins.items())


def numbered(chunk: Chunk, index: int) -> Chunk:
    """Return a chunk under another number, with all that it has worked out."""
    if chunk.index == index:
        return chunk
    copy: Chunk = object.__new__(Chunk)
    copy.__dict__.update(chunk.__dict__, index=index)
    return copy


def chunk_sizes(document: Document, options: Options) -> Sizes:
    """Return how a document would chunk, without making texts."""
    return _Strategy(document.in_dialects(options.dialects), options).sizes()


def is_warm(document: Document, options: Options) -> bool:
    """Whether chunking with these options would only fold and pack again."""
    document = document.in_dialects(options.dialects)
    return ("outline", outline_key(options)) in document.warm


def warm_state(document: Document, options: Options) -> dict[str, Any]:
    """Return all that folding and packing need, to be pickled and handed to `adopt_warm_state` elsewhere."""
    document = document.in_dialects(options.dialects)
    strategy = _Strategy(document, options)
    for section in strategy.outline.sections:
        node_of(section)
    slim = {block.start: replace(block, inlines=[], children=[]) for block in document.outline}
    sections = [
        replace(section, heading=slim[section.heading.start] if section.heading is not None else None, blocks=[])
        for section in strategy.outline.sections
    ]
    outline = replace(strategy.outline, sections=sections, removed=None, results=None)
    title = document.title_block
    return {
        "warm": {("outline", outline_key(options)): outline, STATIC: static_problems(document)},
        "outline": tuple(slim[block.start] for block in document.outline),
        "title_block": slim[title.start] if title is not None else None,
        "heading_texts": document.heading_texts,
        "dialects": document.dialects,
    }


def adopt_warm_state(document: Document, state: dict[str, Any]) -> None:
    """Take in what `warm_state` gave for an equal document; in other dialects it is of no use."""
    if state["dialects"] != document.dialects:
        return
    document.warm.update(state["warm"])
    for name in ADOPTED:
        document.__dict__[name] = state[name]


class _Strategy:
    """One run over one document."""

    def __init__(self, document: Document, options: Options) -> None:
        self._document = document
        self._options = options
        self.outline: Outline = read_outline(document, options)
        self._lang = sentence_language(document.metadata.get("lang"), options.lang)

    def run(self) -> Chunking:
        """Fold and pack; sections and chunks are put together when first asked for."""
        groups, fates = self._fold()
        made = [self._pack(group) for group in groups]
        return Chunking.planned(self._document, self._options, lambda: self._build(groups, fates, made))

    def put_together(self) -> Iterator[None]:
        """Fold, pack, and put the chunks together one by one."""
        groups, _fates = self._fold()
        for group in groups:
            yield from self._pack(group).making(self, group)

    def _build(
        self, groups: list[Group], fates: list[Fate], made: list[_Made]
    ) -> tuple[list[SectionResult], list[Chunk]]:
        sections = self.outline.sections
        chunks: list[Chunk] = []
        begins: dict[int, int] = {}
        for group, packs in zip(groups, made, strict=True):
            first = len(chunks)
            chunks.extend(numbered(chunk, first + nth) for nth, chunk in enumerate(packs.chunks(self, group)))
            for section, nth in packs.begins:
                begins[section] = first + nth
        heading_of = {
            block.start: heading for block, heading in zip(self._document.outline, self._document.headings, strict=True)
        }
        before: Sequence[SectionResult | None] = self.outline.results or [None] * len(sections)
        results = [
            kept
            if kept is not None and kept.fate is fate and kept.chunk == begins.get(section.index)
            else self._result(section, fate, begins, heading_of)
            for section, fate, kept in zip(sections, fates, before, strict=True)
        ]
        self.outline.results = results
        return results, chunks

    def _fold(self) -> tuple[list[Group], list[Fate]]:
        """Fold, or return what the same thresholds gave last time: the cap decides nothing here."""
        options = self._options
        setting = (options.drop, options.fold, options.stubs, options.fold_into)
        kept = self._document.warm.get(FOLDED)
        if kept is None or kept[0] is not self.outline or kept[1] != setting:
            kept = (self.outline, setting, fold_sections(self.outline.sections, options))
            self._document.warm[FOLDED] = kept
        result: tuple[list[Group], list[Fate]] = kept[2]
        return result

    def _pack(self, group: Group) -> _Made:
        """Pack a group, or return what another cap gave where it is the same."""
        cap = self._options.cap
        options = self._options
        setting = (options.fold, self._lang, options.packing, options.overlap)
        if group.packer is None or group.setting != setting:
            texts = [section.run.text for section in group.members]
            group.packer = Packer(
                group, texts, options.fold, self._lang, options.packing == "balanced", options.overlap
            )
            group.setting, group.made = setting, []
        made: _Made
        for made in group.made:
            if made.low <= cap < made.high:
                return made
        packed, low, high = group.packer.pack(cap)
        seen = [piece for piece in packed if not is_empty(_body(group, piece))]
        made = _Made(seen, low, high)  # without a tail of invisible characters: the ledger says so
        group.made = [made, *group.made[: KEPT_PACKS - 1]]
        return made

    def sizes(self) -> Sizes:
        """Fold and pack, and keep only lengths."""
        sections = self.outline.sections
        groups, fates = self._fold()
        packs = [self._pack(group).packed for group in groups]
        return Sizes(
            [section.length for section in sections],
            [packed.length for pack in packs for packed in pack],
            fates.count(Fate.DROPPED),
            fates.count(Fate.FOLDED),
            sum(len(pack) > 1 for pack in packs),
        )

    def _result(
        self, section: Section, fate: Fate, begins: dict[int, int], heading_of: dict[int, Heading]
    ) -> SectionResult:
        heading = heading_of[section.heading.start] if section.heading is not None else None
        span = self._document.line_map.span(section.start, section.end)
        return SectionResult(
            section.index, heading, section.trail, span, section.length, fate, begins.get(section.index)
        )

    def chunk(self, index: int, group: Group, packed: Packed, begins: dict[int, int]) -> Chunk:
        """Put a chunk together; `begins` is told which sections begin in it."""
        pieces = [Piece(text, None, why) for text, why in packed.opening]
        if packed.shared is not None:
            pieces.extend(self._shared(group, packed.shared, packed.start, packed.member))
        folded: list[Fold] = []
        for number, section in enumerate(group.members):
            start = group.offsets[number]
            end = start + section.length
            if start < packed.end and end > packed.start:
                pieces.extend(self._pieces(section, max(0, packed.start - start), min(end, packed.end) - start))
                if start >= packed.start:
                    begins[section.index] = index
                    if start > packed.start:
                        span = self._document.line_map.span(section.start, section.end)
                        folded.append(Fold(section.index, section.trail, span, section.length))
            if end >= packed.start and end + len(SEPARATOR) <= packed.end:
                pieces.extend(self._separator(section, group.members[number + 1]))
        pieces.extend(Piece(text, None, why) for text, why in packed.closing)
        first = group.members[packed.member]
        origin = first.run.first_origin(packed.first - group.offsets[packed.member], first.length)
        trail = self.outline.trails.at(origin)
        rung = packed.rung
        if rung is Rung.SECTION and first.heading is None and first.index == 0:
            rung = Rung.DOCUMENT
        return Chunk(index, first.index, trail, rung, tuple(folded), tuple(_merged(pieces)), packed.length)

    def _shared(self, group: Group, start: int, end: int, member: int) -> Iterator[Piece]:
        """What a chunk repeats of the one before, all of one section."""
        offset = group.offsets[member]
        for piece in self._pieces(group.members[member], start - offset, end - offset):
            yield piece._replace(why=OVERLAP) if piece.span is not None else piece

    def _pieces(self, section: Section, start: int, end: int) -> Iterator[Piece]:
        line_map = self._document.line_map
        for origin, length, text, why in section.run.slice(start, end):
            if origin < 0:
                yield Piece(text, None, why)
            else:
                yield Piece(text, line_map.span(origin, origin + length))

    def _separator(self, section: Section, following: Section) -> Iterator[Piece]:
        """The blank line between two sections of a group: the source's own where it has one."""
        line_map = self._document.line_map
        own = section.line_ends[: len(SEPARATOR)] if following.index == section.index + 1 else []
        for position in own:
            yield Piece("\n", line_map.span(position, position + 1))
        if len(own) < len(SEPARATOR):
            yield Piece(SEPARATOR[len(own) :], None, "blank line")


def _body(group: Group, packed: Packed) -> str:
    """The beginning of what is not synthetic in a chunk, enough to see whether it is empty."""
    start = packed.start - group.offsets[packed.member]
    return group.members[packed.member].run.text[start : start + packed.end - packed.start]


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Join verbatim pieces that follow each other in the source."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1].span if merged and merged[-1].why == piece.why else None
        if last is not None and piece.span is not None and last.end == piece.span.start:
            merged[-1] = Piece(merged[-1].text + piece.text, last._replace(end=piece.span.end), piece.why)
        else:
            merged.append(piece)
    return merged
