"""A list of chunks with their scores: answers to a question, or the nearest of a chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from inspector.ui.controls import plain_tooltip
from inspector.ui.map_data import short_name
from inspector.ui.offsets import OffsetMap
from inspector.ui.snippet import Snippet, make_snippet
from inspector.ui.theme import NEAR, SMALL_PIXELS, Theme, ui_font

ANSWER_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT = 70
BAR_WIDTH = 44.0
LINE_HEIGHT = 17.0
LINES = 2

AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Answer:
    """A chunk that answers a question: rank from 1, score from −1 to 1, and its text."""

    rank: int
    score: float
    document: str
    chunk: int
    trail: tuple[str, ...]
    text: str
    is_truncated: bool = False


class AnswerModel(QAbstractListModel):
    """The answers, best first, each with its snippet."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: tuple[tuple[Answer, Snippet], ...] = ()

    def show_answers(self, answers: Sequence[Answer], question: str) -> None:
        """Show the answers to a question."""
        self.beginResetModel()
        self._answers = tuple((answer, make_snippet(answer.text, question)) for answer in answers)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many answers there are."""
        return 0 if parent is not None and parent.isValid() else len(self._answers)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return an answer with its snippet, or its words."""
        if not index.isValid():
            return None
        answer, snippet = self._answers[index.row()]
        if role == ANSWER_ROLE:
            return answer, snippet
        place = " › ".join((short_name(answer.document), *answer.trail))
        if role == Qt.ItemDataRole.DisplayRole:
            return place
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{place}\nCosine similarity {answer.score:.3f}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            unread = ", its end is unread" if answer.is_truncated else ""
            return f"Answer {answer.rank}, score {answer.score:.2f}, {place}{unread}. {snippet.text}"
        return None

    def answer(self, row: int) -> Answer:
        """Return one of the answers."""
        return self._answers[row][0]

    def row_of(self, document: str | None, chunk: int | None) -> int:
        """Return where a chunk is among the answers, -1 where it is not."""
        for row, (answer, _) in enumerate(self._answers):
            if (answer.document, answer.chunk) == (document, chunk):
                return row
        return -1


class AnswerDelegate(QStyledItemDelegate):
    """Paints an answer: rank, score with a bar, place, and two lines with the matching words marked."""

    def __init__(self, view: QListView, theme: Theme) -> None:
        super().__init__(view)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the height of one answer."""
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one answer."""
        answer, snippet = index.data(ANSWER_ROLE)
        place = QRectF(option.rect)
        theme = self._theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(place, theme.color("accent_fill"))
            painter.fillRect(QRectF(place.left(), place.top(), 3, place.height()), theme.color("accent"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(place, theme.color("hover"))
        painter.fillRect(QRectF(place.left(), place.bottom() - 1, place.width(), 1), theme.color("hairline"))
        inner = place.adjusted(NEAR + 2, 7, -NEAR - 2, -6)
        self._paint_head(painter, QRectF(inner.left(), inner.top(), inner.width(), 18), answer)
        self._paint_snippet(painter, inner.adjusted(0, 21, 0, 0), snippet)
        painter.restore()

    def _paint_head(self, painter: QPainter, row: QRectF, answer: Answer) -> None:
        theme, middle = self._theme, Qt.AlignmentFlag.AlignVCenter
        strong, small = ui_font(SMALL_PIXELS, QFont.Weight.Bold), ui_font(SMALL_PIXELS)
        painter.setFont(strong)
        painter.setPen(theme.color("accent"))
        painter.drawText(row, middle, str(answer.rank))
        left = row.left() + max(14.0, QFontMetricsF(strong).horizontalAdvance(str(answer.rank)) + 6)
        bar = QRectF(left, row.center().y() - 2.5, BAR_WIDTH, 5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(bar, 2.5, 2.5)
        painter.setBrush(theme.color("accent"))
        share = min(1.0, max(0.0, answer.score))
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(5.0, BAR_WIDTH * share), 5), 2.5, 2.5)
        painter.setFont(small)
        metrics = QFontMetricsF(small)
        painter.setPen(theme.color("text"))
        score = f"{answer.score:.2f}"
        left = bar.right() + 8
        painter.drawText(QRectF(left, row.top(), 40, row.height()), middle, score)
        left += metrics.horizontalAdvance(score) + 12
        right = row.right()
        if answer.is_truncated:
            words = "unread tail"
            width = metrics.horizontalAdvance(words)
            painter.setPen(theme.color("truncation"))
            painter.drawText(QRectF(right - width, row.top(), width + 2, row.height()), middle, words)
            right -= width + 10
        painter.setPen(theme.color("dim"))
        trail = " › ".join((short_name(answer.document), *answer.trail))
        shown = metrics.elidedText(trail, Qt.TextElideMode.ElideMiddle, max(0.0, right - left))
        painter.drawText(QRectF(left, row.top(), right - left + 2, row.height()), middle, shown)

    def _paint_snippet(self, painter: QPainter, place: QRectF, snippet: Snippet) -> None:
        offsets = OffsetMap(snippet.text)
        layout = QTextLayout(offsets.text, ui_font())
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.Bold)
        formats = []
        for start, end in snippet.matches:
            item = QTextLayout.FormatRange()
            item.start = offsets.position(start)
            item.length = offsets.position(end) - item.start
            item.format = bold
            formats.append(item)
        layout.setFormats(formats)
        layout.beginLayout()
        for number in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(place.width())
            line.setPosition(QPointF(0, number * LINE_HEIGHT))
        layout.endLayout()
        painter.setPen(self._theme.color("text"))
        painter.setClipRect(place)
        layout.draw(painter, place.topLeft())


class AnswerView(QListView):
    """The list of answers."""

    chosen = Signal(int)
    like_requested = Signal(int)

    def __init__(self, theme: Theme, name: str = "Answers") -> None:
        super().__init__()
        self.setItemDelegate(AnswerDelegate(self, theme))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(name)
        self.setAccessibleDescription("Enter selects the chunk, M finds more like it, copy copies its text")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with an answer."""
        index = self.indexAt(event.pos())
        if not index.isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Select this chunk").triggered.connect(lambda: self.chosen.emit(index.row()))
        menu.addAction("More like this").triggered.connect(lambda: self.like_requested.emit(index.row()))
        menu.addAction("Copy its text").triggered.connect(lambda: self._copy(index))
        menu.popup(event.globalPos())

    @staticmethod
    def _copy(index: QModelIndex) -> None:
        answer, _ = index.data(ANSWER_ROLE)
        QApplication.clipboard().setText(answer.text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy an answer, choose one with Enter, find more like it with M."""
        index = self.currentIndex()
        if index.isValid() and event.matches(QKeySequence.StandardKey.Copy):
            self._copy(index)
        elif index.isValid() and event.key() == Qt.Key.Key_M:
            self.like_requested.emit(index.row())
        elif index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(index.row())
        else:
            super().keyPressEvent(event)
