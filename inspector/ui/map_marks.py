"""What is marked on the map: the selected point with its trust, answers with ranks, the question, lines, the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from inspector.ui.map_data import Coordinates
from inspector.ui.plotting import pg
from inspector.ui.theme import SMALL_PIXELS, Theme, ui_font

RING, SELECTED, TRUST = 10.0, 12.0, 16.0
"""Radii in pixels."""
STAR_SIZE = 18
HALO = 3.5
CORNERS = ((1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a label may stand beside its ring, the best first."""


class RingItem(QGraphicsItem):
    """A ring of fixed size round a place, the selected one with the share of trust outside it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.pen = QPen()
        self.radius = RING
        self.trust: float | None = None
        self.trust_pens = (QPen(), QPen())

    def boundingRect(self) -> QRectF:
        """Return the ring's square."""
        side = max(self.radius, TRUST) + 3
        return QRectF(-side, -side, 2 * side, 2 * side)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint ring and share."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self.pen)
        painter.drawEllipse(QPointF(0, 0), self.radius, self.radius)
        if self.trust is not None:
            place = QRectF(-TRUST, -TRUST, 2 * TRUST, 2 * TRUST)
            rest, share = self.trust_pens
            painter.setPen(rest)
            painter.drawEllipse(place)
            painter.setPen(share)
            painter.drawArc(place, 90 * 16, -round(self.trust * 360 * 16))


class LabelItem(QGraphicsItem):
    """Words beside a ring, with a halo in the colour of the page so that they are read over points."""

    def __init__(self, words: str, color: QColor, page: QColor) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.words = words
        self._font = ui_font(SMALL_PIXELS, QFont.Weight.Bold)
        metrics = QFontMetricsF(self._font)
        self.width, self.height = metrics.horizontalAdvance(words), metrics.capHeight()
        self._color, self._page = color, page
        self.corner = CORNERS[0]

    def place_at(self, corner: tuple[int, int]) -> QRectF:
        """Return where the words would stand at a corner, in pixels from the ring's middle."""
        right, down = corner
        left = RING * 0.85 if right > 0 else -RING * 0.85 - self.width
        top = -RING * 0.85 - self.height if down < 0 else RING * 0.85
        return QRectF(left, top, self.width, self.height)

    def boundingRect(self) -> QRectF:
        """Return the room of the words at any corner."""
        return QRectF(-60, -40, 120, 80).united(self.place_at(self.corner).adjusted(-6, -6, 6, 6))

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint the words."""
        place = self.place_at(self.corner)
        path = QPainterPath()
        path.addText(place.bottomLeft(), self._font, self.words)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.strokePath(path, QPen(self._page, HALO, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap,
                                      Qt.PenJoinStyle.RoundJoin))  # fmt: skip
        painter.fillPath(path, QBrush(self._color))


class Marks:
    """All marks of a plot; shown anew as a whole."""

    def __init__(self, plot: Any, theme: Theme, place_of: Callable[[int], QPointF]) -> None:
        self._plot = plot
        self._theme = theme
        self._place_of = place_of
        self._rings: list[RingItem] = []
        self._labels: list[LabelItem] = []
        self._label_numbers: list[int] = []
        self._selected = RingItem()
        self._selected.radius = SELECTED
        self._cursor = RingItem()
        self._cursor.radius = SELECTED + 7
        for item in (self._selected, self._cursor):
            item.setZValue(12)
            plot.addItem(item, ignoreBounds=True)
            item.hide()
        self._lines = pg.PlotDataItem(connect="pairs", antialias=True)
        self._lines.setZValue(8)
        plot.addItem(self._lines, ignoreBounds=True)
        self._star = pg.ScatterPlotItem(pxMode=True, antialias=True)
        self._star.setZValue(11)
        plot.addItem(self._star, ignoreBounds=True)

    @property
    def label_words(self) -> list[str]:
        """The words beside points, ranks first."""
        return [label.words for label in self._labels]

    @property
    def trust(self) -> float | None:
        """The share shown round the selected point."""
        return self._selected.trust if self._selected.isVisible() else None

    def show(
        self,
        coordinates: Coordinates,
        hits: Sequence[int],
        selected: int | None,
        selected_words: str,
        question: tuple[float, float] | None,
        trust: float | None,
    ) -> None:
        """Ring hits with their ranks and the selected point, and put a star where the question is."""
        theme, accent = self._theme, self._theme.color("accent")
        for item in (*self._rings, *self._labels):
            self._plot.removeItem(item)
        self._rings, self._labels, self._label_numbers = [], [], []
        for rank, hit in enumerate(hits, start=1):
            ring = RingItem()
            ring.pen = QPen(accent, 1.6)
            self._add(ring, coordinates[hit])
            self._rings.append(ring)
            self._label(str(rank), hit, coordinates, accent)
        self._selected.setVisible(selected is not None)
        if selected is not None:
            self._selected.pen = QPen(accent, 2.4)
            self._selected.trust = trust
            self._selected.trust_pens = (QPen(theme.color("track"), 2), QPen(theme.color("ok"), 2.4))
            self._selected.setPos(*map(float, coordinates[selected]))
            self._selected.update()
            if selected not in hits:
                self._label(selected_words, selected, coordinates, theme.color("text"))
        if question is None:
            self._star.setData(x=[], y=[])
        else:
            pen = QPen(theme.color("page"), 1)
            pen.setCosmetic(True)
            x, y = question
            self._star.setData(x=[x], y=[y], symbol="star", size=STAR_SIZE, brush=QBrush(accent), pen=pen)
        self.place_labels()

    def show_cursor(self, place: Sequence[float] | None) -> None:
        """Ring where the keys are."""
        self._cursor.setVisible(place is not None)
        if place is not None:
            self._cursor.pen = QPen(self._theme.color("accent"), 1.2, Qt.PenStyle.DotLine)
            self._cursor.setPos(float(place[0]), float(place[1]))

    def show_lines(self, coordinates: Coordinates, start: int | None, ends: Sequence[int]) -> None:
        """Draw lines from a point to others."""
        count = len(ends) if start is not None else 0
        places = np.empty((2 * count, 2), np.float32)
        if start is not None:
            places[0::2] = coordinates[start]
            places[1::2] = coordinates[list(ends)]
        pen = QPen(self._theme.color("accent"), 1.2)
        pen.setCosmetic(True)
        self._lines.setData(x=places[:, 0], y=places[:, 1], pen=pen, connect="pairs")

    @property
    def line_count(self) -> int:
        """How many lines are drawn."""
        x = self._lines.xData
        return 0 if x is None else len(x) // 2

    def place_labels(self) -> None:
        """Put each label at the corner of its ring where it is most alone."""
        taken: list[QRectF] = []
        rings = [self._place_of(number) for number in self._label_numbers]
        for label, number in zip(self._labels, self._label_numbers, strict=True):
            middle = self._place_of(number)
            others = [QRectF(ring.x() - 8, ring.y() - 8, 16, 16) for ring in rings if ring != middle]
            costs = []
            for corner in CORNERS:
                place = label.place_at(corner).translated(middle)
                costs.append(sum(place.intersects(other) for other in (*taken, *others)))
            label.prepareGeometryChange()
            label.corner = CORNERS[int(np.argmin(costs))]
            taken.append(label.place_at(label.corner).translated(middle))
            label.update()

    def _label(self, words: str, number: int, coordinates: Coordinates, color: QColor) -> None:
        label = LabelItem(words, color, self._theme.color("page"))
        self._add(label, coordinates[number])
        label.setZValue(20)
        self._labels.append(label)
        self._label_numbers.append(number)

    def _add(self, item: QGraphicsItem, place: Any) -> None:
        item.setZValue(10)
        item.setPos(float(place[0]), float(place[1]))
        self._plot.addItem(item, ignoreBounds=True)
