"""How far a map can be trusted: which true neighbours are near on it, and which vectors are nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.likeness import NEARLY_THE_SAME
from inspector.embedding.search import Neighbours, nearest

Vectors = NDArray[np.float32]
Scalar = TypeVar("Scalar", bound=np.generic)

LISTED = 10
"""True neighbours that are listed of a point, and that its trust counts."""
LARGEST_SURVEY = 20_000
"""Points up to which each one's trust is found; of more an even sample of SAMPLE."""
SAMPLE = 1_000
FEW = 2_000
"""Points up to which their places are compared one by one."""
NEARLY_EQUAL = 1.0 - NEARLY_THE_SAME
"""Cosine distance up to which two chunks say nearly the same."""
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Survey:
    """Trust of some or all points: `rows` (m,) int64 in order, their `shares` (m,) float32 in [0, 1].

    `neighbours` are those of the rows: indices and distances (m, k).
    """

    rows: NDArray[np.int64]
    neighbours: Neighbours
    shares: Vectors

    @property
    def mean(self) -> float:
        """The map's trust, 1.0 where there is nothing to mistrust."""
        return float(self.shares.mean()) if len(self.shares) else 1.0


def survey(matrix: Vectors, coordinates: Vectors, known: Neighbours | None = None) -> Survey:
    """Find the trust of a map's points: of all, or of an even sample where there are many.

    `known` are the neighbours (n, k) of all rows with k of LISTED or more, where they have been found already.
    """
    count = len(matrix)
    if len(coordinates) != count:
        raise ValueError(f"{count} vectors, but {len(coordinates)} points")
    rows = np.arange(count)
    if known is None or len(known.indices) != count:
        if count > LARGEST_SURVEY:
            rows = np.linspace(0, count - 1, SAMPLE).round().astype(np.int64)
        known = nearest(matrix, LISTED, rows)
    found = Neighbours(_read_only(known.indices[:, :LISTED]), _read_only(known.distances[:, :LISTED]))
    return Survey(_read_only(rows), found, map_trust(found.indices, coordinates, rows))


def map_trust(neighbours: NDArray[np.int64], coordinates: Vectors, rows: NDArray[np.int64] | None = None) -> Vectors:
    """Give, for each point, the share (n,) of its true neighbours (n, k) that are among its k nearest on the map.

    With `rows` (m,) the neighbours (m, k) are theirs, and so are the shares (m,).
    """
    count, k = neighbours.shape
    if not k:
        return _read_only(np.ones(count, np.float32))
    asked = np.arange(count) if rows is None else rows
    if len(coordinates) <= FEW:  # without scipy, which a start from the cache is to do without
        shares = [point_trust(near, coordinates, row) for near, row in zip(neighbours, asked.tolist(), strict=True)]
        return _read_only(np.array(shares, np.float32))
    from scipy.spatial import cKDTree

    places = coordinates.astype(np.float64)
    own = places[asked]
    reach, _ = cKDTree(places).query(own, k + 1)  # the nearest of all is the point itself, or a twin of its place
    gaps = np.linalg.norm(places[neighbours] - own[:, None], axis=2)
    return _read_only((gaps <= reach[:, k:] * (1.0 + SLACK)).mean(axis=1).astype(np.float32))


def point_trust(neighbours: NDArray[np.int64], coordinates: Vectors, row: int) -> float:
    """Give one point's trust from its true neighbours (k,), without a look at the others' trust."""
    k = len(neighbours)
    if not k:
        return 1.0
    gaps = np.square(coordinates - coordinates[row]).sum(axis=1)
    gaps[row] = np.inf
    return float(np.mean(gaps[neighbours] <= np.partition(gaps, k - 1)[k - 1]))


def near_duplicates(found: Survey, limit: float = NEARLY_EQUAL) -> NDArray[np.int64]:
    """Give the rows (m,) int64, rising, that have another vector within a cosine distance."""
    if not found.neighbours.distances.shape[1]:
        return np.zeros(0, np.int64)
    is_close = found.neighbours.distances[:, 0] <= limit
    return np.unique(np.concatenate([found.rows[is_close], found.neighbours.indices[is_close, 0]]))


def _read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Forbid writing to an array that is handed out."""
    array.setflags(write=False)
    return array
