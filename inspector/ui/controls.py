"""Small parts that several views share: header rows, segmented buttons, search fields, hairlines."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from inspector.ui.theme import FAR, HEADER_HEIGHT, NEAR, Theme


class _Segment(QPushButton):
    """A button that has room for its text in the weight it has while it is pressed."""

    def sizeHint(self) -> QSize:
        """Ask for the wider of both weights, so that nothing moves when it is pressed."""
        pressed = QFont(self.font())
        pressed.setWeight(QFont.Weight.DemiBold)
        widths = [QFontMetrics(font).horizontalAdvance(self.text()) for font in (self.font(), pressed)]
        size = super().sizeHint()
        return QSize(size.width() + max(0, widths[1] - widths[0]), size.height())


class Segmented(QWidget):
    """Two or more buttons of which one is pressed."""

    chosen = Signal(int)

    def __init__(self, labels: Sequence[str], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        for number, label in enumerate(labels):
            button = _Segment(label)
            button.setCheckable(True)
            button.setAccessibleName(f"{name}: {label}")
            place = "first" if number == 0 else "last" if number == len(labels) - 1 else "middle"
            button.setProperty("segment", place)
            self._group.addButton(button, number)
            row.addWidget(button)
        self.choose(0)
        self._group.idClicked.connect(self.chosen)

    @property
    def current(self) -> int:
        """The number of the pressed button."""
        return self._group.checkedId()

    def choose(self, number: int) -> None:
        """Press a button, without a signal."""
        self._group.button(number).setChecked(True)

    def set_label(self, number: int, text: str) -> None:
        """Change what a button says."""
        self._group.button(number).setText(text)

    def button(self, number: int) -> QPushButton:
        """Return one of the buttons."""
        found = self._group.button(number)
        assert isinstance(found, QPushButton)
        return found


class ProgressBar(QProgressBar):
    """A bar that is painted with all else: Qt's own paints at once, and with it what else of the window is due."""

    def show_progress(self, done: int, total: int) -> None:
        """Show so many of all; a total of 0 is not known."""
        self.setUpdatesEnabled(False)
        self.setRange(0, total)
        self.setValue(done)
        self.setUpdatesEnabled(True)


class ElidedLabel(QLabel):
    """A label that shortens its text with an ellipsis instead of asking for room; the tooltip has all of it."""

    def __init__(self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__()
        self._full = self._hint = ""
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.set_full_text(text)

    @property
    def full_text(self) -> str:
        """The text before it was shortened."""
        return self._full

    def set_full_text(self, text: str, hint: str = "") -> None:
        """Show a text, shortened to the room there is; `hint` is its tooltip, also where it has room."""
        if (text, hint) == (self._full, self._hint):
            return
        self._full, self._hint = text, hint
        self.setAccessibleName(text)
        self.updateGeometry()
        self._shorten()

    def sizeHint(self) -> QSize:
        """Ask for the whole text."""
        metrics, margins = QFontMetrics(self.font()), self.contentsMargins()
        width = metrics.horizontalAdvance(self._full) + 4 + margins.left() + margins.right()
        return QSize(width, metrics.height() + margins.top() + margins.bottom())

    def minimumSizeHint(self) -> QSize:
        """Be content with little."""
        return QSize(24, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten anew."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._full, self._mode, max(24, self.contentsRect().width()))
        self.setToolTip(plain_tooltip(self._hint or (self._full if shown != self._full else "")))
        self.setText(shown)


class Header(QFrame):
    """The row above a pane: a strong title, dim words, and room for controls at the right."""

    def __init__(self, title: str = "") -> None:
        super().__init__()
        self.setObjectName("header")
        self.setFixedHeight(HEADER_HEIGHT)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(NEAR + 2, 0, NEAR, 0)
        self.row.setSpacing(FAR)
        self.title = ElidedLabel(title, Qt.TextElideMode.ElideMiddle)
        self.title.setProperty("strong", True)
        self.words = ElidedLabel()
        self.words.setProperty("dim", True)
        self.row.addWidget(self.title)
        self.row.addWidget(self.words, 1)


class SearchField(QLineEdit):
    """A field to search or filter with: a clear button, Escape empties it."""

    left = Signal()

    def __init__(self, theme: Theme, placeholder: str, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        theme.changed.connect(self._set_clear_icon)
        self._set_clear_icon()

    def _set_clear_icon(self) -> None:
        for button in self.findChildren(QToolButton):
            button.setIcon(self._theme.icon("x", "dim"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Empty the field with Escape; leave it with a second one."""
        if event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.left.emit()
            return
        super().keyPressEvent(event)


def strong_label(text: str) -> QLabel:
    """Return a label that stands out."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("strong", True)
    return label


def dim_label(text: str = "") -> QLabel:
    """Return a label that steps back."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("dim", True)
    return label


class SteadyLabel(QLabel):
    """Words that change at every move of a drag, and ask for another layout only when they need another width.

    With digits of one width that is seldom. `role` is the style sheet's: "dim" or "big"; `least` is the width in pixels
    that it takes in any case.
    """

    def __init__(self, role: str, least: int = 0) -> None:
        super().__init__()
        self.setProperty(role, True)
        self._least = least
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        """Show a text, in a place of its size: QLabel asks for a layout only where its size is not fixed."""
        if text != self.text():
            self._fit(text)
            super().setText(text)

    def changeEvent(self, event: QEvent) -> None:
        """Measure again in another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit(self.text())

    def _fit(self, text: str) -> None:
        self.ensurePolished()
        metrics = QFontMetrics(self.font())
        size = QSize(max(self._least, metrics.horizontalAdvance(text) + 1), metrics.height())
        if size != self.minimumSize():
            self.setFixedSize(size)


def hairline() -> QFrame:
    """Return a line of one pixel."""
    line = QFrame()
    line.setProperty("rule", True)
    line.setFixedHeight(1)
    return line


def set_state(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet reads, and style the widget anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def plain_tooltip(text: str) -> str:
    """Return a text that a tooltip shows as it is, though it holds what Qt takes for markup (a file's name may)."""
    return f"<qt>{html.escape(text)}</qt>".replace("\n", "<br>") if "<" in text else text


def set_tab_order(parts: Sequence[QWidget]) -> None:
    """Let Tab go through parts of a window one after the other, each in its own order."""
    order: list[QWidget] = []
    for part in parts:
        inside = [part, *part.findChildren(QWidget)]
        order += [
            widget
            for widget in inside
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.window() is part.window()  # no popup's list
        ]
    for first, second in pairwise(order):
        QWidget.setTabOrder(first, second)
