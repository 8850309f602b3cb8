"""Choosing many points with the mouse: a box or a lasso that stays armed, and the line it draws."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from inspector.ui.map_data import Numbers
from inspector.ui.theme import Theme

STEP = 3.0
"""Pixels between two corners of a lasso."""
WASH = 0.12


class Tool(Enum):
    """What the left mouse button does on the map."""

    PAN = "pan"
    BOX = "box"
    LASSO = "lasso"


def combine(before: Numbers, found: Numbers, keys: Qt.KeyboardModifier) -> Numbers:
    """Return the selection after a box or lasso: Shift adds, Alt takes away, neither begins anew."""
    if keys & Qt.KeyboardModifier.ShiftModifier:
        return np.union1d(before, found)
    if keys & Qt.KeyboardModifier.AltModifier:
        return np.setdiff1d(before, found)
    return np.unique(found)


class ToolOverlay(QWidget):
    """What is being drawn over the map; in pixels of the map."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tool = Tool.PAN
        self._corners: list[QPointF] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    @property
    def is_drawing(self) -> bool:
        """Whether a shape has been begun."""
        return bool(self._corners)

    def begin(self, tool: Tool, place: QPointF) -> None:
        """Begin a shape."""
        self._tool, self._corners = tool, [place]
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()

    def go_on(self, place: QPointF) -> None:
        """Draw on to a place."""
        if self._tool is Tool.BOX:
            self._corners = [self._corners[0], place]
        elif (place - self._corners[-1]).manhattanLength() >= STEP:
            self._corners.append(place)
        self.update()

    def end(self) -> NDArray[np.float64]:
        """End the shape and return its corners (k, 2), none where it has no area."""
        corners, self._corners = self._shape(), []
        self.hide()
        return np.array([(corner.x(), corner.y()) for corner in corners], np.float64).reshape(-1, 2)

    def _shape(self) -> list[QPointF]:
        if self._tool is Tool.BOX and len(self._corners) == 2:
            first, last = self._corners
            return [first, QPointF(last.x(), first.y()), last, QPointF(first.x(), last.y())]
        return self._corners if len(self._corners) > 2 else []

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the shape so far."""
        shape = self._shape()
        if not shape:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = self._theme.color("accent")
        painter.setPen(QPen(accent, 1.2, Qt.PenStyle.DashLine))
        accent.setAlphaF(WASH)
        painter.setBrush(accent)
        if self._tool is Tool.BOX:
            painter.drawRect(QRectF(shape[0], shape[2]).normalized())
        else:
            painter.drawPolygon(QPolygonF(shape))
