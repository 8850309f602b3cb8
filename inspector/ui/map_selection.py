"""What can be done with the chunks chosen on the map: a bar with their sum, and how they are copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from inspector.ui.controls import ElidedLabel
from inspector.ui.map_data import MapPoint
from inspector.ui.theme import TIGHT, Theme

SHORT, LONG = 6, 8


class SelectionBar(QFrame):
    """Counts of the chosen chunks and what to do with them; it lies over the map's lower edge."""

    copy_requested = Signal()
    export_requested = Signal()
    table_requested = Signal()
    clear_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("hover_card")
        self.words = ElidedLabel()
        self.copy_button = QPushButton("Copy")
        self.export_button = QPushButton("Export…")
        self.table_button = QPushButton("Table")
        self.clear_button = QToolButton()
        self.clear_button.setProperty("quiet", True)
        self.clear_button.setIconSize(QSize(14, 14))
        hints = (
            (self.copy_button, self.copy_requested, "Copy the texts of the chosen chunks"),
            (self.export_button, self.export_requested, "Write the chosen chunks as JSON lines or CSV"),
            (self.table_button, self.table_requested, "Show the chosen chunks as a table"),
            (self.clear_button, self.clear_requested, "Choose none (Escape)"),
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(LONG, TIGHT, TIGHT, TIGHT)
        row.setSpacing(SHORT)
        row.addWidget(self.words, 1)
        for button, signal, hint in hints:
            if isinstance(button, QPushButton):
                button.setProperty("small", True)
            button.clicked.connect(signal)
            button.setToolTip(hint)
            button.setAccessibleName(hint)
            row.addWidget(button)
        theme.changed.connect(self._set_icon)
        self._set_icon()
        self.hide()

    def show_points(self, points: Sequence[MapPoint]) -> None:
        """Add chosen chunks up; hide without any."""
        self.setVisible(bool(points))
        if points:
            self.words.set_full_text(sum_of(points))
            self.setAccessibleName(f"Chosen: {self.words.full_text}")

    def _set_icon(self) -> None:
        self.clear_button.setIcon(self._theme.icon("x", "dim"))


def sum_of(points: Sequence[MapPoint]) -> str:
    """Return how many chunks of how many posts, how long they are, and how many are truncated."""
    posts = len({point.document for point in points})
    parts = [
        f"{len(points):,} chunk{'' if len(points) == 1 else 's'}",
        f"{posts:,} post{'' if posts == 1 else 's'}",
        f"{sum(point.characters for point in points):,} ch",
    ]
    truncated = sum(point.is_truncated for point in points)
    return " · ".join([*parts, f"{truncated:,} truncated"] if truncated else parts)


def as_text(points: Sequence[MapPoint]) -> str:
    """Return chunks to be pasted, each under a comment that says where it is from."""
    return "\n\n".join(
        f"<!-- {' › '.join((point.document, *point.trail)).replace('--', '- -')} #{point.chunk + 1} -->\n{point.text}"
        for point in points
    )
