"""The bar that finds words in the source: Ctrl+F, F3, Shift+F3, Escape."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from inspector.ui.controls import SearchField, dim_label, set_state
from inspector.ui.theme import NEAR, TIGHT, Theme

MOST_FOUND = 10_000


class FindBar(QFrame):
    """A field, how many places were found, and buttons to walk through them."""

    found = Signal(tuple, int)  # spans as source offsets, and which of them is the current one (-1 for none)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("find_bar")
        self._theme = theme
        self._source = ""
        self._folded: str | None = None  # in lower case, made when something is looked for
        self._spans: tuple[tuple[int, int], ...] = ()
        self._current = -1
        self.field = SearchField(theme, "Find in this post", "Find in this post")
        self.count = dim_label()
        self.before = self._button("chevron-up", "Previous (Shift+F3)")
        self.after = self._button("chevron-down", "Next (F3)")
        self.close_button = self._button("x", "Close (Esc)")
        row = QHBoxLayout(self)
        row.setContentsMargins(NEAR, TIGHT, NEAR, TIGHT)
        row.setSpacing(NEAR)
        for widget in (self.field, self.count, self.before, self.after, self.close_button):
            row.addWidget(widget, 1 if widget is self.field else 0)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.returnPressed.connect(self.find_next)
        self.field.left.connect(self.dismiss)
        self.before.clicked.connect(self.find_previous)
        self.after.clicked.connect(self.find_next)
        self.close_button.clicked.connect(self.dismiss)
        theme.changed.connect(self._on_theme_changed)
        self.hide()

    def _button(self, icon: str, words: str) -> QToolButton:
        button = QToolButton()
        button.setProperty("quiet", True)
        button.setProperty("icon_name", icon)
        button.setIcon(self._theme.icon(icon, "dim"))
        button.setToolTip(words)
        button.setAccessibleName(words)
        return button

    def _on_theme_changed(self) -> None:
        for button in (self.before, self.after, self.close_button):
            button.setIcon(self._theme.icon(str(button.property("icon_name")), "dim"))

    def set_source(self, source: str) -> None:
        """Search in this text from now on."""
        self._source = source
        self._folded = None
        if self.isVisible():
            self._on_text_changed(self.field.text())

    def open(self, words: str = "") -> None:
        """Show the bar with the cursor in it."""
        self.show()
        if words and "\n" not in words:
            self.field.setText(words)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._on_text_changed(self.field.text())

    def dismiss(self) -> None:
        """Hide the bar and its marks."""
        self.hide()
        self._spans, self._current = (), -1
        self.found.emit((), -1)
        self.closed.emit()

    def find_next(self) -> None:
        """Go to the next place found, from the last to the first."""
        self._step(1)

    def find_previous(self) -> None:
        """Go to the place found before this one."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self._spans:
            self._current = (self._current + by) % len(self._spans)
            self._show()

    def _on_text_changed(self, words: str) -> None:
        self._spans = tuple(self._search(words))
        self._current = 0 if self._spans else -1
        self._show()

    def _show(self) -> None:
        set_state(self.field, "wrong", bool(self.field.text()) and not self._spans)
        if self._spans:
            self.count.setText(f"{self._current + 1:,} of {len(self._spans):,}")
        else:
            self.count.setText("not found" if self.field.text() else "")
        self.found.emit(self._spans, self._current)

    def _search(self, words: str) -> list[tuple[int, int]]:
        if not words:
            return []
        text = self._source
        if words == words.lower():
            if self._folded is None:
                folded = text.lower()
                self._folded = folded if len(folded) == len(text) else text
            text = self._folded
        spans: list[tuple[int, int]] = []
        at = text.find(words)
        while at >= 0 and len(spans) < MOST_FOUND:
            spans.append((at, at + len(words)))
            at = text.find(words, at + len(words))
        return spans

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with F3, close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() == Qt.Key.Key_F3:
            self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)
