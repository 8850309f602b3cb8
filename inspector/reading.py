"""One document read and chunked as settings say: how its model reads each chunk, its problems, and its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from inspector.chunking import chunk_by
from inspector.core.chunk import Chunking, Fate
from inspector.core.document import Document
from inspector.core.problems import Problem
from inspector.corpus import FileStamp, is_draft
from inspector.embedding.measure import Reading, read_chunks, total_unread
from inspector.embedding.models import Model, find_model
from inspector.embedding.tokens import TokenCounter
from inspector.export.records import all_problems
from inspector.settings import Settings
from inspector.vector_tasks import EncodeRequest, run_encode


@dataclass(frozen=True, slots=True)
class DocumentTotals:
    """A document's numbers, which the window adds up: counts of sections and chunks, tokens, characters by reason;
    `code` counts the characters of its fenced blocks.
    """

    chunks: int
    characters: int
    code: int
    kept: int
    dropped: int
    folded: int
    split: int
    truncated: int
    unread_tokens: int
    removed: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as read and chunked: how its model reads each chunk, its problems, and its numbers.

    `fingerprint` tells in the process that made it whether anything but the thresholds' values changed.
    """

    name: str
    stamp: FileStamp | None
    chunking: Chunking
    readings: tuple[Reading, ...]
    problems: tuple[Problem, ...]
    totals: DocumentTotals
    is_draft: bool
    fingerprint: int = 0


_counters: dict[tuple[str, int], TokenCounter] = {}


def read_one(
    document: Document, settings: Settings, counter: TokenCounter, file_stamp: FileStamp | None
) -> ReadDocument:
    """Chunk one document and read its chunks as the target model does."""
    chunking = chunk_as_set(document, settings, counter)
    readings = read_chunks(chunking, counter, settings.context)
    problems = all_problems(chunking, readings, counter.model, settings.rules.codes)
    read = ReadDocument(
        document.name, None, chunking, readings, problems, totals_of(chunking, readings), is_draft(document)
    )
    return stamped(read, counter.model, file_stamp)


def stamped(read: ReadDocument, model: Model, file_stamp: FileStamp | None) -> ReadDocument:
    """Return a document with its file's stamp and this process's fingerprint of it."""
    texts = tuple(reading.text for reading in read.readings)
    spans = tuple(chunk.spans for chunk in read.chunking.chunks)
    facts = (read.chunking.document.sha256, texts, spans, read.totals, read.problems, model)
    return replace(read, stamp=file_stamp, fingerprint=hash(facts) or 1)


def chunk_as_set(document: Document, settings: Settings, counter: TokenCounter) -> Chunking:
    """Chunk a document by the strategy that the settings name. Raises InspectorError where it lacks what it needs."""
    return chunk_by(document, settings, counter, partial(sentence_distances, settings))


def sentence_distances(settings: Settings, sentences: Sequence[str]) -> list[float]:
    """Return the cosine distance of each sentence to the next, by the model that draws the map.

    Where the cache has all their vectors, no model is loaded.
    """
    if len(sentences) < 2:
        return []
    model = find_model(settings.map_model)
    texts = tuple(model.passage_prefix + sentence for sentence in sentences)
    vectors = run_encode(EncodeRequest(model, texts, engine=settings.engine)).vectors
    return [float(distance) for distance in 1 - np.sum(vectors[:-1] * vectors[1:], axis=1)]


def totals_of(chunking: Chunking, readings: Sequence[Reading]) -> DocumentTotals:
    """Count a document's sections, chunks, tokens and characters."""
    fates = [section.fate for section in chunking.sections]
    removed: dict[str, int] = {}
    for entry in chunking.removed:
        removed[entry.reason] = removed.get(entry.reason, 0) + entry.span.length
    truncated, unread = total_unread(readings)
    hosts: list[int] = []
    for section in chunking.sections:
        is_own = section.fate is not Fate.FOLDED
        hosts.append(section.index if is_own else hosts[-1])
    pieces = Counter(hosts[chunk.section] for chunk in chunking.chunks)
    split = sum(count > 1 for count in pieces.values())
    return DocumentTotals(
        len(chunking.chunks),
        chunking.document.characters,
        sum(fence.span.length for fence in chunking.document.fences),
        chunking.kept,
        fates.count(Fate.DROPPED),
        fates.count(Fate.FOLDED),
        split,
        truncated,
        unread,
        tuple(sorted(removed.items())),
    )


def counter_of(settings: Settings) -> TokenCounter:
    """Return this process's counter for the target model. Raises ModelError."""
    key = (settings.target_model, settings.token_limit)
    if key not in _counters:
        _counters[key] = TokenCounter(settings.target())
    return _counters[key]
