"""The pill, a short label in a rounded outline, and the hatch: painted the same way everywhere."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPixmap

from inspector.ui.theme import TINY_PIXELS, ui_font

PADDING = 7.0
HEIGHT = 15.0
GAP = 8.0


@lru_cache(maxsize=4096)
def pill_width(text: str) -> float:
    """Return how wide a pill with this text is."""
    return QFontMetricsF(ui_font(TINY_PIXELS)).horizontalAdvance(text) + 2 * PADDING


def paint_pill(
    painter: QPainter, left: float, middle: float, text: str, color: QColor, fill: QColor | None, text_color: QColor
) -> QRectF:
    """Paint a pill with its left end at `left`, centred on `middle`, and return the place it takes."""
    rect = QRectF(left, round(middle - HEIGHT / 2), pill_width(text), HEIGHT)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(ui_font(TINY_PIXELS))
    painter.setPen(QPen(color, 1))
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), HEIGHT / 2 - 0.5, HEIGHT / 2 - 0.5)
    painter.setPen(text_color)
    painter.drawText(rect.translated(QPointF(0, -0.5)), Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
    return rect


HATCH = 8
"""The distance of a hatch's stripes."""


def hatch_brush(color: QColor, ground: QColor, width: float = 2.6) -> QBrush:
    """Return a brush of diagonal stripes that fit together from line to line."""
    tile = QPixmap(HATCH, HATCH)
    tile.fill(ground)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, width))
    for shift in (-HATCH, 0, HATCH):
        painter.drawLine(QPointF(shift - 1, HATCH + 1), QPointF(shift + HATCH + 1, -1))
    painter.end()
    return QBrush(tile)


def cross_hatch_brush(color: QColor) -> QBrush:
    """Return a brush of thin crossed lines through which the ground can be seen: text that two chunks share."""
    tile = QPixmap(HATCH, HATCH)
    tile.fill(Qt.GlobalColor.transparent)
    faint = QColor(color)
    faint.setAlphaF(0.45)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(faint, 1))
    painter.drawLine(QPointF(0, 0), QPointF(HATCH, HATCH))
    painter.drawLine(QPointF(0, HATCH), QPointF(HATCH, 0))
    painter.end()
    return QBrush(tile)
