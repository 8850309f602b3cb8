"""The map's points as scatter items: one for each colour, shape and state, kept and refilled; a density for many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QPen

from inspector.ui.map_data import Category, Coordinates, Numbers
from inspector.ui.map_symbols import outline
from inspector.ui.plotting import pg
from inspector.ui.theme import Theme

POINT_SIZE = 10
FEW, MANY = 1_500, 20_000
"""Points up to which each is drawn at full size, and at half."""
DENSE = 150_000
"""Points above which their density is shown, and they themselves only where few are in sight."""
BINS = 400
PALE = 0.22
A_PART, MOST_PARTS = 4_000, 10
"""Points that are filled in at once, in a few milliseconds, unless that makes too many items to paint."""
OUTLINED = 4
"""Pixels of a point from which it has room for an outline."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Points of one colour, shape and state."""

    token: str
    symbol: str
    members: Numbers
    is_hollow: bool = False
    is_pale: bool = False


def layers_of(categories: Sequence[Category], is_new: NDArray[np.bool_], is_vivid: NDArray[np.bool_]) -> list[Layer]:
    """Divide categories by state, the pale ones first, so that they lie under the others; long ones into parts."""
    return [
        Layer(category.token, category.symbol, part, hollow, not vivid)
        for vivid in (False, True)
        for hollow in (False, True)
        for category in categories
        for part in parts_of(
            category.members[(is_new[category.members] == hollow) & (is_vivid[category.members] == vivid)]
        )
    ]


def parts_of(members: Numbers) -> list[Numbers]:
    """Divide points into parts that are filled in at once, at most a dozen; none of none."""
    size = max(A_PART, len(members) // MOST_PARTS)
    return [members[first : first + size] for first in range(0, len(members), size)]


def point_size(count: int) -> int:
    """Return the pixels of a point among so many."""
    return POINT_SIZE if count <= FEW else 7 if count <= MANY else 4


def pens(layer: Layer, theme: Theme, size: int) -> tuple[QPen | None, QBrush]:
    """Return the outline and the filling of a layer's points."""
    color = theme.color(layer.token)
    pen = outline(color, 1.6 if layer.is_hollow else 1.0)
    if layer.is_hollow:
        pen.setColor(color)
    fill = theme.color("page") if layer.is_hollow else QColor(color)
    if layer.is_pale:
        line = pen.color()
        line.setAlphaF(PALE)
        pen.setColor(line)
        fill.setAlphaF(0.0 if layer.is_hollow else PALE)
    return pen if size > OUTLINED or layer.is_hollow else None, QBrush(fill)


class PointLayers:
    """Scatter items in a plot, built once and refilled."""

    def __init__(self, plot: Any, theme: Theme) -> None:
        self._plot = plot
        self._theme = theme
        self._items: list[Any] = []
        self._layers: list[Layer] = []
        self._size = POINT_SIZE
        self._density = pg.ImageItem(axisOrder="row-major")
        self._density.setZValue(-10)
        plot.addItem(self._density)
        self._density.hide()

    @property
    def count(self) -> int:
        """How many scatter items hold points."""
        return len(self._layers)

    def showing(
        self, layers: Sequence[Layer], coordinates: Coordinates, in_sight: Numbers | None = None
    ) -> Iterator[None]:
        """Show points at their places, a layer at a time; with `in_sight` only those of them."""
        self._layers = list(layers)
        self._size = point_size(len(coordinates) if in_sight is None else len(in_sight))
        is_in_sight = None
        if in_sight is not None:
            is_in_sight = np.zeros(len(coordinates), np.bool_)
            is_in_sight[in_sight] = True
        while len(self._items) < len(layers):
            item = pg.ScatterPlotItem(pxMode=True, antialias=True)
            self._plot.addItem(item)
            self._items.append(item)
        for number, (item, layer) in enumerate(zip(self._items, layers, strict=False)):
            members = layer.members if is_in_sight is None else layer.members[is_in_sight[layer.members]]
            pen, brush = pens(layer, self._theme, self._size)
            place = coordinates[members]
            item.setZValue(number * 0.01)
            item.setData(x=place[:, 0], y=place[:, 1], symbol=layer.symbol, size=self._size, pen=pen, brush=brush)
            yield
        for item in self._items[len(layers) :]:
            item.clear()

    def move(self, coordinates: Coordinates) -> None:
        """Show the same points elsewhere."""
        for item, layer in zip(self._items, self._layers, strict=False):
            place = coordinates[layer.members]
            pen, brush = pens(layer, self._theme, self._size)
            item.setData(x=place[:, 0], y=place[:, 1], symbol=layer.symbol, size=self._size, pen=pen, brush=brush)

    def show_density(self, coordinates: Coordinates | None) -> None:
        """Show how many points lie where, by the logarithm of their count; None hides it."""
        self._density.setVisible(coordinates is not None)
        if coordinates is None:
            return
        low, high = coordinates.min(axis=0), coordinates.max(axis=0)
        counts, _, _ = np.histogram2d(
            coordinates[:, 1], coordinates[:, 0], bins=BINS, range=[[low[1], high[1]], [low[0], high[0]]]
        )
        shades = np.log1p(counts) / np.log1p(max(1.0, counts.max()))
        color, page = self._theme.color("accent"), self._theme.color("page")
        ends = np.array([[c.red(), c.green(), c.blue()] for c in (page, color)], np.float64)
        image = (ends[0] + shades[:, :, None] * (ends[1] - ends[0])).astype(np.uint8)
        self._density.setImage(image, autoLevels=False, levels=(0, 255))
        span = high - low
        self._density.setRect(QRectF(float(low[0]), float(low[1]), float(span[0]), float(span[1])))
