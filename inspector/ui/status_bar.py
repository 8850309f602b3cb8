"""The bar at the bottom: the ledger's shares and the dialect at the left, what is under way at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStatusBar, QWidget

from inspector.ui.controls import ProgressBar, dim_label
from inspector.ui.theme import NEAR, WIDE

SHARES = 4
TOLD_MILLISECONDS = 6_000


class _Row(QWidget):
    """A row as high as the highest it can show: the bar, and all above it, would move each time something is read."""

    def sizeHint(self) -> QSize:
        """Keep room for what is hidden."""
        return super().sizeHint().expandedTo(self.minimumSizeHint())

    def minimumSizeHint(self) -> QSize:
        """Keep room for what is hidden."""
        children = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return super().minimumSizeHint().expandedTo(QSize(0, max(child.sizeHint().height() for child in children)))


class StatusBar(QStatusBar):
    """Numbers that are always true, and progress with a Cancel."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.ledger_labels = [dim_label() for _ in range(SHARES)]
        self.dialect_label = dim_label()
        self.progress_label = dim_label()
        self.progress_bar = ProgressBar()
        self.progress_bar.setTextVisible(False)
        self.progress_bar.setFixedWidth(120)
        self.progress_bar.setAccessibleName("Progress")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setProperty("chip", True)
        self.cancel_button.clicked.connect(self.cancelled)
        self.vector_label = dim_label()
        left, row = QWidget(), QHBoxLayout()
        left.setLayout(row)
        row.setContentsMargins(WIDE - 4, 0, 0, 0)
        row.setSpacing(WIDE + NEAR)
        self.told_label = QLabel()
        self.told_label.setTextFormat(Qt.TextFormat.PlainText)
        self._facts = (*self.ledger_labels, self.dialect_label)
        for label in (*self._facts, self.told_label):
            row.addWidget(label)
        self.told_label.hide()
        self._told = QTimer(self)
        self._told.setSingleShot(True)
        self._told.setInterval(TOLD_MILLISECONDS)
        self._told.timeout.connect(lambda: self.tell(""))
        self.addWidget(left)
        right, row = _Row(), QHBoxLayout()
        right.setLayout(row)
        row.setContentsMargins(0, 0, WIDE - 4, 0)
        row.setSpacing(NEAR)
        for widget in (self.progress_label, self.progress_bar, self.cancel_button, self.vector_label):
            row.addWidget(widget)
        self.addPermanentWidget(right)
        self.show_reading(0, 0)

    def show_shares(self, words: Sequence[str]) -> None:
        """Show the ledger's shares."""
        for label, text in zip(self.ledger_labels, [*words, *[""] * SHARES], strict=False):
            label.setText(text)

    def show_dialect(self, words: str, in_full: str) -> None:
        """Show which site dialect is read."""
        self.dialect_label.setText(words)
        self.dialect_label.setToolTip(in_full)

    def show_map(self, words: str) -> None:
        """Show how far the vectors and the map are."""
        self.vector_label.setText(words)

    def show_reading(self, done: int, total: int) -> None:
        """Show how many files are read; a total of 1 or less is not known yet, 0 ends it."""
        is_reading = total > 0 and done < total
        is_known = total > 1
        self.progress_label.setText(f"{done:,} of {total:,} files" if is_known else "Looking for files")
        self.progress_bar.show_progress(done, total if is_known else 0)
        for widget in (self.progress_label, self.progress_bar, self.cancel_button):
            widget.setVisible(is_reading)
        self.vector_label.setVisible(not is_reading)

    def tell(self, words: str) -> None:
        """Say for some seconds, in place of the shares, what has been done."""
        self.told_label.setText(words)
        self.told_label.setVisible(bool(words))
        for label in self._facts:
            label.setVisible(not words)
        if words:
            self._told.start()
