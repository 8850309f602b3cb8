"""The map's drawing area: one scatter item a category, rings, ranks, the question's star, hovering and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QKeyEvent, QMouseEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from inspector.ui.map_data import Category, Coordinates, MapPoint, nearest, next_towards
from inspector.ui.map_parts import HoverCard
from inspector.ui.theme import TINY_PIXELS, Theme, ui_font

POINT_SIZE = 10
FEW = 1_500
"""Up to so many points each is drawn at full size."""
RING_SIZE = 20
STAR_SIZE = 18
REACH = 12.0
HOVER_DELAY = 120
MARGIN = 0.08


class MapPlot(pg.PlotWidget):  # type: ignore[misc]
    """Built once and refilled. Tells of clicks and Enter by `point_chosen` (number of the point)."""

    point_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent, background=theme.colors.page)
        self._theme = theme
        self._points: tuple[MapPoint, ...] = ()
        self._categories: tuple[Category, ...] = ()
        self._coordinates: Coordinates = np.zeros((0, 2), dtype=np.float32)
        self._items: list[Any] = []
        self._selected: int | None = None
        self._hits: tuple[int, ...] = ()
        self._question: tuple[float, float] | None = None
        self._cursor: int | None = None
        self._hovered: int | None = None
        self._mouse = QPointF()
        self._pressed: QPointF | None = None
        self._is_untouched = True
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Map of the chunks")
        self.setAccessibleDescription("Arrow keys go to the next point, Enter chooses it, Home shows all")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.hideButtons()
        self.setMenuEnabled(False)
        self.hideAxis("left")
        self.hideAxis("bottom")
        self._box = self.getPlotItem().getViewBox()
        self._box.setDefaultPadding(0)
        self._box.disableAutoRange()
        self._box.setAspectLocked(True)
        self._box.sigRangeChangedManually.connect(self._on_range_changed)
        self._hit_rings = self._marks()
        self._selected_ring = self._marks()
        self._star = self._marks()
        self._cursor_ring = self._marks()
        self._labels: list[Any] = []
        self.card = HoverCard(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(HOVER_DELAY)
        self._timer.timeout.connect(self._on_hover)
        theme.changed.connect(self._on_theme_changed)

    def _marks(self) -> Any:
        item = pg.ScatterPlotItem(pxMode=True, antialias=True)
        item.setZValue(10)
        self.addItem(item)
        return item

    @property
    def coordinates(self) -> Coordinates:
        """Where the points are."""
        return self._coordinates

    @property
    def scatter_count(self) -> int:
        """How many scatter items hold points."""
        return len(self._items)

    def show_points(self, points: Sequence[MapPoint], coordinates: Coordinates, categories: Sequence[Category]) -> None:
        """Show points; the view stays where the author has moved it while their number is the same."""
        is_other = len(points) != len(self._points)
        self._points, self._coordinates = tuple(points), np.asarray(coordinates, dtype=np.float32)
        self._categories = tuple(categories)
        if self._cursor is not None and self._cursor >= len(points):
            self._cursor = None
        self._hovered = None
        self.card.hide()
        self._fill()
        if is_other or self._is_untouched:
            self.fit()

    def _fill(self) -> None:
        while len(self._items) < len(self._categories):
            item = pg.ScatterPlotItem(pxMode=True, antialias=True)
            self.addItem(item)
            self._items.append(item)
        for item in self._items[len(self._categories) :]:
            self.removeItem(item)
        del self._items[len(self._categories) :]
        size = POINT_SIZE if len(self._points) <= FEW else 7 if len(self._points) <= 20_000 else 4
        is_new = np.array([point.is_new for point in self._points], dtype=bool)
        for item, category in zip(self._items, self._categories, strict=True):
            color = self._theme.color(category.token)
            brush, pen = QBrush(color), QPen(color.darker(125), 1)
            pen.setCosmetic(True)
            place = self._coordinates[category.members]
            hollow = is_new[category.members] if len(is_new) else np.zeros(0, dtype=bool)
            more: dict[str, Any] = {"brush": brush}
            if hollow.any():
                empty = QBrush(QColor(self._theme.colors.page))
                more["brush"] = [empty if new else brush for new in hollow]
            item.setData(x=place[:, 0], y=place[:, 1], symbol=category.symbol, size=size, pen=pen, **more)
        self._mark()

    def select(self, number: int | None) -> None:
        """Ring and label a point."""
        self._selected = number
        if number is not None:
            self._cursor = number
        self._mark()

    def show_hits(self, hits: Sequence[int], question: tuple[float, float] | None) -> None:
        """Ring the points that answer, with their ranks, and put a star where the question is."""
        self._hits, self._question = tuple(hits), question
        self._mark()

    def _mark(self) -> None:
        accent = self._theme.color("accent")
        for label in self._labels:
            self.removeItem(label)
        self._labels = []
        hits = [hit for hit in self._hits if hit < len(self._coordinates)]
        self._ring(self._hit_rings, hits, RING_SIZE, QPen(accent, 1.6))
        for rank, hit in enumerate(hits, start=1):
            self._label(str(rank), hit, accent)
        selected = [self._selected] if self._selected is not None and self._selected < len(self._coordinates) else []
        self._ring(self._selected_ring, selected, RING_SIZE + 4, QPen(accent, 2.4))
        for number in selected:
            if number not in hits:
                self._label(f"#{self._points[number].chunk + 1}", number, self._theme.color("text"))
        self._mark_cursor()
        if self._question is None:
            self._star.setData(x=[], y=[])
        else:
            x, y = self._question
            pen = QPen(self._theme.color("page"), 1)
            pen.setCosmetic(True)
            self._star.setData(x=[x], y=[y], symbol="star", size=STAR_SIZE, brush=QBrush(accent), pen=pen)

    def _mark_cursor(self) -> None:
        shown = [self._cursor] if self._cursor is not None and self.hasFocus() else []
        pen = QPen(self._theme.color("accent"), 1.2, Qt.PenStyle.DotLine)
        self._ring(self._cursor_ring, shown, RING_SIZE + 10, pen)

    def _ring(self, item: Any, numbers: list[int], size: int, pen: QPen) -> None:
        pen.setCosmetic(True)
        place = self._coordinates[numbers] if numbers else np.zeros((0, 2), dtype=np.float32)
        item.setData(x=place[:, 0], y=place[:, 1], symbol="o", size=size, pen=pen, brush=None)

    def _label(self, words: str, number: int, color: QColor) -> None:
        label = pg.TextItem(words, color=color, anchor=(-0.55, 1.1))
        label.setFont(ui_font(TINY_PIXELS, QFont.Weight.Bold))
        label.setZValue(20)
        label.setPos(float(self._coordinates[number, 0]), float(self._coordinates[number, 1]))
        self.addItem(label, ignoreBounds=True)
        self._labels.append(label)

    def fit(self) -> None:
        """Show all points."""
        self._is_untouched = True
        if not len(self._coordinates):
            return
        low, high = self._coordinates.min(axis=0), self._coordinates.max(axis=0)
        span = np.maximum(high - low, 1e-3)
        low, high = low - span * MARGIN, high + span * MARGIN
        self._box.setRange(xRange=(float(low[0]), float(high[0])), yRange=(float(low[1]), float(high[1])), padding=0.02)

    def point_at(self, position: QPointF) -> int | None:
        """Return the point under a place of the widget."""
        place = self._box.mapSceneToView(self.mapToScene(position.toPoint()))
        width, height = self._box.viewPixelSize()
        return nearest(self._coordinates, place.x(), place.y(), REACH * width, REACH * height)

    def place_of(self, number: int) -> QPointF:
        """Return where a point is in the widget."""
        x, y = (float(value) for value in self._coordinates[number])
        scene = self._box.mapViewToScene(QPointF(x, y))
        return QPointF(self.mapFromScene(scene))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click began, so that a pan is none."""
        self._pressed = event.position() if event.button() is Qt.MouseButton.LeftButton else None
        self.card.hide()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the point that was clicked."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        if pressed is not None and (event.position() - pressed).manhattanLength() < 4:
            found = self.point_at(event.position())
            if found is not None:
                self.point_chosen.emit(found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all when the empty map is double-clicked."""
        if self.point_at(event.position()) is None:
            self.fit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan; or wait whether the mouse rests on a point."""
        super().mouseMoveEvent(event)
        self._mouse = event.position()
        found = self.point_at(self._mouse) if not event.buttons() else None
        if found != self._hovered:
            self._hovered = found
            self.card.hide()
            self.setCursor(Qt.CursorShape.PointingHandCursor if found is not None else Qt.CursorShape.ArrowCursor)
        if found is not None and not self.card.isVisible():
            self._timer.start()

    def _on_hover(self) -> None:
        if self._hovered is not None and self._hovered < len(self._points):
            self.card.show_point(self._points[self._hovered], self._mouse)

    def leaveEvent(self, event: QEvent) -> None:
        """Take the card away."""
        super().leaveEvent(event)
        self._hovered = None
        self._timer.stop()
        self.card.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk from point to point, choose with Enter, show all with Home."""
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and len(self._coordinates):
            start = self._cursor if self._cursor is not None else 0
            self._cursor = next_towards(self._coordinates, start, *step) if self._cursor is not None else 0
            self._mark_cursor()
            self.card.show_point(self._points[self._cursor], self.place_of(self._cursor))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None:
            self.point_chosen.emit(self._cursor)
        elif event.key() == Qt.Key.Key_Home:
            self.fit()
        elif event.key() == Qt.Key.Key_Escape:
            self.card.hide()
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: Any) -> None:
        """Show where the keys are."""
        super().focusInEvent(event)
        self._mark_cursor()

    def focusOutEvent(self, event: Any) -> None:
        """Hide where the keys were."""
        super().focusOutEvent(event)
        self._mark_cursor()
        self.card.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep all points in sight until the author has moved the map."""
        super().resizeEvent(event)
        if getattr(self, "_is_untouched", False) and hasattr(self, "_box"):
            self.fit()

    def _on_range_changed(self) -> None:
        self._is_untouched = False
        self.card.hide()

    def _on_theme_changed(self) -> None:
        self.setBackground(self._theme.colors.page)
        self._fill()
