"""Files and outline in one tree: filter field, rows with their chunks, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt, QTimer
from PySide6.QtCore import Signal as Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.controls import ElidedLabel, SearchField, plain_tooltip
from inspector.ui.outline_model import CHARACTERS, CHUNKS, TRAIL, OutlineModel, cell_words
from inspector.ui.outline_tree import Filter, Kind, Node, OutlineRow, read_filter
from inspector.ui.row_tree import SELECTED, RowTree
from inspector.ui.steps import PAUSE, Steps, do_all
from inspector.ui.theme import HEADER_HEIGHT, NEAR, ROW_HEIGHT, SMALL_PIXELS, TINY_PIXELS, Theme, elided, ui_font

__all__ = ["Outline", "OutlineRow"]

PLACEHOLDER = "Filter: is:truncated, len>1200 …"
FILTER_DELAY = 150
MOST_EXPANDED = 400
MANY_DOCUMENTS = 40
SQUARE = 8.0
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class OutlineDelegate(QStyledItemDelegate):
    """Paints the trail column: squares for chunks, an arrow for folds, triangles for warnings."""

    def __init__(self, tree: QTreeView, model: OutlineModel, theme: Theme) -> None:
        super().__init__(tree)
        self._tree = tree
        self._model = model
        self._theme = theme
        self.thresholds = (320, 1_400)  # fold and cap, which the bars of sizes are drawn against

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one cell; the row's background is the tree's business."""
        node, column = self._model.node(index), index.column()
        place = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_dim = node.kind in (Kind.FOLDED, Kind.DROPPED, Kind.NOTE) or column != TRAIL
        painter.setPen(self._theme.color("dim" if is_dim else "text"))
        if column != TRAIL:
            words = cell_words(node, column)
            if words:
                painter.setFont(ui_font(SMALL_PIXELS))
                painter.drawText(place.adjusted(0, 0, -NEAR, 0), RIGHT, words)
            if column == CHARACTERS and node.kind in (Kind.CHUNK, Kind.FOLDED, Kind.DROPPED):
                self._paint_size(painter, place.adjusted(2, 0, -NEAR, 0), node)
        else:
            if node.chunk_count is None:  # the words of a chunk may use the empty cell beside them
                place.setRight(place.right() + self._tree.columnWidth(CHUNKS) - NEAR)
            self._paint_trail(painter, place, node, option.state == SELECTED)
        painter.restore()

    def _paint_size(self, painter: QPainter, place: QRectF, node: Node) -> None:
        """Paint how large a chunk or section is against the cap, with a tick at the fold."""
        fold, cap = self.thresholds
        y = round(place.bottom()) - 3
        share = min(1.0, (node.characters or 0) / cap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(place.left(), y, place.width(), 2), self._theme.color("hairline"))
        token = "cut" if (node.characters or 0) > cap else "bar"
        painter.fillRect(QRectF(place.left(), y, round(place.width() * share), 2), self._theme.color(token))
        tick = round(place.left() + place.width() * min(1.0, fold / cap))
        painter.fillRect(QRectF(tick, y - 1, 1, 4), self._theme.color("edge"))

    def _paint_trail(self, painter: QPainter, place: QRectF, node: Node, is_selected: bool) -> None:
        text = cell_words(node, TRAIL)
        left = place.left() + 2
        if node.kind is Kind.CHUNK and node.chunk is not None:
            square = QRectF(left, place.center().y() - SQUARE / 2 + 0.5, SQUARE, SQUARE)
            pen = painter.pen()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colors.band(node.chunk))
            painter.drawRoundedRect(square, 1.5, 1.5)
            painter.setPen(pen)
            left += SQUARE + 6
        elif node.kind is Kind.FOLDED:
            text = f"↳ {text}"
        weight = QFont.Weight.DemiBold if is_selected and node.kind is Kind.CHUNK else QFont.Weight.Normal
        font = ui_font(weight=weight)
        painter.setFont(font)
        shows_count = node.warnings and node.kind is Kind.DOCUMENT
        shows_mark = node.warnings and node.kind is Kind.CHUNK
        room = place.right() - left - (34 if shows_count else 18 if shows_mark else 0)
        shown = elided(text, int(room), weight=weight)
        painter.drawText(
            QRectF(left, place.top(), place.right() - left, place.height()), Qt.AlignmentFlag.AlignVCenter, shown
        )
        if shows_count or shows_mark:
            words = str(node.warnings) if shows_count else ""
            after = left + QFontMetrics(font).horizontalAdvance(shown) + 8
            paint_warning(painter, QPointF(after, place.center().y()), words, self._theme)


def paint_warning(painter: QPainter, left_middle: QPointF, words: str, theme: Theme) -> None:
    """Paint a triangle in the truncation colour, and a count beside it."""
    color = theme.color("truncation")
    x, y = left_middle.x(), left_middle.y()
    painter.setPen(QPen(color, 1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([QPointF(x, y + 4), QPointF(x + 5, y - 4), QPointF(x + 10, y + 4)]))
    painter.setPen(QPen(theme.color("page"), 1.3))
    painter.drawLine(QPointF(x + 5, y - 1.5), QPointF(x + 5, y + 1))
    painter.drawPoint(QPointF(x + 5, y + 2.8))
    painter.setPen(color)
    painter.setFont(ui_font(TINY_PIXELS, QFont.Weight.DemiBold))
    painter.drawText(QRectF(x + 14, y - 9, 40, 18), Qt.AlignmentFlag.AlignVCenter, words)


class OutlineTree(RowTree):
    """The tree of files, sections and chunks."""

    def __init__(self, model: OutlineModel, theme: Theme) -> None:
        super().__init__(theme)
        self.setItemDelegate(OutlineDelegate(self, model, theme))
        self.setModel(model)
        self.setIndentation(14)
        self.setExpandsOnDoubleClick(True)
        self.setAutoScroll(False)
        self.setAccessibleName("Outline")


class Outline(QWidget):
    """The pane. Choosing a row is told by `document_chosen` or `place_chosen` (document, source offset)."""

    document_chosen = Signal(str)
    place_chosen = Signal(str, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_driven = False
        self._open: set[tuple[object, ...]] = set()
        self._place: tuple[str, int | None] | None = None
        self.field = SearchField(theme, PLACEHOLDER, "Filter the outline")
        self.model = OutlineModel()
        self.tree = OutlineTree(self.model, theme)
        self.footer = ElidedLabel()
        self.footer.setProperty("dim", True)
        self.footer.setContentsMargins(NEAR + 2, NEAR, NEAR, NEAR)
        self._set_columns()
        head = QWidget()
        head.setFixedHeight(HEADER_HEIGHT)
        head_row = QVBoxLayout(head)
        head_row.setContentsMargins(NEAR + 2, 3, NEAR + 2, 3)
        head_row.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (head, self.tree, self.footer):
            column.addWidget(widget)
        self.setFocusProxy(self.tree)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FILTER_DELAY)
        self._timer.timeout.connect(self.apply_filter)
        self._steps = Steps(self)
        self.field.textChanged.connect(self._timer.start)
        self.field.returnPressed.connect(self.apply_filter)
        self.field.left.connect(self.tree.setFocus)
        self.tree.selectionModel().currentChanged.connect(self._on_current_changed)
        self.tree.expanded.connect(self._on_expanded)
        self.tree.collapsed.connect(self._on_collapsed)
        theme.changed.connect(self.tree.viewport().update)
        self.show_left_out({})

    def _set_columns(self) -> None:
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TRAIL, QHeaderView.ResizeMode.Stretch)
        for column, width in ((CHUNKS, 50), (CHARACTERS, 54)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        header.setMinimumSectionSize(40)
        header.setSectionsClickable(False)
        header.setFixedHeight(ROW_HEIGHT)

    def show_documents(self, rows: Sequence[OutlineRow]) -> None:
        """Show the documents of a folder; what was open stays open."""
        self._is_driven = True
        self.model.show_rows(rows)
        self._restore()
        self._is_driven = False
        self._filter_anew()

    def show_thresholds(self, fold: int, cap: int) -> None:
        """Draw sizes against these thresholds."""
        delegate = self.tree.itemDelegate()
        assert isinstance(delegate, OutlineDelegate)
        delegate.thresholds = (fold, cap)
        self.tree.viewport().update()

    def names(self) -> list[str]:
        """Return the documents shown, in order."""
        return [row.name for row in self.model.rows]

    def update_document(self, row: OutlineRow) -> None:
        """Show a document's new counts and chunking."""
        self._is_driven = True
        self.model.update_row(row)
        self._restore(row.name)
        self._is_driven = False
        self._filter_anew()

    def _filter_anew(self) -> None:
        """Look again for what a filter lets through that was still looked for: its documents have changed."""
        if self._steps.is_running:
            self._timer.start()
            self._steps.stop()

    def show_left_out(self, reasons: Mapping[str, int], names: Sequence[str] = ()) -> None:
        """Say how many files were left out and why; `names` go into the tooltip."""
        count = sum(reasons.values())
        words = ", ".join(f"{number:,} {reason}" for reason, number in reasons.items())
        self.footer.setVisible(count > 0)
        self.footer.set_full_text(f"{count:,} file{'' if count == 1 else 's'} left out: {words}")
        if names:
            more = f"\n… {len(names) - 30:,} more" if len(names) > 30 else ""
            self.footer.setToolTip(plain_tooltip("\n".join(names[:30]) + more))

    def select(self, document: str, chunk: int | None = None) -> None:
        """Select a document, or one of its chunks, and open what is above it."""
        self._place = (document, chunk)
        self._is_driven = True
        number = self.model.document_number(document)
        index = QModelIndex()
        if number is not None:
            if chunk is not None:
                index = self.model.chunk_index(number, chunk)
            if not index.isValid():
                index = self.model.document_index(number)
            elif self.tree.currentIndex().isValid() and self._is_same_chunk(self.tree.currentIndex(), index):
                index = self.tree.currentIndex()  # a folded section that is in this chunk stays selected
        if index.isValid():
            above = index.parent()
            while above.isValid():
                self.tree.setExpanded(above, True)
                above = above.parent()
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.tree.selectionModel().setCurrentIndex(index, flags)
            self.tree.scrollTo(index)
        else:
            self.tree.selectionModel().clear()
        self._is_driven = False

    def _is_same_chunk(self, current: QModelIndex, wanted: QModelIndex) -> bool:
        mine, other = self.model.node(current), self.model.node(wanted)
        return mine.kind is Kind.FOLDED and mine.document == other.document and mine.chunk == other.chunk

    def expand(self, document: str) -> None:
        """Open a document and all its sections."""
        number = self.model.document_number(document)
        if number is not None:
            index = self.model.document_index(number)
            self.model.fetchMore(index)
            self.tree.expandRecursively(index)

    def apply_filter(self) -> None:
        """Show only what the filter field asks for; of many documents it is looked for a few at a time."""
        self._timer.stop()
        wanted = read_filter(self.field.text())
        if wanted.is_empty or len(self.model.rows) <= MANY_DOCUMENTS:
            self._steps.run(self._take_filter(wanted, None), at_once=True)
        else:
            self._steps.run(self._filtering(wanted))

    def _filtering(self, wanted: Filter) -> Iterator[object]:
        matches: list[int] = []
        for found in self.model.matching(wanted):
            matches += found
            yield None
        yield from self._take_filter(wanted, matches)

    def _take_filter(self, wanted: Filter, matches: Sequence[int] | None) -> Iterator[object]:
        """Show what was found, then open some of it, then what is selected."""
        self._is_driven = True
        self.model.set_filter(wanted, matches)
        self._is_driven = False
        yield None
        if self.model.is_filtered:
            yield from self._expanding()
        else:
            self._is_driven = True
            self._reopen_all()
            self._is_driven = False
        yield PAUSE
        if self._place is not None:
            self.select(*self._place)

    def _expanding(self) -> Iterator[None]:
        """Open what the filter found, document by document, up to what can be read, and paint it once."""
        opened = 0
        self.tree.setUpdatesEnabled(False)
        try:
            for row in range(self.model.rowCount()):
                index = self.model.index(row, 0)
                was_driven, self._is_driven = self._is_driven, True
                self.tree.expandRecursively(index)
                self._is_driven = was_driven
                opened += self.model.rowCount(index)
                if opened > MOST_EXPANDED:
                    return
                yield
        finally:
            self.tree.setUpdatesEnabled(True)

    def _restore(self, only: str | None = None) -> None:
        """Open again what was open before the nodes were built anew, and select what was selected."""
        if self.model.is_filtered:
            do_all(self._expanding())
        else:
            number = self.model.document_number(only) if only is not None else None
            if only is None:
                self._reopen_all()
            if number is not None:
                self._reopen(self.model.document_index(number))
        if self._place is not None and (only is None or only == self._place[0]):
            self.select(*self._place)

    def _reopen_all(self) -> None:
        """Open again what was open."""
        if self._open:
            for row in range(self.model.rowCount()):
                self._reopen(self.model.index(row, 0))

    def _reopen(self, index: QModelIndex) -> None:
        if self.model.key(index) not in self._open:
            return
        if self.model.canFetchMore(index):
            self.model.fetchMore(index)
        self.tree.setExpanded(index, True)
        for row in range(self.model.rowCount(index)):
            self._reopen(self.model.index(row, 0, index))

    def _on_expanded(self, index: QModelIndex) -> None:
        if not self.model.is_filtered:
            self._open.add(self.model.key(index))

    def _on_collapsed(self, index: QModelIndex) -> None:
        if not self.model.is_filtered:
            self._open.discard(self.model.key(index))

    def _on_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        if self._is_driven or not current.isValid():
            return
        node = self.model.node(current)
        name = self.model.rows[node.document].name
        if node.kind in (Kind.DOCUMENT, Kind.NOTE):
            self._place = (name, None)
            self.document_chosen.emit(name)
        else:
            self._place = (name, node.chunk)
            self.place_chosen.emit(name, node.offset)
