"""Metrics of a chunking: sizes, what is unread, stored twice, cut, headless; summed over documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

from inspector.compare.spans import covered
from inspector.core.blocks import Block, Kind, walk
from inspector.core.chunk import Chunk, Chunking
from inspector.core.document import Document
from inspector.core.language import sentence_language
from inspector.core.ledger import NOT_IN_ANY_CHUNK
from inspector.core.units import sentence_cuts
from inspector.embedding.measure import Reading

RUNT = 320
"""A chunk of fewer characters is a runt, whatever the strategy: the fold of the article behind `headings`."""

LESS, MORE, NEITHER = "less is better", "more is better", ""
_CUT_KINDS = {Kind.FENCE: "fences", Kind.CODE: "fences", Kind.TABLE: "tables", Kind.LIST: "lists"}
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Cuts:
    """How many blocks and sentences hold a chunk's edge inside them, each counted once."""

    fences: int = 0
    tables: int = 0
    lists: int = 0
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted in one document: sizes in characters, tokens unread, source characters held and stored."""

    sizes: tuple[int, ...]
    truncated: int
    unread_tokens: int
    held: int
    stored: int
    kept: int
    characters: int
    cuts: Cuts
    headless: int
    runts: int
    lost: int = 0


def _metric(label: str, good: str, unit: str = "") -> Any:
    return field(metadata={"label": label, "good": good, "unit": unit})


@dataclass(frozen=True, slots=True)
class Metrics:
    """A table's column: what a strategy makes of all documents. Shares are of 1; field metadata says which way is good.

    `stored_twice` is the share of what chunks hold of the source that stands in more than one; `unread_tokens` are past
    the model's limit; a headless chunk starts under a heading and holds no word of its trail, nor does its context;
    `lost` is text of an import's documents that no chunk holds.
    """

    chunks: int = _metric("Chunks", NEITHER)
    median: int = _metric("Median", NEITHER, "characters")
    p95: int = _metric("95th percentile", NEITHER, "characters")
    longest: int = _metric("Longest", NEITHER, "characters")
    truncated: int = _metric("Truncated", LESS)
    unread_tokens: int = _metric("Unread tokens", LESS)
    stored_twice: float = _metric("Stored twice", LESS, "share")
    kept: float = _metric("Kept of the source", NEITHER, "share")
    fences_cut: int = _metric("Code blocks cut", LESS)
    tables_cut: int = _metric("Tables cut", LESS)
    lists_cut: int = _metric("Lists cut", LESS)
    sentences_cut: int = _metric("Sentences cut", LESS)
    headless: int = _metric("Headless chunks", LESS)
    runts: int = _metric("Runts", LESS)
    lost: int = _metric("Not in any chunk", LESS, "characters")
    seconds: float = _metric("Seconds", LESS, "seconds")


def metric_labels() -> dict[str, dict[str, str]]:
    """Return label, good direction and unit of each metric, by its name, in the order of the table."""
    return {entry.name: dict(entry.metadata) for entry in fields(Metrics)}


def count_document(chunking: Chunking, readings: Sequence[Reading]) -> Counted:
    """Count one document's chunks, as its model reads them."""
    chunks = chunking.chunks
    spans = [span for chunk in chunks for span in chunk.spans]
    held = covered(spans)
    unread = [reading.count.unread_tokens for reading in readings]
    lost = sum(removed.span.length for removed in chunking.removed if removed.reason == NOT_IN_ANY_CHUNK)
    return Counted(
        tuple(chunk.characters for chunk in chunks),
        sum(count > 0 for count in unread),
        sum(unread),
        held,
        sum(span.length for span in spans),
        chunking.kept,
        chunking.document.characters,
        count_cuts(chunking),
        sum(is_headless(chunk, reading) for chunk, reading in zip(chunks, readings, strict=True)),
        sum(chunk.characters < RUNT for chunk in chunks),
        lost,
    )


def summed(documents: Iterable[Counted], seconds: float = 0.0) -> Metrics:
    """Add the documents up to one column."""
    counted = list(documents)
    sizes = sorted(size for document in counted for size in document.sizes)
    held = sum(document.held for document in counted)
    characters = sum(document.characters for document in counted)
    return Metrics(
        len(sizes),
        at_share(sizes, 50),
        at_share(sizes, 95),
        sizes[-1] if sizes else 0,
        sum(document.truncated for document in counted),
        sum(document.unread_tokens for document in counted),
        sum(document.stored - document.held for document in counted) / held if held else 0.0,
        sum(document.kept for document in counted) / characters if characters else 0.0,
        sum(document.cuts.fences for document in counted),
        sum(document.cuts.tables for document in counted),
        sum(document.cuts.lists for document in counted),
        sum(document.cuts.sentences for document in counted),
        sum(document.headless for document in counted),
        sum(document.runts for document in counted),
        sum(document.lost for document in counted),
        seconds,
    )


def at_share(ordered: Sequence[int], share: int) -> int:
    """Return the least of ordered values that at least `share` percent do not exceed (nearest rank); 0 of none."""
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)] if ordered else 0


def is_headless(chunk: Chunk, reading: Reading) -> bool:
    """Whether a chunk that stands under a heading does not say which: no word of it is in what the model is given."""
    if not chunk.trail:
        return False
    wanted = set(_WORDS.findall(chunk.trail[-1].lower()))
    return bool(wanted) and not wanted & set(_WORDS.findall(reading.text.lower()))


def count_cuts(chunking: Chunking) -> Cuts:
    """Count the code blocks, tables, lists and sentences that a chunk begins or ends inside of."""
    document = chunking.document
    edges = sorted(_edges(chunking))
    found = {"fences": 0, "tables": 0, "lists": 0}
    for block in walk(document.tree.blocks):
        name = _CUT_KINDS.get(block.kind)
        if name is not None and _is_inside(edges, block.start + _indent(document, block), block.end):
            found[name] += 1
    return Cuts(**found, sentences=_sentences_cut(chunking, edges))


def _edges(chunking: Chunking) -> set[int]:
    """Positions at which a chunk begins or ends; the edges of repeated text are no cuts of its own."""
    position = chunking.document.line_map.position
    edges: set[int] = set()
    for chunk in chunking.chunks:
        edges.update((position(chunk.span.start), position(chunk.span.end)))
    return edges


def _indent(document: Document, block: Block) -> int:
    text = document.line_map.text[block.start : block.end]
    return len(text) - len(text.lstrip(" \t>"))


def _is_inside(edges: Sequence[int], start: int, end: int) -> bool:
    index = bisect_right(edges, start)
    return index < len(edges) and edges[index] < end


def _sentences_cut(chunking: Chunking, edges: Sequence[int]) -> int:
    """Count the sentences of paragraphs that hold an edge; white space at their edges is no part of them."""
    document, text = chunking.document, chunking.document.line_map.text
    lang = sentence_language(document.metadata.get("lang"), chunking.options.lang)
    removed = [
        (document.line_map.position(r.span.start), document.line_map.position(r.span.end)) for r in chunking.removed
    ]
    found = 0
    for block in walk(document.tree.blocks):
        if block.kind is not Kind.PARAGRAPH or not _is_inside(edges, block.start, block.end):
            continue
        cuts = sentence_cuts(text[block.start : block.end], lang)
        bounds = [block.start, *(block.start + cut for cut in cuts), block.end]
        for start, end in pairwise(bounds):
            first, last = _seen(text, start, end, removed)
            found += first < last and _is_inside(edges, first, last)
    return found


def _seen(text: str, start: int, end: int, removed: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return a stretch without white space, list and quote marks, and what was removed at its edges."""
    while start < end:
        before = start, end
        while start < end and text[start] in " \t\n>":
            start += 1
        while end > start and text[end - 1] in " \t\n":
            end -= 1
        index = bisect_right(removed, (start, len(text))) - 1
        if index >= 0 and removed[index][1] > start:
            start = min(end, removed[index][1])
        index = bisect_right(removed, (end - 1, len(text))) - 1
        if index >= 0 and removed[index][1] >= end:
            end = max(start, removed[index][0])
        if (start, end) == before:
            break
    return start, end
