"""The strategies by name, and the one function that chunks with any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.options import Options
from inspector.core.strategies.choices import (
    Choices,
    External,
    Imported,
    Paragraphs,
    Recursive,
    Semantic,
    Sentences,
    Window,
)
from inspector.core.strategies.flow import Cut, Flow, flow_chunking, read_flow
from inspector.core.strategies.headings import chunk_document
from inspector.core.strategies.placing import ForeignChunk, ImportReport, Locate, place_chunks, placed_cuts
from inspector.core.strategies.splitting import (
    Measure,
    characters,
    recursive_chunks,
    semantic_cuts,
    semantic_parts,
    sentence_chunks,
    window_cuts,
)

HEADINGS = "headings"
Distances = Callable[[Sequence[str]], Sequence[float]]
"""Cosine distances of texts, each to the next: one number fewer than texts."""


class Missing(ValueError):
    """What a strategy needs is not there; the message says what to do."""


@dataclass(frozen=True)
class Tools:
    """What strategies are handed from outside the core: token measure, distances, foreign chunks."""

    tokens: Measure | None = None
    distances: Distances | None = None
    foreign: Callable[[Document], Sequence[ForeignChunk]] | None = None
    locate: Locate | None = None
    split: Callable[[External, str], Sequence[str]] | None = None

    def measure(self, unit: str) -> Measure:
        """Return the measure of a unit. Raises Missing."""
        if unit == "characters":
            return characters
        if self.tokens is None:
            raise Missing("Sizes in tokens need a tokenizer: count characters instead.")
        return self.tokens


@dataclass(frozen=True)
class Curve:
    """Why `semantic` cut where it did: the distance at each gap between sentences, and where each gap lies.

    `offsets` are source offsets of the sentence after the gap; a gap over `threshold` is a cut.
    """

    offsets: tuple[int, ...]
    distances: tuple[float, ...]
    threshold: float


@dataclass(frozen=True)
class Strategy:
    """A way to chunk: its name, what people see, its options, and what it needs of `Tools`."""

    name: str
    label: str
    help: str
    options: type[Choices] | None
    needs: frozenset[str] = field(default=frozenset())


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            Strategy(HEADINGS, "Headings", "Sections at the author's own headings, folded and packed.", None),
            Strategy("recursive", "Recursive", "Separators tried in order, small neighbours merged.", Recursive,
                     frozenset({"tokens"})),
            Strategy("paragraphs", "Paragraphs", "One chunk a paragraph.", Paragraphs),
            Strategy("sentences", "Sentences", "Whole sentences up to a size, the tail carried over.", Sentences,
                     frozenset({"tokens"})),
            Strategy("window", "Window", "The tutorial's sliding window: the baseline to beat.", Window,
                     frozenset({"tokens"})),
            Strategy("semantic", "Semantic", "Sentences grouped until the topic turns.", Semantic,
                     frozenset({"distances"})),
            Strategy("imported", "Imported", "Another program's chunks, placed onto the source.", Imported,
                     frozenset({"foreign", "locate"})),
        )
    }
)  # fmt: skip


def chunk_with(document: Document, options: Options, own: Choices | None, tools: Tools) -> Chunking:
    """Chunk a document by `headings` (`own` None) or by the strategy whose options `own` are.

    `options` say what is cleaned, also for the others. Raises Missing where `tools` lack what the strategy needs.
    """
    document = document.in_dialects(options.dialects)
    if own is None:
        return chunk_document(document, options)
    if isinstance(own, Imported):
        if tools.foreign is None:
            raise Missing("Name a file of chunks to import.")
        return place_chunks(document, options, own, tools.foreign(document), tools.locate)
    flow = read_flow(document, options, own.is_cleaned)
    if isinstance(own, Semantic):
        return _semantic(flow, options, own, tools)
    if isinstance(own, External):
        if tools.split is None:
            raise Missing("Strategies of other programs are not to be had here.")
        cuts, report = placed_cuts(flow.text, tools.split(own, flow.text))
        return flow_chunking(flow, options, own, cuts, report)
    return flow_chunking(flow, options, own, cuts_of(flow, own, tools))


def cuts_of(flow: Flow, own: Choices, tools: Tools) -> list[Cut]:
    """Return the cuts of a strategy that needs no more than a measure."""
    if isinstance(own, Window):
        return list(window_cuts(flow, own, tools.measure(own.unit)))
    if isinstance(own, Sentences):
        return list(sentence_chunks(flow, own, tools.measure(own.unit)))
    if isinstance(own, Recursive):
        return list(recursive_chunks(flow, own, tools.measure(own.unit)))
    assert isinstance(own, Paragraphs)
    return [Cut(start, end) for start, end in flow.paragraphs if end - start >= own.drop]


def _semantic(flow: Flow, options: Options, own: Semantic, tools: Tools) -> Chunking:
    if tools.distances is None:
        raise Missing("The semantic strategy needs an embedding model.")
    parts = semantic_parts(flow, own)
    distances = tuple(tools.distances([flow.text[start:end] for start, end in parts]))
    threshold = percentile(distances, own.percentile)
    line_map = flow.document.line_map
    offsets = tuple(line_map.offset(flow.run.first_origin(start, end)) for start, end in parts[1:])
    cuts = semantic_cuts(parts, own, distances, threshold)
    return flow_chunking(flow, options, own, cuts, Curve(offsets, distances, threshold))


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value under which `share` percent of values lie, between neighbours in proportion; 0 of none.

    The linear method of Hyndman and Fan (1996), number 7, as numpy's default.
    """
    if not values:
        return 0.0
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


__all__ = [
    "HEADINGS",
    "STRATEGIES",
    "Curve",
    "Distances",
    "ImportReport",
    "Locate",
    "Missing",
    "Strategy",
    "Tools",
    "chunk_with",
]
