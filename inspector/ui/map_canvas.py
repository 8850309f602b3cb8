"""The plane under the map: what part of it is in sight, and where its places are in the widget."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from inspector.ui.map_data import Coordinates
from inspector.ui.plotting import pg
from inspector.ui.theme import Theme

MARGIN, PADDING = 0.08, 0.02
FAR_PIXELS = 1_000


class MapCanvas(pg.PlotWidget):  # type: ignore[misc]
    """A plot without axes or menus, of equal units on both axes, that pans and zooms."""

    range_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        self.is_untouched = True  # whether the author has not moved the map
        super().__init__(parent=parent, background=theme.colors.page)
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.hideButtons()
        self.setMenuEnabled(False)
        for name in ("left", "bottom", "right", "top"):
            self.hideAxis(name)
            self.getPlotItem().getAxis(name).unlinkFromView()  # hidden ones would work out their labels at each move
        self._box = self.getPlotItem().getViewBox()
        self._box.setDefaultPadding(0)
        self._box.disableAutoRange()
        self._box.setAspectLocked(True)
        self._box.sigRangeChangedManually.connect(self._on_range_changed)
        self._box.sigRangeChanged.connect(lambda *_: self.range_changed.emit())

    def show_range(self, coordinates: Coordinates) -> None:
        """Bring all places (n, 2) in sight, with a margin."""
        self.is_untouched = True
        if not len(coordinates):
            return
        low, high = coordinates.min(axis=0), coordinates.max(axis=0)
        span = np.maximum(high - low, 1e-3)
        low, high = (low - span * MARGIN).tolist(), (high + span * MARGIN).tolist()
        self._box.setRange(xRange=(low[0], high[0]), yRange=(low[1], high[1]), padding=PADDING)

    @property
    def view_corners(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The lower left and the upper right corner of what is in sight."""
        (left, right), (bottom, top) = self._box.viewRange()
        return (left, bottom), (right, top)

    @property
    def pixel_size(self) -> tuple[float, float]:
        """How wide and high a pixel is on the plane."""
        width, height = self._box.viewPixelSize()
        return width, height

    def bring_in_sight(self, x: float, y: float) -> None:
        """Move the map so that a place is in the middle, if it is not in sight."""
        (left, bottom), (right, top) = self.view_corners
        if not (left <= x <= right and bottom <= y <= top):
            self._box.translateBy(x=x - (left + right) / 2, y=y - (bottom + top) / 2)

    def place_at(self, x: float, y: float) -> QPointF:
        """Return where a place of the plane is in the widget."""
        return QPointF(self.mapFromScene(self._box.mapViewToScene(QPointF(x, y))))

    def to_data(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where pixels (k, 2) of the widget are on the plane."""
        first, last = (self._box.mapSceneToView(self.mapToScene(at, at)) for at in (0, FAR_PIXELS))
        low = np.array([first.x(), first.y()])
        return np.asarray(low + pixels * (np.array([last.x(), last.y()]) - low) / FAR_PIXELS)

    def on_moved(self) -> None:
        """Hear that the author has moved the map."""

    def _on_range_changed(self) -> None:
        self.is_untouched = False
        self.on_moved()
