"""Compare: the strategy in force and another one in numbers, and where they cut the open post differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.plugins import all_strategies
from inspector.ui.controls import ElidedLabel, Header, dim_label
from inspector.ui.theme import NEAR, ROW_HEIGHT, Theme

LEFT_ROLE = Qt.ItemDataRole.UserRole + 1
AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric in words: A, B, the difference, and whether B is better (1), worse (-1) or neither (0)."""

    label: str
    left: str
    right: str
    delta: str
    better: int
    good: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A place where only one side cuts: its source offset and line, which side ("A" or "B"), and the words there."""

    offset: int
    line: int
    side: str
    words: str


class MetricModel(QAbstractTableModel):
    """The table of metrics."""

    HEADERS = ("", "A", "B", "B − A")

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[MetricRow, ...] = ()

    def show_rows(self, rows: Sequence[MetricRow]) -> None:
        """Show other metrics."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many metrics there are."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return the four columns."""
        return len(self.HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the names of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.HEADERS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a cell: words, which way is good as its tooltip, and a colour where one side is better."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        cells = (row.label, row.left, row.right, row.delta)
        if role == Qt.ItemDataRole.DisplayRole:
            return cells[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.good
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole:
            if index.column() == 3 and row.better:
                return self._theme.color("ok" if row.better > 0 else "fault")
            return self._theme.color("dim" if index.column() == 0 else "text")
        return None


class ComparePanel(QWidget):
    """The pane. What it asks for is told by signals; a place is a source offset of the open post."""

    strategy_chosen = Signal(str)
    options_requested = Signal()
    place_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places: tuple[Disagreement, ...] = ()
        self._rows: tuple[MetricRow, ...] = ()
        self.header = Header("Compare")
        self.left_label = ElidedLabel()
        self.box = QComboBox()
        self.box.setAccessibleName("B: the other strategy")
        for name, strategy in all_strategies().items():
            self.box.addItem(strategy.label, name)
        self.options_button = QPushButton("Options…")
        self.options_button.setAccessibleName("Options of the other strategy")
        self.right_label = ElidedLabel()
        for label in (self.left_label, self.right_label):
            label.setProperty("dim", True)
        self.only_changes = QCheckBox("Only changes")
        self.state = dim_label()
        for number, widget in enumerate(
            (dim_label("A"), self.left_label, dim_label("B"), self.box, self.options_button, self.right_label), 1
        ):
            self.header.row.insertWidget(number, widget, 1 if isinstance(widget, ElidedLabel) else 0)
        self.header.row.setSpacing(NEAR)
        self.header.words.hide()
        self.header.row.addWidget(self.state)
        self.header.row.addWidget(self.only_changes)
        self.model = MetricModel(theme)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT - 2)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.table.setAccessibleName("Metrics of both strategies")
        self.places = QListWidget()
        self.places.setAccessibleName("Where the strategies cut this post differently")
        self.places.setUniformItemSizes(True)
        self.places.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.places.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.places_title = QLabel()
        self.places_title.setProperty("dim", True)
        self.places_title.setContentsMargins(NEAR, 4, NEAR, 2)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.places_title)
        right.addWidget(self.places)
        both = QHBoxLayout()
        both.setContentsMargins(NEAR, 0, 0, 0)
        both.setSpacing(NEAR)
        both.addWidget(self.table, 1)
        both.addLayout(right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addLayout(both)
        self.setFocusProxy(self.places)
        self.only_changes.toggled.connect(self._show_rows)
        self.box.activated.connect(lambda index: self.strategy_chosen.emit(str(self.box.itemData(index))))
        self.options_button.clicked.connect(self.options_requested)
        self.places.itemClicked.connect(self._on_chosen)
        self.places.itemActivated.connect(self._on_chosen)

    def show_sides(self, left: str, strategy: str, right: str) -> None:
        """Show what is compared: A in words, B's strategy and its options in words."""
        self.left_label.set_full_text(left)
        self.right_label.set_full_text(right)
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(strategy))

    def show_metrics(self, rows: Sequence[MetricRow], state: str) -> None:
        """Show the table, and what is under way."""
        self._rows = tuple(rows)
        self.state.setText(state)
        self._show_rows()

    def _show_rows(self) -> None:
        is_short = self.only_changes.isChecked()
        self.model.show_rows([row for row in self._rows if row.left != row.right or not is_short])

    def show_places(self, places: Sequence[Disagreement], agreed: int) -> None:
        """List where only one side cuts the open post."""
        self._places = tuple(places)
        self.places.clear()
        for place in places:
            item = QListWidgetItem(f"{place.side} alone cuts at line {place.line:,}: {place.words}")
            item.setData(LEFT_ROLE, place.offset)
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            self.places.addItem(item)
        count = len(places)
        differ = f"{count:,} boundar{'y' if count == 1 else 'ies'} of one side alone" if count else "no difference"
        self.places_title.setText(f"In this post: {agreed:,} in both, {differ}")

    def step(self, by: int, offset: int) -> None:
        """Go to the next or the previous place after or before a source offset, from the last to the first."""
        if not self._places:
            return
        offsets = [place.offset for place in self._places]
        if by > 0:
            number = next((n for n, other in enumerate(offsets) if other > offset), 0)
        else:
            number = next((n for n in reversed(range(len(offsets))) if offsets[n] < offset), len(offsets) - 1)
        self.places.setCurrentRow(number)
        self.place_chosen.emit(offsets[number])

    def _on_chosen(self, item: QListWidgetItem) -> None:
        self.place_chosen.emit(int(item.data(LEFT_ROLE)))
