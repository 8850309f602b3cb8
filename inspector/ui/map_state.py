"""What the map pane shows in place of a map, and above one while something is going on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.ui.controls import ElidedLabel, ProgressBar, dim_label
from inspector.ui.theme import FAR, NEAR, TIGHT

NO_VECTORS = "No vectors yet; chunking works without them."
NO_CHUNKS = "No chunks yet"


class MessagePage(QWidget):
    """Why there is no map, and what can be done."""

    embed_requested = Signal()
    choose_model_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._body = QWidget()
        page = QVBoxLayout(self)
        page.addWidget(self._body)
        self.message = dim_label()
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.embed_button = QPushButton()
        self.choose_button = QPushButton("Choose…")
        self.embed_button.clicked.connect(self.embed_requested)
        self.choose_button.clicked.connect(self.choose_model_requested)
        column = QVBoxLayout(self._body)
        column.setSpacing(FAR)
        column.addStretch(1)
        column.addWidget(self.message)
        for button in (self.embed_button, self.choose_button):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def show_empty(self, chunk_count: int, seconds: float | None) -> None:
        """Offer to embed so many chunks, which is estimated to take `seconds`."""
        self.message.setText(NO_VECTORS if chunk_count else NO_CHUNKS)
        about = f", about {duration(seconds)}" if seconds is not None else ""
        self.embed_button.setText(f"Embed {chunk_count:,} chunk{'' if chunk_count == 1 else 's'}{about}")
        self.embed_button.setVisible(chunk_count > 0)
        self.choose_button.setVisible(False)

    def show_error(self, words: str) -> None:
        """Say what went wrong with the model, and offer to choose another."""
        self.message.setText(words)
        self.embed_button.setVisible(False)
        self.choose_button.setVisible(True)

    def show_body(self, is_shown: bool) -> None:
        """Show the words, or leave them out while something runs."""
        self._body.setVisible(is_shown)


class MapProgress(QWidget):
    """The stage that is running, with a bar and Cancel."""

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.stage = ElidedLabel()
        self.bar = ProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setProperty("small", True)
        self.cancel_button.setToolTip("Finished vectors stay")
        self.cancel_button.clicked.connect(self.cancel_requested)
        row = QHBoxLayout()
        row.setSpacing(NEAR)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, TIGHT, 0, 0)
        column.setSpacing(TIGHT)
        column.addWidget(self.stage)
        column.addLayout(row)
        self.hide()

    def show_stage(self, stage: str | None, done: int, total: int) -> None:
        """Name the stage, with how far it is where that is known; None hides."""
        self.setVisible(stage is not None)
        if stage is not None:
            self.stage.set_full_text(stage)
            self.bar.show_progress(done, total)


def duration(seconds: float) -> str:
    """Return a length of time in words: seconds up to 90, then minutes."""
    if seconds < 1:
        return "1 s"
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"
