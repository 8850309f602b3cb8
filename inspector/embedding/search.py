"""Exact search: cosine similarity of a question to every vector, and each vector's true neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Scalar = TypeVar("Scalar", bound=np.generic)

BLOCK = 1024  # rows multiplied at a time: 40 MB of similarities for 10,000 vectors
SPARE = 8  # candidates taken beyond k, so that rounding in float32 costs none of the true k
ROUNDING = 1e-5  # how far a float32 product may be from the exact one


@dataclass(frozen=True, slots=True)
class Hits:
    """Rows by falling similarity, equal ones in order: `indices` (k,) int64, `scores` (k,) float32 in [-1, 1]."""

    indices: NDArray[np.int64]
    scores: Vectors


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Each row's nearest others: `indices` (n, k) int64 and cosine `distances` (n, k) float32; ties by order."""

    indices: NDArray[np.int64]
    distances: Vectors


def check_question(question: str) -> str:
    """Give a question without the blanks around it; one that is blank is a ValueError."""
    if not question.strip():
        raise ValueError("Type a question first.")
    return question.strip()


def unit_rows(matrix: Vectors) -> Vectors:
    """Scale rows to length 1, those of length 0 left as they are; unit rows come back untouched."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if np.allclose(lengths, 1.0, atol=1e-6):
        return matrix
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1.0), np.float32)


def rank(question_vector: Vectors, matrix: Vectors, k: int | None = None) -> Hits:
    """Rank rows (n, d) by cosine similarity to a vector (d,): all, or the best k; ties by order.

    Candidates come from a float32 product and are scored again in float64, so that equal rows score equally.
    """
    _check_matrix(matrix)
    if question_vector.shape != matrix.shape[1:]:
        raise ValueError(f"question_vector must have {matrix.shape[1]} dimensions, not {question_vector.shape}")
    if k is not None and k < 0:
        raise ValueError(f"k must be 0 or more, not {k}")
    wanted = len(matrix) if k is None else min(k, len(matrix))
    rough = unit_rows(matrix) @ unit_rows(question_vector[None, :])[0]
    return _best(rough, question_vector, matrix, wanted)


def score_all(
    question_vector: Vectors, unit_matrix: Vectors, k: int, allowed: NDArray[np.bool_] | None = None
) -> tuple[Vectors, Hits]:
    """Score rows of length 1 (n, d) by one product: all scores (n,), and the best k as `rank` gives them.

    With `allowed` (n,) the best are taken among those rows only.
    """
    _check_matrix(unit_matrix)
    if question_vector.shape != unit_matrix.shape[1:]:
        raise ValueError(f"question_vector must have {unit_matrix.shape[1]} dimensions, not {question_vector.shape}")
    scores = np.clip(unit_matrix @ question_vector, -1.0, 1.0)
    if allowed is None:
        return _read_only(scores), _best(scores, question_vector, unit_matrix, min(k, len(scores)))
    rough = np.where(allowed, scores, np.float32(-np.inf))
    wanted = min(k, int(allowed.sum()))
    return _read_only(scores), _best(rough, question_vector, unit_matrix, wanted)


def _best(rough: Vectors, question_vector: Vectors, matrix: Vectors, wanted: int) -> Hits:
    """Take the best of rough scores (n,), scored again exactly; ties by order."""
    candidates = np.arange(len(matrix))
    if 0 < wanted < len(matrix):
        threshold = np.partition(rough, len(rough) - wanted)[len(rough) - wanted]
        candidates = np.flatnonzero(rough >= threshold - ROUNDING)
    scores = np.empty(len(candidates))
    for start in range(0, len(candidates), BLOCK):
        rows = candidates[start : start + BLOCK]
        scores[start : start + BLOCK] = _exact(matrix[rows], question_vector)
    order = np.argsort(-scores, kind="stable")[:wanted]
    return Hits(_read_only(candidates[order]), _read_only(scores[order].astype(np.float32)))


def nearest(matrix: Vectors, k: int, rows: NDArray[np.int64] | None = None) -> Neighbours:
    """Find each row's k nearest other rows by cosine distance, exactly, by a blocked product; fewer rows give fewer.

    With `rows` (m,) only theirs are found, in that order: (m, k).
    """
    _check_matrix(matrix)
    if k < 0:
        raise ValueError(f"k must be 0 or more, not {k}")
    unit = unit_rows(matrix)
    count = len(unit)
    asked = np.arange(count) if rows is None else rows
    k = min(k, max(0, count - 1))
    indices = np.zeros((len(asked), k), np.int64)
    distances = np.zeros((len(asked), k), np.float32)
    width = min(count - 1, k + SPARE)
    for start in range(0, len(asked) if k else 0, BLOCK):
        own = asked[start : start + BLOCK]
        place = slice(start, start + len(own))
        similar = unit[own] @ unit.T
        similar[np.arange(len(own)), own] = -np.inf
        near = np.sort(np.argpartition(similar, count - width, axis=1)[:, count - width :], axis=1)  # ties by order
        exact = _pair_similarities(unit[own], unit, near)
        order = np.argsort(-exact, axis=1, kind="stable")[:, :k]
        indices[place] = np.take_along_axis(near, order, axis=1)
        distances[place] = np.clip(1.0 - np.take_along_axis(exact, order, axis=1), 0.0, 2.0)
        is_crowded = exact.min(axis=1) > 1.0 - distances[place, -1] - ROUNDING  # more equals than candidates
        for at in np.flatnonzero(is_crowded & (width < count - 1)):
            hits = rank(unit[own[at]], unit, k + 1)
            others = hits.indices != own[at]
            indices[start + at] = hits.indices[others][:k]
            distances[start + at] = np.clip(1.0 - hits.scores[others][:k], 0.0, 2.0)
    return Neighbours(_read_only(indices), _read_only(distances))


def _pair_similarities(block: Vectors, unit: Vectors, near: NDArray[np.int64]) -> NDArray[np.float64]:
    """Score (b, d) rows against their own candidates (b, w): float64, so that equal rows score equally."""
    exact = np.empty(near.shape)
    for column in range(near.shape[1]):
        exact[:, column] = np.einsum("ij,ij->i", block, unit[near[:, column]], dtype=np.float64)
    return exact


def _exact(rows: Vectors, vector: Vectors) -> NDArray[np.float64]:
    """Give the cosine of rows (n, d) and a vector (d,) in float64, clipped to [-1, 1]; a zero row scores 0."""
    wide = rows.astype(np.float64)
    goal = vector.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1)) * np.sqrt((goal * goal).sum())
    cosines = (wide * goal).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)
    return np.asarray(np.clip(cosines, -1.0, 1.0), np.float64)


def _check_matrix(matrix: Vectors) -> None:
    """Refuse what is not a matrix."""
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have two axes, not {matrix.ndim}")


def _read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Forbid writing to an array that is handed out."""
    array.setflags(write=False)
    return array
