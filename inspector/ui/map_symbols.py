"""The shapes of the map's points, for the legend, the pictures and the plot alike."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

OUTLINE_DARKER = 135
"""Per cent that a point's outline is darker than the point."""
SHAPES: dict[str, list[tuple[float, float]]] = {
    "t1": [(0, -1), (1, 0.8), (-1, 0.8)],
    "t": [(0, 1), (1, -0.8), (-1, -0.8)],
    "s": [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    "d": [(0, -1.1), (1.1, 0), (0, 1.1), (-1.1, 0)],
    "p": [(0, -1), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)],
    "h": [(0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0), (-0.5, -0.87)],
    "+": [(-0.35, -1), (0.35, -1), (0.35, -0.35), (1, -0.35), (1, 0.35), (0.35, 0.35), (0.35, 1), (-0.35, 1),
          (-0.35, 0.35), (-1, 0.35), (-1, -0.35), (-0.35, -0.35)],
    "star": [(0, -1), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81), (0, 0.4), (-0.59, 0.81),
             (-0.38, 0.12), (-0.95, -0.31), (-0.24, -0.32)],
}  # fmt: skip


def paint_symbol(painter: QPainter, symbol: str, middle: QPointF, size: float) -> None:
    """Paint one of the map's shapes with the painter's pen and brush."""
    half = size / 2
    if symbol == "o":
        painter.drawEllipse(middle, half, half)
        return
    painter.drawPolygon(QPolygonF([QPointF(middle.x() + x * half, middle.y() + y * half) for x, y in SHAPES[symbol]]))


def outline(color: QColor, width: float = 1.0) -> QPen:
    """Return the outline of points with a colour: the same width at every zoom."""
    pen = QPen(color.darker(OUTLINE_DARKER), width)
    pen.setCosmetic(True)
    return pen
