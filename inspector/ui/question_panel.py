"""The question and its answers, with room for the map between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QSizePolicy,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.controls import SearchField, dim_label, set_state
from inspector.ui.map_data import short_name
from inspector.ui.offsets import OffsetMap
from inspector.ui.snippet import Snippet, make_snippet
from inspector.ui.theme import NEAR, SMALL_PIXELS, TIGHT, Theme, ui_font

PLACEHOLDER = "Ask a question your readers would ask (Ctrl+L)"
ANSWER_ROLE = Qt.ItemDataRole.UserRole + 1
PAUSE_MILLISECONDS = 150
"""After the last letter, before what is typed so far is asked."""
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
            return place
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"Answer {answer.rank}, score {answer.score:.2f}, {place}. {snippet.text}"
        return None


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

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setItemDelegate(AnswerDelegate(self, theme))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName("Answers")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy an answer, choose one with Enter."""
        index = self.currentIndex()
        if index.isValid() and event.matches(QKeySequence.StandardKey.Copy):
            answer, _ = index.data(ANSWER_ROLE)
            QApplication.clipboard().setText(answer.text)
        elif index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(index.row())
        else:
            super().keyPressEvent(event)


class QuestionPanel(QWidget):
    """The pane: field, room for the map, answers. Asking is told by `question_asked`, an answer by `answer_chosen`."""

    question_asked = Signal(str)
    question_cleared = Signal()
    answer_chosen = Signal(str, int)
    typing_started = Signal()  # a question is coming

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_driven = False
        self._asked = ""
        self._is_live = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._on_paused)
        self.field = SearchField(theme, PLACEHOLDER, "Question")
        self.model = AnswerModel()
        self.view = AnswerView(theme)
        self.view.setModel(self.model)
        self.state = dim_label()
        self.state.setWordWrap(True)
        self.state.setContentsMargins(NEAR + 2, NEAR, NEAR + 2, NEAR)
        self._answers = QWidget()
        answers = QVBoxLayout(self._answers)
        answers.setContentsMargins(0, 0, 0, 0)
        answers.setSpacing(0)
        answers.addWidget(self.state)
        answers.addWidget(self.view, 1)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self._answers)
        self._answers.setMinimumHeight(60)
        self._answers.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        top = QVBoxLayout()
        top.setContentsMargins(NEAR + 2, TIGHT, NEAR + 2, TIGHT)
        top.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._splitter, 1)
        self.setFocusProxy(self.field)
        self.field.returnPressed.connect(self._on_asked)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.textEdited.connect(self._on_typed)
        self.view.chosen.connect(self._on_chosen)
        self.view.clicked.connect(self._on_clicked)
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        theme.changed.connect(self.view.viewport().update)
        self.show_answers((), "")

    def set_middle(self, widget: QWidget) -> None:
        """Put the map between the question and its answers."""
        self._splitter.insertWidget(0, widget)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)

    def set_live(self, is_live: bool) -> None:
        """Say whether questions are answered so fast that they are asked while they are typed."""
        self._is_live = is_live

    def focus_question(self) -> None:
        """Put the cursor into the question, all of it selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def ask(self, question: str) -> None:
        """Ask a question as if it were typed."""
        self.field.setText(question)
        self._on_asked()

    def show_answers(self, answers: Sequence[Answer], question: str) -> None:
        """Show the answers to a question, best first."""
        self._is_driven = True
        self.model.show_answers(answers, question)
        self._is_driven = False
        self.view.setVisible(bool(answers))
        nothing = "Nothing to answer from yet" if question else ""
        self._show_state("" if answers else nothing)

    def show_state(self, words: str) -> None:
        """Say what is going on instead of answers, as "searching …"; the answers before stay until others come."""
        self._show_state(words)

    def _show_state(self, words: str) -> None:
        self.state.setText(words)
        self.state.setVisible(bool(words))
        self._answers.setVisible(bool(words) or self.model.rowCount() > 0)

    def select(self, document: str | None, chunk: int | None) -> None:
        """Select the answer that is a chunk, if one is."""
        self._is_driven = True
        for row in range(self.model.rowCount()):
            answer, _ = self.model.index(row).data(ANSWER_ROLE)
            if (answer.document, answer.chunk) == (document, chunk):
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
                self.view.selectionModel().setCurrentIndex(self.model.index(row), flags)
                break
        else:
            self.view.selectionModel().clear()
        self._is_driven = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the answers out anew."""
        super().resizeEvent(event)
        self.view.scheduleDelayedItemsLayout()

    def _on_typed(self, text: str) -> None:
        if text.strip():
            self.typing_started.emit()
        if self._is_live:
            self._pause.start()

    def _on_paused(self) -> None:
        if self._is_live and self.field.text().strip() != self._asked:
            self._on_asked()

    def _on_asked(self) -> None:
        self._pause.stop()
        question = self.field.text().strip()
        if question:
            self._asked = question
            set_state(self.field, "asked", True)
            self.question_asked.emit(question)

    def _on_text_changed(self, text: str) -> None:
        if not text and self._asked:
            self._asked = ""
            self.show_answers((), "")
            self.question_cleared.emit()

    def _on_clicked(self, index: QModelIndex) -> None:
        self._on_chosen(index.row())

    def _on_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        if current.isValid() and not self._is_driven and self.view.hasFocus():
            self._on_chosen(current.row())

    def _on_chosen(self, row: int) -> None:
        answer, _ = self.model.index(row).data(ANSWER_ROLE)
        self.answer_chosen.emit(answer.document, answer.chunk)
