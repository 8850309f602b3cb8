"""The source pane: a header, the source or what is embedded of it, and a find bar."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from inspector.compare.boundaries import Boundary
from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.ghost import find_ghost
from inspector.core.text import ENCODINGS
from inspector.ui.controls import Header, Segmented
from inspector.ui.embedded_text import EmbeddedText
from inspector.ui.find_bar import FindBar
from inspector.ui.lens import LensBar
from inspector.ui.picture import Lens, TokenMark
from inspector.ui.source_text import SourceText
from inspector.ui.theme import Theme

__all__ = ["SourceView", "TokenMark"]

EMPTY = "Pick a post on the left"
SOURCE, EMBEDDED, NOTHING = 0, 1, 2


class SourceView(QWidget):
    """Shows one document with its chunks. Selecting is a wish told by `offset_chosen`; `select_chunk` grants it."""

    offset_chosen = Signal(int)
    visible_offset_changed = Signal(int)
    lens_changed = Signal(str)
    encoding_chosen = Signal(str)
    example_wanted = Signal(int)  # the line whose fault a minimal example is to show, as a source offset

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._document: Document | None = None
        self._chunking: Chunking | None = None
        self.header = Header()
        self.pages = Segmented(("Source", "As embedded"), "Show")
        self.encoding_button = QPushButton("Reopen as…")
        self.encoding_button.setProperty("chip", True)
        self.encoding_button.setToolTip("Read this file in another encoding")
        self.encoding_button.setMenu(self._encoding_menu())
        self.header.row.addWidget(self.encoding_button)
        self.header.row.addWidget(self.pages)
        self.lens_bar = LensBar()
        self.text = SourceText(theme)
        self.embedded = EmbeddedText(theme)
        self._empty = QLabel(EMPTY)
        self._empty.setProperty("dim", True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        for page in (self.text, self.embedded, self._empty):
            self._stack.addWidget(page)
        self.find_bar = FindBar(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.header, self.lens_bar, self._stack, self.find_bar):
            column.addWidget(widget)
        self.setFocusProxy(self.text)
        self.text.offset_chosen.connect(self.offset_chosen)
        self.text.visible_offset_changed.connect(self.visible_offset_changed)
        self.embedded.chunk_chosen.connect(self._on_chunk_chosen)
        self.pages.chosen.connect(self._on_page_chosen)
        self.find_bar.found.connect(self._on_found)
        self.find_bar.closed.connect(self.text.setFocus)
        self.lens_bar.example_wanted.connect(self.ask_for_example)
        self.clear()

    def show_document(self, document: Document, chunking: Chunking, marks: tuple[TokenMark, ...] = ()) -> None:
        """Show a chunking of a document; `marks` has one entry a chunk, or none while tokens are not counted."""
        is_other = document is not self._document
        self._document, self._chunking = document, chunking
        if is_other:
            self.header.title.set_full_text(document.name.rpartition("/")[2], document.name)
            self.header.words.set_full_text(describe(document))
            self.encoding_button.setVisible(document.encoding != "UTF-8" or document.decoded.bad_byte is not None)
        self.text.show_document(document, chunking, marks)
        if is_other:
            self.find_bar.set_source(document.source)  # which marks what it finds in the text that is shown
        if self.pages.current == EMBEDDED:
            self.embedded.show_chunking(chunking)
        self.pages.setVisible(True)
        self._stack.setCurrentIndex(self.pages.current)
        self._show_lens()

    @property
    def lens(self) -> Lens:
        """What the lens shows."""
        return self.text.lens

    def set_lens(self, lens: Lens) -> None:
        """Put a lens on; it shows the source, not what is embedded."""
        if lens is self.text.lens:
            return
        self.text.set_lens(lens)
        if lens is not Lens.OFF and self._chunking is not None:
            self._choose_page(SOURCE)
        self._show_lens()
        self.lens_changed.emit(lens.value)

    def _show_lens(self) -> None:
        picture = self.text.picture
        self.lens_bar.show_lens(self.text.lens, self._document, picture.ghost if picture is not None else None)

    def ask_for_example(self) -> None:
        """Ask for a minimal example of the naive splitter's fault that is nearest to the selected chunk."""
        if self._document is None or self._chunking is None:
            return
        ghost = find_ghost(self._document)
        selected = self.text.selected
        here = self._chunking.chunks[selected].span.start if selected is not None else 0
        faults = (*ghost.invented, *ghost.lost)
        self.example_wanted.emit(min(faults, key=lambda offset: abs(offset - here)) if faults else -1)

    def _encoding_menu(self) -> QMenu:
        menu = QMenu(self)
        for codec, name in ENCODINGS.items():
            menu.addAction(name).triggered.connect(lambda _checked=False, c=codec: self.encoding_chosen.emit(c))
        return menu

    def clear(self, words: str = EMPTY) -> None:
        """Show no document, and words in its place."""
        self._document = self._chunking = None
        self.text.clear_document()
        self.header.title.set_full_text("")
        self.header.words.set_full_text("")
        self.encoding_button.setVisible(False)
        self.pages.setVisible(False)
        self._show_lens()
        self._empty.setText(words)
        self._stack.setCurrentIndex(NOTHING)

    def select_chunk(self, index: int | None) -> None:
        """Outline a chunk; None outlines none."""
        self.text.select_chunk(index)
        self.embedded.select_chunk(index, is_scrolled=self.pages.current == EMBEDDED)

    def show_other(self, other: Chunking | None, boundaries: tuple[Boundary, ...]) -> None:
        """Show another strategy's chunks in a second gutter, and where both cut; None takes it away."""
        self.text.show_other(other, boundaries)

    def show_fresh(self, chunks: frozenset[int]) -> None:
        """Dot the outlines of chunks that have just changed."""
        self.text.show_fresh(chunks)

    def scroll_to(self, offset: int) -> None:
        """Bring a source offset into sight, moving as little as possible."""
        self.text.scroll_to(offset)

    def scroll_to_top(self, offset: int) -> None:
        """Make the line of a source offset the first one in sight."""
        self.text.scroll_to_top(offset)

    def select_source(self, start: int, end: int) -> None:
        """Select a span of the source as text, as a problem's place."""
        self._choose_page(SOURCE)
        self.text.select_source(start, end)

    def selected_source(self) -> str:
        """Return the exact source of the selected text."""
        return self.text.selected_source()

    def open_find_bar(self) -> None:
        """Find in this post, beginning with what is selected."""
        if self._document is not None:
            self._choose_page(SOURCE)
            self.find_bar.open(self.text.selected_source())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through what was found with F3."""
        if event.key() == Qt.Key.Key_F3 and self.find_bar.isVisible():
            self.find_bar.keyPressEvent(event)
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Repaint after a change of style."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.text.refresh()

    def _choose_page(self, page: int) -> None:
        self.pages.choose(page)
        self._on_page_chosen(page)

    def _on_page_chosen(self, page: int) -> None:
        if self._chunking is None:
            return
        self._stack.setCurrentIndex(page)
        if page == EMBEDDED:
            self.embedded.show_chunking(self._chunking)
            self.embedded.select_chunk(self.text.selected)

    def _on_chunk_chosen(self, index: int) -> None:
        if self._chunking is not None:
            self.offset_chosen.emit(self._chunking.chunks[index].span.start)

    def _on_found(self, spans: tuple[tuple[int, int], ...], current: int) -> None:
        self.text.show_found(spans)
        if current >= 0:
            self.text.select_source(*spans[current])


def describe(document: Document) -> str:
    """Return a document's encoding, line ends and size in words."""
    counts = document.lines.counts
    kinds = [name for name, key in (("LF", "lf"), ("CRLF", "crlf"), ("CR", "cr")) if counts[key]]
    if len(kinds) > 1:
        ends = "mixed line ends"
    elif kinds == ["LF"] or not kinds:
        ends = ""
    else:
        ends = f"{kinds[0]} line ends"
    lines = len(document.lines) - (1 if document.source.endswith(("\n", "\r")) else 0)
    how = f"{document.encoding} (guessed)" if document.decoded.is_guess else document.encoding
    parts = [how, ends, f"{lines:,} line{'' if lines == 1 else 's'}"]
    return " · ".join(part for part in parts if part)
