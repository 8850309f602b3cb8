"""Arithmetic on sets of source spans: what they cover, what they share, how one answers another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.core.span import Span


@dataclass(frozen=True, slots=True)
class SpanScores:
    """How retrieved spans answer gold ones, counted in characters of the source, from 0 to 1.

    As in Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024), each character once.
    """

    recall: float
    precision: float
    iou: float


def united(spans: Iterable[Span]) -> list[Span]:
    """Return the stretches that spans cover together, in order and apart."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def covered(spans: Iterable[Span]) -> int:
    """Return how many characters spans cover, each once."""
    return sum(span.length for span in united(spans))


def common(first: Iterable[Span], second: Iterable[Span]) -> int:
    """Return how many characters both sets of spans cover."""
    left, right = united(first), united(second)
    total = a = b = 0
    while a < len(left) and b < len(right):
        total += max(0, min(left[a].end, right[b].end) - max(left[a].start, right[b].start))
        if left[a].end < right[b].end:
            a += 1
        else:
            b += 1
    return total


def score_spans(gold: Iterable[Span], retrieved: Iterable[Span]) -> SpanScores:
    """Return recall, precision and intersection over union of retrieved spans; 0 where nothing is to divide by."""
    gold, retrieved = list(gold), list(retrieved)
    both, wanted, given = common(gold, retrieved), covered(gold), covered(retrieved)
    either = wanted + given - both
    return SpanScores(
        both / wanted if wanted else 0.0, both / given if given else 0.0, both / either if either else 0.0
    )
