"""A picture of the map with its legend, painted from the data at any size: PNG or SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QByteArray, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QPainter, QPen
from PySide6.QtSvg import QSvgGenerator

from inspector.ui.map_data import Category, Coordinates, MapPoint, short_name
from inspector.ui.map_symbols import outline, paint_symbol
from inspector.ui.theme import Colors, ui_font

SIZE = QSize(1200, 900)
SCALE = 2
"""Pixels per point of a PNG."""
EDGE, ROW, MARK, GAP = 32.0, 24.0, 10.0, 22.0
POINT, FEW = 11.0, 1_500
RING, STAR = 10.0, 16.0
NAME = 240.0


@dataclass(frozen=True, eq=False)
class MapPicture:
    """What is on the picture; `hits` are numbers of points, best first, `words` stand under the legend."""

    points: tuple[MapPoint, ...]
    coordinates: Coordinates
    categories: tuple[Category, ...]
    hits: tuple[int, ...] = ()
    question: tuple[float, float] | None = None
    title: str = ""
    words: str = ""


def save_picture(picture: MapPicture, path: Path, colors: Colors, size: QSize = SIZE) -> bool:
    """Write a PNG, or an SVG where the path says so; False where it cannot be written."""
    if path.suffix.lower() == ".svg":
        generator = QSvgGenerator()
        generator.setFileName(str(path))
        generator.setSize(size)
        generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
        generator.setTitle(picture.title or "Map of the chunks")
        generator.setDescription(picture.words)
        painter = QPainter()
        if not painter.begin(generator):
            return False
        paint_picture(painter, picture, colors, size)
        return bool(painter.end())
    image = QImage(size * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    painter = QPainter(image)
    paint_picture(painter, picture, colors, size)
    painter.end()
    return QImageWriter(str(path), QByteArray(b"png")).write(image)


def paint_picture(painter: QPainter, picture: MapPicture, colors: Colors, size: QSize) -> None:
    """Paint title, map, legend and words."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(colors.page))
    inner = QRectF(EDGE, EDGE, size.width() - 2 * EDGE, size.height() - 2 * EDGE)
    top = inner.top()
    if picture.title:
        painter.setFont(ui_font(18, QFont.Weight.DemiBold))
        painter.setPen(QColor(colors.text))
        painter.drawText(QRectF(inner.left(), top, inner.width(), ROW), Qt.AlignmentFlag.AlignVCenter, picture.title)
        top += ROW + 12
    rows = _legend_rows(picture.categories, inner.width())
    foot = inner.bottom() - len(rows) * ROW - (ROW if picture.words else 0)
    _paint_points(painter, picture, colors, QRectF(inner.left(), top, inner.width(), foot - top - 16))
    for row in rows:
        _paint_row(painter, row, colors, inner.left(), foot)
        foot += ROW
    if picture.words:
        painter.setFont(ui_font(13))
        painter.setPen(QColor(colors.dim))
        place = QRectF(inner.left(), foot, inner.width(), ROW)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, picture.words)


def _legend_rows(categories: Sequence[Category], width: float) -> list[list[tuple[Category, str, float]]]:
    """Divide the entries into rows: category, words, width."""
    metrics = QFontMetricsF(ui_font(14))
    rows: list[list[tuple[Category, str, float]]] = [[]]
    left = 0.0
    for category in categories:
        name = metrics.elidedText(short_name(category.name), Qt.TextElideMode.ElideMiddle, NAME)
        words = f"{name} {len(category.members):,}"
        room = MARK + 8 + metrics.horizontalAdvance(words) + GAP
        if rows[-1] and left + room > width:
            rows.append([])
            left = 0.0
        rows[-1].append((category, words, room))
        left += room
    return rows if categories else []


def _paint_row(
    painter: QPainter, row: Sequence[tuple[Category, str, float]], colors: Colors, left: float, top: float
) -> None:
    painter.setFont(ui_font(14))
    for category, words, room in row:
        _set_colors(painter, QColor(getattr(colors, category.token)))
        paint_symbol(painter, category.symbol, QPointF(left + MARK / 2, top + ROW / 2), MARK)
        painter.setPen(QColor(colors.text))
        place = QRectF(left + MARK + 8, top, room, ROW)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
        left += room


def _paint_points(painter: QPainter, picture: MapPicture, colors: Colors, place: QRectF) -> None:
    """Paint the points with equal units on both axes, hits and question over them."""
    if not len(picture.coordinates):
        return
    low, high = picture.coordinates.min(axis=0), picture.coordinates.max(axis=0)
    span = np.maximum(high - low, 1e-3)
    unit = min((place.width() - 2 * RING) / span[0], (place.height() - 2 * RING) / span[1])
    middle = (low + high) / 2

    def at(x: float, y: float) -> QPointF:
        return QPointF(
            place.center().x() + (x - float(middle[0])) * unit, place.center().y() - (y - float(middle[1])) * unit
        )

    side = POINT if len(picture.points) <= FEW else POINT / 2
    for category in picture.categories:
        color = QColor(getattr(colors, category.token))
        for number in category.members.tolist():
            _set_colors(painter, color)
            if picture.points[number].is_new:
                painter.setPen(QPen(color, 1.6))
                painter.setBrush(QColor(colors.page))
            paint_symbol(painter, category.symbol, at(*picture.coordinates[number].tolist()), side)
    accent = QColor(colors.accent)
    painter.setFont(ui_font(13, QFont.Weight.Bold))
    for rank, number in enumerate(picture.hits, start=1):
        ring = at(*picture.coordinates[number].tolist())
        painter.setPen(QPen(accent, 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(ring, RING, RING)
        painter.drawText(ring + QPointF(RING * 0.8, -RING * 0.8), str(rank))
    if picture.question is not None:
        painter.setPen(QPen(QColor(colors.page), 1))
        painter.setBrush(accent)
        paint_symbol(painter, "star", at(*picture.question), STAR)


def _set_colors(painter: QPainter, color: QColor) -> None:
    painter.setPen(outline(color))
    painter.setBrush(color)
