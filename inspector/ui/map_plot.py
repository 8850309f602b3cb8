"""The map's drawing area: points, marks, hovering, box and lasso, and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from inspector.ui.map_canvas import MapCanvas
from inspector.ui.map_card import HoverCard
from inspector.ui.map_data import Category, Coordinates, MapPoint, Numbers
from inspector.ui.map_grid import PointGrid, inside, next_towards
from inspector.ui.map_layers import DENSE, MANY, PointLayers, layers_of
from inspector.ui.map_marks import Marks
from inspector.ui.map_tools import Tool, ToolOverlay, combine
from inspector.ui.motion import is_reduced
from inspector.ui.steps import do_all
from inspector.ui.theme import Theme

REACH = 12.0
HOVER_DELAY = 120
MOTION_MILLISECONDS = 300
LARGEST_MOTION = 5_000
"""Points up to which a new map is reached by moving."""
SETTLE_MILLISECONDS = 60
"""After the last change of the view, before what depends on it is found anew."""
KEYS = {Qt.Key.Key_V: Tool.PAN, Qt.Key.Key_B: Tool.BOX, Qt.Key.Key_L: Tool.LASSO}
STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
DESCRIPTION = (
    "Arrow keys go to the next point, Enter chooses it, Home shows all. B draws a box, L a lasso, V pans, N shows the"
    " nearest, M finds more like the point, Escape leaves"
)
NOTHING = np.zeros(0, np.int64)


class MapPlot(MapCanvas):
    """Built once and refilled; points are told by their number. `point_hovered` tells −1 when none is any more."""

    point_chosen = Signal(int)
    point_hovered = Signal(int)
    selection_changed = Signal()
    tool_changed = Signal(object)  # Tool
    neighbours_wanted = Signal()
    menu_requested = Signal(int, QPointF)  # the point (−1: none), where on the screen
    like_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._points: tuple[MapPoint, ...] = ()
        self._categories: tuple[Category, ...] = ()
        self._coordinates: Coordinates = np.zeros((0, 2), dtype=np.float32)
        self._shown: Coordinates = self._coordinates  # where they are on their way
        self._grid = PointGrid(self._coordinates)
        self._selected: int | None = None
        self._trust: float | None = None
        self._hits: tuple[int, ...] = ()
        self._question: tuple[float, float] | None = None
        self._cursor: int | None = None
        self._hovered: int | None = None
        self._mouse = QPointF()
        self._pressed: QPointF | None = None
        self._vivid: Numbers | None = None  # of the legend, None: all
        self._kept_lines: tuple[int, tuple[int, ...]] | None = None
        self.selection: Numbers = NOTHING
        self.tool = Tool.PAN
        self.setAccessibleName("Map of the chunks")
        self.setAccessibleDescription(DESCRIPTION)
        self.layers = PointLayers(self, theme)
        self.marks = Marks(self, theme, self._place_shown)
        self.card = HoverCard(theme, self)
        self._overlay = ToolOverlay(theme, self)
        self._hover_timer = self._single_shot(HOVER_DELAY, self._on_hover)
        self._settle = self._single_shot(SETTLE_MILLISECONDS, self._on_settled)
        self.range_changed.connect(self._settle.start)
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(MOTION_MILLISECONDS)
        self._motion.setStartValue(0.0)
        self._motion.setEndValue(1.0)
        self._motion.valueChanged.connect(self._on_moved)
        self._from: Coordinates = self._coordinates
        self._fillings = 0
        theme.changed.connect(self._on_theme_changed)

    def _single_shot(self, milliseconds: int, slot: Any) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    @property
    def coordinates(self) -> Coordinates:
        """Where the points are, at the end of any motion."""
        return self._coordinates

    @property
    def scatter_count(self) -> int:
        """How many scatter items hold points."""
        return self.layers.count

    @property
    def is_moving(self) -> bool:
        """Whether points are on their way to new places."""
        return self._motion.state() is QVariantAnimation.State.Running

    # What is shown

    def show_points(
        self,
        points: Sequence[MapPoint],
        coordinates: Coordinates,
        categories: Sequence[Category],
        vivid: Numbers | None = None,
    ) -> None:
        """Show points as `showing_points` does, at once."""
        do_all(self.showing_points(points, coordinates, categories, vivid))

    def showing_points(
        self,
        points: Sequence[MapPoint],
        coordinates: Coordinates,
        categories: Sequence[Category],
        vivid: Numbers | None = None,
    ) -> Iterator[None]:
        """Show points, a layer at a time; those that were shown elsewhere move there.

        The view stays where the author has moved it. `vivid` are those in full colour, None for all.
        """
        self._vivid = vivid
        before, was_at = self._points, self._shown
        self._points, self._coordinates = tuple(points), np.asarray(coordinates, dtype=np.float32)
        self._grid = PointGrid(self._coordinates)
        self._categories = tuple(categories)
        if self._cursor is not None and self._cursor >= len(points):
            self._cursor = None
        self._leave_point()
        self._keep_selection(before)
        self._motion.stop()
        self._shown = self._coordinates
        self._kept_lines = None
        if self.is_untouched or len(before) == 0:
            self.fit()
        moves = self._place_for_motion(before, was_at)
        self._show_lines()
        yield from self._filling()
        if moves:
            self._motion.start()  # moves the layers at once: they have to be of these points

    def _keep_selection(self, before: Sequence[MapPoint]) -> None:
        """Keep chosen chunks chosen under their new numbers."""
        if not len(self.selection):
            return
        keys = {before[number].key for number in self.selection.tolist()}
        self.selection = np.array([n for n, point in enumerate(self._points) if point.key in keys], np.int64)
        self.selection_changed.emit()

    def _place_for_motion(self, before: Sequence[MapPoint], was_at: Coordinates) -> bool:
        """Put points where they were shown, for them to move from there; False where none is to move."""
        count = len(self._points)
        if not before or count > LARGEST_MOTION or is_reduced(self._theme) or not self.isVisible():
            return False
        places = dict(zip((point.key for point in before), was_at, strict=True))
        start = np.array(
            [places.get(point.key, place) for point, place in zip(self._points, self._coordinates, strict=True)],
            np.float32,
        ).reshape(-1, 2)
        if np.allclose(start, self._coordinates):
            return False
        self._from = self._shown = start
        return True

    def _on_moved(self, share: float) -> None:
        eased = share * share * (3 - 2 * share)
        self._shown = self._coordinates if share >= 1 else self._from + eased * (self._coordinates - self._from)
        self.layers.move(self._shown)
        self._mark()

    def _fill(self) -> None:
        do_all(self._filling())

    def _filling(self) -> Iterator[None]:
        """Fill the layers, one at a time, and paint them once; a filling that begins meanwhile takes over."""
        self._fillings += 1
        mine = self._fillings
        self.setUpdatesEnabled(False)
        try:
            yield from self._filling_layers(mine)
        finally:
            if mine == self._fillings:
                self.setUpdatesEnabled(True)

    def _filling_layers(self, mine: int) -> Iterator[None]:
        count = len(self._points)
        is_vivid = np.ones(count, np.bool_)
        for chosen in (self._vivid, self.selection if len(self.selection) else None):
            if chosen is not None:
                mask = np.zeros(count, np.bool_)
                mask[chosen] = True
                is_vivid &= mask
        is_new = np.array([point.is_new for point in self._points], np.bool_)
        yield
        if mine != self._fillings:
            return
        in_sight = self._in_sight() if count > DENSE else None
        self.layers.show_density(self._shown if in_sight is not None and len(in_sight) > MANY else None)
        if in_sight is not None and len(in_sight) > MANY:
            in_sight = NOTHING
        for _ in self.layers.showing(layers_of(self._categories, is_new, is_vivid), self._shown, in_sight):
            yield
            if mine != self._fillings:
                return
        self._mark()

    def _in_sight(self) -> Numbers:
        return self._grid.within(*self.view_corners)

    def emphasise(self, members: Numbers | None) -> None:
        """Show only some points in full colour; None shows all so."""
        self._vivid = members
        self._fill()

    def choose(self, numbers: Numbers) -> None:
        """Choose many points, as a box or a lasso does."""
        self.selection = numbers
        self._fill()
        self.selection_changed.emit()

    def select(self, number: int | None, trust: float | None = None) -> None:
        """Ring and label a point; `trust` is the share of its true neighbours that are near it."""
        if number != self._selected:
            self._kept_lines = None
            self._show_lines()
        self._selected, self._trust = number, trust
        if number is not None:
            self._cursor = number
        self._mark()

    def show_hits(self, hits: Sequence[int], question: tuple[float, float] | None) -> None:
        """Ring the points that answer, with their ranks, and put a star where the question is."""
        self._hits, self._question = tuple(hits), question
        self._mark()

    def show_neighbours(self, number: int, neighbours: Sequence[int], *, keep: bool = False) -> None:
        """Draw lines from a point to its true neighbours, while it is hovered or, with `keep`, selected."""
        if keep:
            self._kept_lines = (number, tuple(neighbours))
            self._show_lines()
        elif number == self._hovered:
            self.marks.show_lines(self._shown, number, neighbours)

    @property
    def keeps_lines(self) -> bool:
        """Whether the selected point's lines stay."""
        return self._kept_lines is not None

    def drop_lines(self) -> None:
        """Draw no lines that stay."""
        self._kept_lines = None
        self._show_lines()

    def _show_lines(self) -> None:
        number, ends = self._kept_lines or (None, ())
        self.marks.show_lines(self._shown, number, ends)

    def _mark(self) -> None:
        count = len(self._shown)
        selected = self._selected if self._selected is not None and self._selected < count else None
        words = f"#{self._points[selected].chunk + 1}" if selected is not None else ""
        hits = [hit for hit in self._hits if hit < count]
        self.marks.show(self._shown, hits, selected, words, self._question, self._trust)
        self._mark_cursor()

    def _mark_cursor(self) -> None:
        cursor = self._cursor
        is_shown = cursor is not None and cursor < len(self._shown) and self.hasFocus()
        self.marks.show_cursor(self._shown[cursor].tolist() if is_shown else None)

    # Places

    def fit(self) -> None:
        """Show all points."""
        self.show_range(self._coordinates)

    def point_at(self, position: QPointF) -> int | None:
        """Return the point under a place of the widget."""
        x, y = self.to_data(np.array([[position.x(), position.y()]]))[0].tolist()
        width, height = self.pixel_size
        return self._grid.nearest(x, y, REACH * width, REACH * height)

    def place_of(self, number: int) -> QPointF:
        """Return where a point is in the widget, or will be when it has come to rest."""
        return self.place_at(*(float(value) for value in self._coordinates[number]))

    def _place_shown(self, number: int) -> QPointF:
        return self.place_at(*(float(value) for value in self._shown[number]))

    def inside(self, corners: NDArray[np.float64]) -> Numbers:
        """Return the points inside a shape (k, 2) in pixels of the widget."""
        return inside(self.to_data(corners), self._coordinates) if len(corners) > 2 else NOTHING

    # Mouse

    def choose_tool(self, tool: Tool) -> None:
        """Arm a box or a lasso, or pan again."""
        self.tool = tool
        if self._overlay.is_drawing:
            self._overlay.end()
        self._leave_point()
        self.setCursor(Qt.CursorShape.ArrowCursor if tool is Tool.PAN else Qt.CursorShape.CrossCursor)
        self.tool_changed.emit(tool)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a box or lasso; or remember where a click began, so that a pan is none."""
        self.card.hide()
        if event.button() is Qt.MouseButton.LeftButton and self.tool is not Tool.PAN:
            self._overlay.begin(self.tool, event.position())
            return
        self._pressed = event.position() if event.button() is Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take what a box or lasso holds, or the point that was clicked."""
        if self._overlay.is_drawing:
            corners = self._overlay.end()
            if len(corners):
                self.choose(combine(self.selection, self.inside(corners), event.modifiers()))
            else:
                self._choose_at(event.position())
            return
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        if pressed is not None and (event.position() - pressed).manhattanLength() < 4:
            self._choose_at(event.position())

    def _choose_at(self, position: QPointF) -> None:
        found = self.point_at(position)
        if found is not None:
            self.point_chosen.emit(found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all when the empty map is double-clicked."""
        if self.point_at(event.position()) is None:
            self.fit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw on, pan, or wait whether the mouse rests on a point."""
        self._mouse = event.position()
        if self._overlay.is_drawing:
            self._overlay.go_on(self._mouse)
            return
        super().mouseMoveEvent(event)
        found = self.point_at(self._mouse) if not event.buttons() else None
        if found != self._hovered:
            self._leave_point()
            self._hovered = found
            if self.tool is Tool.PAN:
                self.setCursor(Qt.CursorShape.PointingHandCursor if found is not None else Qt.CursorShape.ArrowCursor)
        if found is not None and not self.card.isVisible():
            self._hover_timer.start()

    def _on_hover(self) -> None:
        if self._hovered is not None and self._hovered < len(self._points):
            self.card.show_point(self._points[self._hovered], self._mouse)
            self.point_hovered.emit(self._hovered)

    def _leave_point(self) -> None:
        """Take card and lines of a hovered point away."""
        self._hover_timer.stop()
        self.card.hide()
        if self._hovered is not None:
            self._hovered = None
            self._show_lines()
            self.point_hovered.emit(-1)

    def leaveEvent(self, event: QEvent) -> None:
        """Take the card away."""
        super().leaveEvent(event)
        self._leave_point()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with a point, or with the map."""
        position = QPointF(event.pos())
        number = self.point_at(position) if event.reason() is QContextMenuEvent.Reason.Mouse else self._cursor
        place = QPointF(event.globalPos())
        if event.reason() is not QContextMenuEvent.Reason.Mouse and number is not None:
            place = QPointF(self.mapToGlobal(self.place_of(number).toPoint()))
        self.menu_requested.emit(-1 if number is None else number, place)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk from point to point, choose with Enter, show all with Home, arm tools; Escape leaves one thing."""
        key = Qt.Key(event.key())
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if key in STEPS and len(self._coordinates):
            self._step(*STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None and is_plain:
            self.point_chosen.emit(self._cursor)
        elif key == Qt.Key.Key_Home:
            self.fit()
            self._fill()
        elif is_plain and key in KEYS:
            self.choose_tool(KEYS[key])
        elif is_plain and key == Qt.Key.Key_N:
            self.neighbours_wanted.emit()
        elif is_plain and key == Qt.Key.Key_M and self._cursor is not None:
            self.like_requested.emit(self._cursor)
        elif key == Qt.Key.Key_Escape:
            self._escape(event)
        else:
            super().keyPressEvent(event)

    def _step(self, dx: int, dy: int) -> None:
        self._cursor = next_towards(self._coordinates, self._cursor, dx, dy) if self._cursor is not None else 0
        self._mark_cursor()
        self.bring_in_sight(*(float(value) for value in self._coordinates[self._cursor]))
        place = self.place_of(self._cursor)
        self._leave_point()
        self.card.show_point(self._points[self._cursor], place)
        self._hovered = self._cursor
        self.point_hovered.emit(self._cursor)

    def _escape(self, event: QKeyEvent) -> None:
        """Leave what was begun last: a shape, a tool, the chosen points, the card."""
        if self._overlay.is_drawing:
            self._overlay.end()
        elif self.tool is not Tool.PAN:
            self.choose_tool(Tool.PAN)
        elif len(self.selection):
            self.choose(NOTHING)
        elif self._hovered is not None:
            self._leave_point()
        elif self._kept_lines is not None:
            self.drop_lines()
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keys are."""
        super().focusInEvent(event)
        self._mark_cursor()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide where the keys were."""
        super().focusOutEvent(event)
        self._mark_cursor()
        self._leave_point()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep all points in sight until the author has moved the map."""
        super().resizeEvent(event)
        if self.is_untouched and hasattr(self, "_coordinates"):  # pyqtgraph resizes before it is built
            self.fit()

    def on_moved(self) -> None:
        """Take the card away when the author moves the map."""
        self.card.hide()

    def _on_settled(self) -> None:
        """The view has come to rest: place labels, and show the points where few enough are in sight."""
        if len(self._points) > DENSE:
            self._fill()
        else:
            self.marks.place_labels()

    def _on_theme_changed(self) -> None:
        self.setBackground(self._theme.colors.page)
        self._fill()
