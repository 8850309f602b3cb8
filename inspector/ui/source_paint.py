"""How the source is painted: tints under the text, styles of the text, rules, outlines and pills over it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRegion, QTextCharFormat, QTextLayout

from inspector.ui.offsets import OffsetMap
from inspector.ui.picture import Picture, Style
from inspector.ui.pill import cross_hatch_brush, hatch_brush, paint_pill
from inspector.ui.source_scene import PlacedPill, VisualLine, covers, x_of
from inspector.ui.theme import Theme

DIM_STYLES = (Style.DIM, Style.STRUCK, Style.UNREAD, Style.DROPPED)
LINE_STYLES = (Style.STRUCK, Style.FOLDED, Style.FENCED)
SELECTED = "selected"
FOUND = "found"
PIN = 5.0


class SourcePainter:
    """Paints with one theme, for one viewport."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.offsets = OffsetMap("")
        self.width = 0

    def paint_tint(self, painter: QPainter, row: VisualLine, picture: Picture) -> None:
        """Paint what lies under one line: tints of chunks, ticks where they start, stripes of dropped text."""
        width = self.width
        colors = self._theme.colors
        for run in picture.runs_in(row.start, row.end):
            if not covers(run, row):
                continue
            left = 0.0 if run.start <= row.start else x_of(row, run.start, self.offsets)
            right = float(width) if run.end >= row.end else x_of(row, run.end, self.offsets)
            painter.fillRect(QRectF(left, row.top, right - left, row.height), colors.tint(run.chunk))
            if run.is_first and row.start <= run.start:
                painter.setPen(QPen(colors.band(run.chunk), 1))
                top = round(row.top) + 0.5
                painter.drawLine(QPointF(left, top), QPointF(width, top))
                if left > 0:
                    bottom = round(row.bottom) - 0.5
                    painter.drawLine(QPointF(left, top), QPointF(left, bottom))
                    painter.drawLine(QPointF(0, bottom), QPointF(left, bottom))
        for span, chunk in picture.shared_in(row.start, row.end):
            left = 0.0 if span.start <= row.start else x_of(row, span.start, self.offsets)
            right = float(width) if span.end >= row.end else x_of(row, span.end, self.offsets)
            painter.fillRect(QRectF(left, row.top, right - left, row.height), cross_hatch_brush(colors.band(chunk)))
        if picture.dropped_in(row.start, max(row.end, row.start + 1)):
            brush = hatch_brush(self._theme.color("zone_far"), self._theme.color("page"))
            painter.fillRect(QRectF(0, row.top, width, row.height), brush)

    def paint_text(
        self,
        painter: QPainter,
        layout: QTextLayout,
        rows: Sequence[VisualLine],
        spans: Sequence[tuple[int, int, Style]],
        selections: list[QTextLayout.FormatRange],
    ) -> None:
        """Paint one block's text, what is dim in another pen, then the lines through and under it.

        Not with `QTextLayout.setFormats`, which empties the layout, nor with adjoining selections, of which Qt 6
        paints only the first: each colour is a drawing of its own, clipped to its part.
        """
        origin = QPointF(rows[0].left, rows[0].top - rows[0].line.y())
        before = painter.clipRegion()
        dim = QRegion()
        for start, end, style in spans:
            if style in DIM_STYLES:
                for row in rows:
                    dim += self._part(row, start, end).toAlignedRect()
        painter.setPen(self._theme.color("text"))
        if dim.isEmpty():
            layout.draw(painter, origin, selections, QRectF())
        else:
            painter.setClipRegion(before - dim)
            layout.draw(painter, origin, selections, QRectF())
            painter.setClipRegion(before & dim)
            painter.setPen(self._theme.color("dim"))
            layout.draw(painter, origin, selections, QRectF())
            painter.setClipRegion(before)
        for start, end, style in spans:
            if style in LINE_STYLES:
                self._paint_line(painter, rows, start, end, style)

    def _part(self, row: VisualLine, start: int, end: int) -> QRectF:
        """Return the place of a span on one visual line, on whole pixels; empty when it is on another."""
        if start >= row.end or end <= row.start:
            return QRectF()
        left = round(x_of(row, max(start, row.start), self.offsets))
        right = round(x_of(row, min(end, row.end), self.offsets))
        return QRectF(min(left, right), int(row.top), abs(right - left), int(row.height) + 1)

    def _paint_line(self, painter: QPainter, rows: Sequence[VisualLine], start: int, end: int, style: Style) -> None:
        pen = QPen(self._theme.color("cut" if style is Style.FENCED else "text"), 1)
        if style is Style.STRUCK:
            pen.setColor(self._theme.color("dim"))
        else:
            pen.setDashPattern([1, 2])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        for row in rows:
            part = self._part(row, start, end)
            if part.isEmpty():
                continue
            baseline = row.top + row.line.ascent()
            y = baseline - row.line.ascent() * 0.28 if style is Style.STRUCK else baseline + 3
            right = min(part.right(), row.left + row.line.naturalTextRect().right())
            painter.drawLine(QPointF(part.left(), int(y) + 0.5), QPointF(right, int(y) + 0.5))

    def selection(self, start: int, end: int, style: str) -> QTextLayout.FormatRange:
        """Return a range of a block's text that is selected, or was found."""
        colors = self._theme.colors
        item = QTextLayout.FormatRange()
        item.start, item.length = start, end - start
        shape = QTextCharFormat()
        shape.setBackground(QColor(colors.match if style == FOUND else colors.accent))
        shape.setForeground(QColor(colors.text if style == FOUND else colors.on_mark))
        item.format = shape
        return item

    def paint_unread(self, painter: QPainter, rows: tuple[VisualLine, ...], picture: Picture) -> None:
        """Paint a tick and a rule at the exact glyph where the model stops reading."""
        color = self._theme.color("truncation")
        for row in rows:
            for span in picture.unread_in(row.start, row.end + 1):
                is_here = row.start <= span.start < row.end or (row.is_last and span.start == row.end)
                if not is_here:
                    continue
                x, bottom = round(x_of(row, span.start, self.offsets)), round(row.bottom) - 1
                right = row.left + row.line.naturalTextRect().right()
                painter.setPen(QPen(color, 2))
                painter.drawLine(QPointF(x, round(row.top) + 1), QPointF(x, bottom))
                painter.drawLine(QPointF(x, bottom), QPointF(max(right, x + 12), bottom))

    def paint_unseen(self, painter: QPainter, row: VisualLine, picture: Picture) -> None:
        """Paint a pin where a character is that nobody sees; a pill at the line's end names them in order."""
        color = self._theme.color("fault")
        for unseen in picture.unseen_in(row.start, row.end):
            left = x_of(row, unseen.offset, self.offsets)
            x = round((left + x_of(row, unseen.offset + 1, self.offsets)) / 2) + 0.5
            painter.setPen(QPen(color, 1))
            painter.drawLine(QPointF(x, row.top + 1), QPointF(x, row.bottom - 1))
            painter.fillRect(QRectF(x - PIN / 2, row.top, PIN, PIN - 1), color)

    def paint_ghost(self, painter: QPainter, row: VisualLine, picture: Picture) -> None:
        """Paint a dashed line where a naive splitter would cut though there is no heading."""
        if row.is_first and picture.invented_in(row.start, row.start + 1):
            pen = QPen(self._theme.color("fault"), 2)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawLine(QPointF(0, round(row.top) + 1), QPointF(self.width, round(row.top) + 1))

    def paint_outline(
        self, painter: QPainter, place: tuple[float, float], width: int, *, is_dotted: bool = False
    ) -> None:
        """Paint the outline of a chunk, open at the left where the gutter goes on with it."""
        top, bottom = place
        half = width / 2
        style = Qt.PenStyle.DotLine if is_dotted else Qt.PenStyle.SolidLine
        painter.setPen(QPen(self._theme.color("accent"), width, style, Qt.PenCapStyle.FlatCap))
        right = self.width - half
        corners = ((0.0, round(top) + half), (right, round(top) + half), (right, round(bottom) - half))
        painter.drawPolyline([*(QPointF(x, y) for x, y in corners), QPointF(0, round(bottom) - half)])

    def paint_pill(self, painter: QPainter, placed: PlacedPill) -> None:
        """Paint a pill in its place."""
        if placed.left is None:
            return
        color = self._theme.color(placed.pill.token)
        fill = color if placed.pill.is_filled else None
        text = self._theme.color("on_mark") if placed.pill.is_filled else color
        paint_pill(painter, placed.left, placed.row.top + placed.row.height / 2, placed.text, color, fill, text)
