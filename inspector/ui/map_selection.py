"""What can be done with the chunks chosen on the map: a bar with their sum, and how they are copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from inspector.ui.controls import ElidedLabel
from inspector.ui.map_data import MapPoint
from inspector.ui.theme import SMALL_PIXELS, TIGHT, Theme, ui_font

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
        self.words, self.sizes = ElidedLabel(), ElidedLabel()
        self.words.setProperty("strong", True)
        self.sizes.setProperty("dim", True)
        self.sizes.setProperty("small", True)
        self.sizes.setFont(ui_font(SMALL_PIXELS))
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self.words)
        column.addWidget(self.sizes)
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
        row.addLayout(column, 1)
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
            words, sizes = sum_of(points)
            self.words.set_full_text(words)
            self.sizes.set_full_text(sizes)
            self.setAccessibleName(f"Chosen: {words}, {sizes}")

    def _set_icon(self) -> None:
        self.clear_button.setIcon(self._theme.icon("x", "dim"))


def sum_of(points: Sequence[MapPoint]) -> tuple[str, str]:
    """Return how many chunks of how many posts, and how long they are and how many are truncated."""
    posts = len({point.document for point in points})
    chunks = f"{len(points):,} chunk{'' if len(points) == 1 else 's'}"
    sizes = f"{sum(point.characters for point in points):,} characters"
    truncated = sum(point.is_truncated for point in points)
    more = f" · {truncated:,} truncated" if truncated else ""
    return f"{chunks} of {posts:,} post{'' if posts == 1 else 's'}", sizes + more


def as_text(points: Sequence[MapPoint]) -> str:
    """Return chunks to be pasted, each under a comment that says where it is from."""
    return "\n\n".join(
        f"<!-- {' › '.join((point.document, *point.trail)).replace('--', '- -')} #{point.chunk + 1} -->\n{point.text}"
        for point in points
    )
