"""The gutter of the source: line number, line-end ribbon, fence ribbon, chunk band and chunk number."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from inspector.compare.boundaries import Boundary
from inspector.core.chunk import Chunking
from inspector.ui.picture import Lens, Picture
from inspector.ui.pill import hatch_brush
from inspector.ui.source_scene import VisualLine, covers
from inspector.ui.theme import TINY_PIXELS, Theme, code_font, ui_font

if TYPE_CHECKING:
    from inspector.ui.source_text import SourceText

MARGIN = 8
RIBBON = 3
BAND = 10
OTHER = 7
FEWEST_DIGITS = 2
MARK = 7.0
"""The size of the mark that stands for a pill without room."""


class SourceGutter(QWidget):
    """Painted beside the text, from the same visual lines."""

    def __init__(self, text: SourceText, theme: Theme) -> None:
        super().__init__(text)
        self._text = text
        self._theme = theme
        self._chunk_font = ui_font(TINY_PIXELS, QFont.Weight.DemiBold)
        self._other: Chunking | None = None
        self._other_starts: list[int] = []
        self._boundaries: tuple[Boundary, ...] = ()
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.fit(1)

    def fit(self, lines: int) -> None:
        """Take the width that this many line numbers need, and place everything from left to right."""
        self._lines = lines
        self._digits = max(FEWEST_DIGITS, len(str(lines)))
        self._number_font = code_font(max(8, self._text.font().pixelSize() - 1))
        digit = QFontMetricsF(self._number_font).horizontalAdvance("0")
        self.number_right = MARGIN + self._digits * digit
        self.ends_left = float(round(self.number_right + 8))
        self.fence_left = self.ends_left + RIBBON + 2
        self.other_left = self.fence_left + RIBBON + 3
        self.band_left = self.other_left + (OTHER + 3 if self._other is not None else 0)
        self.chunk_left = self.band_left + BAND + 5
        self.mark_left = self.chunk_left + QFontMetricsF(self._chunk_font).horizontalAdvance("00") + 2
        self.place()

    def show_other(self, other: Chunking | None, boundaries: tuple[Boundary, ...]) -> None:
        """Show another strategy's chunks in a second band, and where both cut; None takes the band away."""
        was_shown = self._other is not None
        self._other, self._boundaries = other, boundaries
        self._other_starts = [chunk.span.start for chunk in other.chunks] if other is not None else []
        if was_shown != (other is not None):
            self.fit(self._lines)

    def _paint_other(self, painter: QPainter, row: VisualLine) -> None:
        """Paint the other strategy's band, and a line across both bands where both cut, across one where one does."""
        chunk = bisect_right(self._other_starts, max(row.start, row.end - 1)) - 1
        if chunk >= 0:
            color = self._theme.colors.band(chunk)
            place = QRectF(self.other_left, row.top, OTHER, row.height)
            painter.fillRect(place, self._theme.colors.tint(chunk))
            painter.fillRect(QRectF(place.left(), row.top, 1, row.height), color)
            painter.fillRect(QRectF(place.right() - 1, row.top, 1, row.height), color)
        for boundary in self._boundaries:
            if not row.start <= boundary.offset < max(row.end, row.start + 1):
                continue
            left = self.other_left if boundary.right is not None else self.band_left
            right = self.band_left + BAND if boundary.left is not None else self.other_left + OTHER
            token = "ok" if boundary.agrees else "fault"
            painter.fillRect(QRectF(left - 2, row.top, right - left + 4, 2), self._theme.color(token))

    def place(self) -> None:
        """Lie along the left edge of the text."""
        width = self.sizeHint().width()
        self._text.set_left_margin(width)
        area = self._text.contentsRect()
        self.setGeometry(QRect(area.left(), area.top(), width, area.height()))

    def sizeHint(self) -> QSize:
        """Return the width that is needed."""
        return QSize(round(self.mark_left + MARK + 4), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the gutter of the lines in sight."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("page"))
        picture = self._text.picture
        scene = self._text.scene()
        for row in scene.rows:
            if picture is not None:
                self._paint_band(painter, row, picture)
                self._paint_ribbons(painter, row, picture)
                if self._other is not None:
                    self._paint_other(painter, row)
            if row.is_first:
                painter.setFont(self._number_font)
                painter.setPen(self._theme.color("dim"))
                place = QRectF(0, row.top, self.number_right, row.height)
                painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(row.block + 1))
        for placed in scene.pills:
            if placed.left is None:
                self._paint_mark(painter, placed.row, self._theme.color(placed.pill.token), placed.pill.is_filled)
        if picture is not None:
            self._paint_outlines(painter, picture)

    def _paint_band(self, painter: QPainter, row: VisualLine, picture: Picture) -> None:
        runs = [run for run in picture.runs_in(row.start, row.end) if covers(run, row)]
        if not runs:
            return
        colors = self._theme.colors
        painter.fillRect(QRectF(0, row.top, self.width(), row.height), colors.tint(runs[0].chunk))
        share = row.height / len(runs)
        for number, run in enumerate(runs):
            place = QRectF(self.band_left, row.top + number * share, BAND, share)
            if picture.folded_in(row.start, max(row.end, row.start + 1)):
                painter.fillRect(place, hatch_brush(colors.band(run.chunk), colors.tint(run.chunk)))
            else:
                painter.fillRect(place, colors.band(run.chunk))
            if run.is_first and row.start <= run.start <= row.end:
                painter.setPen(QPen(colors.band(run.chunk), 1))
                line = round(row.top if run.start <= row.start else row.bottom - 1) + 0.5
                painter.drawLine(QPointF(0, line), QPointF(self.width(), line))
                painter.setFont(self._chunk_font)
                words = QRectF(self.chunk_left, row.top, self.width(), row.height)
                painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, str(run.chunk + 1))

    def _paint_ribbons(self, painter: QPainter, row: VisualLine, picture: Picture) -> None:
        ends = picture.document.lines.ends
        end = ends[row.block] if row.block < len(ends) else ""
        left, color = self.ends_left, self._theme.color("fault")
        if end == "\r":
            painter.fillRect(QRectF(left, row.top, RIBBON, row.height), color)
        elif end == "\r\n":
            y = row.top + 1
            while y + RIBBON <= row.bottom:
                painter.fillRect(QRectF(left, round(y), RIBBON, RIBBON), color)
                y += 2 * RIBBON
        line = picture.document.lines.span_of(row.block + 1)
        fence = picture.fence_cap_at(line.start, line.end)
        if fence is not None:
            self._paint_fence(painter, row, *fence, has_caps=picture.lens is Lens.MARKS)
        if row.is_first and picture.lost_in(line.start, line.start + 1):
            painter.setPen(QPen(self._theme.color("fault"), 1.2))
            painter.drawRect(QRectF(self.band_left + 0.5, row.top + 1.5, BAND - 1, 5))

    def _paint_fence(
        self, painter: QPainter, row: VisualLine, opens: bool, closes: bool, is_closed: bool, *, has_caps: bool
    ) -> None:
        """Paint the ribbon of a fenced block; under the lens with caps at its ends, and red if it never closes."""
        color = self._theme.color("bar" if is_closed or not has_caps else "fault")
        painter.fillRect(QRectF(self.fence_left, row.top, RIBBON, row.height), color)
        if has_caps and opens and row.is_first:
            painter.fillRect(QRectF(self.fence_left, row.top, RIBBON + 4, 2), color)
        if has_caps and closes and is_closed and row.is_last:
            painter.fillRect(QRectF(self.fence_left, row.bottom - 2, RIBBON + 4, 2), color)

    def _paint_mark(self, painter: QPainter, row: VisualLine, color: QColor, is_filled: bool) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1.2))
        painter.setBrush(color if is_filled else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(self.mark_left + MARK / 2, row.top + row.height / 2), MARK / 2, MARK / 2)
        painter.restore()

    def _paint_outlines(self, painter: QPainter, picture: Picture) -> None:
        selected = self._text.selected
        for chunk, width in ((self._text.hovered, 1), (selected, 2)):
            if chunk is None or (width == 1 and chunk == selected):
                continue
            place = self._text.rows_of(picture.runs_of(chunk))
            if place is not None:
                top, bottom = round(place[0]) + width / 2, round(place[1]) - width / 2
                painter.setPen(QPen(self._theme.color("accent"), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
                right = float(self.width())
                corner = width / 2
                painter.drawPolyline(
                    [QPointF(right, top), QPointF(corner, top), QPointF(corner, bottom), QPointF(right, bottom)]
                )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the line that was clicked."""
        self._text.choose_at(event.position().toPoint() - self._text.viewport().pos() + self.pos())

    def event(self, event: QEvent) -> bool:
        """Say in a tooltip what the marks and ribbons mean."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def words_at(self, x: float, y: float) -> str:
        """Return what the gutter shows at a point, in words."""
        scene, picture = self._text.scene(), self._text.picture
        words = [p.pill.text for p in scene.pills if p.left is None and p.row.top <= y < p.row.bottom]
        if words or picture is None:
            return "\n".join(words)
        row = next((row for row in scene.rows if row.top <= y < row.bottom), None)
        if row is None or not self.ends_left <= x < self.band_left:
            return ""
        ends = picture.document.lines.ends
        return {"\r\n": "Line ends with CRLF", "\r": "Line ends with a lone CR"}.get(ends[row.block], "")
