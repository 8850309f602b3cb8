"""Search is exact: against every pair in float64, with ties in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.embedding.search import check_question, nearest, rank, score_all, unit_rows


def unit(count: int, dimensions: int = 16, seed: int = 0) -> np.ndarray:
    """Make random unit vectors."""
    rows = np.random.default_rng(seed).normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def slow_rank(question, matrix):
    """Rank the plain way."""
    lengths = np.linalg.norm(matrix.astype(float), axis=1) * np.linalg.norm(question.astype(float))
    scores = np.clip((matrix.astype(float) @ question.astype(float)) / np.where(lengths > 0, lengths, 1), -1, 1)
    return np.argsort(-scores, kind="stable"), scores


@given(st.integers(1, 60), st.integers(0, 1000), st.integers(0, 70))
def test_rank_is_the_exact_order(count, seed, k):
    matrix, question = unit(count, 8, seed), unit(1, 8, seed + 1)[0]
    order, scores = slow_rank(question, matrix)
    hits = rank(question, matrix, k)
    assert hits.indices.tolist() == order[:k].tolist()
    assert np.allclose(hits.scores, scores[order[:k]], atol=1e-6)


def test_scores_fall_and_stay_within_one():
    matrix = unit(500)
    hits = rank(matrix[3] * np.float32(1.0000001), matrix)
    assert (np.diff(hits.scores) <= 0).all()
    assert hits.scores.max() <= 1
    assert hits.indices[0] == 3
    assert len(hits.indices) == 500
    assert not hits.scores.flags.writeable


def test_equal_rows_are_hit_in_order_also_at_the_edge_of_k():
    matrix = unit(3000, 384)
    twins = [7, 100, 101, 950, 1024, 2047, 2999]
    matrix[twins] = matrix[7]
    assert rank(matrix[7], matrix, 4).indices.tolist() == twins[:4]
    assert rank(matrix[7], matrix).indices[:7].tolist() == twins


def test_lengths_do_not_matter_and_zero_rows_score_zero():
    matrix = np.array([[2, 0], [0, 0], [0, -3], [0.1, 0.1]], np.float32)
    hits = rank(np.array([5, 0], np.float32), matrix)
    assert hits.indices.tolist() == [0, 3, 1, 2]
    assert np.allclose(hits.scores, [1, np.sqrt(0.5), 0, 0])


def test_nothing_to_search_finds_nothing():
    assert len(rank(unit(1)[0], np.zeros((0, 16), np.float32), 5).indices) == 0
    assert nearest(np.zeros((0, 16), np.float32), 5).indices.shape == (0, 0)
    assert nearest(unit(1), 5).indices.shape == (1, 0)


@pytest.mark.parametrize("question", ["", "  \n\t"])
def test_a_blank_question_is_refused(question):
    with pytest.raises(ValueError, match="Type a question"):
        check_question(question)


def test_a_question_loses_the_blanks_around_it():
    assert check_question("  why? \n") == "why?"


def test_wrong_shapes_are_refused_by_name():
    with pytest.raises(ValueError, match="question_vector must have 16 dimensions"):
        rank(np.zeros(3, np.float32), unit(2))
    with pytest.raises(ValueError, match="two axes"):
        nearest(np.zeros(3, np.float32), 1)
    with pytest.raises(ValueError, match="k must be 0 or more"):
        rank(unit(1)[0], unit(2), -1)


@pytest.mark.parametrize(("count", "k"), [(2, 1), (3, 10), (40, 5), (2500, 15)])
def test_neighbours_are_the_exact_ones_without_the_point_itself(count, k):
    matrix = unit(count)
    found = nearest(matrix, k)
    similar = matrix.astype(float) @ matrix.astype(float).T
    np.fill_diagonal(similar, -np.inf)
    expected = np.argsort(-similar, axis=1, kind="stable")[:, :k][:, : count - 1]
    assert np.array_equal(found.indices, expected)
    assert np.allclose(found.distances, 1 - np.take_along_axis(similar, expected, axis=1), atol=1e-6)
    assert (found.distances >= 0).all()


def test_more_equals_than_candidates_are_neighbours_in_order():
    matrix = unit(2000, 64)
    matrix[500:600] = matrix[0]
    found = nearest(matrix, 6)
    assert found.indices[0].tolist() == [500, 501, 502, 503, 504, 505]
    assert found.indices[503].tolist() == [0, 500, 501, 502, 504, 505]
    assert np.abs(found.distances[503]).max() < 1e-6


def test_one_product_gives_all_scores_and_the_same_best():
    matrix = unit_rows(np.random.default_rng(3).normal(size=(300, 16)).astype(np.float32))
    question = matrix[7]
    scores, hits = score_all(question, matrix, 20)
    best = rank(question, matrix, 20)
    assert scores.shape == (300,)
    assert np.array_equal(hits.indices, best.indices)
    assert np.array_equal(hits.scores, best.scores)
    assert np.allclose(scores[hits.indices], hits.scores, atol=1e-6)
    assert len(score_all(question, matrix[:3], 20)[1].indices) == 3
    with pytest.raises(ValueError, match="16 dimensions"):
        score_all(question[:5], matrix, 20)
