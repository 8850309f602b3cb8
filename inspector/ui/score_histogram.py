"""All scores of a question as a small histogram, so that one score can be read: is 0.43 much here?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.ui.histogram import nearest_rank
from inspector.ui.theme import TINY_PIXELS, Theme, ui_font

BINS = 36
HEIGHT, BARS = 32, 17
NARROWEST = 60


class ScoreHistogram(QWidget):
    """Bars for all chunks' scores, those with answers in the accent; the least and the best score below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._counts: NDArray[np.int64] = np.zeros(BINS, np.int64)
        self._marked: frozenset[int] = frozenset()
        self._low = self._high = 0.0
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(NARROWEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def marked(self) -> frozenset[int]:
        """The bars that hold answers."""
        return self._marked

    def sizeHint(self) -> QSize:
        """Ask for some width."""
        return QSize(140, HEIGHT)

    def show_scores(self, scores: NDArray[np.float32], answers: Sequence[float]) -> None:
        """Show all scores (n,), with those of the answers marked."""
        self.setVisible(len(scores) > 1)
        if len(scores) < 2:
            return
        self._low, self._high = float(scores.min()), float(scores.max())
        edges = np.linspace(self._low, max(self._high, self._low + 1e-6), BINS + 1)
        self._counts, _ = np.histogram(scores, edges)
        rows = np.clip(np.searchsorted(edges, np.array(answers), side="right") - 1, 0, BINS - 1)
        self._marked = frozenset(rows.tolist())
        words = (
            f"Scores of all {len(scores):,} chunks: {self._low:.2f} to {self._high:.2f},"
            f" median {nearest_rank(scores, 0.5):.2f}"
        )
        self.setToolTip(f"{words}. The bars of the answers are marked.")
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint bars and the two ends."""
        painter = QPainter(self)
        theme, width = self._theme, self.width() / BINS
        tallest = max(1, int(self._counts.max()))
        painter.fillRect(QRectF(0, BARS + 1, self.width(), 1), theme.color("hairline"))
        for number, count in enumerate(self._counts.tolist()):
            if not count:
                continue
            height = max(2.0, BARS * (count / tallest) ** 0.5)  # few are seen beside many
            place = QRectF(number * width, BARS + 1 - height, max(1.0, width - 1), height)
            painter.fillRect(place, theme.color("accent" if number in self._marked else "bar"))
        font = ui_font(TINY_PIXELS)
        painter.setFont(font)
        painter.setPen(theme.color("dim"))
        base = BARS + 2 + QFontMetricsF(font).ascent()
        high = f"{self._high:.2f}"
        painter.drawText(QPointF(0, base), f"{self._low:.2f}".replace("-", "−"))
        painter.drawText(QPointF(self.width() - QFontMetricsF(font).horizontalAdvance(high), base), high)
        painter.setPen(Qt.PenStyle.NoPen)
