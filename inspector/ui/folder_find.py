"""Find words in all posts of the folder: a field, and the places found, post by post."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.core.document import Document
from inspector.ui.controls import Header, SearchField, dim_label
from inspector.ui.theme import NEAR, ROW_HEIGHT, SMALL_PIXELS, Theme, ui_font

MOST_FOUND = 2_000
PAUSE_MILLISECONDS = 150
SLICE_CHARACTERS = 300_000
"""Characters searched before the window may do something else: about 2 ms."""
AROUND = 60
HIT_ROLE = Qt.ItemDataRole.UserRole + 1

AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Hit:
    """A place: its document, source span, line, and the line's words before, at and after it."""

    document: str
    start: int
    end: int
    line: int
    before: str
    match: str
    after: str


def find_in(document: Document, words: str, most: int) -> list[Hit]:
    """Return where words stand in a document, in any case unless they hold a capital."""
    source = document.source
    text = source
    if words == words.lower():
        lowered = source.lower()
        text = lowered if len(lowered) == len(source) else source
    hits: list[Hit] = []
    at = text.find(words)
    while at >= 0 and len(hits) < most:
        end = at + len(words)
        number = document.lines.line_of(at)
        line = document.lines.span_of(number)
        before = source[max(line.start, at - AROUND) : at].lstrip()
        after = source[end : min(max(line.end, end), end + 3 * AROUND)]
        hits.append(Hit(document.name, at, end, number, before, source[at:end], after))
        at = text.find(words, end)
    return hits


class HitModel(QAbstractListModel):
    """The places found so far."""

    def __init__(self) -> None:
        super().__init__()
        self.hits: list[Hit] = []

    def clear(self) -> None:
        """Forget all places."""
        self.beginResetModel()
        self.hits = []
        self.endResetModel()

    def extend(self, hits: list[Hit]) -> None:
        """Take more places in."""
        if hits:
            self.beginInsertRows(QModelIndex(), len(self.hits), len(self.hits) + len(hits) - 1)
            self.hits.extend(hits)
            self.endInsertRows()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many places were found."""
        return 0 if parent is not None and parent.isValid() else len(self.hits)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a place, or its words."""
        if not index.isValid():
            return None
        hit = self.hits[index.row()]
        if role == HIT_ROLE:
            return hit
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{hit.before}{hit.match}{hit.after} {hit.document}:{hit.line}"
        return None


class HitDelegate(QStyledItemDelegate):
    """Paints a line with the words found standing out, and its place at the right."""

    def __init__(self, view: QListView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Give all rows one height."""
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one place."""
        hit: Hit = index.data(HIT_ROLE)
        place = QRectF(option.rect)
        painter.save()
        if self._view.selectionModel().isSelected(index):
            painter.fillRect(place, self._theme.color("accent_fill"))
            painter.fillRect(QRectF(place.left(), place.top(), 3, place.height()), self._theme.color("accent"))
        place.adjust(NEAR + 4, 0, -NEAR - 4, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        small = ui_font(SMALL_PIXELS)
        where = f"{hit.document}:{hit.line:,}"
        room = place.width() * 0.4
        where = QFontMetricsF(small).elidedText(where, Qt.TextElideMode.ElideLeft, room)
        painter.setFont(small)
        painter.setPen(self._theme.color("dim"))
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignRight, where)
        right = place.right() - QFontMetricsF(small).horizontalAdvance(where) - NEAR * 2
        x = place.left()
        for words, weight in ((hit.before, QFont.Weight.Normal), (hit.match, QFont.Weight.DemiBold), (hit.after, None)):
            font = ui_font(weight=weight or QFont.Weight.Normal)
            metrics = QFontMetricsF(font)
            shown = metrics.elidedText(words.replace("\t", " "), Qt.TextElideMode.ElideRight, max(0.0, right - x))
            width = metrics.horizontalAdvance(shown)
            if weight == QFont.Weight.DemiBold:
                painter.fillRect(QRectF(x, place.top() + 3, width, place.height() - 6), self._theme.color("match"))
            painter.setFont(font)
            painter.setPen(self._theme.color("text"))
            painter.drawText(QRectF(x, place.top(), width + 2, place.height()), middle, shown)
            x += width
        painter.restore()


class HitView(QListView):
    """The list: Enter goes to a place."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to a place with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
            return
        super().keyPressEvent(event)


class FolderFind(QWidget):
    """The pane. It searches what it was given, a slice at a time; a place is told by `place_chosen`."""

    place_chosen = Signal(str, int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._documents: Mapping[str, Document] = {}
        self._waiting: list[str] = []
        self._words = ""
        self.header = Header("Find in all posts")
        self.field = SearchField(theme, "Words to find", "Find in all posts")
        self.count = dim_label()
        self.header.row.insertWidget(1, self.field, 2)
        self.header.row.addWidget(self.count)
        self.model = HitModel()
        self.view = HitView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(HitDelegate(self.view, theme))
        self.view.setUniformItemSizes(True)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setAccessibleName("Places found")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.view)
        self.setFocusProxy(self.field)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.search)
        self._step = QTimer(self)
        self._step.setInterval(0)
        self._step.timeout.connect(self._search_some)
        self.field.textChanged.connect(self._pause.start)
        self.field.returnPressed.connect(self.search)
        self.view.clicked.connect(self._on_chosen)
        self.view.activated.connect(self._on_chosen)
        theme.changed.connect(self.view.viewport().update)

    def set_documents(self, documents: Mapping[str, Document]) -> None:
        """Search these documents from now on."""
        self._documents = documents
        if self.isVisible() and self.field.text():
            self._pause.start()

    def open(self, words: str = "") -> None:
        """Put the cursor into the field."""
        if words and "\n" not in words:
            self.field.setText(words)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    @property
    def is_searching(self) -> bool:
        """Whether not all documents have been searched yet."""
        return self._step.isActive() or self._pause.isActive()

    def search(self) -> None:
        """Search all documents anew for what is in the field."""
        self._pause.stop()
        self._words = self.field.text()
        self._waiting = list(self._documents)[::-1] if self._words else []
        self.model.clear()
        self._show_count()
        self._step.start()

    def _search_some(self) -> None:
        budget = SLICE_CHARACTERS
        found: list[Hit] = []
        while self._waiting and budget > 0 and len(self.model.hits) + len(found) < MOST_FOUND:
            document = self._documents.get(self._waiting.pop())
            if document is not None:
                budget -= document.characters
                found += find_in(document, self._words, MOST_FOUND - len(self.model.hits) - len(found))
        self.model.extend(found)
        if not self._waiting or len(self.model.hits) >= MOST_FOUND:
            self._step.stop()
        self._show_count()

    def _show_count(self) -> None:
        count = len(self.model.hits)
        posts = len({hit.document for hit in self.model.hits})
        if not self._words:
            words = ""
        elif count >= MOST_FOUND:
            words = f"the first {count:,}"
        elif count:
            words = f"{count:,} in {posts:,} post{'' if posts == 1 else 's'}"
        else:
            words = "searching" if self._step.isActive() else "not found"
        self.count.setText(words)

    def _on_chosen(self, index: QModelIndex) -> None:
        hit = index.data(HIT_ROLE)
        if isinstance(hit, Hit):
            self.place_chosen.emit(hit.document, hit.start, hit.end)
