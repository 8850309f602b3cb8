"""The source as text: read-only, with tints, strikes, pills and the selected chunk painted for the lines in sight."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QPlainTextEdit, QToolTip, QWidget

from inspector.compare.boundaries import Boundary
from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.ghost import Ghost, find_ghost
from inspector.core.unseen import full_name_of
from inspector.ui.offsets import OffsetMap, moved_offset
from inspector.ui.picture import Lens, Picture, Run, Style, TokenMark
from inspector.ui.pill import pill_width
from inspector.ui.source_gutter import SourceGutter
from inspector.ui.source_paint import FOUND, SELECTED, SourcePainter
from inspector.ui.source_scene import Scene, VisualLine, covers, extent_of, lines_of, place_pills, x_of
from inspector.ui.theme import CODE_PIXELS, LARGEST_CODE_PIXELS, SMALLEST_CODE_PIXELS, Theme, code_font

LINES_ABOVE = 3
"""How many lines stand above a place that was scrolled to."""
TEXT_MARGIN = 6


class SourceText(QPlainTextEdit):
    """The text pane. Nothing is inserted into the text; all marks are painted over the lines in sight."""

    offset_chosen = Signal(int)
    visible_offset_changed = Signal(int)
    zoomed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._paint = SourcePainter(theme)
        self._map = OffsetMap("")
        self._picture: Picture | None = None
        self._document: Document | None = None
        self._expanded: frozenset[int] = frozenset()
        self._selected: int | None = None
        self._hovered: int | None = None
        self._found: tuple[tuple[int, int], ...] = ()
        self._rows: tuple[VisualLine, ...] | None = None  # in sight; they stay while nothing moves
        self._scene: Scene | None = None
        self._lens = Lens.OFF
        self._fresh: frozenset[int] = frozenset()
        self._ghost: tuple[Document, Ghost] | None = None
        self._is_scrolled_by_program = False
        self._top = 0
        self._pressed_at: QPoint | None = None
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName("Source")
        self.setAccessibleDescription("The post as it is written, with the chunks marked")
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.document().setDocumentMargin(TEXT_MARGIN)
        self._gutter = SourceGutter(self, theme)
        self._set_pixels(CODE_PIXELS)
        theme.changed.connect(self.refresh)

    # What is shown

    @property
    def picture(self) -> Picture | None:
        """What is drawn now."""
        return self._picture

    @property
    def offsets(self) -> OffsetMap:
        """The way between source offsets and Qt's positions."""
        return self._map

    @property
    def selected(self) -> int | None:
        """The index of the chunk with the outline."""
        return self._selected

    @property
    def hovered(self) -> int | None:
        """The index of the chunk under the mouse."""
        return self._hovered

    def show_document(self, document: Document, chunking: Chunking, marks: tuple[TokenMark, ...] = ()) -> None:
        """Show a chunking; the text itself is set only when the document is another one.

        Of a drag most moves change nothing in sight: then nothing is painted.
        """
        before: tuple[object, ...] | None = None
        if document is self._document:
            before = self._sight()
        else:
            is_reload = self._document is not None and self._document.name == document.name
            top = self.first_visible_offset() if is_reload else 0
            if is_reload and self._document is not None:
                top = moved_offset(self._document.source, document.source, top)
            self._document = document
            self._expanded = frozenset()
            self._found = ()
            self._selected = self._hovered = None
            self._set_text()
            if is_reload:
                self._scroll_to_row(top, 0)
        self._picture = Picture(document, chunking, marks, self._lens, self._ghost_of(document))
        self._scene = None
        self._forget_chunks_from(len(chunking.chunks))
        if before is None or self._sight() != before:
            self.refresh()

    def _forget_chunks_from(self, count: int) -> None:
        """Outline no chunk that there is no more: of another chunking there may be fewer."""
        if self._selected is not None and self._selected >= count:
            self._selected = None
        if self._hovered is not None and self._hovered >= count:
            self._hovered = None
        self._fresh = frozenset(chunk for chunk in self._fresh if chunk < count)

    def _sight(self) -> tuple[object, ...]:
        """Return what the next painting would be made from, as far as a chunking decides it."""
        picture, scene = self._picture, self.scene()
        if picture is None or not scene.rows:
            return ()
        outlined = [chunk for chunk in (self._selected, self._hovered, *self._fresh) if chunk is not None]
        places = [(chunk, self.rows_of(picture.runs_of(chunk))) for chunk in outlined]
        return scene.pills, picture.seen_in(scene.rows[0].start, scene.rows[-1].end + 1), places

    @property
    def lens(self) -> Lens:
        """What the lens shows."""
        return self._lens

    def set_lens(self, lens: Lens) -> None:
        """Put another lens on."""
        self._lens = lens
        if self._picture is not None:
            before = self._picture
            ghost = self._ghost_of(before.document)
            self._picture = Picture(before.document, before.chunking, before.marks, lens, ghost)
            self._scene = None
        self.refresh()

    def _ghost_of(self, document: Document) -> Ghost | None:
        """Return a naive splitter's cuts while the lens shows them; found once a document."""
        if self._lens is not Lens.GHOST:
            return None
        if self._ghost is None or self._ghost[0] is not document:
            self._ghost = (document, find_ghost(document))
        return self._ghost[1]

    def show_other(self, other: Chunking | None, boundaries: tuple[Boundary, ...]) -> None:
        """Show another strategy's chunks in a second gutter, and where both cut; None takes it away."""
        self._gutter.show_other(other, boundaries)
        self.refresh()

    def show_fresh(self, chunks: frozenset[int]) -> None:
        """Dot the outlines of chunks that have just changed; none takes the dots away."""
        self._fresh = chunks
        self._forget_chunks_from(len(self._picture.chunking.chunks) if self._picture is not None else 0)
        self.refresh()

    def clear_document(self) -> None:
        """Show nothing."""
        self._document = None
        self._picture = None
        self._map = OffsetMap("")
        self.setPlainText("")
        self._move()

    def select_chunk(self, index: int | None) -> None:
        """Outline a chunk; None takes the outline away."""
        if index != self._selected:
            self._selected = index
            self.refresh()

    def scroll_to(self, offset: int) -> None:
        """Bring a source offset into sight; nothing moves when it is there already, away from the edges."""
        for row in self.scene().rows:
            if row.start <= offset <= row.end and row.top >= 0 and row.bottom < self.viewport().height() * 0.75:
                return
        self._scroll_to_row(offset, LINES_ABOVE)

    def scroll_to_top(self, offset: int) -> None:
        """Make the line of a source offset the first one in sight."""
        self._scroll_to_row(offset, 0)

    def first_visible_offset(self) -> int:
        """Return the source offset at which the first line in sight begins."""
        rows = self.scene().rows
        return rows[0].start if rows else 0

    def show_found(self, spans: tuple[tuple[int, int], ...]) -> None:
        """Mark what a search found, as source offsets."""
        self._found = spans
        self.refresh()

    def refresh(self) -> None:
        """Paint anew what is in sight."""
        self.viewport().update()
        self._gutter.update()

    def _move(self) -> None:
        """Paint anew what is in sight, as other lines are, or in other places."""
        self._rows = self._scene = None
        self.refresh()

    def _set_text(self) -> None:
        assert self._document is not None
        self._map = OffsetMap(self._document.source, self._expanded)
        self._is_scrolled_by_program = True
        self._gutter.fit(len(self._document.lines))
        self.setPlainText(self._map.text)
        self._is_scrolled_by_program = False
        self._rows = self._scene = None

    def _scroll_to_row(self, offset: int, lines_above: int) -> None:
        position = self._map.position(offset)
        block = self.document().findBlock(position)
        self.blockBoundingGeometry(block)  # lays the block out, so that its lines can be asked
        line = block.layout().lineForTextPosition(position - block.position())
        row = block.firstLineNumber() + (line.lineNumber() if line.isValid() else 0)
        self._is_scrolled_by_program = True
        self.verticalScrollBar().setValue(max(0, row - lines_above))
        self._is_scrolled_by_program = False
        self._move()

    # What is in sight

    def scene(self) -> Scene:
        """Return the visual lines in sight and the pills beside them."""
        if self._scene is None:
            if self._rows is None:
                self._rows = tuple(self._visual_lines())
            rows, picture = self._rows, self._picture
            pills = place_pills(rows, picture, self.viewport().width()) if picture is not None else ()
            self._scene = Scene(rows, tuple(pills))
        return self._scene

    def _visual_lines(self) -> Iterator[VisualLine]:
        if self._document is None:
            return
        height = self.viewport().height()
        block = self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if rect.top() > height:
                return
            yield from lines_of(block, rect.topLeft(), height, self._map)
            block = block.next()

    def level_of(self, chunk: int) -> int:
        """Return how many pixels below the top a chunk's first line in sight is, 0 where it begins above."""
        if self._picture is None or self._picture.chunking.chunks[chunk : chunk + 1] == ():
            return 0
        start = self._picture.chunking.chunks[chunk].span.start
        row = next((row for row in self.scene().rows if row.start <= start <= row.end), None)
        return max(0, round(row.top)) if row is not None else 0

    def x_of(self, row: VisualLine, offset: int) -> float:
        """Return the x in the viewport of a source offset on a visual line."""
        return x_of(row, offset, self._map)

    def rows_of(self, runs: tuple[Run, ...]) -> tuple[float, float] | None:
        """Return top and bottom of the part of some runs that is in sight."""
        return extent_of(runs, self.scene().rows, self.viewport().height())

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint tints, then the text with its styles, then rules, outlines and pills."""
        painter = QPainter(self.viewport())
        painter.setClipRect(event.rect())
        painter.fillRect(event.rect(), self._theme.color("page"))
        scene, picture, paint = self.scene(), self._picture, self._paint
        paint.offsets, paint.width = self._map, self.viewport().width()
        if picture is not None:
            for row in scene.rows:
                paint.paint_tint(painter, row, picture)
        self._paint_text(painter, scene.rows)
        if picture is None:
            return
        paint.paint_unread(painter, scene.rows, picture)
        for row in scene.rows:
            paint.paint_unseen(painter, row, picture)
            paint.paint_ghost(painter, row, picture)
        for number in self._fresh:
            place = self.rows_of(picture.runs_of(number))
            if place is not None:
                paint.paint_outline(painter, place, 2, is_dotted=True)
        for chunk, width in ((self._hovered, 1), (self._selected, 2)):
            if chunk is None or (width == 1 and chunk == self._selected):
                continue
            place = self.rows_of(picture.runs_of(chunk))
            if place is not None:
                paint.paint_outline(painter, place, width)
        for placed in scene.pills:
            paint.paint_pill(painter, placed)

    def _paint_text(self, painter: QPainter, rows: tuple[VisualLine, ...]) -> None:
        for number, group in groupby(rows, key=lambda row: row.block):
            block = self.document().findBlockByNumber(number)
            spans: tuple[tuple[int, int, Style], ...] = ()
            if self._picture is not None:
                line = self._picture.document.lines.span_of(number + 1)
                spans = tuple(self._picture.styles_in(line.start, line.end))
            self._paint.paint_text(painter, block.layout(), tuple(group), spans, self._selections(block))

    def _selections(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        """Return what is found and what is selected in a block."""
        position, length = block.position(), block.length() - 1
        found = [(self._map.position(a) - position, self._map.position(b) - position, FOUND) for a, b in self._found]
        cursor = self.textCursor()
        if cursor.hasSelection():
            start, end = cursor.selectionStart() - position, cursor.selectionEnd() - position
            found = [item for item in found if item[1] <= start or item[0] >= end]
            found.append((start, end, SELECTED))
        ranges = ((max(0, a), min(length, b), style) for a, b, style in found if b > 0 and a < length)
        return [self._paint.selection(*item) for item in ranges]

    # What the author does

    def offset_at(self, point: QPoint) -> int:
        """Return the source offset under a point of the viewport."""
        return self._map.offset(self.cursorForPosition(point).position())

    def chunk_under(self, point: QPoint) -> int | None:
        """Return the chunk whose tint is under a point of the viewport."""
        if self._picture is None:
            return None
        for row in self.scene().rows:
            if row.top <= point.y() < row.bottom:
                runs = [run for run in self._picture.runs_in(row.start, row.end) if covers(run, row)]
                if len(runs) > 1:
                    offset = self.offset_at(point)
                    runs = [run for run in runs if run.start <= offset] or runs
                return runs[-1].chunk if runs else None
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click began, so that a drag that selects text is none."""
        self._pressed_at = event.position().toPoint() if event.button() is Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the place that was clicked."""
        super().mouseReleaseEvent(event)
        self.viewport().update()
        point = event.position().toPoint()
        pressed, self._pressed_at = self._pressed_at, None
        if pressed is None or (point - pressed).manhattanLength() > QApplication.startDragDistance():
            return
        if self._document is not None and not self.textCursor().hasSelection():
            self.choose_at(point)

    def choose_at(self, point: QPoint) -> None:
        """Tell which source offset is under a point; beside a line's text that is a place on the line."""
        offset = self.offset_at(point)
        chunk = self.chunk_under(point)
        if chunk is not None and self._picture is not None:
            run = next((run for run in self._picture.runs_of(chunk) if run.start <= offset <= run.end), None)
            if run is not None:
                offset = max(run.start, min(offset, run.end - 1))
        self.offset_chosen.emit(offset)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show a folded line whole when its label is double-clicked; else select the word."""
        offset = self.offset_at(event.position().toPoint())
        gap = next((gap for gap in self._map.folded if gap.start <= offset <= gap.end), None)
        if gap is None:
            super().mouseDoubleClickEvent(event)
            return
        self._expanded |= {gap.start}
        self._set_text()
        self._scroll_to_row(gap.start, LINES_ABOVE)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Outline the chunk under the mouse."""
        super().mouseMoveEvent(event)
        if event.buttons():
            self.viewport().update()
        self._hover(self.chunk_under(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Take the outline under the mouse away."""
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, chunk: int | None) -> None:
        if chunk != self._hovered:
            self._hovered = chunk
            self.viewport().update()
            self._gutter.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move and select as in any text, and paint what that has changed."""
        super().keyPressEvent(event)
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom while Ctrl is down; else scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def zoom(self, steps: int) -> None:
        """Make the text larger or smaller by some pixels."""
        self._set_pixels(self.font().pixelSize() + steps)

    def reset_zoom(self) -> None:
        """Give the text its usual size."""
        self._set_pixels(CODE_PIXELS)

    def _set_pixels(self, pixels: int) -> None:
        pixels = max(SMALLEST_CODE_PIXELS, min(pixels, LARGEST_CODE_PIXELS))
        top = self.first_visible_offset()
        font = code_font(pixels)
        self.setFont(font)
        self.document().setDefaultFont(font)
        # The style sheet sets a size on all widgets; one on the widget itself is stronger.
        self.setStyleSheet(f"QPlainTextEdit {{ font-size: {pixels}px; }}")
        self.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * 4)
        self._gutter.fit(len(self._document.lines) if self._document is not None else 1)
        self._move()
        if top:
            self._scroll_to_row(top, 0)
        self.zoomed.emit(pixels)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the source itself: the displayed text has lost line ends and more."""
        data = QMimeData()
        data.setText(self.selected_source())
        return data

    def selected_source(self) -> str:
        """Return the exact source of the selected text."""
        cursor = self.textCursor()
        if self._document is None or not cursor.hasSelection():
            return ""
        start, end = self._map.offset(cursor.selectionStart()), self._map.offset(cursor.selectionEnd())
        return self._document.source[start:end]

    def select_source(self, start: int, end: int) -> None:
        """Select a span of the source as text and bring it into sight."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._map.position(start))
        cursor.setPosition(self._map.position(end), QTextCursor.MoveMode.KeepAnchor)
        self._is_scrolled_by_program = True
        self.setTextCursor(cursor)
        self._is_scrolled_by_program = False
        self.scroll_to(start)
        self.refresh()

    def viewportEvent(self, event: QEvent) -> bool:
        """Say in a tooltip what a pill has no room for, and why struck text is struck."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self._words_at(event.pos())
            QToolTip.showText(event.globalPos(), words, self.viewport(), QRect())
            return True
        return super().viewportEvent(event)

    def _words_at(self, point: QPoint) -> str:
        for placed in self.scene().pills:
            if placed.left is not None and placed.row.top <= point.y() < placed.row.bottom:
                if placed.left <= point.x() <= placed.left + pill_width(placed.text):
                    return placed.pill.text
        if self._picture is None:
            return ""
        offset = self.offset_at(point)
        for unseen in self._picture.unseen_in(max(0, offset - 1), offset + 1):
            return full_name_of(self._picture.document.source[unseen.offset])
        for removed in self._picture.removed_in(offset, offset + 1):
            return f"removed: {removed.reason}"
        return ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the gutter beside the text."""
        super().resizeEvent(event)
        self._gutter.place()
        self._rows = self._scene = None

    def changeEvent(self, event: QEvent) -> None:
        """Find the lines anew in another font or style."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._rows = self._scene = None

    def set_left_margin(self, width: int) -> None:
        """Leave room for the gutter."""
        self.setViewportMargins(width, 0, 0, 0)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew, and tell which line is the first in sight now."""
        super().scrollContentsBy(dx, dy)
        self._move()
        top = self.first_visible_offset()
        if top != self._top:  # Qt scrolls in several steps, the first of which may be none
            self._top = top
            if not self._is_scrolled_by_program and self._document is not None:
                self.visible_offset_changed.emit(top)
