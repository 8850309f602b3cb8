"""A bar at the top that says what happened and what to do; never in the way of the work."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from inspector.core.problems.problem import Severity
from inspector.ui.controls import set_state
from inspector.ui.theme import NEAR, TIGHT, WIDE, Theme

ICONS = {
    Severity.ERROR: ("circle-x", "fault"),
    Severity.WARNING: ("triangle-alert", "cut"),
    Severity.NOTE: ("info", "accent"),
}


class MessageBar(QFrame):
    """Shows one message with up to one action of its own, and a way to copy the details."""

    action_chosen = Signal()
    dismissed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._theme = theme
        self._severity = Severity.NOTE
        self._details = ""
        self._picture = QLabel()
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action_button = QPushButton("Choose")
        self.copy_button = QPushButton("Copy details")
        self.close_button = QToolButton()
        self.close_button.setProperty("quiet", True)
        self.close_button.setToolTip("Close this message")
        self.close_button.setAccessibleName("Close this message")
        row = QHBoxLayout(self)
        row.setContentsMargins(WIDE, TIGHT + 2, NEAR, TIGHT + 2)
        row.setSpacing(NEAR)
        row.addWidget(self._picture)
        row.addWidget(self.words, 1)
        for button in (self.action_button, self.copy_button, self.close_button):
            row.addWidget(button)
        self.action_button.clicked.connect(self._on_action)
        self.copy_button.clicked.connect(self._on_copy)
        self.close_button.clicked.connect(self.dismiss)
        theme.changed.connect(self._paint_icons)
        self._paint_icons()
        self.hide()

    def show_message(
        self, text: str, severity: Severity = Severity.NOTE, *, details: str = "", action: str = ""
    ) -> None:
        """Show a message; `action` is what its button says (none when empty), `details` what can be copied."""
        self._severity, self._details = severity, details
        self.words.setText(text)
        self.setAccessibleName(f"{severity}: {text}")
        self.action_button.setVisible(bool(action))
        self.action_button.setText(action or "Choose")
        self.copy_button.setVisible(bool(details))
        set_state(self, "mark", severity.value)
        self._paint_icons()
        self.show()

    def dismiss(self) -> None:
        """Take the message away."""
        self.hide()
        self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        super().keyPressEvent(event)

    def _on_action(self) -> None:
        self.hide()
        self.action_chosen.emit()

    def _on_copy(self) -> None:
        QApplication.clipboard().setText(f"{self.words.text()}\n\n{self._details}")

    def _paint_icons(self) -> None:
        name, token = ICONS[self._severity]
        self._picture.setPixmap(self._theme.icon(name, token).pixmap(16, 16))
        self.close_button.setIcon(self._theme.icon("x", "dim"))
