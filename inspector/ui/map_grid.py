"""Finding points by place: under the mouse by a grid, inside a shape, the next one in a direction; no Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inspector.ui.map_data import Coordinates, Numbers

POINTS_A_CELL = 2.0
LARGEST_SIDE = 512


class PointGrid:
    """Points (n, 2) sorted into square cells, so that a look-up meets only those near by."""

    def __init__(self, coordinates: Coordinates) -> None:
        self._coordinates = coordinates
        self._side = int(min(LARGEST_SIDE, max(1.0, np.sqrt(len(coordinates) / POINTS_A_CELL))))
        if not len(coordinates):
            return
        self._low = coordinates.min(axis=0)
        self._cell = np.maximum(np.ptp(coordinates, axis=0) / self._side, 1e-9)
        cells = self._cells(coordinates)
        numbers = cells[:, 1] * self._side + cells[:, 0]
        self._order = np.argsort(numbers, kind="stable")
        self._starts = np.searchsorted(numbers[self._order], np.arange(self._side * self._side + 1))

    def _cells(self, places: NDArray[np.floating]) -> NDArray[np.int64]:
        return np.asarray(np.clip((places - self._low) / self._cell, 0, self._side - 1), np.int64)

    def within(self, low: tuple[float, float], high: tuple[float, float]) -> Numbers:
        """Return the points in a rectangle, in no order."""
        if not len(self._coordinates):
            return np.zeros(0, np.int64)
        (left, bottom), (right, top) = self._cells(np.array([low, high], np.float64)).tolist()
        rows = [
            self._order[self._starts[row * self._side + left] : self._starts[row * self._side + right + 1]]
            for row in range(bottom, top + 1)
        ]
        near = np.concatenate(rows)
        places = self._coordinates[near]
        return near[((places >= low) & (places <= high)).all(axis=1)]

    def nearest(self, x: float, y: float, reach_x: float, reach_y: float) -> int | None:
        """Return the point nearest to a place, None when it is out of reach; distances are in units of the reach."""
        near = self.within((x - reach_x, y - reach_y), (x + reach_x, y + reach_y))
        if not len(near):
            return None
        places = self._coordinates[near]
        gaps = ((places[:, 0] - x) / reach_x) ** 2 + ((places[:, 1] - y) / reach_y) ** 2
        best = int(np.lexsort((near, gaps))[0])
        return int(near[best]) if gaps[best] <= 1.0 else None


def inside(polygon: NDArray[np.floating], coordinates: Coordinates) -> Numbers:
    """Return the points inside a closed polygon (k, 2), by the even-odd rule."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    near = np.flatnonzero(((coordinates >= low) & (coordinates <= high)).all(axis=1))
    x, y = coordinates[near, 0].astype(np.float64), coordinates[near, 1].astype(np.float64)
    is_inside = np.zeros(len(near), np.bool_)
    for (x1, y1), (x2, y2) in zip(polygon.tolist(), np.roll(polygon, -1, axis=0).tolist(), strict=True):
        if y1 != y2:
            is_inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return near[is_inside]


def next_towards(coordinates: Coordinates, start: int, dx: int, dy: int) -> int:
    """Return the nearest point in a direction (within 45 degrees), the same one when there is none."""
    gaps = coordinates - coordinates[start]
    along = gaps[:, 0] * dx + gaps[:, 1] * dy
    across = np.abs(gaps[:, 0] * dy) + np.abs(gaps[:, 1] * dx)
    ahead = np.flatnonzero((along > 0) & (across <= along))
    if not len(ahead):
        return start
    return int(ahead[np.argmin(np.hypot(gaps[ahead, 0], gaps[ahead, 1]))])
