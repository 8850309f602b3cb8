"""The cleaned text of a document, chunk after chunk, as it goes into the chunks."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPaintEvent, QPen, QTextBlock, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from inspector.core.chunk import Chunking
from inspector.ui.offsets import OffsetMap
from inspector.ui.theme import TINY_PIXELS, Theme, code_font, ui_font

BAND = 10
NUMBER_WIDTH = 30
SEPARATOR = "\n\n"


class EmbeddedText(QPlainTextEdit):
    """Read-only; a click chooses a chunk."""

    chunk_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._starts: list[int] = []  # the first block of each chunk
        self._selected: int | None = None
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(code_font())
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(6)
        self.setAccessibleName("Source as embedded")
        self._margin = BAND + NUMBER_WIDTH + 8
        self.setViewportMargins(self._margin, 0, 0, 0)
        self._gutter = _Gutter(self, theme)
        theme.changed.connect(self._refresh)
        self.verticalScrollBar().valueChanged.connect(self._gutter.update)

    def show_chunking(self, chunking: Chunking) -> None:
        """Show the texts of all chunks in order."""
        self._starts, lines, parts = [], 0, []
        for chunk in chunking.chunks:
            self._starts.append(lines)
            text = OffsetMap(chunk.text).text
            parts.append(text)
            lines += text.count("\n") + SEPARATOR.count("\n")
        text = SEPARATOR.join(parts)
        if text != self.toPlainText():
            top = self.verticalScrollBar().value()
            self.setPlainText(text)
            self.verticalScrollBar().setValue(top)
        self._refresh()

    def select_chunk(self, index: int | None, is_scrolled: bool = True) -> None:
        """Outline a chunk and bring it into sight."""
        self._selected = index
        if index is not None and index < len(self._starts) and is_scrolled:
            block = self.document().findBlockByNumber(self._starts[index])
            self.setTextCursor(QTextCursor(block))
            self.verticalScrollBar().setValue(block.firstLineNumber())
        self._refresh()

    def chunk_of(self, block: int) -> int | None:
        """Return the chunk of a line, None for the blank line between two."""
        from bisect import bisect_right

        chunk = bisect_right(self._starts, block) - 1
        if chunk < 0:
            return None
        is_gap = chunk + 1 < len(self._starts) and block == self._starts[chunk + 1] - 1
        return None if is_gap else chunk

    def starts_chunk(self, block: int) -> bool:
        """Say whether a line is the first of its chunk."""
        chunk = self.chunk_of(block)
        return chunk is not None and self._starts[chunk] == block

    @property
    def selected(self) -> int | None:
        """The chunk with the outline."""
        return self._selected

    def places(self) -> list[tuple[QTextBlock, QRectF]]:
        """Return the lines in sight with their places."""
        found, block = [], self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if rect.top() > self.viewport().height():
                break
            found.append((block, rect))
            block = block.next()
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tints under the text."""
        painter = QPainter(self.viewport())
        width = self.viewport().width()
        for block, rect in self.places():
            chunk = self.chunk_of(block.blockNumber())
            if chunk is not None:
                painter.fillRect(QRectF(0, rect.top(), width, rect.height()), self._theme.colors.tint(chunk))
                if self.starts_chunk(block.blockNumber()):
                    painter.setPen(QPen(self._theme.colors.band(chunk), 1))
                    painter.drawLine(QPointF(0, rect.top() + 0.5), QPointF(width, rect.top() + 0.5))
        painter.end()
        super().paintEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the chunk that was clicked."""
        super().mouseReleaseEvent(event)
        chunk = self.chunk_of(self.cursorForPosition(event.position().toPoint()).blockNumber())
        if chunk is not None and not self.textCursor().hasSelection():
            self.chunk_chosen.emit(chunk)

    def place_gutter(self) -> None:
        """Keep the gutter beside the text."""
        area = self.contentsRect()
        self._gutter.setGeometry(area.left(), area.top(), self._margin, area.height())

    def resizeEvent(self, event: object) -> None:
        """Keep the gutter beside the text."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.place_gutter()

    def _refresh(self) -> None:
        self.viewport().update()
        self._gutter.update()


class _Gutter(QWidget):
    """Band and number of each chunk."""

    def __init__(self, text: EmbeddedText, theme: Theme) -> None:
        super().__init__(text)
        self._text = text
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bands of the lines in sight."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("page"))
        painter.setFont(ui_font(TINY_PIXELS, QFont.Weight.DemiBold))
        for block, rect in self._text.places():
            chunk = self._text.chunk_of(block.blockNumber())
            if chunk is None:
                continue
            color = self._theme.colors.band(chunk)
            painter.fillRect(QRectF(0, rect.top(), self.width(), rect.height()), self._theme.colors.tint(chunk))
            painter.fillRect(QRectF(4, rect.top(), BAND, rect.height()), color)
            if chunk == self._text.selected:
                painter.fillRect(QRectF(0, rect.top(), 3, rect.height()), self._theme.color("accent"))
            if self._text.starts_chunk(block.blockNumber()):
                painter.setPen(color)
                words = QRectF(BAND + 9, rect.top(), NUMBER_WIDTH, min(rect.height(), 18))
                painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, str(chunk + 1))
