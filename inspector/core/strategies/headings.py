"""The heading strategy: sections at the author's own headings, folded and packed under a cap."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.core.chunk import Chunk, Chunking, Fate, Fold, Piece, Rung, SectionResult
from inspector.core.document import Document
from inspector.core.fold import Group, fold_sections
from inspector.core.options import Options
from inspector.core.outline import Outline, outline_key, read_outline
from inspector.core.pack import SEPARATOR, Packed, Packer
from inspector.core.problems import STATIC, static_problems
from inspector.core.section import Section, is_empty
from inspector.core.units import Node, section_node

LAST = "last"
"""Where a document keeps its last chunking, weakly: the chunking refers to the document."""


def chunk_document(document: Document, options: Options) -> Chunking:
    """Chunk a document. Other thresholds only fold and pack again: all before is kept with the document."""
    kept = document.warm.get(LAST)
    last = kept() if kept is not None else None
    if isinstance(last, Chunking) and last.options == options:
        return last
    chunking = _Strategy(document, options).run()
    document.warm[LAST] = weakref.ref(chunking)
    return chunking


class Sizes(NamedTuple):
    """The lengths of a document's sections and chunks in code points, and its fates counted."""

    sections: list[int]
    chunks: list[int]
    dropped: int
    folded: int
    split: int


class _Made(NamedTuple):
    """The chunks of a group, numbered from 0, and in which of them each of its sections begins."""

    chunks: tuple[Chunk, ...]
    begins: tuple[tuple[int, int], ...]


def numbered(chunk: Chunk, index: int) -> Chunk:
    """Return a chunk under another number, with all that it has worked out."""
    if chunk.index == index:
        return chunk
    copy: Chunk = object.__new__(Chunk)
    copy.__dict__.update(chunk.__dict__, index=index)
    return copy


def chunk_sizes(document: Document, options: Options) -> Sizes:
    """Return how a document would chunk, without making texts."""
    return _Strategy(document, options).sizes()


def is_warm(document: Document, options: Options) -> bool:
    """Whether chunking with these options would only fold and pack again."""
    return ("outline", outline_key(options)) in document.warm


def warm_state(document: Document, options: Options) -> dict[str, Any]:
    """Return all that folding and packing need, to be pickled and handed to `adopt_warm_state` elsewhere."""
    strategy = _Strategy(document, options)
    for section in strategy.outline.sections:
        strategy.node(section)
    slim = {id(block): replace(block, inlines=[], children=[]) for block in document.outline}
    sections = [
        replace(section, heading=slim[id(section.heading)] if section.heading is not None else None)
        for section in strategy.outline.sections
    ]
    outline = replace(strategy.outline, sections=sections, blocks_of=[])
    nodes = {key: value for key, value in document.warm.items() if key[0] == "node"}
    title = document.title_block
    return {
        "warm": {("outline", outline_key(options)): outline, **nodes, STATIC: static_problems(document)},
        "outline": tuple(slim[id(block)] for block in document.outline),
        "title_block": slim[id(title)] if title is not None else None,
        "heading_texts": document.heading_texts,
    }


def adopt_warm_state(document: Document, state: dict[str, Any]) -> None:
    """Take in what `warm_state` gave for an equal document."""
    document.warm.update(state["warm"])
    for name in ("outline", "title_block", "heading_texts"):
        document.__dict__[name] = state[name]


class _Strategy:
    """One run over one document."""

    def __init__(self, document: Document, options: Options) -> None:
        self._document = document
        self._options = options
        self.outline: Outline = read_outline(document, options)
        language = document.metadata.get("lang")
        self._lang = language.split("-")[0].lower() if isinstance(language, str) and language else options.lang
        self._heading_of = {
            block.start: heading for block, heading in zip(document.outline, document.headings, strict=True)
        }

    def run(self) -> Chunking:
        """Fold, pack, and put the chunks together; those of a group that packs as before are kept."""
        sections = self.outline.sections
        groups, fates = fold_sections(sections, self._options)
        chunks: list[Chunk] = []
        begins: dict[int, int] = {}
        for group in groups:
            made = self._chunks(group)
            first = len(chunks)
            for section, nth in made.begins:
                begins[section] = first + nth
            chunks.extend(numbered(chunk, first + nth) for nth, chunk in enumerate(made.chunks))
        results = tuple(self._result(section, fate, begins) for section, fate in zip(sections, fates, strict=True))
        return Chunking(self._document, self._options, results, tuple(chunks))

    def _chunks(self, group: Group) -> _Made:
        """Return the chunks of a group, numbered from 0."""
        members = tuple(section.index for section in group.members)
        setting = self._setting(group)
        kept = self._document.warm.get(("chunks", members))
        if kept is not None and kept[0] == setting:
            made: _Made = kept[1]
            return made
        offsets = _offsets(group)
        begins: dict[int, int] = {}
        chunks: list[Chunk] = []
        for packed in self._pack(group):
            if is_empty(self._body(group, offsets, packed)):
                continue  # a tail of invisible characters: the ledger says so
            chunks.append(self._chunk(len(chunks), group, offsets, packed, begins))
        made = _Made(tuple(chunks), tuple(begins.items()))
        self._document.warm[("chunks", members)] = (setting, made)
        return made

    def _setting(self, group: Group) -> tuple[object, ...]:
        """What decides how a group packs; of one that fits the cap, nothing."""
        options = self._options
        return () if group.length <= options.cap else (options.fold, options.cap, self._lang)

    def sizes(self) -> Sizes:
        """Fold and pack, and keep only lengths."""
        sections = self.outline.sections
        groups, fates = fold_sections(sections, self._options)
        packs = [self._pack(group) for group in groups]
        return Sizes(
            [section.length for section in sections],
            [packed.length for pack in packs for packed in pack],
            fates.count(Fate.DROPPED),
            fates.count(Fate.FOLDED),
            sum(len(pack) > 1 for pack in packs),
        )

    def _result(self, section: Section, fate: Fate, begins: dict[int, int]) -> SectionResult:
        heading = self._heading_of[section.heading.start] if section.heading is not None else None
        span = self._document.line_map.span(section.start, section.end)
        return SectionResult(
            section.index, heading, section.trail, span, section.length, fate, begins.get(section.index)
        )

    def _pack(self, group: Group) -> list[Packed]:
        options = self._options
        members = tuple(section.index for section in group.members)
        if group.length <= options.cap:
            return [Packed(0, group.length, Rung.SECTION, 0)]
        setting = self._setting(group)
        kept = self._document.warm.get(("packed", members))
        if kept is not None and kept[0] == setting:
            result: list[Packed] = kept[1]
            return result
        texts = [section.run.text for section in group.members]
        result = Packer(group, texts, self.node, options.fold, options.cap, self._lang).pack()
        self._document.warm[("packed", members)] = (setting, result)
        return result

    def node(self, section: Section) -> Node:
        key = ("node", section.index)
        node = self._document.warm.get(key)
        if not isinstance(node, Node):
            node = section_node(section, self.outline.blocks_of[section.index])
            self._document.warm[key] = node
        return node

    def _chunk(self, index: int, group: Group, offsets: list[int], packed: Packed, begins: dict[int, int]) -> Chunk:
        pieces = [Piece(text, None, why) for text, why in packed.opening]
        folded: list[Fold] = []
        for number, section in enumerate(group.members):
            start, end = offsets[number], offsets[number] + section.length
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
        origin = self._first_origin(group, offsets, packed)
        trail = self.outline.trails.at(origin)
        rung = packed.rung
        if rung is Rung.SECTION and first.heading is None and first.index == 0:
            rung = Rung.DOCUMENT
        return Chunk(index, first.index, trail, rung, tuple(folded), tuple(_merged(pieces)), packed.length)

    @staticmethod
    def _body(group: Group, offsets: list[int], packed: Packed) -> str:
        """The beginning of what is not synthetic in a chunk, enough to see whether it is empty."""
        section = group.members[packed.member]
        start = packed.start - offsets[packed.member]
        return section.run.text[start : start + packed.end - packed.start]

    def _first_origin(self, group: Group, offsets: list[int], packed: Packed) -> int:
        section = group.members[packed.member]
        start = packed.start - offsets[packed.member]
        return section.run.first_origin(start, section.length)

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


def _offsets(group: Group) -> list[int]:
    offsets = []
    at = 0
    for section in group.members:
        offsets.append(at)
        at += section.length + len(SEPARATOR)
    return offsets


def _merged(pieces: list[Piece]) -> Iterator[Piece]:
    """Join verbatim pieces that follow each other in the source."""
    held: Piece | None = None
    for piece in pieces:
        if held is not None and held.span is not None and piece.span is not None and held.span.end == piece.span.start:
            held = Piece(held.text + piece.text, held.span._replace(end=piece.span.end))
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held
