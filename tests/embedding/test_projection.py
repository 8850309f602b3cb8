"""A map never fails, whatever the points, and is the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inspector.embedding import projection
from inspector.embedding.projection import align, pca, place, place_newcomers, umap_layout

ROOT = Path(__file__).parents[2]


def clusters(count: int, dimensions: int = 32, groups: int = 4, seed: int = 0) -> np.ndarray:
    """Make unit vectors in groups; row i belongs to group i modulo the number of groups."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(groups, dimensions))
    rows = centres[np.arange(count) % groups] + 0.3 * random.normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("lay_out", [pca, umap_layout])
@pytest.mark.parametrize("count", range(15))
def test_few_points_never_fail_and_umap_says_that_pca_is_shown(lay_out, count):
    layout = lay_out(clusters(count))
    assert layout.coordinates.shape == (count, 2)
    assert layout.coordinates.dtype == np.float32
    assert np.isfinite(layout.coordinates).all()
    assert layout.method == ("line" if count <= 2 else "pca")
    assert layout.note == f"PCA: UMAP needs at least 15 chunks, here are {count}."
    assert not layout.coordinates.flags.writeable


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_equal_vectors_lie_on_a_finite_map(count):
    layout = pca(np.tile(clusters(1), (count, 1)))
    assert np.isfinite(layout.coordinates).all()


def test_pca_shows_the_two_main_directions_with_a_fixed_sign():
    matrix = clusters(200)
    layout = pca(matrix)
    wide = matrix.astype(float) - matrix.mean(axis=0, dtype=float)
    left, values, _ = np.linalg.svd(wide, full_matrices=False)
    assert np.allclose(np.abs(layout.coordinates), np.abs(left[:, :2] * values[:2]), atol=1e-4)
    assert np.allclose(pca(matrix[::-1]).coordinates[::-1], layout.coordinates, atol=1e-4)
    assert layout.note == ""


def test_one_dimension_is_enough_for_pca():
    assert np.isfinite(pca(np.arange(5, dtype=np.float32)[:, None]).coordinates).all()


def test_what_is_no_matrix_of_numbers_is_refused():
    with pytest.raises(ValueError, match="not finite"):
        pca(np.full((4, 4), np.nan, np.float32))
    with pytest.raises(ValueError, match="two axes"):
        umap_layout(np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="neighbours"):
        umap_layout(clusters(20), neighbours=1)
    with pytest.raises(ValueError, match=r"start must be \(20, 2\)"):
        umap_layout(clusters(20), start=np.zeros((3, 2), np.float32))


def test_umap_keeps_groups_together_and_repeats_itself():
    matrix = clusters(120)
    layout = umap_layout(matrix)
    assert (layout.method, layout.note) == ("umap", "")
    assert not layout.coordinates.flags.writeable
    gaps = ((layout.coordinates[:, None] - layout.coordinates[None]) ** 2).sum(axis=-1)
    np.fill_diagonal(gaps, np.inf)
    assert (gaps.argmin(axis=1) % 4 == np.arange(120) % 4).mean() > 0.95
    assert np.array_equal(umap_layout(matrix).coordinates, layout.coordinates)


@pytest.mark.parametrize("count", [15, 16, 40])
def test_umap_of_equal_vectors_is_finite(count):
    assert np.isfinite(umap_layout(np.tile(clusters(1), (count, 1))).coordinates).all()


def test_umap_with_many_twins_and_a_zero_vector_is_finite():
    matrix = clusters(60)
    matrix[10:50] = matrix[10]
    matrix[5] = 0
    assert np.isfinite(umap_layout(matrix).coordinates).all()


SESSION = """
import sys
import numpy as np
from inspector.embedding.projection import umap_layout
matrix = np.load(sys.argv[1])
np.save(sys.argv[2], umap_layout(matrix).coordinates)
"""


def test_two_processes_draw_the_same_map(tmp_path):
    matrix = clusters(300, 384, 10)
    np.save(tmp_path / "matrix.npy", matrix)
    command = [sys.executable, "-c", SESSION, str(tmp_path / "matrix.npy"), str(tmp_path / "other.npy")]
    other = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"})
    here = umap_layout(matrix).coordinates
    assert other.wait() == 0
    assert np.abs(np.load(tmp_path / "other.npy") - here).max() < 1e-4


def test_a_warm_start_keeps_points_near_their_places():
    matrix = clusters(80)
    first = umap_layout(matrix).coordinates
    warm, cold = umap_layout(matrix, start=first).coordinates, umap_layout(matrix, seed=7).coordinates
    side = float(np.ptp(first, axis=0).max())
    assert np.median(np.linalg.norm(warm - first, axis=1)) < 0.15 * side
    assert np.median(np.linalg.norm(cold - first, axis=1)) > 0.25 * side


def test_a_question_stands_among_its_five_nearest():
    matrix = clusters(50)
    coordinates = pca(matrix).coordinates
    spot = place(matrix[7], matrix, coordinates)
    assert spot.shape == (2,)
    assert np.abs(spot - coordinates[7]).max() < 1e-3 * np.ptp(coordinates)
    between = place(matrix[:4].mean(axis=0), matrix, coordinates)
    assert (between >= coordinates.min(axis=0)).all()
    assert (between <= coordinates.max(axis=0)).all()


def test_placing_works_with_any_number_of_points():
    for count in (0, 1, 2, 3):
        matrix = clusters(count)
        assert np.isfinite(place(clusters(1, seed=5)[0], matrix, pca(matrix).coordinates)).all()
    assert place_newcomers(clusters(3, seed=2), clusters(9), pca(clusters(9)).coordinates).shape == (3, 2)
    assert place_newcomers(clusters(0), clusters(9), pca(clusters(9)).coordinates).shape == (0, 2)
    with pytest.raises(ValueError, match="2 vectors, but 3 points"):
        place(clusters(1)[0], clusters(2), np.zeros((3, 2), np.float32))


def test_newcomers_stand_where_each_would_alone():
    matrix = clusters(60)
    coordinates = pca(matrix).coordinates
    newcomers = np.vstack([clusters(7, seed=4), matrix[3:5]])
    alone = np.array([place(vector, matrix, coordinates) for vector in newcomers])
    assert np.allclose(place_newcomers(newcomers, matrix, coordinates), alone, atol=1e-3)
    with pytest.raises(ValueError, match="60 vectors, but 3 points"):
        place_newcomers(newcomers, matrix, coordinates[:3])


def test_a_sample_takes_from_each_document_its_share():
    documents = np.repeat(np.arange(5), [400, 10, 250, 40, 300])
    rows = projection.sample_rows(1_000, 100)
    assert len(set(rows.tolist())) == 100
    assert np.abs(np.bincount(documents[rows]) - [40, 1, 25, 4, 30]).max() <= 1
    assert projection.sample_rows(7, 100).tolist() == list(range(7))


def test_a_map_of_many_is_fitted_on_a_sample_and_says_so(monkeypatch):
    monkeypatch.setattr(projection, "LARGEST_FIT", 40)
    matrix = clusters(100)
    layout = umap_layout(matrix)
    sample = projection.sample_rows(100, 40)
    assert layout.method == "umap"
    assert layout.note == "40 of 100 chunks make the map, the others stand by their nearest"
    assert np.array_equal(layout.coordinates[sample], umap_layout(matrix[sample]).coordinates)
    assert np.isfinite(layout.coordinates).all()
    groups = np.array([layout.coordinates[group::4].mean(axis=0) for group in range(4)])
    gaps = np.linalg.norm(layout.coordinates[:, None] - groups[None], axis=2)
    assert (gaps.argmin(axis=1) == np.arange(100) % 4).mean() > 0.9
    again = umap_layout(matrix, start=layout.coordinates)
    assert again.coordinates.shape == (100, 2)


def test_a_map_is_turned_and_scaled_back_onto_another():
    goal = np.random.default_rng(1).normal(size=(30, 2)).astype(np.float32)
    turn = np.array([[0, -2.5], [-2.5, 0]], np.float32)  # a mirrored quarter turn
    assert np.abs(align(goal @ turn + 9, goal) - goal).max() < 1e-4
    assert np.isfinite(align(np.ones((30, 2), np.float32), goal)).all()
