"""The problems of a post or of the whole folder: grouped by rule, notes behind a chip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from inspector.core.problems.problem import Problem, Severity
from inspector.core.problems.rules import RULES, RuleChoice
from inspector.ui.controls import Header, Segmented, dim_label
from inspector.ui.row_tree import RowTree
from inspector.ui.theme import NEAR, ROW_HEIGHT, Theme, elided, ui_font

POST, FOLDER = 0, 1
RULE, MESSAGE, PLACE = 0, 1, 2
NODE_ROLE = Qt.ItemDataRole.UserRole + 1
ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
TOKENS = {Severity.ERROR: "fault", Severity.WARNING: "cut", Severity.NOTE: "dim"}
TRUNCATED, LINE_ENDINGS = "truncated", "line-endings"
MOST_PLACES = 1_000
"""Places listed under one rule; a group says how many there are in all."""

RULE_WIDTH = 176
NARROWEST_PLACE, WIDEST_PLACE = 120, 210

HEADER_AND_ROWS = 36 + 2 * ROW_HEIGHT
AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """A problem and the document it is in, the first of `documents` where one row stands for more."""

    document: str
    problem: Problem
    documents: int = 1

    @property
    def place(self) -> str:
        """The file's name and the line, or how many posts."""
        if self.documents > 1:
            return f"{self.documents:,} posts"
        line = f":{self.problem.line}" if self.problem.line else ""
        return f"{self.document.rpartition('/')[2]}{line}"

    @property
    def words(self) -> str:
        """What is wrong and what to do."""
        return f"{self.problem.message} {self.problem.fix}".strip()

    @property
    def copied(self) -> str:
        """The line that is put on the clipboard: place, severity, words and rule."""
        place = f"{self.document}:{self.problem.line}"
        return f"{place}: {self.problem.severity}: {self.words} [{self.problem.code}]"


def folder_rows(rows: Sequence[ProblemRow]) -> list[ProblemRow]:
    """Return the rows of a folder: posts all of whose lines end with CRLF share one."""
    uniform = [row for row in rows if row.problem.code == LINE_ENDINGS and row.problem.severity is Severity.NOTE]
    if len(uniform) < 2:
        return list(rows)
    problem = replace(uniform[0].problem, message=f"{len(uniform):,} posts end every line with CRLF.")
    shared = ProblemRow(uniform[0].document, problem, len(uniform))
    hidden = {id(row) for row in uniform}
    return [shared, *(row for row in rows if id(row) not in hidden)]


@dataclass(frozen=True, slots=True)
class _Group:
    """Problems of one rule; a single one stands for itself."""

    rows: tuple[ProblemRow, ...]
    count: int


class ProblemModel(QAbstractItemModel):
    """Groups at the top, their problems below. An index carries 0 for a group, else one more than the group's row."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: tuple[_Group, ...] = ()

    def show_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Group rows by rule, the worst first."""
        by_rule: dict[tuple[int, str], list[ProblemRow]] = {}
        for row in rows:
            by_rule.setdefault((ORDER.index(row.problem.severity), row.problem.code), []).append(row)
        self.beginResetModel()
        self._groups = tuple(_Group(tuple(found[:MOST_PLACES]), len(found)) for _, found in sorted(by_rule.items()))
        self.endResetModel()

    def row_of(self, index: AnyIndex) -> ProblemRow:
        """Return the problem of an index, for a group its first."""
        above = int(index.internalId())
        return self._groups[above - 1].rows[index.row()] if above else self._groups[index.row()].rows[0]

    def count_of(self, index: AnyIndex) -> int:
        """Return how many problems a row stands for."""
        return 1 if int(index.internalId()) else self._groups[index.row()].count

    def all_indexes(self) -> list[QModelIndex]:
        """Return the index of each single problem, in order."""
        found = []
        for at, group in enumerate(self._groups):
            top = self.index(at, 0)
            found += [top] if len(group.rows) == 1 else [self.index(row, 0, top) for row in range(len(group.rows))]
        return found

    def index(self, row: int, column: int, parent: AnyIndex | None = None) -> QModelIndex:
        """Return the index of a row below `parent`."""
        if not 0 <= row < self.rowCount(parent) or not 0 <= column < 3:
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent is not None and parent.isValid() else 0)

    def parent(self, index: AnyIndex | None = None) -> Any:
        """Return the group of a problem."""
        if index is None:
            return super().parent()
        above = int(index.internalId()) if index.isValid() else 0
        return self.createIndex(above - 1, 0, 0) if above else QModelIndex()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many rows are below `parent`."""
        if parent is None or not parent.isValid():
            return len(self._groups)
        if int(parent.internalId()) or parent.column() > 0:
            return 0
        rows = self._groups[parent.row()].rows
        return len(rows) if len(rows) > 1 else 0

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of columns: rule, message, place."""
        return 3

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says."""
        if not index.isValid():
            return None
        row, count = self.row_of(index), self.count_of(index)
        if role == NODE_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            is_below = bool(int(index.internalId()))
            rule = "" if is_below else row.problem.code
            place = row.place if count == 1 else f"{count:,} places"
            return (rule, row.words, place)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            why = RULES[row.problem.code].why if row.problem.code in RULES else ""
            return (f"{row.problem.code}: {why}", row.words, f"{row.document}:{row.problem.line}")[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.problem.severity}, {row.problem.code}, {row.words}, {row.place}"
        return None


class ProblemDelegate(QStyledItemDelegate):
    """Paints severity marks, rules, messages and places."""

    def __init__(self, tree: QTreeView, theme: Theme) -> None:
        super().__init__(tree)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one cell."""
        row: ProblemRow = index.data(NODE_ROLE)
        place = QRectF(option.rect)
        text = str(index.data())
        font = ui_font()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        align = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self._theme.color("dim" if index.column() == PLACE else "text"))
        if index.column() == RULE:
            if text:
                token = "truncation" if row.problem.code == TRUNCATED else TOKENS[row.problem.severity]
                paint_severity(
                    painter, QPointF(place.left() + 6, place.center().y()), row.problem.severity, token, self._theme
                )
                painter.setPen(self._theme.color("text"))
            place.adjust(24, 0, 0, 0)
        elif index.column() == PLACE:
            place.adjust(0, 0, -NEAR * 2, 0)
            align |= Qt.AlignmentFlag.AlignRight
        painter.setFont(font)
        mode = Qt.TextElideMode.ElideLeft if index.column() == PLACE else Qt.TextElideMode.ElideRight
        shown = elided(text, int(place.width()), mode)
        painter.drawText(place, align, shown)
        painter.restore()


def paint_severity(painter: QPainter, middle: QPointF, severity: Severity, token: str, theme: Theme) -> None:
    """Paint a disc for an error, a triangle for a warning, a ring for a note: never colour alone."""
    color = theme.color(token)
    x, y = middle.x(), middle.y()
    painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(color)
    if severity is Severity.ERROR:
        painter.drawEllipse(middle, 4, 4)
    elif severity is Severity.WARNING:
        painter.drawPolygon(QPolygonF([QPointF(x - 5, y + 4), QPointF(x, y - 4), QPointF(x + 5, y + 4)]))
    else:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(middle, 3.5, 3.5)


class ProblemTree(RowTree):
    """The list: rows with a hairline between them, and a menu for each."""

    menu_wanted = Signal(object, object)  # index, place on the screen
    arrow_token = "dim"
    has_rules = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setItemDelegate(ProblemDelegate(self, theme))
        self.setHeaderHidden(True)
        self.setIndentation(16)
        self.setAccessibleName("Problems")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected problem."""
        index = self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy) and index.isValid():
            QApplication.clipboard().setText(index.data(NODE_ROLE).copied)
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of a row: of the one under the mouse, or by its key of the selected one."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_key else self.indexAt(event.pos())
        if index.isValid():
            at = self.viewport().mapToGlobal(self.visualRect(index).center()) if is_key else event.globalPos()
            self.menu_wanted.emit(index.siblingAtColumn(0), at)


class ProblemsPanel(QWidget):
    """The pane. Choosing a problem is told by `problem_chosen` (document, start and end in its source), hiding a rule
    and showing it again by `rule_hidden` and `rule_shown` (its code); the rows follow when they are shown anew."""

    problem_chosen = Signal(str, int, int)
    rule_hidden = Signal(str)
    rule_shown = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: tuple[ProblemRow, ...] = ()
        self._of_folder: list[ProblemRow] = []
        self._per_document: Counter[str] = Counter()
        self._shown: tuple[ProblemRow, ...] = ()
        self._document: str | None = None
        self._is_driven = False
        self.header = Header("Problems")
        self.scope = Segmented(("This post", "Folder"), "Problems of")
        self.header.row.insertWidget(1, self.scope)
        self._choice = RuleChoice()
        self.rules_chip = self._rules_chip()
        self.header.row.addWidget(self.rules_chip)
        self.chips = {severity: self._chip(severity) for severity in ORDER}
        for chip in self.chips.values():
            self.header.row.addWidget(chip)
        self.header.row.setSpacing(NEAR + 2)
        self.model = ProblemModel()
        self.tree = ProblemTree(theme)
        self.tree.setModel(self.model)
        head = self.tree.header()
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(60)
        head.setSectionResizeMode(MESSAGE, QHeaderView.ResizeMode.Stretch)
        for column in (RULE, PLACE):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        head.resizeSection(RULE, RULE_WIDTH)
        self._empty = QLabel()
        self._empty.setProperty("dim", True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._empty)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(0, 0, 0, 0)
        column_layout.setSpacing(0)
        column_layout.addWidget(self.header)
        column_layout.addWidget(self._stack)
        self.setFocusProxy(self.tree)
        self.scope.choose(FOLDER)
        self.scope.chosen.connect(self._refresh)
        self.tree.selectionModel().currentChanged.connect(self._on_current_changed)
        self.tree.clicked.connect(self._on_clicked)
        self.tree.menu_wanted.connect(self._on_menu_wanted)
        theme.changed.connect(self.tree.viewport().update)
        self.setMinimumHeight(HEADER_AND_ROWS)
        self.show_rules(RuleChoice())
        self._refresh()

    def _rules_chip(self) -> QPushButton:
        chip = QPushButton()
        chip.setProperty("chip", True)
        chip.setProperty("mark", Severity.NOTE.value)
        self._rules_menu = QMenu(chip)
        self._rules_menu.setToolTipsVisible(True)
        self._rules_menu.aboutToShow.connect(self._fill_rules_menu)
        chip.setMenu(self._rules_menu)
        return chip

    def _chip(self, severity: Severity) -> QPushButton:
        chip = QPushButton()
        chip.setCheckable(True)
        chip.setChecked(severity is not Severity.NOTE)
        chip.setProperty("chip", True)
        chip.setProperty("mark", severity.value)
        chip.setToolTip(f"Show or hide {severity}s")
        chip.toggled.connect(self._refresh)
        return chip

    def show_problems(self, rows: Sequence[ProblemRow], document: str | None) -> None:
        """Show the problems of a folder; `document` is the one that is open."""
        if tuple(rows) != self._rows:
            self._rows = tuple(rows)
            self._of_folder = folder_rows(self._rows)
            self._per_document = Counter(row.document for row in self._rows)
        self._document = document
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the place less room in a narrow window, and the message more."""
        super().resizeEvent(event)
        width = max(NARROWEST_PLACE, min(self.width() * 15 // 100, WIDEST_PLACE))
        self.tree.header().resizeSection(PLACE, width)

    def show_rules(self, choice: RuleChoice) -> None:
        """Show which rules are hidden in this folder."""
        self._choice = choice
        count = len(choice.hidden)
        self.rules_chip.setText(f"{count} rule{'' if count == 1 else 's'} hidden" if count else "Rules")
        self.rules_chip.setToolTip("Show hidden rules again, or try experimental ones")
        self.rules_chip.setAccessibleName(f"Rules, {count} hidden")

    def menu_of(self, index: QModelIndex) -> QMenu:
        """Return the menu of a row."""
        row = self.model.row_of(index)
        menu = QMenu(self)
        menu.addAction("Go to place").triggered.connect(lambda: self._tell(index))
        menu.addAction("Copy message").triggered.connect(lambda: QApplication.clipboard().setText(row.copied))
        menu.addSeparator()
        hide = menu.addAction("Hide this rule in this folder")
        hide.triggered.connect(lambda: self.rule_hidden.emit(row.problem.code))
        return menu

    def _on_menu_wanted(self, index: QModelIndex, place: QPoint) -> None:
        menu = self.menu_of(index)
        menu.exec(place)
        menu.deleteLater()

    def _fill_rules_menu(self) -> None:
        """List the hidden rules, then the experimental ones, each with a tick where it is on."""
        menu = self._rules_menu
        menu.clear()
        hidden = self._choice.hidden
        self._add_words("Hidden in this folder" if hidden else "No rule is hidden in this folder")
        for code in hidden:
            self._add_rule(code)
        menu.addSeparator()
        self._add_words("Experimental: wrong more often")
        for code, rule in RULES.items():
            if rule.is_experimental:
                self._add_rule(code)

    def _add_words(self, words: str) -> None:
        """Add words over a part of the menu; the style sheet leaves none to `QMenu.addSection`."""
        label = dim_label(words)
        label.setContentsMargins(NEAR, NEAR // 2, NEAR, NEAR // 2)
        heading = QWidgetAction(self._rules_menu)
        heading.setDefaultWidget(label)
        self._rules_menu.addAction(heading)

    def _add_rule(self, code: str) -> None:
        action: QAction = self._rules_menu.addAction(code)
        action.setCheckable(True)
        action.setChecked(code in self._choice.codes)
        action.setToolTip(RULES[code].why)
        action.toggled.connect(lambda is_on: (self.rule_shown if is_on else self.rule_hidden).emit(code))

    def next_problem(self) -> None:
        """Go to the next problem shown, after the last to the first."""
        self._step(1)

    def previous_problem(self) -> None:
        """Go to the problem before."""
        self._step(-1)

    def show_folder(self, is_folder: bool) -> None:
        """Show the whole folder's problems or only this post's."""
        self.scope.choose(FOLDER if is_folder else POST)
        self._refresh()

    def shown(self) -> tuple[ProblemRow, ...]:
        """Return the problems that scope and chips let through."""
        lit = {severity for severity, chip in self.chips.items() if chip.isChecked()}
        return tuple(row for row in self._in_scope() if row.problem.severity in lit)

    def _in_scope(self) -> list[ProblemRow]:
        if self.scope.current == FOLDER:
            return self._of_folder
        return [row for row in self._rows if row.document == self._document]

    def _refresh(self) -> None:
        in_scope, shown = self._in_scope(), self.shown()
        here = self._per_document[self._document or ""]
        self.scope.set_label(POST, f"This post {here:,}" if here else "This post")
        counts = Counter(row.problem.severity for row in in_scope)
        for severity, chip in self.chips.items():
            count = counts[severity]
            chip.setText(f"{count:,} {severity}{'' if count == 1 else 's'}")
            chip.setEnabled(count > 0)
        if shown != self._shown:  # another post of the same folder leaves its list alone
            self._shown = shown
            self._show_rows(shown)
        hidden = len(in_scope) - len(shown)
        where = "in this folder" if self.scope.current == FOLDER else "in this post"
        self._empty.setText(f"No problems {where}" + (f" but {hidden:,} hidden" if hidden else ""))
        self._stack.setCurrentIndex(0 if shown else 1)

    def _show_rows(self, shown: tuple[ProblemRow, ...]) -> None:
        """List other problems; what was open stays open, and what was selected selected."""
        chosen = self.tree.currentIndex().data(NODE_ROLE) if self.tree.currentIndex().isValid() else None
        open_rules = {self.model.row_of(index).problem.code for index in self._groups() if self.tree.isExpanded(index)}
        self._is_driven = True
        self.model.show_rows(shown)
        for index in self._groups():
            if self.model.row_of(index).problem.code in open_rules:
                self.tree.setExpanded(index, True)
        if chosen is not None:
            self._select(next((i for i in self.model.all_indexes() if self.model.row_of(i) == chosen), None))
        self._is_driven = False

    def _groups(self) -> list[QModelIndex]:
        return [self.model.index(row, 0) for row in range(self.model.rowCount())]

    def _select(self, index: QModelIndex | None) -> None:
        if index is not None:
            self.tree.setExpanded(index.parent(), True)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.tree.selectionModel().setCurrentIndex(index, flags)
            self.tree.scrollTo(index)

    def _step(self, by: int) -> None:
        indexes = self.model.all_indexes()
        if not indexes:
            return
        current = self.tree.currentIndex()
        current = current.sibling(current.row(), 0) if current.isValid() else current
        if current in indexes:
            at = (indexes.index(current) + by) % len(indexes)
        else:
            at = 0 if by > 0 else len(indexes) - 1
        self._is_driven = True
        self._select(indexes[at])
        self._is_driven = False
        self._tell(indexes[at])

    def _tell(self, index: AnyIndex) -> None:
        row = self.model.row_of(index)
        self.problem_chosen.emit(row.document, row.problem.span.start, row.problem.span.end)

    def _on_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        if current.isValid() and not self._is_driven and self.model.count_of(current) == 1:
            self._tell(current)

    def _on_clicked(self, index: QModelIndex) -> None:
        first = index.sibling(index.row(), 0)
        if self.model.count_of(first) > 1:
            self.tree.setExpanded(first, not self.tree.isExpanded(first))
