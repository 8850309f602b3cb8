"""A field over a list that is narrowed while one types: the command palette, and "go to post or heading"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.controls import SearchField
from inspector.ui.theme import NEAR, SMALL_PIXELS, Theme, ui_font

WIDTH, HEIGHT = 620, 420
ROW = 30
MOST_SHOWN = 200
CHOICE_ROLE = Qt.ItemDataRole.UserRole + 1

AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Choice:
    """A row: its words, what stands dim beside them, what stands at the right, and what it stands for."""

    words: str
    detail: str = ""
    right: str = ""
    value: object = None
    is_enabled: bool = True


def narrow(choices: Sequence[Choice], typed: str, most: int = MOST_SHOWN) -> list[Choice]:
    """Return the choices that hold every word typed, those first that begin with it, then those with it at a word."""
    wanted = typed.lower().split()
    if not wanted:
        return list(choices[:most])
    found: list[tuple[int, int, Choice]] = []
    for number, choice in enumerate(choices):
        text = f"{choice.words} {choice.detail}".lower()
        if all(word in text for word in wanted):
            found.append((_rank(text, wanted), number, choice))
    found.sort(key=lambda item: item[:2])
    return [choice for _, _, choice in found[:most]]


def _rank(text: str, wanted: Sequence[str]) -> int:
    if text.startswith(wanted[0]):
        return 0
    return 1 if all(f" {word}" in f" {text}" for word in wanted) else 2


class ChoiceModel(QAbstractListModel):
    """The choices that are left."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: list[Choice] = []

    def show_choices(self, choices: list[Choice]) -> None:
        """Show other choices."""
        self.beginResetModel()
        self._choices = choices
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many choices are left."""
        return 0 if parent is not None and parent.isValid() else len(self._choices)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a choice, or its words."""
        if not index.isValid():
            return None
        choice = self._choices[index.row()]
        if role == CHOICE_ROLE:
            return choice
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join(part for part in (choice.words, choice.detail, choice.right) if part)
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """A choice that can't be made now is shown, but not to be chosen."""
        can = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return can if self._choices[index.row()].is_enabled else Qt.ItemFlag.NoItemFlags


class ChoiceDelegate(QStyledItemDelegate):
    """Paints a row: words, detail, and keys at the right."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Give all rows one height."""
        return QSize(100, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one choice."""
        choice: Choice = index.data(CHOICE_ROLE)
        place = QRectF(option.rect)
        painter.save()
        if option.state & option.state.State_Selected:
            painter.fillRect(place, self._theme.color("accent_fill"))
            painter.fillRect(QRectF(place.left(), place.top(), 3, place.height()), self._theme.color("accent"))
        place.adjust(NEAR + 4, 0, -NEAR - 4, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        small = ui_font(SMALL_PIXELS)
        painter.setFont(small)
        painter.setPen(self._theme.color("dim"))
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignRight, choice.right)
        place.setRight(place.right() - QFontMetricsF(small).horizontalAdvance(choice.right) - NEAR)
        font = ui_font()
        painter.setFont(font)
        painter.setPen(self._theme.color("text" if choice.is_enabled else "edge"))
        words = QFontMetricsF(font).elidedText(choice.words, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, middle, words)
        place.setLeft(place.left() + QFontMetricsF(font).horizontalAdvance(words) + NEAR)
        painter.setFont(small)
        painter.setPen(self._theme.color("dim"))
        detail = QFontMetricsF(small).elidedText(choice.detail, Qt.TextElideMode.ElideMiddle, max(0.0, place.width()))
        painter.drawText(place, middle, detail)
        painter.restore()


class Chooser(QDialog):
    """The dialog. What is chosen is told by `chosen` with its value, after the dialog is gone."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, title: str, placeholder: str, choices: Sequence[Choice], parent: QWidget) -> None:
        """Show choices over the parent's upper middle."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._choices = choices
        self.field = SearchField(theme, placeholder, title)
        self.field.setClearButtonEnabled(False)
        self.model = ChoiceModel()
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(ChoiceDelegate(theme, self.view))
        self.view.setUniformItemSizes(True)
        self.view.setAccessibleName(title)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.nothing = QLabel("Nothing by that name")
        self.nothing.setProperty("dim", True)
        self.nothing.setContentsMargins(NEAR + 4, NEAR, NEAR, NEAR)
        column = QVBoxLayout(self)
        column.setContentsMargins(NEAR, NEAR, NEAR, NEAR)
        column.setSpacing(NEAR)
        for widget in (self.field, self.nothing, self.view):
            column.addWidget(widget)
        self.field.textChanged.connect(self._narrow)
        self.field.returnPressed.connect(self._choose)
        self.field.left.connect(self.reject)
        self.field.installEventFilter(self)
        self.view.clicked.connect(self._choose)
        self.resize(WIDTH, HEIGHT)
        self._narrow("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Up, Down and the page keys of the field move through the list."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                self.view.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def _narrow(self, typed: str) -> None:
        left = narrow(self._choices, typed)
        self.model.show_choices(left)
        self.nothing.setVisible(not left)
        first = next((row for row, choice in enumerate(left) if choice.is_enabled), None)
        if first is not None:
            self.view.setCurrentIndex(self.model.index(first))

    def _choose(self) -> None:
        index = self.view.currentIndex()
        choice = index.data(CHOICE_ROLE) if index.isValid() else None
        if isinstance(choice, Choice) and choice.is_enabled:
            self.accept()
            self.chosen.emit(choice.value)
