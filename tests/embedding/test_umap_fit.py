"""UMAP of our own: its graph, its curve and its places, against what the paper and umap-learn say."""

from __future__ import annotations

import numpy as np
import pytest

from inspector.embedding.search import Neighbours, nearest
from inspector.embedding.umap_fit import curve, epochs_of, fuzzy_graph, lay_out


def clusters(count: int, dimensions: int = 32, groups: int = 6, seed: int = 0) -> np.ndarray:
    """Make unit vectors in groups; row i belongs to group i modulo the number of groups."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(groups, dimensions))[np.arange(count) % groups]
    rows = rows + 0.5 * random.normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("min_dist", "a", "b"),
    [(0.1, 1.57694, 0.89506), (0.0, 1.93281, 0.79049), (0.5, 0.58303, 1.33417), (0.99, 0.11931, 1.91639)],
)
def test_the_curve_is_that_of_umap_learn(min_dist, a, b):
    assert curve(min_dist) == pytest.approx((a, b), abs=2e-4)


def test_the_graph_is_symmetric_and_its_rows_add_up():
    known = nearest(clusters(80), 14)
    graph = fuzzy_graph(known, 15)
    weights = np.zeros((80, 80))
    weights[graph.heads, graph.tails] = graph.weights
    assert np.allclose(weights, weights.T)
    assert (graph.weights > 0).all()
    assert graph.weights.max() == pytest.approx(1.0)
    assert (np.diff(graph.heads) >= 0).all()
    assert weights.max(axis=1) == pytest.approx(1.0), "each point is wholly bound to its nearest"


def test_two_equal_rows_are_wholly_bound():
    known = Neighbours(np.array([[1, 2], [0, 2], [0, 1]]), np.array([[0, 0.4], [0, 0.4], [0.4, 0.4]], np.float32))
    graph = fuzzy_graph(known, 3)
    bound = dict(zip(zip(graph.heads.tolist(), graph.tails.tolist(), strict=True), graph.weights, strict=True))
    assert bound[0, 1] == bound[1, 0] == pytest.approx(1.0)
    assert np.isfinite(graph.weights).all()


def test_few_points_take_more_rounds():
    assert [epochs_of(count) for count in (20, 2_000, 2_001, 10_000, 20_000)] == [1_000, 1_000, 500, 500, 200]


def test_groups_stay_together_wherever_they_start():
    matrix = clusters(240)
    start = np.random.default_rng(3).uniform(0, 10, (240, 2)).astype(np.float32)
    places = lay_out(fuzzy_graph(nearest(matrix, 14), 15), start, 0.1, 42)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert (gaps.argmin(axis=1) % 6 == np.arange(240) % 6).mean() > 0.95


@pytest.mark.slow
def test_it_is_as_trustworthy_as_umap_learn():
    umap = pytest.importorskip("umap", reason="the extra `bench` is not installed")
    manifold = pytest.importorskip("sklearn.manifold")
    matrix = clusters(1_200, 384, 25)
    start = matrix[:, :2] * 10
    ours = lay_out(fuzzy_graph(nearest(matrix, 14), 15), start, 0.1, 42)
    theirs = umap.UMAP(random_state=42, metric="cosine").fit_transform(matrix)
    mine, other = (manifold.trustworthiness(matrix, places, metric="cosine") for places in (ours, theirs))
    assert mine > other - 0.005
