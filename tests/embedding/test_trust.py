"""A map's trust is the share of true neighbours that it shows near."""

from __future__ import annotations

import numpy as np
import pytest

from inspector.embedding import trust
from inspector.embedding.search import nearest
from inspector.embedding.trust import map_trust, near_duplicates, point_trust, survey


def unit(count: int, dimensions: int = 16, seed: int = 0) -> np.ndarray:
    """Make random unit vectors."""
    rows = np.random.default_rng(seed).normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def places(count: int, seed: int = 1) -> np.ndarray:
    """Make random places in the plane."""
    return np.random.default_rng(seed).normal(size=(count, 2)).astype(np.float32)


def test_map_trust_is_the_share_of_true_neighbours_kept():
    line = np.column_stack([np.arange(6.0), np.zeros(6)]).astype(np.float32)
    true = np.array([[1, 2], [0, 2], [1, 3], [2, 4], [3, 5], [4, 0]])
    assert map_trust(true, line).tolist() == [1, 1, 1, 1, 1, 0.5]
    assert map_trust(np.zeros((3, 0), np.int64), line[:3]).tolist() == [1, 1, 1]
    assert map_trust(true[[5, 0]], line, np.array([5, 0])).tolist() == [0.5, 1]


def test_a_point_alone_has_the_trust_it_has_among_all():
    matrix, coordinates = unit(60), places(60)
    found = survey(matrix, coordinates)
    alone = [point_trust(found.neighbours.indices[row], coordinates, row) for row in range(60)]
    assert np.allclose(alone, found.shares)
    assert found.mean == pytest.approx(np.mean(alone))
    assert 0 < found.mean < 1


def test_few_and_many_points_are_counted_alike(monkeypatch):
    matrix, coordinates = unit(60), places(60)
    few = survey(matrix, coordinates).shares
    monkeypatch.setattr(trust, "FEW", 0)
    assert np.array_equal(survey(matrix, coordinates).shares, few)


def test_known_neighbours_are_not_sought_again(monkeypatch):
    matrix, coordinates = unit(40), places(40)
    known = nearest(matrix, 14)
    expected = survey(matrix, coordinates)
    monkeypatch.setattr(trust, "nearest", None)
    found = survey(matrix, coordinates, known)
    assert np.array_equal(found.shares, expected.shares)
    assert found.neighbours.indices.shape == (40, 10)


def test_of_many_points_a_sample_is_asked(monkeypatch):
    monkeypatch.setattr(trust, "LARGEST_SURVEY", 50)
    monkeypatch.setattr(trust, "SAMPLE", 20)
    matrix, coordinates = unit(80), places(80)
    found = survey(matrix, coordinates)
    assert (len(found.rows), found.rows[0], found.rows[-1]) == (20, 0, 79)
    monkeypatch.setattr(trust, "LARGEST_SURVEY", 100)
    assert np.allclose(survey(matrix, coordinates).shares[found.rows], found.shares)


@pytest.mark.parametrize("count", range(4))
def test_few_points_have_a_trust(count):
    found = survey(unit(count), places(count))
    assert found.mean == 1
    assert found.shares.shape == (count,)
    assert not found.shares.flags.writeable


def test_points_on_one_place_are_near_each_other():
    assert survey(unit(20), np.zeros((20, 2), np.float32)).mean == 1


def test_near_duplicates_are_found_both_ways():
    matrix = unit(30)
    matrix[[4, 20]] = matrix[4]
    matrix[11] = matrix[9] + 0.01 * unit(1, seed=3)[0]
    assert near_duplicates(survey(matrix, places(30))).tolist() == [4, 9, 11, 20]
    assert near_duplicates(survey(unit(1), places(1))).tolist() == []


def test_another_number_of_points_is_refused():
    with pytest.raises(ValueError, match="3 vectors, but 2 points"):
        survey(unit(3), places(2))
