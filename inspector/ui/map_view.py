"""The map pane: what the colours mean, the map, its legend, and what is going on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.controls import ElidedLabel, dim_label
from inspector.ui.map_data import Category, ColorBy, Coordinates, DocumentSlots, MapPoint, categorise
from inspector.ui.map_parts import Legend
from inspector.ui.map_plot import MapPlot
from inspector.ui.theme import FAR, NEAR, TIGHT, Theme

__all__ = ["ColorBy", "MapPoint", "MapView"]

NO_VECTORS = "No vectors yet; chunking works without them."
NO_CHUNKS = "No chunks yet"
STAR_WORDS = "★ question: position approximate, list exact"
PLOT, MESSAGE = 0, 1


class MapView(QWidget):
    """Choosing a point is told by `point_chosen` (document, index of the chunk)."""

    point_chosen = Signal(str, int)
    embed_requested = Signal()
    cancel_requested = Signal()
    choose_model_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._points: tuple[MapPoint, ...] = ()
        self._numbers: dict[tuple[str, int], int] = {}
        self._coordinates: Coordinates | None = None
        self._slots = DocumentSlots()
        self._selected: tuple[str, int] | None = None
        self._hits: tuple[tuple[str, int], ...] = ()
        self._question: tuple[float, float] | None = None
        self.plot = MapPlot(theme)
        self.legend = Legend(theme)
        self.color_box = QComboBox()
        self.color_box.setAccessibleName("Colour the map by")
        self.color_box.addItems([by.value for by in ColorBy])
        self.method = dim_label()
        self.note = dim_label()
        self.note.setWordWrap(True)
        self.star_note = dim_label(STAR_WORDS)
        self.star_note.hide()
        self._build_message()
        self._build_progress()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self._message_page)
        column = QVBoxLayout(self)
        column.setContentsMargins(NEAR + 2, 0, NEAR + 2, NEAR)
        column.setSpacing(TIGHT)
        column.addLayout(self._top_row())
        column.addWidget(self.progress)
        column.addWidget(self._stack, 1)
        for widget in (self.legend, self.note, self.star_note):
            column.addWidget(widget)
        self.setFocusProxy(self.plot)
        self.color_box.currentTextChanged.connect(self._on_color_changed)
        self.plot.point_chosen.connect(self._on_point_chosen)
        self.show_empty(0, None)

    def sizeHint(self) -> QSize:
        """Ask for a square."""
        return QSize(400, 420)

    def _top_row(self) -> QHBoxLayout:
        label = QLabel("Colour")
        label.setProperty("dim", True)
        label.setBuddy(self.color_box)
        row = QHBoxLayout()
        row.setSpacing(NEAR)
        row.addWidget(label)
        row.addWidget(self.color_box)
        row.addStretch(1)
        row.addWidget(self.method)
        return row

    def _build_message(self) -> None:
        self._message_page = QWidget()
        self._message_body = QWidget()
        page = QVBoxLayout(self._message_page)
        page.addWidget(self._message_body)
        self.message = dim_label()
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.embed_button = QPushButton()
        self.choose_button = QPushButton("Choose…")
        self.embed_button.clicked.connect(self.embed_requested)
        self.choose_button.clicked.connect(self.choose_model_requested)
        column = QVBoxLayout(self._message_body)
        column.setSpacing(FAR)
        column.addStretch(1)
        column.addWidget(self.message)
        for button in (self.embed_button, self.choose_button):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def _build_progress(self) -> None:
        self.progress = QWidget()
        self.stage = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Finished vectors stay")
        self.cancel_button.clicked.connect(self.cancel_requested)
        row = QHBoxLayout()
        row.setSpacing(NEAR)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel_button)
        column = QVBoxLayout(self.progress)
        column.setContentsMargins(0, TIGHT, 0, 0)
        column.setSpacing(TIGHT)
        column.addWidget(self.stage)
        column.addLayout(row)
        self.progress.hide()

    # What is shown

    def show_points(self, points: Sequence[MapPoint], coordinates: Coordinates, method: str = "") -> None:
        """Show chunks at their places (one row of two numbers a point); `method` says how these were found."""
        self._points = tuple(points)
        self._numbers = {(point.document, point.chunk): number for number, point in enumerate(points)}
        self._coordinates = np.asarray(coordinates, dtype=np.float32)
        self.method.setText(method)
        self._fill()
        self._stack.setCurrentIndex(PLOT)
        for widget in (self.legend, self.note):
            widget.setVisible(True)

    def show_empty(self, chunk_count: int, seconds: float | None) -> None:
        """Say that there are no vectors yet, and offer to make them; `seconds` is the estimate."""
        self._coordinates = None
        self.method.setText("")
        self.message.setText(NO_VECTORS if chunk_count else NO_CHUNKS)
        about = f", about {duration(seconds)}" if seconds is not None else ""
        self.embed_button.setText(f"Embed {chunk_count:,} chunk{'' if chunk_count == 1 else 's'}{about}")
        self.embed_button.setVisible(chunk_count > 0)
        self.choose_button.setVisible(False)
        self._show_message()

    def show_error(self, words: str) -> None:
        """Say what went wrong with the model, and offer to choose another."""
        self.message.setText(words)
        self.embed_button.setVisible(False)
        self.choose_button.setVisible(True)
        self.progress.hide()
        self._show_message()

    def _show_message(self) -> None:
        self._stack.setCurrentIndex(MESSAGE)
        for widget in (self.legend, self.note, self.star_note):
            widget.setVisible(False)

    def show_progress(self, stage: str | None, done: int = 0, total: int = 0) -> None:
        """Name the stage that is running, with a bar when its length is known; None when nothing runs."""
        self.progress.setVisible(stage is not None)
        self._message_body.setVisible(stage is None)
        if stage is not None:
            self.stage.set_full_text(stage)
            self.bar.setRange(0, total)
            self.bar.setValue(done)

    def show_stale(self, changed: int) -> None:
        """Say how many chunks have changed since the map was made."""
        if changed:
            self.method.setText(f"{changed:,} chunk{'' if changed == 1 else 's'} changed")

    def show_note(self, words: str, more: str = "") -> None:
        """Say something about the map, as that its model reads some chunks only in part; `more` on hovering."""
        self.note.setText(words)
        self.note.setToolTip(more)

    def select(self, document: str | None, chunk: int | None) -> None:
        """Ring and label a chunk's point."""
        self._selected = (document, chunk) if document is not None and chunk is not None else None
        self.plot.select(self._numbers.get(self._selected) if self._selected is not None else None)

    def show_hits(self, hits: Sequence[tuple[str, int]], question: tuple[float, float] | None = None) -> None:
        """Ring the chunks that answer a question, best first, and put a star where the question lies."""
        self._hits, self._question = tuple(hits), question
        self._mark_hits()

    def set_color_by(self, by: ColorBy) -> None:
        """Colour by something else."""
        self.color_box.setCurrentText(by.value)

    @property
    def categories(self) -> list[Category]:
        """The categories of the points shown."""
        return categorise(self._points, ColorBy(self.color_box.currentText()), self._slots)

    def _fill(self) -> None:
        if self._coordinates is None:
            return
        categories = self.categories
        self.plot.show_points(self._points, self._coordinates, categories)
        self.legend.show_categories(categories)
        self.plot.select(self._numbers.get(self._selected) if self._selected is not None else None)
        self._mark_hits()

    def _mark_hits(self) -> None:
        numbers = [self._numbers[hit] for hit in self._hits if hit in self._numbers]
        self.plot.show_hits(numbers, self._question)
        self.star_note.setVisible(self._question is not None and self._coordinates is not None)

    def _on_color_changed(self) -> None:
        self._fill()

    def _on_point_chosen(self, number: int) -> None:
        point = self._points[number]
        self.point_chosen.emit(point.document, point.chunk)


def duration(seconds: float) -> str:
    """Return a length of time in words: seconds up to 90, then minutes."""
    if seconds < 1:
        return "1 s"
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"
