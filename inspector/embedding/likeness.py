"""Rules that need vectors: chunks that say nearly the same, and chunks about several things.

The measures take plain arrays; the rules make problems of them, for callers that hold the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from inspector.core.chunk import Chunk, Chunking
from inspector.core.problems.problem import Problem, Severity, quoted
from inspector.core.units import sentence_cuts
from inspector.embedding.search import BLOCK, Vectors, unit_rows

NEARLY_THE_SAME = 0.96
"""Cosine similarity from which two chunks of different documents are called near-duplicates."""

FAR_APART = 0.18
"""Mean cosine similarity of a chunk's sentences below which it is called one of several topics."""

FEWEST_SENTENCES = 4
SHORTEST_SENTENCE = 30  # code points; list marks and headings of a word or two point nowhere


def nearest_before(matrix: Vectors, groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], Vectors]:
    """Find for each row of `matrix` (n, d) the most similar row before it that is of another group.

    `groups` (n,) numbers the rows' groups. Returns the rows (n,), -1 for none, and the cosines (n,), -1 for none.
    """
    unit = unit_rows(matrix)
    count = len(unit)
    rows = np.full(count, -1, np.int64)
    scores = np.full(count, -1.0, np.float32)
    for start in range(0, count, BLOCK):
        end = min(start + BLOCK, count)
        similar = unit[start:end] @ unit[:end].T
        own = np.arange(start, end)
        similar[(np.arange(end) >= own[:, None]) | (groups[:end] == groups[start:end, None])] = -1.0
        best = similar.argmax(axis=1)
        found = similar[np.arange(end - start), best]
        rows[start:end] = np.where(found > -1.0, best, -1)
        scores[start:end] = found
    return rows, scores


def mean_similarity(vectors: Vectors) -> float:
    """Return the mean cosine of all pairs of two or more rows (n, d): 1 where all say one thing."""
    unit = unit_rows(vectors)
    count = len(unit)
    if count < 2:
        raise ValueError(f"two rows or more are compared, not {count}")
    total = unit.astype(np.float64).sum(axis=0)
    squares = float((unit.astype(np.float64) ** 2).sum())
    return (float(total @ total) - squares) / (count * (count - 1))


def near_duplicates(
    chunks: Sequence[tuple[Chunking, Chunk]],
    rows: NDArray[np.int64],
    scores: Vectors,
    least: float = NEARLY_THE_SAME,
) -> dict[str, list[Problem]]:
    """Return the problems of a folder's near-duplicates by the name of their document.

    `rows` and `scores` (n,) are what `nearest_before` finds, one for each chunk. Each chunk that says nearly what an
    earlier document says is named once, with its nearest; chunks of one document are not compared, as the pieces of a
    table or list are alike by nature.
    """
    found: dict[str, list[Problem]] = {}
    for row in np.flatnonzero(scores >= least).tolist():
        chunking, chunk = chunks[row]
        other, twin = chunks[rows[row]]
        line = chunking.document.lines.line_of(chunk.span.start)
        found.setdefault(chunking.document.name, []).append(Problem(
            "near-duplicate", Severity.NOTE,
            f"Chunk #{chunk.index + 1} says nearly the same as #{twin.index + 1} of {other.document.name} "
            f"(similarity {scores[row]:.2f}).",
            chunk.span, line, "Say it once and link to it, or say in the heading what differs.",
        ))  # fmt: skip
    return found


def sentences(chunk: Chunk, language: str) -> list[str]:
    """Return the sentences of a chunk that are long enough to mean something."""
    text = chunk.text
    edges = (0, *sentence_cuts(text, language), len(text))
    cut = (text[start:end].strip() for start, end in pairwise(edges))
    return [sentence for sentence in cut if len(sentence) >= SHORTEST_SENTENCE]


def several_topics(
    chunks: Iterable[tuple[Chunking, Chunk]], vectors: Mapping[int, Vectors], most: float = FAR_APART
) -> Iterator[Problem]:
    """Yield the problems of chunks whose sentences are far apart; `vectors` holds the (n, d) rows of a chunk's
    `sentences` by its place in `chunks`. A chunk of few sentences is left alone."""
    for number, (chunking, chunk) in enumerate(chunks):
        rows = vectors.get(number)
        if rows is None or len(rows) < FEWEST_SENTENCES:
            continue
        similarity = mean_similarity(rows)
        if similarity < most:
            document = chunking.document
            span = chunk.span
            yield Problem(
                "several-topics", Severity.NOTE,
                f"Chunk #{chunk.index + 1} ({quoted(document.source[span.start : span.end])}) seems to be about "
                f"several things: its sentences are alike by {similarity:.2f} only.",
                span, document.lines.line_of(span.start), "Give each topic a heading of its own.",
            )  # fmt: skip
