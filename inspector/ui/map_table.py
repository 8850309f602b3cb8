"""Chunks chosen on the map as a table that sorts; a click selects the chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QHeaderView, QTableView, QVBoxLayout, QWidget

from inspector.ui.controls import plain_tooltip
from inspector.ui.map_data import MapPoint
from inspector.ui.map_selection import as_text, sum_of
from inspector.ui.theme import FAR

SORT_ROLE = Qt.ItemDataRole.UserRole + 1
POINT_ROLE = Qt.ItemDataRole.UserRole + 2
SHOWN_CHARACTERS = 120
AnyIndex = QModelIndex | QPersistentModelIndex
Column = tuple[str, Callable[[MapPoint], Any], bool]  # heading, value, whether it is a number
COLUMNS: tuple[Column, ...] = (
    ("post", lambda point: point.document, False),
    ("#", lambda point: point.chunk + 1, True),
    ("trail", lambda point: " › ".join(point.trail), False),
    ("characters", lambda point: point.characters, True),
    ("tokens", lambda point: point.tokens if point.tokens is not None else -1, True),
    ("cut", lambda point: point.rung, False),
    ("date", lambda point: point.date, False),
    ("tags", lambda point: ", ".join(point.tags), False),
    ("text", lambda point: " ".join(point.text[: 2 * SHOWN_CHARACTERS].split())[:SHOWN_CHARACTERS], False),
)
WIDTHS = (180, 44, 220, 100, 76, 84, 96, 140)


class ChunkTableModel(QAbstractTableModel):
    """One row a chunk."""

    def __init__(self) -> None:
        super().__init__()
        self.points: tuple[MapPoint, ...] = ()

    def show_points(self, points: Sequence[MapPoint]) -> None:
        """Show other chunks."""
        self.beginResetModel()
        self.points = tuple(points)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many chunks there are."""
        return 0 if parent is not None and parent.isValid() else len(self.points)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many columns there are."""
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's words, the value it sorts by, or the chunk."""
        if not index.isValid():
            return None
        point = self.points[index.row()]
        if role == POINT_ROLE:
            return point
        _, value_of, is_number = COLUMNS[index.column()]
        if role == SORT_ROLE:
            return value_of(point)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            value = value_of(point)
            words = (f"{value:,}" if value >= 0 else "") if is_number else value
            return words if role == Qt.ItemDataRole.DisplayRole else plain_tooltip(words)
        if role == Qt.ItemDataRole.TextAlignmentRole and is_number:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's heading."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section][0]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if COLUMNS[section][2] else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class ChunkTableView(QTableView):
    """The table; Ctrl+C copies the selected rows' texts."""

    chosen = Signal(QModelIndex)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, or choose with Enter."""
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = self.selectionModel().selectedRows()
            QApplication.clipboard().setText(as_text([row.data(POINT_ROLE) for row in rows]))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class ChunkTable(QDialog):
    """A window of its own beside the main one. A click is told by `point_chosen` (document, index of the chunk)."""

    point_chosen = Signal(str, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModal(False)
        self.resize(1080, 480)
        self.model = ChunkTableModel()
        self.sorted = QSortFilterProxyModel(self)
        self.sorted.setSourceModel(self.model)
        self.sorted.setSortRole(SORT_ROLE)
        self.sorted.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.view = ChunkTableView()
        self.view.setModel(self.sorted)
        self.view.setAccessibleName("Chosen chunks")
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.view.setShowGrid(False)
        self.view.setWordWrap(False)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(26)
        header = self.view.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(WIDTHS):
            self.view.setColumnWidth(column, width)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(FAR, FAR, FAR, FAR)
        layout.addWidget(self.view)
        self.view.clicked.connect(self._on_chosen)
        self.view.chosen.connect(self._on_chosen)

    def show_points(self, points: Sequence[MapPoint]) -> None:
        """Show chunks in the order given until a heading is clicked."""
        self.setWindowTitle(", ".join(sum_of(points)) if points else "No chunks chosen")
        self.model.show_points(points)

    def _on_chosen(self, index: QModelIndex) -> None:
        point = index.data(POINT_ROLE)
        self.point_chosen.emit(point.document, point.chunk)
