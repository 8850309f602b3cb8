"""The sweep: what other caps would make of the folder, as three small lines under the sections' histogram."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.ui.sweep import SweepPoint
from inspector.ui.theme import FAR, NEAR, TINY_PIXELS, Theme, ui_font

HEIGHT = 22
LINES = (("chunks", "text"), ("truncated", "truncation"), ("cut", "cut"))
WORDS = {"chunks": "chunks", "truncated": "truncated", "cut": "cut in mid-sentence"}


class SweepView(QWidget):
    """Three lines over one range of caps; a click, or Enter on a cap chosen with Left and Right, takes that cap."""

    cap_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._points: Mapping[int, SweepPoint] = {}
        self._cap = 0
        self._chosen: int | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Sweep: chunks, truncated and cut in mid-sentence under other caps")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Ask for one row."""
        return QSize(320, HEIGHT)

    def show_points(self, points: Mapping[int, SweepPoint]) -> None:
        """Show what each cap makes of the folder; none while it is being counted."""
        self._points = points
        self.update()

    def show_cap(self, cap: int) -> None:
        """Mark the cap in force."""
        self._cap = cap
        self.update()

    def charts(self) -> list[tuple[str, str, QRectF, QRectF]]:
        """Return of each line its name, colour, the place of its words and that of its curve."""
        metrics = QFontMetricsF(ui_font(TINY_PIXELS))
        words = [metrics.horizontalAdvance(WORDS[name]) + NEAR for name, _ in LINES]
        room = (self.width() - sum(words) - FAR * (len(LINES) - 1)) / len(LINES)
        found, x = [], 0.0
        for (name, token), width in zip(LINES, words, strict=True):
            label = QRectF(x, 0, width, self.height())
            found.append((name, token, label, QRectF(x + width, 3, max(12.0, room), self.height() - 7)))
            x += width + room + FAR
        return found

    def cap_at(self, x: float) -> int | None:
        """Return the cap under an x, None beside the curves."""
        caps = list(self._points)
        for _, _, _, place in self.charts():
            if caps and place.left() - 3 <= x <= place.right() + 3:
                share = (x - place.left()) / place.width()
                return min(caps, key=lambda cap: abs(self._share(cap) - share))
        return None

    def _share(self, cap: int) -> float:
        first, last = min(self._points), max(self._points)
        return (cap - first) / max(1, last - first)

    def words_for(self, cap: int) -> str:
        """Return what a cap makes of the folder."""
        point = self._points[cap]
        return (
            f"Cap {cap:,}: {point.chunks:,} chunks, {point.truncated:,} truncated, "
            f"{point.cut:,} cut in mid-sentence. Click to take it."
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words, the curves, and the cap in force on each."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("page"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(ui_font(TINY_PIXELS))
        middle = Qt.AlignmentFlag.AlignVCenter
        if not self._points:
            painter.setPen(self._theme.color("dim"))
            painter.drawText(self.rect(), middle, "other caps: counting …")
            return
        for name, token, label, place in self.charts():
            painter.setPen(self._theme.color("dim"))
            painter.drawText(label, middle, WORDS[name])
            painter.setPen(QPen(self._theme.color("hairline"), 1))
            base = round(place.bottom()) + 0.5
            painter.drawLine(QPointF(place.left(), base), QPointF(place.right(), base))
            values = {cap: int(getattr(point, name)) for cap, point in self._points.items()}
            highest = max(1, *values.values())
            curve = [
                QPointF(place.left() + self._share(cap) * place.width(), base - value / highest * (place.height() - 2))
                for cap, value in values.items()
            ]
            painter.setPen(QPen(self._theme.color(token), 1.4))
            painter.drawPolyline(QPolygonF(curve))
            self._paint_cap(painter, place, base)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("accent"), 1))
            painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1))

    def _paint_cap(self, painter: QPainter, place: QRectF, base: float) -> None:
        caps = list(self._points)
        shown = self._chosen if self._chosen is not None else self._cap
        if caps and caps[0] <= shown <= caps[-1]:
            x = round(place.left() + self._share(shown) * place.width()) + 0.5
            painter.setPen(QPen(self._theme.color("accent"), 1.5))
            painter.drawLine(QPointF(x, place.top() - 2), QPointF(x, base))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show which cap a click would take."""
        self._choose(self.cap_at(event.position().x()))
        self.setCursor(Qt.CursorShape.PointingHandCursor if self._chosen is not None else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        """Show the cap in force again."""
        self._choose(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the cap that was clicked."""
        cap = self.cap_at(event.position().x())
        if cap is not None and event.button() is Qt.MouseButton.LeftButton:
            self.cap_chosen.emit(cap)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose a cap with Left and Right, take it with Enter."""
        caps = list(self._points)
        if caps and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            shown = self._chosen if self._chosen is not None else self._cap
            near = min(range(len(caps)), key=lambda number: abs(caps[number] - shown))
            step = 1 if event.key() == Qt.Key.Key_Right else -1
            self._choose(caps[max(0, min(len(caps) - 1, near + step))])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._chosen is not None:
            self.cap_chosen.emit(self._chosen)
        else:
            super().keyPressEvent(event)

    def _choose(self, cap: int | None) -> None:
        if cap != self._chosen:
            self._chosen = cap
            self.update()

    def event(self, event: QEvent) -> bool:
        """Say in a tooltip what the cap under the mouse makes of the folder."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cap = self.cap_at(event.pos().x())
            QToolTip.showText(event.globalPos(), self.words_for(cap) if cap is not None else "", self, QRect())
            return True
        return super().event(event)
