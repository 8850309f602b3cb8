"""Where sections begin, and the heading trail at any place. Step 5."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from inspector.core.blocks import Block
from inspector.core.chunk import Removed, SectionResult
from inspector.core.cleaning import Cleaned, clean
from inspector.core.document import Document
from inspector.core.options import Options
from inspector.core.section import Section, build_section
from inspector.core.span import Span


@dataclass(slots=True)
class Trails:
    """The heading trail that holds from each position on."""

    positions: list[int]
    trails: list[tuple[str, ...]]

    def at(self, position: int) -> tuple[str, ...]:
        """Return the headings in force at a position, outermost first, the title not among them."""
        index = bisect_right(self.positions, position) - 1
        return self.trails[index] if index >= 0 else ()


@dataclass(slots=True)
class Outline:
    """A document cleaned and cut into sections."""

    cleaned: Cleaned
    sections: list[Section]
    trails: Trails
    removed: list[Removed] | None = None  # by cleaning, as spans of the source: made once, for the ledger
    results: list[SectionResult] | None = None  # of the last thresholds, reused where they are the same

    def removed_in(self, document: Document) -> list[Removed]:
        """Return what cleaning removed, as spans of the document's source."""
        if self.removed is None:
            offset = document.line_map.offset
            self.removed = [
                Removed(Span(offset(removal.start), offset(removal.end)), removal.reason)
                for removal in self.cleaned.removals
            ]
        return self.removed


def outline_key(options: Options) -> tuple[object, ...]:
    """What of the options decides cleaning and sectioning; the thresholds do not."""
    return (options.clean, options.code_lines, options.addresses, options.split_levels, options.dialects)


def read_outline(document: Document, options: Options) -> Outline:
    """Clean a document and cut it into sections; the result is kept with the document."""
    key = ("outline", outline_key(options))
    kept = document.warm.get(key)
    if isinstance(kept, Outline):
        return kept
    for old in [k for k in document.warm if isinstance(k, tuple) and k[0] == "outline"]:
        del document.warm[old]
    outline = _read(document, options)
    document.warm[key] = outline
    return outline


def _read(document: Document, options: Options) -> Outline:
    text = document.line_map.text
    tree = document.tree  # before the blocks that are looked for in it
    title = document.title_block
    headings = list(document.outline)
    site = document.site_syntax
    cleaned = clean(text, document.body_start, tree, title, headings, options, site)
    trails = _trails(document, title)
    borders: list[tuple[int, Block | None]] = [(document.body_start, None)]
    has_split = False
    for block in headings:
        if block is title:
            if has_split:
                borders.append((block.start, None))
        elif block.level == 1 or block.level in options.split_levels:
            borders.append((block.start, block))
            has_split = True
    removal_starts = [removal.start for removal in cleaned.removals]
    sections: list[Section] = []
    tops = tree.blocks
    top = 0
    for number, (start, heading) in enumerate(borders):
        end = borders[number + 1][0] if number + 1 < len(borders) else len(text)
        mine: list[Block] = []
        while top < len(tops) and tops[top].start < end:
            if tops[top] is not title:
                mine.append(tops[top])
            top += 1
        trail = trails.at(start)
        section = build_section(text, len(sections), heading, trail, start, end, cleaned, removal_starts)
        if section.length or heading is not None:
            section.blocks = mine
            sections.append(section)
    return Outline(cleaned, sections, trails)


def _trails(document: Document, title: Block | None) -> Trails:
    positions: list[int] = []
    trails: list[tuple[str, ...]] = []
    open_headings: list[tuple[int, str]] = []
    for block, words in zip(document.outline, document.heading_texts, strict=True):
        if block is title:
            open_headings = []
        else:
            open_headings = [entry for entry in open_headings if entry[0] < block.level]
            if words:
                open_headings.append((block.level, words))
        positions.append(block.start)
        trails.append(tuple(text for _level, text in open_headings))
    return Trails(positions, trails)
