"""Laying vectors out in the plane: PCA at once, UMAP after, and a place for newcomers and the question."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.search import BLOCK, Hits, Neighbours, nearest, rank, unit_rows
from inspector.folders import cache_folder

Vectors = NDArray[np.float32]
Method = Literal["line", "pca", "umap"]

FEWEST_FOR_UMAP = 15
LARGEST_FIT = 20_000  # points; of more a sample is fitted, and the others placed by it
PLACED_BY = 5  # a newcomer or a question stands at the weighted centre of this many
EXACT_PCA = 3_000  # rows; of more the directions are found by a sketch
SKETCH, SKETCH_ROUNDS = 12, 4
MAP_SIDE = 10.0  # UMAP's own start fills a square of this side


WARM_PACE: Mapping[str, float] = MappingProxyType({"n_epochs": 100, "learning_rate": 0.25})  # slow: points stay near
NUMBA_FOLDER = "numba"
WARM_UP_POINTS, WARM_UP_DIMENSIONS = 30, 16


@dataclass(frozen=True, slots=True)
class MapFit:
    """How UMAP fits, by cosine distance: the neighbours a point has (itself included), and how near points may come.

    Few neighbours show small groups, many show the whole; a small `min_dist` (0 to 1) packs groups tightly.
    """

    neighbours: int = 15
    min_dist: float = 0.1


USUAL_FIT = MapFit()


@dataclass(frozen=True, slots=True)
class Layout:
    """Points in the plane: `coordinates` (n, 2) float32 read-only, how they were made, and a note for the author."""

    coordinates: Vectors
    method: Method
    note: str = ""


def pca(matrix: Vectors) -> Layout:
    """Lay vectors (n, d) out by their two main directions; one or two points, or equal ones, stand on a line."""
    _check_vectors(matrix)
    if len(matrix) <= 2:
        places = np.arange(len(matrix), dtype=np.float32) - (len(matrix) - 1) / 2
        return _layout(np.column_stack([places, np.zeros_like(places)]), "line", _few(len(matrix)))
    exact = np.float64 if len(matrix) <= LARGEST_FIT else np.float32  # a fit starts from it: alike to the last bit
    wide: NDArray[np.floating] = matrix.astype(exact)
    wide = wide - wide.mean(axis=0)
    axes = _directions(wide)
    if axes.shape[1] < 2:
        axes = np.column_stack([axes, np.zeros(len(axes))])
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.where(axes[largest, [0, 1]] < 0, -1.0, 1.0)  # the sign of a direction is free: fix it
    return _layout(wide @ axes, "pca", _few(len(matrix)) if len(matrix) < FEWEST_FOR_UMAP else "")


def _directions(centred: NDArray[np.floating]) -> NDArray[np.float64]:
    """Give the two main directions (d, 2) of rows (n, d) around zero, the same in every process.

    Of many rows by a randomised decomposition (Halko, Martinsson, Tropp 2011): a few products with a fixed sketch.
    """
    basis = np.eye(centred.shape[1])
    if len(centred) > EXACT_PCA and centred.shape[1] > SKETCH:
        basis = np.random.default_rng(0).normal(size=(centred.shape[1], SKETCH))
        for _ in range(SKETCH_ROUNDS):
            basis, _ = np.linalg.qr((centred.T @ (centred @ basis.astype(centred.dtype))).astype(np.float64))
    narrow = (centred @ basis.astype(centred.dtype)).astype(np.float64)
    _, directions = np.linalg.eigh(narrow.T @ narrow)
    return np.asarray(basis @ directions[:, ::-1][:, :2])


def umap_layout(
    matrix: Vectors,
    neighbours: int = 15,
    min_dist: float = 0.1,
    seed: int = 42,
    start: Vectors | None = None,
    known: Neighbours | None = None,
) -> Layout:
    """Lay vectors (n, d) out by UMAP from exact cosine neighbours; fewer than 15 points fall back to PCA and say so.

    The same vectors and seed give the same map in every process. `start` (n, 2) warms it: the place of each point on
    the map before; without it the map starts from PCA. `known` are the rows' nearest others, at least one fewer than
    `neighbours`, where they have been found already.
    """
    _check_vectors(matrix)
    if neighbours < 2:
        raise ValueError(f"neighbours must be at least 2, not {neighbours}")
    first = pca(matrix)
    if len(matrix) < FEWEST_FOR_UMAP:
        return first
    if start is not None and start.shape != (len(matrix), 2):
        raise ValueError(f"start must be ({len(matrix)}, 2), not {start.shape}")
    if len(matrix) > LARGEST_FIT:
        return _layout_of_many(matrix, neighbours, min_dist, seed, start)
    pace: Mapping[str, float] = {} if start is None else WARM_PACE
    begin = first.coordinates if start is None else start
    neighbours = min(neighbours, len(matrix))
    if known is None or len(known.indices) != len(matrix) or known.indices.shape[1] < neighbours - 1:
        known = nearest(matrix, neighbours - 1)
    fitted = _fit_umap(matrix, known, neighbours, _spread(begin, seed), min_dist=min_dist, random_state=seed, **pace)
    if not np.isfinite(fitted).all():
        return Layout(first.coordinates, "pca", "UMAP gave no finite map: PCA is shown.")
    if start is not None:
        fitted = align(fitted, start)
    return _layout(fitted, "umap", "")


def warm_up() -> None:
    """Fit 30 random points: imports UMAP and compiles what a first fit compiles, five to fifteen seconds."""
    random = np.random.default_rng(0)
    umap_layout(random.normal(size=(WARM_UP_POINTS, WARM_UP_DIMENSIONS)).astype(np.float32))


def _fit_umap(
    matrix: Vectors, known: Neighbours, neighbours: int, start: Vectors, *, random_state: int, **settings: float
) -> Vectors:
    """Fit UMAP from exact neighbours, each row itself first; n_jobs=1 because a seed allows no more."""
    own = np.arange(len(matrix))[:, None]
    indices = np.concatenate([own, known.indices[:, : neighbours - 1]], axis=1).astype(np.int32)
    nothing = np.zeros_like(own, np.float32)
    distances = np.concatenate([nothing, known.distances[:, : neighbours - 1]], axis=1).astype(np.float32)
    umap = _import_umap()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of what is meant: no search index, one job, exact neighbours
        fitted = umap(
            n_neighbors=neighbours,
            metric="cosine",
            random_state=random_state,
            n_jobs=1,
            init=start,
            precomputed_knn=(indices, distances, None),
            force_approximation_algorithm=True,  # else it measures every pair again below 4,096 points
            **settings,
        ).fit_transform(np.array(matrix, np.float32))
    return np.asarray(fitted, np.float32)


def _import_umap() -> Callable[..., Any]:
    """Import UMAP with numba's cache in the user's folder, and without the warnings of its imports."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / NUMBA_FOLDER))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from umap import UMAP
    return UMAP  # type: ignore[no-any-return]


def sample_rows(count: int, wanted: int) -> NDArray[np.int64]:
    """Choose rows at even steps: where they stand document by document, each gets its share, give or take one."""
    return np.linspace(0, count - 1, min(wanted, count)).round().astype(np.int64)


def _layout_of_many(matrix: Vectors, neighbours: int, min_dist: float, seed: int, start: Vectors | None) -> Layout:
    """Fit an even sample and place the other rows by their nearest in it; the note says so."""
    rows = sample_rows(len(matrix), LARGEST_FIT)
    sample = matrix[rows]
    fitted = umap_layout(sample, neighbours, min_dist, seed, None if start is None else start[rows])
    is_fitted = np.zeros(len(matrix), np.bool_)
    is_fitted[rows] = True
    coordinates = np.empty((len(matrix), 2), np.float32)
    coordinates[rows] = fitted.coordinates
    coordinates[~is_fitted] = place_newcomers(matrix[~is_fitted], sample, fitted.coordinates)
    note = f"{len(rows):,} of {len(matrix):,} chunks make the map, the others stand by their nearest"
    return _layout(coordinates, fitted.method, f"{fitted.note} {note}".strip())


def place(question_vector: Vectors, matrix: Vectors, coordinates: Vectors) -> Vectors:
    """Put a vector (d,) at the centre (2,) of its five nearest, weighted by similarity; finite wherever a point is."""
    if len(matrix) != len(coordinates):
        raise ValueError(f"{len(matrix)} vectors, but {len(coordinates)} points")
    if not len(matrix):
        return _frozen(np.zeros(2))
    return place_by(rank(question_vector, matrix, PLACED_BY), coordinates)


def place_by(hits: Hits, coordinates: Vectors) -> Vectors:
    """Put what has these hits, best first, at the weighted centre (2,) of the first five."""
    if not len(hits.indices):
        return _frozen(np.zeros(2))
    near = hits.indices[None, :PLACED_BY]
    return _frozen(_centres(near, hits.scores[None, :PLACED_BY], coordinates)[0])


def place_newcomers(newcomers: Vectors, matrix: Vectors, coordinates: Vectors) -> Vectors:
    """Put vectors (m, d) on a map of others: (m, 2), each by its nearest, found by a blocked product."""
    if len(matrix) != len(coordinates):
        raise ValueError(f"{len(matrix)} vectors, but {len(coordinates)} points")
    places = np.zeros((len(newcomers), 2))
    count = min(PLACED_BY, len(matrix))
    goal, unit = unit_rows(matrix), unit_rows(newcomers)
    for start in range(0, len(newcomers) if count else 0, BLOCK):
        similar = unit[start : start + BLOCK] @ goal.T
        near = np.argpartition(-similar, count - 1, axis=1)[:, :count]
        scores = np.take_along_axis(similar, near, axis=1)
        places[start : start + BLOCK] = _centres(near, scores, coordinates)
    return _frozen(places)


def _centres(near: NDArray[np.int64], scores: Vectors, coordinates: Vectors) -> NDArray[np.float64]:
    """Give the centres (m, 2) of points (m, k) weighted by their similarity; an equal vector takes its twin's place."""
    weights = 1.0 / (np.clip(1.0 - scores.astype(np.float64), 0.0, 2.0) + 1e-6)
    return np.asarray((coordinates[near] * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1, keepdims=True))


def align(coordinates: Vectors, goal: Vectors) -> Vectors:
    """Turn, mirror, scale and move a map (n, 2) onto another of the same points (Procrustes, Schönemann 1966)."""
    centre, goal_centre = coordinates.mean(axis=0), goal.mean(axis=0)
    mine, other = (coordinates - centre).astype(np.float64), (goal - goal_centre).astype(np.float64)
    left, stretch, right = np.linalg.svd(mine.T @ other)
    spread = float((mine * mine).sum())
    if spread == 0.0:
        return _frozen(mine + goal_centre)
    return _frozen(stretch.sum() / spread * (mine @ (left @ right)) + goal_centre)


def _spread(start: Vectors, seed: int) -> Vectors:
    """Scale a start into UMAP's square, with noise that parts equal points; all-equal points get a random start."""
    random = np.random.default_rng(seed)
    low, high = start.min(axis=0), start.max(axis=0)
    span = float((high - low).max())
    if span < 1e-9:
        return random.uniform(0.0, MAP_SIDE, start.shape).astype(np.float32)
    scaled = (start - low) / span * MAP_SIDE
    return np.asarray(scaled + random.normal(scale=1e-4 * MAP_SIDE, size=start.shape), np.float32)


def _few(count: int) -> str:
    """Say why there is no UMAP map of so few points."""
    return f"PCA: UMAP needs at least {FEWEST_FOR_UMAP} chunks, here are {count}."


def _check_vectors(matrix: Vectors) -> None:
    """Refuse what is not a matrix of finite numbers."""
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have two axes, not {matrix.ndim}")
    if not np.isfinite(matrix).all():
        raise ValueError("matrix holds numbers that are not finite")


def _layout(coordinates: NDArray[np.floating], method: Method, note: str) -> Layout:
    """Make a layout of read-only float32 coordinates."""
    return Layout(_frozen(coordinates), method, note)


def _frozen(values: NDArray[np.floating]) -> Vectors:
    """Copy numbers to float32 that cannot be written."""
    frozen = np.array(values, np.float32)
    frozen.setflags(write=False)
    return frozen
