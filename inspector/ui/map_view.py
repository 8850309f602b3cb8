"""The map pane: what the colours mean, tools, the map, its legend, and what is going on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.controls import dim_label
from inspector.ui.map_data import Category, ColorBy, Coordinates, MapPoint, Numbers, Slots, categorise
from inspector.ui.map_header import MapHeader
from inspector.ui.map_legend import Legend
from inspector.ui.map_picture import MapPicture, save_picture
from inspector.ui.map_plot import MapPlot
from inspector.ui.map_selection import SelectionBar, as_text
from inspector.ui.map_state import MapProgress, MessagePage, duration
from inspector.ui.map_table import ChunkTable
from inspector.ui.map_tools import Tool
from inspector.ui.steps import do_all
from inspector.ui.theme import LIGHT, NEAR, SMALL_PIXELS, TIGHT, Theme, ui_font

__all__ = ["ColorBy", "MapPoint", "MapView", "duration"]

STAR_WORDS = "★ question: position approximate, list exact"
PLOT, MESSAGE = 0, 1
LOW = 400
"""Pixels under which the pane has room for one line below the map."""
LEAST_PLOT = 150
RINGED = 5
"""Answers whose points are ringed."""
FITS = (
    ("neighbours", "Neighbours of a fit", (5, 15, 30, 60)),
    ("distance", "Minimum distance", (0.0, 0.1, 0.25, 0.5)),
)
PICTURES = "PNG (*.png);;SVG (*.svg)"


class MapView(QWidget):
    """Choosing a point is told by `point_chosen` (document, index of the chunk), and so are the others."""

    point_chosen = Signal(str, int)
    point_hovered = Signal(str, int)  # "" and −1 when none is any more
    neighbours_wanted = Signal()  # of the selected point, to stay or to go
    like_requested = Signal(str, int)
    duplicates_wanted = Signal()
    export_requested = Signal(object)  # tuple of (document, index of the chunk)
    relayout_requested = Signal()
    fit_chosen = Signal(int, float)  # neighbours and minimum distance that UMAP is to fit with
    embed_requested = Signal()
    cancel_requested = Signal()
    choose_model_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._points: tuple[MapPoint, ...] = ()
        self._numbers: dict[tuple[str, int], int] = {}
        self._coordinates: Coordinates | None = None
        self._slots = Slots()
        self._categories: list[Category] | None = None  # of what is shown, until that changes
        self._selected: tuple[str, int] | None = None
        self._trust: float | None = None
        self._hits: tuple[tuple[str, int], ...] = ()
        self._question: tuple[float, float] | None = None
        self._words = ""
        self.plot = MapPlot(theme)
        self.plot.setMinimumHeight(LEAST_PLOT)
        self.legend = Legend(theme)
        self.header = MapHeader(theme)
        self.color_box, self.tool_buttons, self.method = (
            self.header.color_box,
            self.header.tool_buttons,
            self.header.method,
        )
        self.note = dim_label()
        self.note.setWordWrap(True)
        self.note.setFont(ui_font(SMALL_PIXELS))
        self.note.setProperty("small", True)
        self.star_note = dim_label(STAR_WORDS)
        self.star_note.setFont(ui_font(SMALL_PIXELS))
        self.star_note.setProperty("small", True)
        self.star_note.hide()
        self.page = MessagePage()
        self.message, self.embed_button, self.choose_button = (
            self.page.message, self.page.embed_button, self.page.choose_button,
        )  # fmt: skip
        self.progress = MapProgress()
        self.stage, self.bar, self.cancel_button = (
            self.progress.stage, self.progress.bar, self.progress.cancel_button,
        )  # fmt: skip
        self.relayout_button = QPushButton("Re-layout", self.plot)
        self.relayout_button.setProperty("small", True)
        self.relayout_button.setToolTip("Fit the map anew from where its points are; undo brings this map back")
        self.relayout_button.hide()
        self.selection_bar = SelectionBar(theme, self.plot)
        self.table: ChunkTable | None = None
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self.page)
        column = QVBoxLayout(self)
        column.setContentsMargins(NEAR + 2, 0, NEAR + 2, NEAR)
        column.setSpacing(TIGHT)
        column.addWidget(self.header)
        column.addWidget(self.progress)
        column.addWidget(self._stack, 1)
        column.addWidget(self.legend)
        column.addLayout(self._foot_row())
        self._set_icons()
        self.setFocusProxy(self.plot)
        self._connect()
        self.show_empty(0, None)

    def sizeHint(self) -> QSize:
        """Ask for a square."""
        return QSize(400, 420)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less below the map where there is little room."""
        super().resizeEvent(event)
        self._show_words()

    def _show_words(self) -> None:
        """Show what is said below the map: in a low pane one line of it."""
        has_map, has_star = self._coordinates is not None, self._question is not None
        is_low = self.height() < LOW
        self.star_note.setVisible(has_map and has_star)
        self.note.setVisible(has_map and not (is_low and has_star))
        self.note.setWordWrap(not is_low)
        self.menu_button.setVisible(has_map)
        self.legend.setVisible(has_map)
        for widget in (self.color_box, *self.tool_buttons.values()):
            widget.setEnabled(has_map)

    def _foot_row(self) -> QHBoxLayout:
        self.menu_button = QToolButton()
        self.menu_button.setProperty("quiet", True)
        self.menu_button.setIconSize(QSize(16, 16))
        self.menu_button.setToolTip("More about the map")
        self.menu_button.setAccessibleName("More about the map")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(self._make_menu())
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.star_note)
        words.addWidget(self.note)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout()
        row.addLayout(words, 1)
        row.addWidget(self.menu_button)
        return row

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        self.actions_by_name: dict[str, QAction] = {}
        entries = (
            ("relayout", "Re-layout", self.relayout_requested.emit),
            ("fit", "Show all points", self.plot.fit),
            ("all", "Choose all points", self.choose_all),
            ("duplicates", "Choose near-duplicates", self.duplicates_wanted.emit),
            ("picture", "Save a picture…", self.ask_picture),
            ("light_picture", "Save a picture in light colours…", lambda: self.ask_picture(is_light=True)),
        )
        for name, words, slot in entries:
            action = menu.addAction(words)
            action.triggered.connect(lambda _checked=False, s=slot: s())
            self.actions_by_name[name] = action
        self._add_fits(menu)
        menu.aboutToShow.connect(self._on_menu)
        return menu

    def _add_fits(self, menu: QMenu) -> None:
        """Offer other ways to fit: how many neighbours by cosine distance, and how near points may come."""
        self._fit = (15, 0.1)
        self.fit_actions: dict[tuple[str, float], QAction] = {}
        menu.addSeparator()
        for name, words, values in FITS:
            part = menu.addMenu(words)
            for value in values:
                action = part.addAction(f"{value:g}")
                action.setCheckable(True)
                action.triggered.connect(lambda _checked=False, n=name, v=value: self._on_fit(n, v))
                self.fit_actions[name, value] = action

    def _on_fit(self, name: str, value: float) -> None:
        neighbours, distance = self._fit
        wanted = (int(value), distance) if name == "neighbours" else (neighbours, value)
        self.show_fit(*self._fit)
        self.fit_chosen.emit(*wanted)

    def show_fit(self, neighbours: int, distance: float) -> None:
        """Check how the map is fitted in the menu."""
        self._fit = (neighbours, distance)
        for (name, value), action in self.fit_actions.items():
            action.setChecked(value == (neighbours if name == "neighbours" else distance))

    def _connect(self) -> None:
        plot, bar = self.plot, self.selection_bar
        self.page.embed_requested.connect(self.embed_requested)
        self.page.choose_model_requested.connect(self.choose_model_requested)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.relayout_button.clicked.connect(self.relayout_requested)
        self.color_box.currentTextChanged.connect(self._on_color_changed)
        self.header.tool_chosen.connect(self._on_tool_chosen)
        self.legend.chosen.connect(self._on_legend)
        plot.point_chosen.connect(lambda number: self.point_chosen.emit(*self._points[number].key))
        plot.like_requested.connect(lambda number: self.like_requested.emit(*self._points[number].key))
        plot.point_hovered.connect(self._on_hovered)
        plot.neighbours_wanted.connect(self.neighbours_wanted)
        plot.selection_changed.connect(self._on_selection_changed)
        plot.tool_changed.connect(self.header.show_tool)
        plot.menu_requested.connect(self._on_menu_requested)
        plot.installEventFilter(self)
        bar.copy_requested.connect(self.copy_selection)
        bar.export_requested.connect(lambda: self.export_requested.emit(self.selected_keys))
        bar.table_requested.connect(self.show_table)
        bar.clear_requested.connect(lambda: self.choose_chunks(()))
        self._theme.changed.connect(self._set_icons)

    def _set_icons(self) -> None:
        self.menu_button.setIcon(self._theme.icon("ellipsis", "dim"))

    # What is shown

    def show_points(self, points: Sequence[MapPoint], coordinates: Coordinates, method: str = "") -> None:
        """Show chunks at their places (one row of two numbers a point); `method` says how these were found."""
        do_all(self.showing_points(points, coordinates, method))

    def showing_points(self, points: Sequence[MapPoint], coordinates: Coordinates, method: str = "") -> Iterator[None]:
        """Show chunks as `show_points` does; where there are many it can rest in between."""
        shown = tuple(points)
        numbers = {(point.document, point.chunk): number for number, point in enumerate(shown)}
        yield
        categories = categorise(shown, ColorBy(self.color_box.currentText()), self._slots)
        yield
        self._points, self._numbers = shown, numbers
        self._coordinates = np.asarray(coordinates, dtype=np.float32)
        self.show_method(method)
        yield from self._filling(categories)
        self._stack.setCurrentIndex(PLOT)
        self._show_words()
        self.show_stale(sum(point.is_new for point in points))

    def show_method(self, words: str, hint: str = "") -> None:
        """Say how the map was made and how far it can be trusted; `hint` on hovering."""
        self._words = words
        self.method.set_full_text(words, hint)

    def show_empty(self, chunk_count: int, seconds: float | None) -> None:
        """Say that there are no vectors yet, and offer to make them; `seconds` is the estimate."""
        self.page.show_empty(chunk_count, seconds)
        self._show_page()

    def show_error(self, words: str) -> None:
        """Say what went wrong with the model, and offer to choose another."""
        self.page.show_error(words)
        self.progress.hide()
        self._show_page()

    def _show_page(self) -> None:
        self._coordinates = None
        self.method.set_full_text("")
        self._stack.setCurrentIndex(MESSAGE)
        self._show_words()

    def show_progress(self, stage: str | None, done: int = 0, total: int = 0) -> None:
        """Name the stage that is running, with a bar when its length is known; None when nothing runs."""
        self.progress.show_stage(stage, done, total)
        self.page.show_body(stage is None)

    def show_stale(self, changed: int) -> None:
        """Offer a new layout where chunks have changed since the map was made."""
        self.relayout_button.setVisible(changed > 0)
        self.relayout_button.setText(f"{changed:,} chunk{'' if changed == 1 else 's'} changed · Re-layout")
        self._place_overlays()

    def show_note(self, words: str, more: str = "") -> None:
        """Say something about the map, as that its model reads some chunks only in part; `more` on hovering."""
        self.note.setText(words)
        self.note.setToolTip(more)

    def select(self, document: str | None, chunk: int | None, trust: float | None = None) -> None:
        """Ring and label a chunk's point; `trust` is the share of its true neighbours that are near it."""
        self._selected = (document, chunk) if document is not None and chunk is not None else None
        self._trust = trust
        self.plot.select(self._numbers.get(self._selected) if self._selected is not None else None, trust)

    def show_hits(self, hits: Sequence[tuple[str, int]], question: tuple[float, float] | None = None) -> None:
        """Ring the chunks that answer a question, best first, and put a star where the question lies."""
        self._hits, self._question = tuple(hits), question
        self._mark_hits()

    def show_neighbours(
        self, key: tuple[str, int], neighbours: Sequence[tuple[str, int]], near_count: int, *, keep: bool = False
    ) -> None:
        """Draw lines from a chunk to its true neighbours, of which so many are near it on the map."""
        if key in self._numbers:
            numbers = [self._numbers[other] for other in neighbours if other in self._numbers]
            self.plot.show_neighbours(self._numbers[key], numbers, keep=keep)
            self.plot.card.show_trust(near_count, len(neighbours))

    def set_color_by(self, by: ColorBy) -> None:
        """Colour by something else."""
        self.color_box.setCurrentText(by.value)

    @property
    def categories(self) -> list[Category]:
        """The categories of the points shown."""
        if self._categories is None:
            self._categories = categorise(self._points, ColorBy(self.color_box.currentText()), self._slots)
        return self._categories

    def _fill(self) -> None:
        do_all(self._filling(None))

    def _filling(self, categories: list[Category] | None) -> Iterator[None]:
        self._categories = categories
        if self._coordinates is None:
            return
        categories = self.categories
        self.legend.show_categories(categories)
        vivid = self._members(self.legend.pressed)
        yield from self.plot.showing_points(self._points, self._coordinates, categories, vivid)
        self.plot.select(self._numbers.get(self._selected) if self._selected is not None else None, self._trust)
        self._mark_hits()

    def _mark_hits(self) -> None:
        numbers = [self._numbers[hit] for hit in self._hits if hit in self._numbers]
        self.plot.show_hits(numbers, self._question)
        self._show_words()

    def _on_color_changed(self) -> None:
        self.legend.release()
        self._fill()

    def _on_legend(self, name: str) -> None:
        self.plot.emphasise(self._members(name))

    def _members(self, name: str) -> Numbers | None:
        """Return the points of a category, None for all."""
        return next((category.members for category in self.categories if name and category.name == name), None)

    def _on_hovered(self, number: int) -> None:
        self.point_hovered.emit(*(self._points[number].key if 0 <= number < len(self._points) else ("", -1)))

    # Tools and what is chosen

    @property
    def chosen_points(self) -> tuple[MapPoint, ...]:
        """The points that a box or lasso has chosen."""
        return tuple(self._points[number] for number in self.plot.selection.tolist())

    @property
    def selected_keys(self) -> tuple[tuple[str, int], ...]:
        """The chunks that a box or lasso has chosen."""
        return tuple(point.key for point in self.chosen_points)

    def choose_chunks(self, keys: Collection[tuple[str, int]]) -> None:
        """Choose chunks as a box or lasso does."""
        numbers: Numbers = np.array(sorted(self._numbers[key] for key in keys if key in self._numbers), np.int64)
        self.plot.choose(numbers)

    def choose_all(self) -> None:
        """Choose every point, or every one of the category that is pressed in the legend."""
        pressed = self.legend.pressed
        members = [category.members for category in self.categories if pressed in ("", category.name)]
        self.plot.choose(np.sort(np.concatenate(members)) if members else np.zeros(0, np.int64))

    def copy_selection(self) -> None:
        """Copy the chosen chunks' texts, each under a comment that says where it is from."""
        QApplication.clipboard().setText(as_text(self.chosen_points))

    def show_table(self) -> None:
        """Show the chosen chunks in a window of their own."""
        if self.table is None:
            self.table = ChunkTable(self)
            self.table.point_chosen.connect(self.point_chosen)
        self.table.show_points(self.chosen_points)
        self.table.show()
        self.table.raise_()

    def _on_selection_changed(self) -> None:
        self.selection_bar.show_points(self.chosen_points)
        if self.table is not None and self.table.isVisible():
            self.table.show_points(self.chosen_points)
        self._place_overlays()

    def _on_tool_chosen(self, tool: Tool) -> None:
        self.plot.choose_tool(tool)
        self.plot.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep what lies over the map at its edges."""
        if watched is self.plot and event.type() is QEvent.Type.Resize:
            self._place_overlays()
        return super().eventFilter(watched, event)

    def _place_overlays(self) -> None:
        plot, bar, button = self.plot, self.selection_bar, self.relayout_button
        button.adjustSize()
        button.move(plot.width() - button.width() - 2, 2)
        button.raise_()
        height = bar.sizeHint().height()
        bar.setGeometry(2, plot.height() - height - 2, plot.width() - 4, height)
        bar.raise_()

    # Menus and pictures

    def _on_menu(self) -> None:
        has_map = self._coordinates is not None
        for action in self.actions_by_name.values():
            action.setEnabled(has_map)
        self.actions_by_name["light_picture"].setVisible(self._theme.is_dark)

    def _on_menu_requested(self, number: int, place: QPointF) -> None:
        menu = QMenu(self) if 0 <= number < len(self._points) else self.menu_button.menu()
        if 0 <= number < len(self._points):
            point = self._points[number]
            entries = (
                ("Select this chunk", lambda: self.point_chosen.emit(*point.key)),
                ("More like this", lambda: self.like_requested.emit(*point.key)),
                ("Copy its text", lambda: QApplication.clipboard().setText(point.text)),
            )
            for words, slot in entries:
                menu.addAction(words).triggered.connect(lambda _checked=False, s=slot: s())
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(QPoint(round(place.x()), round(place.y())))

    def ask_picture(self, *, is_light: bool = False) -> None:
        """Ask where to write a picture of the map, and write it."""
        name, _ = QFileDialog.getSaveFileName(self, "Save a picture of the map", "map.png", PICTURES)
        if name:
            self.save_picture(Path(name), is_light=is_light)

    def save_picture(self, path: Path, *, is_light: bool = False) -> bool:
        """Write a picture of the map with its legend, PNG or SVG; False where it cannot be written."""
        if self._coordinates is None:
            return False
        hits = tuple(self._numbers[hit] for hit in self._hits if hit in self._numbers)
        picture = MapPicture(
            self._points,
            self._coordinates,
            tuple(self.categories),
            hits,
            self._question,
            words=" · ".join(words for words in (self._words, self.note.text()) if words),
        )
        return save_picture(picture, path, LIGHT if is_light else self._theme.colors)
