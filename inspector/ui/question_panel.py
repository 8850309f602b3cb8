"""The question, room for the map, and below it the answers or the nearest of the selected chunk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from inspector.ui.answer_filter import FilterButton
from inspector.ui.answer_list import ANSWER_ROLE, Answer, AnswerModel, AnswerView
from inspector.ui.controls import ElidedLabel, Segmented, dim_label, hairline, set_state
from inspector.ui.question_field import QuestionField
from inspector.ui.score_histogram import ScoreHistogram
from inspector.ui.theme import NEAR, TIGHT, Theme

__all__ = ["ANSWER_ROLE", "Answer", "QuestionPanel"]

PAUSE_MILLISECONDS = 150
"""After the last letter, before what is typed so far is asked."""
ANSWERS, NEAREST = 0, 1
LEAST_HEIGHT = 96


class QuestionPanel(QWidget):
    """The pane: field, room for the map, answers. Asking is told by `question_asked`, an answer by `answer_chosen`."""

    question_asked = Signal(str)
    question_cleared = Signal()
    answer_chosen = Signal(str, int)
    like_requested = Signal(str, int)
    filter_changed = Signal(object)  # AnswerFilter
    typing_started = Signal()  # a question is coming

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_driven = False
        self._asked = ""
        self._is_live = False
        self._is_like = False
        self._heading = self._nearest_heading = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._on_paused)
        self.field = QuestionField(theme)
        self.model, self.nearest_model = AnswerModel(), AnswerModel()
        self.view, self.nearest_view = AnswerView(theme), AnswerView(theme, "Nearest chunks")
        self.tabs = Segmented(("Answers", "Nearest"), "List")
        self.histogram = ScoreHistogram(theme)
        self.histogram.hide()
        self.filter_button = FilterButton(theme)
        self.heading = ElidedLabel()
        self.heading.setProperty("dim", True)
        self.heading.setContentsMargins(NEAR + 2, 0, NEAR + 2, TIGHT)
        self.state = dim_label()
        self.state.setWordWrap(True)
        self.state.setContentsMargins(NEAR + 2, 0, NEAR + 2, NEAR)
        self._lists = QStackedWidget()
        for view, model in ((self.view, self.model), (self.nearest_view, self.nearest_model)):
            view.setModel(model)
            self._lists.addWidget(view)
        self._lay_out()
        self.setFocusProxy(self.field)
        self._connect()
        self.show_answers((), "")

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(NEAR + 2, TIGHT + 2, NEAR + 2, TIGHT + 2)
        head.setSpacing(NEAR)
        head.addWidget(self.tabs)
        head.addWidget(self.histogram, 1)
        head.addStretch(0)
        head.addWidget(self.filter_button)
        self._answers = QWidget()
        answers = QVBoxLayout(self._answers)
        answers.setContentsMargins(0, 0, 0, 0)
        answers.setSpacing(0)
        answers.addLayout(head)
        for widget in (self.heading, self.state, hairline()):
            answers.addWidget(widget)
        answers.addWidget(self._lists, 1)
        self._answers.setMinimumHeight(LEAST_HEIGHT)
        self._answers.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._splitter = QSplitter()
        self._splitter.setOrientation(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self._answers)
        top = QVBoxLayout()
        top.setContentsMargins(NEAR + 2, TIGHT, NEAR + 2, TIGHT)
        top.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._splitter, 1)

    def _connect(self) -> None:
        self.field.returnPressed.connect(self._on_asked)
        self.field.left.connect(self._on_left)
        self.field.recalled.connect(self._on_asked)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.textEdited.connect(self._on_typed)
        self.tabs.chosen.connect(self.show_tab)
        self.filter_button.chosen.connect(self.filter_changed)
        for view, model in ((self.view, self.model), (self.nearest_view, self.nearest_model)):
            view.chosen.connect(lambda row, m=model: self._on_chosen(m, row))
            view.like_requested.connect(lambda row, m=model: self._on_like(m, row))
            view.clicked.connect(lambda index, m=model: self._on_chosen(m, index.row()))
            view.selectionModel().currentChanged.connect(
                lambda current, _before, v=view, m=model: self._on_current_changed(v, m, current)
            )
            self._theme.changed.connect(view.viewport().update)

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

    def show_answers(self, answers: Sequence[Answer], question: str, like: str = "") -> None:
        """Show the answers to a question, or what is like a chunk, named by `like`, best first."""
        self._is_like = bool(like)
        if like:
            self._asked = ""
            self.field.clear()
        self._is_driven = True
        self.model.show_answers(answers, question)
        self.view.scrollToTop()
        self._is_driven = False
        self.tabs.set_label(ANSWERS, f"Answers {len(answers)}" if answers else "Answers")
        nothing = ""
        if question or like:
            nothing = "No post passes the filter" if self.filter_button.value.words else "Nothing to answer from yet"
        self._heading = f"More like {like}" if like else ""
        self._show_state("" if answers else nothing)
        self.show_tab(ANSWERS if answers or nothing else NEAREST)

    def show_scores(self, scores: NDArray[np.float32], answers: Sequence[float]) -> None:
        """Show all scores (n,) as a histogram with the answers marked."""
        self.histogram.show_scores(scores, answers)
        self._show_head()

    def show_nearest(self, answers: Sequence[Answer], words: str) -> None:
        """Show the nearest of the selected chunk, named by `words`."""
        self._nearest_heading = f"Nearest to {words}" if answers else ""
        self._is_driven = True
        self.nearest_model.show_answers(answers, "")
        self._is_driven = False
        self.tabs.set_label(NEAREST, f"Nearest {len(answers)}" if answers else "Nearest")
        has_answers = self.model.rowCount() > 0 or bool(self.state.text())
        self.show_tab(self.tabs.current if has_answers else NEAREST)

    def show_tab(self, tab: int) -> None:
        """Show the answers, or the nearest."""
        self.tabs.choose(tab)
        self._lists.setCurrentIndex(tab)
        self._show_head()

    def _show_head(self) -> None:
        """Show what belongs to the list in sight."""
        is_answers = self.tabs.current == ANSWERS
        heading = self._heading if is_answers else self._nearest_heading
        self.heading.set_full_text(heading)
        self.heading.setVisible(bool(heading))
        self.state.setVisible(is_answers and bool(self.state.text()))
        has_answers = self.model.rowCount() > 0
        self.histogram.setVisible(is_answers and has_answers)
        is_filtered = bool(self.filter_button.value.words)
        self.filter_button.setVisible(is_answers and (has_answers or is_filtered))
        self.tabs.button(ANSWERS).setEnabled(has_answers or bool(self.state.text()))
        self.tabs.button(NEAREST).setEnabled(self.nearest_model.rowCount() > 0)
        has_any = has_answers or self.nearest_model.rowCount() > 0 or bool(self.state.text())
        self._answers.setVisible(has_any)

    def show_state(self, words: str) -> None:
        """Say what is going on instead of answers, as "searching …"; the answers before stay until others come."""
        self._show_state(words)
        if words:
            self.show_tab(ANSWERS)

    def _show_state(self, words: str) -> None:
        self.state.setText(words)
        self._show_head()

    def select(self, document: str | None, chunk: int | None, *, scroll: bool = True) -> None:
        """Select the answer that is a chunk, if one is, and bring it in sight unless answers have just come."""
        self._is_driven = True
        for view, model in ((self.view, self.model), (self.nearest_view, self.nearest_model)):
            row = model.row_of(document, chunk)
            view.setAutoScroll(scroll)
            if row < 0:
                view.selectionModel().clear()
            else:
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
                view.selectionModel().setCurrentIndex(model.index(row), flags)
        self._is_driven = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the answers out anew."""
        super().resizeEvent(event)
        self.view.scheduleDelayedItemsLayout()
        self.nearest_view.scheduleDelayedItemsLayout()

    def _on_typed(self, text: str) -> None:
        if text.strip():
            self.typing_started.emit()
        if self._is_live:
            self._pause.start()

    def _on_paused(self) -> None:
        if self._is_live and self.field.text().strip() != self._asked:
            self._send()

    def _on_asked(self) -> None:
        question = self._send()
        if question:
            self.field.remember(question)

    def _send(self) -> str:
        """Ask what is in the field."""
        self._pause.stop()
        question = self.field.text().strip()
        if question:
            self._asked = question
            set_state(self.field, "asked", True)
            self.question_asked.emit(question)
        return question

    def _on_text_changed(self, text: str) -> None:
        if not text and self._asked:
            self._asked = ""
            self.show_answers((), "")
            self.question_cleared.emit()

    def _on_left(self) -> None:
        """Escape in an empty field takes what is like a chunk away."""
        if self._is_like:
            self.question_cleared.emit()

    def _on_current_changed(self, view: AnswerView, model: AnswerModel, current: QModelIndex) -> None:
        if current.isValid() and not self._is_driven and view.hasFocus():
            self._on_chosen(model, current.row())

    def _on_chosen(self, model: AnswerModel, row: int) -> None:
        answer = model.answer(row)
        self.answer_chosen.emit(answer.document, answer.chunk)

    def _on_like(self, model: AnswerModel, row: int) -> None:
        answer = model.answer(row)
        self.like_requested.emit(answer.document, answer.chunk)
