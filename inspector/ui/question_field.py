"""The field for questions, which remembers those that were asked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMenu

from inspector.ui.controls import SearchField
from inspector.ui.theme import Theme

PLACEHOLDER = "Ask a question your readers would ask (Ctrl+L)"
REMEMBERED = 30


class QuestionField(SearchField):
    """Up and Down walk through earlier questions, as does the menu at its left."""

    recalled = Signal(str)  # an earlier question that is to be asked again
    history_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, PLACEHOLDER, "Question")
        self._history: list[str] = []
        self._at = -1  # how far back, -1 for what is being typed
        self._typed = ""
        self._history_theme = theme
        self._history_action = self.addAction(theme.icon("history", "dim"), QLineEdit.ActionPosition.LeadingPosition)
        self._history_action.setToolTip("Earlier questions (Up and Down)")
        self._history_action.triggered.connect(self.show_history)
        self._history_action.setEnabled(False)
        self.textEdited.connect(self._on_edited)
        theme.changed.connect(self._set_history_icon)

    @property
    def history(self) -> tuple[str, ...]:
        """The questions that were asked, the last first."""
        return tuple(self._history)

    def set_history(self, questions: Sequence[str]) -> None:
        """Remember these questions, the last first."""
        self._history = list(dict.fromkeys(questions))[:REMEMBERED]
        self._at = -1
        self._history_action.setEnabled(bool(self._history))

    def remember(self, question: str) -> None:
        """Remember a question as the last."""
        if self._history[:1] != [question]:
            self.set_history([question, *self._history])
            self.history_changed.emit()

    def make_history_menu(self) -> QMenu:
        """Return a menu of the earlier questions."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for question in self._history:
            shown = question if len(question) <= 60 else f"{question[:59]}…"
            action = menu.addAction(shown.replace("&", "&&"))
            action.triggered.connect(lambda _checked=False, q=question: self._recall(q))
        if self._history:
            menu.addSeparator()
            menu.addAction("Forget these questions").triggered.connect(self._forget)
        return menu

    def show_history(self) -> None:
        """Open the menu of the earlier questions."""
        self.make_history_menu().popup(self.mapToGlobal(QPoint(0, self.height())))

    def _recall(self, question: str) -> None:
        self.setText(question)
        self.recalled.emit(question)

    def _forget(self) -> None:
        self.set_history(())
        self.history_changed.emit()

    def _on_edited(self) -> None:
        self._at = -1

    def _set_history_icon(self) -> None:
        self._history_action.setIcon(self._history_theme.icon("history", "dim"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the earlier questions; Enter asks what is shown."""
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        if self._at < 0:
            self._typed = self.text()
        at = self._at + step
        if step > 0 and self._at < 0 and self._history[:1] == [self._typed]:
            at += 1  # what is shown already
        if at < len(self._history):
            self._at = max(-1, at)
            self.setText(self._history[self._at] if self._at >= 0 else self._typed)
            self.end(False)
