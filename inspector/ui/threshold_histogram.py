"""The histogram of sections with the three thresholds as lines that can be dragged."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen

from inspector.core.options import MINIMUM_CAP
from inspector.ui.histogram import LABEL_ROW, Histogram
from inspector.ui.theme import SMALL_PIXELS, Theme, ui_font

DROP, FOLD, CAP = 0, 1, 2
NAMES = ("drop", "fold", "cap")
GRAB = 7.0
HANDLE = 4.0
STEP, FINE_STEP = 10, 1


class ThresholdHistogram(Histogram):
    """Drag a line, or focus one and move it with the arrow keys; a line stops at its neighbour."""

    dragged = Signal(int, int, int)
    committed = Signal(int, int, int)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "sections in, characters", "characters")
        self._values = [80, 320, 1400]
        self._before: tuple[int, int, int] | None = None  # what a drag began with
        self._held: int | None = None
        self._hovered: int | None = None
        self._is_editable = True
        self._stack: list[int] = []
        self._pressed_x = 0.0
        self._focused = DROP
        self._has_moved_by_key = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Sections by characters, with the thresholds drop, fold and cap")
        self.setAccessibleDescription("Up and Down choose a line, Left and Right move it by 10, with Shift by 1")

    @property
    def values(self) -> tuple[int, int, int]:
        """Drop, fold and cap."""
        drop, fold, cap = self._values
        return drop, fold, cap

    @property
    def is_dragging(self) -> bool:
        """Whether a line is held."""
        return self._held is not None

    def set_values(self, drop: int, fold: int, cap: int) -> None:
        """Place the lines; not while one is held, for then the mouse has the say."""
        if self._held is None and [drop, fold, cap] != self._values:
            self._values = [drop, fold, cap]
            self.update()

    def set_editable(self, is_editable: bool) -> None:
        """Show lines that can be dragged, or none: another strategy has no thresholds."""
        self._is_editable = is_editable
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_editable else Qt.FocusPolicy.NoFocus)
        self.update()

    def bounds(self, line: int) -> tuple[int, int]:
        """Return between which values a line may move."""
        lower = (0, self._values[DROP], max(self._values[FOLD], MINIMUM_CAP))[line]
        upper = (self._values[FOLD], self._values[CAP], max(round(self._upper), self._values[CAP]))[line]
        return lower, upper

    def lines_at(self, x: float) -> list[int]:
        """Return the line nearest to an x and those that lie under it, none when all are out of reach."""
        if not self._is_editable:
            return []
        near = [(abs(self.x_of(value) - x), line) for line, value in enumerate(self._values)]
        distance, _ = min(near)
        return [line for gap, line in near if abs(gap - distance) < 0.5] if distance <= GRAB else []

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a line."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        lines = self.lines_at(event.position().x())
        if lines:
            self._stack = lines
            self._pressed_x = event.position().x()
            self._held = self._focused = lines[-1]
            self._before = self.values
            self.keep_ghost(True)
            self.drag_started.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line that is held; else show which one could be."""
        x = event.position().x()
        if self._held is not None:
            if len(self._stack) > 1 and x != self._pressed_x:  # of lines in one place the one that can go there
                self._held = self._focused = self._stack[0 if x < self._pressed_x else -1]
                self._stack = [self._held]
            self._move(self._held, self.value_at(x))
            return
        lines = self.lines_at(x)
        line = lines[-1] if lines else None
        self.setCursor(Qt.CursorShape.SplitHCursor if line is not None else Qt.CursorShape.ArrowCursor)
        if line != self._hovered:
            self._hovered = line
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the line go: the change counts."""
        if self._held is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._held = None
        if self.values != self._before:
            self.committed.emit(*self._values)
        self._end_drag()

    def _end_drag(self) -> None:
        self._before = None
        self.keep_ghost(False)
        self.drag_ended.emit()
        self.update()

    def _move(self, line: int, value: int) -> None:
        lower, upper = self.bounds(line)
        value = max(lower, min(value, upper))
        if value != self._values[line]:
            self._values[line] = value
            self.update()
            self.dragged.emit(*self._values)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focused line; Escape takes a drag back."""
        key = event.key()
        if key == Qt.Key.Key_Escape and self._held is not None and self._before is not None:
            self._held = None
            self._values = list(self._before)
            self.dragged.emit(*self._values)
            self._end_drag()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = FINE_STEP if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else STEP
            if key == Qt.Key.Key_Left:
                step = -step
            before = self.values
            self._move(self._focused, self._values[self._focused] + step)
            self._has_moved_by_key |= self.values != before
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._focused = (self._focused + (1 if key == Qt.Key.Key_Up else -1)) % 3
            self.update()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """A change by keys counts when the key is let go."""
        if not event.isAutoRepeat() and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._commit_keys()
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A change by keys counts at the latest now."""
        self._commit_keys()
        super().focusOutEvent(event)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which line has the keys."""
        super().focusInEvent(event)
        self.update()

    def words_at(self, x: float) -> str:
        """Return what the bar at an x counts, and how far its sections are from the nearest threshold."""
        words = super().words_at(x)
        if not self._bins.counts or not len(self._lengths):
            return words
        number = int(self.value_at(x) / self._bins.step)
        low, high = number * self._bins.step, (number + 1) * self._bins.step
        here = self._lengths[(self._lengths >= low) & (self._lengths < high)]
        near = nearness(here.tolist(), self.values) if self._is_editable else ""
        return f"{words}\n{near}" if near else words

    def _commit_keys(self) -> None:
        if self._has_moved_by_key:
            self._has_moved_by_key = False
            self.committed.emit(*self._values)

    def _paint_zones(self, painter: QPainter) -> None:
        plot = self.plot()
        if not self._is_editable:
            painter.fillRect(plot, self._theme.color("zone_near"))
            return
        edges = [plot.left(), *(min(self.x_of(value), plot.right()) for value in self._values), plot.right()]
        for number, token in enumerate(("zone_far", "zone_near", "zone_near", "zone_far")):
            place = QRectF(edges[number], plot.top(), edges[number + 1] - edges[number], plot.height())
            color = self._theme.color(token)
            if number == 1:  # the zone of folding, between the two greys
                color = self._theme.color("zone_far")
                color.setAlphaF(0.55)
            painter.fillRect(place, color)

    def _paint_lines(self, painter: QPainter) -> None:
        if not self._is_editable:
            return
        plot = self.plot()
        font = ui_font(SMALL_PIXELS, QFont.Weight.DemiBold)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        xs = [min(self.x_of(value), plot.right() - 1) for value in self._values]
        for line, x in enumerate(xs):
            is_lit = line in (self._held, self._hovered) or (self.hasFocus() and line == self._focused)
            painter.setPen(QPen(self._theme.color("accent"), 2.5 if is_lit else 2))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            painter.setBrush(self._theme.color("accent"))
            painter.drawEllipse(QPointF(x, plot.top() + 2), HANDLE - (0 if is_lit else 0.5), HANDLE)
        taken = [0.0, 0.0, 0.0]  # the right edge of the labels in each row
        for line, x in enumerate(xs):
            words = f"{NAMES[line]} {self._values[line]:,}"
            width = metrics.horizontalAdvance(words)
            left = x + 9 if x + 9 + width <= plot.right() else x - 9 - width
            first = 1 if any(left - 4 < other < left + width + 6 for other in xs[line + 1 :]) else 0
            row = next((row for row in range(first, len(taken)) if left >= taken[row]), len(taken) - 1)
            taken[row] = left + width + 6
            place = QRectF(left, plot.top() - 1 + row * LABEL_ROW, width + 2, LABEL_ROW)
            if row:
                painter.fillRect(place.adjusted(-2, 1, 2, -1), self._theme.color("zone_near"))
            painter.setPen(self._theme.color("text"))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)


def nearness(lengths: Sequence[int], thresholds: tuple[int, int, int]) -> str:
    """Return how near the nearest of some sections is to another fate; "" where there are none."""
    drop, fold, cap = thresholds
    # (distance, the fate on the other side): a section is dropped below `drop`, folded below `fold`, split above `cap`
    found: list[tuple[int, str]] = []
    for length in lengths:
        found.append((length - drop + 1, "being dropped") if length >= drop else (drop - length, "being kept"))
        if length >= fold:
            found.append((length - fold + 1, "being folded"))
        elif length >= drop:
            found.append((fold - length, "being a chunk of its own"))
        found.append((cap + 1 - length, "being split") if length <= cap else (length - cap, "being one chunk"))
    if not found:
        return ""
    distance, fate = min(found)
    whose = "This section is" if len(lengths) == 1 else "The nearest of them is"
    return f"{whose} {distance:,} character{'' if distance == 1 else 's'} from {fate}"
