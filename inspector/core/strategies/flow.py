"""A whole document as one text to cut: cleaned or as it is, and the chunks that cuts in it make.

Offsets are code points of the flow's text; only what comes out of `flow_chunking` is in source offsets.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import regex

from inspector.core.blocks import Block, Kind
from inspector.core.chunk import OVERLAP, Chunk, Chunking, Fate, Piece, Rung, SectionResult
from inspector.core.document import Document
from inspector.core.fold import SEPARATOR
from inspector.core.language import sentence_language
from inspector.core.options import Options
from inspector.core.outline import Outline, read_outline
from inspector.core.section import SYNTHETIC, Run, Section, is_empty, trim
from inspector.core.strategies.choices import Choices
from inspector.core.text import BOM
from inspector.core.units import sentence_cuts

LEAD = 200
"""Characters before an offset in which the start of its line is looked for."""

_GRAPHEME = regex.compile(r"\X")
_CONTAINERS = frozenset({Kind.LIST, Kind.ITEM, Kind.QUOTE, Kind.FOOTNOTE})
_PROSE = frozenset({Kind.PARAGRAPH, Kind.HEADING})


class Cut(NamedTuple):
    """A chunk to be: `[start, end)` of the flow's text. What lies before the end of the chunk before it is shared."""

    start: int
    end: int


@dataclass(frozen=True)
class Flow:
    """A document's text in one run; `starts` says where each section begins in it, `blocks` where each block does."""

    document: Document
    outline: Outline
    run: Run
    sections: tuple[tuple[int, Section], ...]
    lang: str
    is_cleaned: bool
    _known: dict[int, frozenset[int]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def text(self) -> str:
        """The text that is cut."""
        return self.run.text

    @cached_property
    def section_starts(self) -> list[int]:
        """Where each section begins."""
        return [start for start, _section in self.sections]

    @cached_property
    def _placed(self) -> tuple[list[int], list[int]]:
        verbatim = [i for i, origin in enumerate(self.run.origins) if origin >= 0]
        return [self.run.origins[i] for i in verbatim], [self.run.starts[i] for i in verbatim]

    def place(self, position: int) -> int:
        """Return where the first kept character at or after a position of the document stands."""
        origins, starts = self._placed
        at = bisect_right(origins, position) - 1
        if at >= 0:
            start = starts[at]
            index = bisect_right(self.run.starts, start)
            end = self.run.starts[index] if index < len(self.run.starts) else len(self.text)
            if start + position - origins[at] < end:
                return start + position - origins[at]
        return starts[at + 1] if at + 1 < len(starts) else len(self.text)

    @cached_property
    def leaves(self) -> tuple[tuple[int, int, Block], ...]:
        """The blocks that hold no blocks, in order and disjoint, as (start, end, block), their marks included."""
        found: list[tuple[int, int, Block]] = []
        at = 0
        for block in self._leaf_blocks():
            start, end = trim(self.text, max(at, self.place(block.start)), self.place(block.end))
            if start < end:
                found.append((start, end, block))
                at = end
        return tuple(found)

    @property
    def _tops(self) -> list[Block]:
        """The blocks at the top level but the title, where that is cleaned away."""
        tops = self.document.tree.blocks
        title = self.document.title_block if self.is_cleaned else None  # after the tree, of which it is
        return [block for block in tops if block is not title]

    def _leaf_blocks(self) -> Iterator[Block]:
        stack = self._tops[::-1]
        while stack:
            block = stack.pop()
            if block.kind in _CONTAINERS and block.children:
                stack.extend(reversed(block.children))
            else:
                yield block

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The sentences of paragraphs and headings, every other leaf whole, and what is in none."""
        found: list[tuple[int, int]] = []
        at = 0
        for start, end, block in self.leaves:
            found.extend(self._gap(at, start))
            found.extend(self._sentences_of(start, end, block))
            at = end
        found.extend(self._gap(at, len(self.text)))
        return tuple(found)

    @cached_property
    def paragraphs(self) -> tuple[tuple[int, int], ...]:
        """The blocks at the top level, and what is in none: all that can be seen, in order and disjoint."""
        found: list[tuple[int, int]] = []
        at = 0
        for block in self._tops:
            start, end = trim(self.text, max(at, self.place(block.start)), self.place(block.end))
            if start < end:
                found.extend(self._gap(at, start))
                found.append((start, end))
                at = end
        found.extend(self._gap(at, len(self.text)))
        return tuple(found)

    @cached_property
    def headings(self) -> list[int]:
        """Where the headings of the outline begin."""
        return sorted({self.place(block.start) for block in self.document.outline})

    def _gap(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        first, last = trim(self.text, start, end)
        if first < last:
            yield first, last

    def _sentences_of(self, start: int, end: int, block: Block) -> Iterator[tuple[int, int]]:
        cuts = sentence_cuts(self.text[start:end], self.lang) if block.kind in _PROSE else ()
        edges = [start, *(start + cut for cut in cuts), end]
        for first, last in pairwise(edges):
            first, last = trim(self.text, first, last)
            if first < last:  # pragma: no branch - a sentence is more than blanks
                yield first, last

    def rung_at(self, offset: int) -> Rung:
        """Return the coarsest thing that begins at an offset, white space before it aside."""
        number = bisect_left(self.section_starts, offset)
        if number < len(self.sections) and self.section_starts[number] == offset:
            section = self.sections[number][1]
            return Rung.DOCUMENT if section.heading is None and section.index == 0 else Rung.SECTION
        leaves = self.leaves
        index = bisect_right(leaves, offset, key=lambda leaf: leaf[0]) - 1
        if index >= 0 and offset < leaves[index][1]:
            start, end, block = leaves[index]
            if start == offset:
                return Rung.PARAGRAPH
            if index not in self._known:
                self._known[index] = frozenset(first for first, _last in self._sentences_of(start, end, block))
            if offset in self._known[index]:
                return Rung.SENTENCE
        lead = self.text[max(0, offset - LEAD) : offset]
        _line, newline, rest = lead.rpartition("\n")
        if (newline or offset <= LEAD) and not rest.strip(" \t>"):
            return Rung.LINE
        return Rung.WORD if self.text[offset - 1].isspace() else Rung.CHARACTER


def read_flow(document: Document, options: Options, is_cleaned: bool) -> Flow:
    """Return a document's text in one run: as it comes out of cleaning, or as it is but for a byte order mark."""
    outline = read_outline(document, options)
    lang = sentence_language(document.metadata.get("lang"), options.lang)
    if is_cleaned:
        run, sections = _joined(outline.sections)
    else:
        text = document.line_map.text
        first = 1 if text.startswith(BOM) else 0
        run = Run(text[first:], [0], [first], [""]) if len(text) > first else Run("", [], [], [])
        sections = [(max(0, section.start - first), section) for section in outline.sections]
        if sections:
            sections[0] = (0, sections[0][1])
    return Flow(document, outline, run, tuple(sections), lang, is_cleaned)


def _joined(sections: Sequence[Section]) -> tuple[Run, list[tuple[int, Section]]]:
    """Put sections together with a blank line between each two: the source's own where it has one."""
    texts: list[str] = []
    run = Run("", [], [], [])
    placed: list[tuple[int, Section]] = []
    at = 0

    def add(text: str, origin: int, why: str) -> None:
        nonlocal at
        texts.append(text)
        run.starts.append(at)
        run.origins.append(origin)
        run.whys.append(why)
        at += len(text)

    before: Section | None = None
    for section in sections:
        if not section.length:
            continue
        if before is not None:
            own = before.line_ends[: len(SEPARATOR)] if section.index == before.index + 1 else []
            for position in own:
                add("\n", position, "")
            if len(own) < len(SEPARATOR):
                add(SEPARATOR[len(own) :], SYNTHETIC, "blank line")
        placed.append((at, section))
        for origin, _length, text, why in section.run.slice(0, section.length):
            add(text, origin, why)
        before = section
    run.text = "".join(texts)
    return run, placed


def flow_chunking(flow: Flow, options: Options, own: Choices, cuts: Iterable[Cut], evidence: object = None) -> Chunking:
    """Put the chunks of cuts together; a cut in which nothing can be seen makes none.

    Cuts are in order of start and of end. What a chunk shares with the one before it is a piece of its own.
    """
    chunks: list[Chunk] = []
    begins: dict[int, int] = {}
    held = 0
    for cut in cuts:
        if is_empty(flow.text[cut.start : cut.end]):
            continue
        chunk, first, last = _chunk(flow, len(chunks), cut, held)
        for number in range(first, last):
            begins.setdefault(flow.sections[number][1].index, chunk.index)
        chunks.append(chunk)
        held = max(held, cut.end)
    return Chunking(flow.document, options, _sections(flow, begins), tuple(chunks), own, evidence)


def _chunk(flow: Flow, index: int, cut: Cut, held: int) -> tuple[Chunk, int, int]:
    """Return a chunk, and the numbers `[first, last)` of the sections that begin in it."""
    shared_end = min(max(held, cut.start), cut.end)
    pieces = [*_pieces(flow, cut.start, shared_end, OVERLAP), *_pieces(flow, shared_end, cut.end, "")]
    origin = next(origin for origin, *_rest in flow.run.slice(cut.start, cut.end) if origin >= 0)
    starts = flow.section_starts
    first, last = bisect_left(starts, cut.start), bisect_left(starts, cut.end)
    inside = max(0, bisect_right(starts, cut.start) - 1)
    section = flow.sections[inside][1].index if flow.sections else 0
    start, _end = trim(flow.text, cut.start, cut.end)
    trail = flow.outline.trails.at(origin)
    return (
        Chunk(index, section, trail, flow.rung_at(start), (), tuple(pieces), cut.end - cut.start),
        first,
        last,
    )


def _pieces(flow: Flow, start: int, end: int, why: str) -> Iterator[Piece]:
    """Yield the pieces of `[start, end)`, runs that follow each other in the source joined."""
    if start >= end:
        return
    line_map = flow.document.line_map
    open_: tuple[int, str] | None = None  # position, text
    for origin, _length, text, reason in flow.run.slice(start, end):
        if open_ is not None and origin == open_[0] + len(open_[1]):
            open_ = (open_[0], open_[1] + text)
            continue
        if open_ is not None:
            yield Piece(open_[1], line_map.span(open_[0], open_[0] + len(open_[1])), why)
            open_ = None
        if origin >= 0:
            open_ = (origin, text)
        else:
            yield Piece(text, None, reason)
    if open_ is not None:
        yield Piece(open_[1], line_map.span(open_[0], open_[0] + len(open_[1])), why)


def _sections(flow: Flow, begins: dict[int, int]) -> tuple[SectionResult, ...]:
    document = flow.document
    heading_of = {block.start: heading for block, heading in zip(document.outline, document.headings, strict=True)}
    results = []
    if not flow.sections and flow.text:
        span = document.line_map.span(0, len(document.line_map.text))
        return (SectionResult(0, None, (), span, len(flow.text), Fate.KEPT, 0),)
    for section in flow.outline.sections:
        heading = heading_of[section.heading.start] if section.heading is not None else None
        chunk = begins.get(section.index)
        fate = Fate.DROPPED if chunk is None else Fate.KEPT
        span = document.line_map.span(section.start, section.end)
        results.append(SectionResult(section.index, heading, section.trail, span, section.length, fate, chunk))
    return tuple(results)


def grapheme_starts(text: str, starts: Sequence[int]) -> Sequence[int]:
    """Return the starts of units that a text may be cut at, each once: not inside a grapheme."""
    if text.isascii():
        return starts
    inside = {offset for match in _GRAPHEME.finditer(text) for offset in range(match.start() + 1, match.end())}
    return [start for start in dict.fromkeys(starts) if start not in inside]
