"""The lens over the source: what nobody sees made visible, and what a naive splitter would do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from inspector.core.document import Document
from inspector.core.ghost import Ghost
from inspector.ui.controls import ElidedLabel
from inspector.ui.picture import Lens
from inspector.ui.theme import NEAR

LENSES: Mapping[str, str] = MappingProxyType(
    {Lens.OFF: "Off", Lens.MARKS: "Marks for what nobody sees", Lens.GHOST: "What a naive splitter does"}
)


class LensBar(QFrame):
    """Says in words what the lens shows of this post, and offers a minimal example of the first fault."""

    example_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lens_bar")
        self.words = ElidedLabel()
        self.example_button = QPushButton("Copy a minimal example")
        self.example_button.setProperty("chip", True)
        self.example_button.setToolTip("At most 20 lines with the same fault, for a report")
        self.example_button.clicked.connect(self.example_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(NEAR + 2, 3, NEAR, 3)
        row.setSpacing(NEAR)
        row.addWidget(self.words, 1)
        row.addWidget(self.example_button)
        self.hide()

    def show_lens(self, lens: Lens, document: Document | None, ghost: Ghost | None) -> None:
        """Show what there is to say; nothing while the lens is off."""
        is_on = lens is not Lens.OFF and document is not None
        self.setVisible(is_on)
        if document is None or not is_on:
            return
        self.words.set_full_text(ghost_words(ghost) if ghost is not None else marks_words(document))
        self.example_button.setVisible(ghost is not None and ghost.differs)


def ghost_words(ghost: Ghost) -> str:
    """Return what a naive splitter makes of a post."""
    count = len(ghost.chunks)
    made = f"A naive splitter makes {count:,} chunk{'' if count == 1 else 's'}"
    faults = [
        f"{verb} {len(cuts):,} heading{'' if len(cuts) == 1 else 's'}"
        for verb, cuts in (("loses", ghost.lost), ("invents", ghost.invented))
        if cuts
    ]
    return f"{made}: it {' and '.join(faults)}" if faults else f"{made}, at the same headings"


def marks_words(document: Document) -> str:
    """Return how many of each line end a post has, and how many fences are left open."""
    counts = document.lines.counts
    ends = [f"{counts[key]:,} {name}" for name, key in (("LF", "lf"), ("CRLF", "crlf"), ("CR", "cr")) if counts[key]]
    unclosed = sum(not fence.is_closed for fence in document.fences)
    words = [", ".join(ends) or "no line ends"]
    if unclosed:
        words.append(f"{unclosed:,} fence{'' if unclosed == 1 else 's'} never closed")
    return "Line ends: " + " · ".join(words)
