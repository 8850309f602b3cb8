"""The chunks of a document as embedded: one virtual list of cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QListView,
    QMenu,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.card import Card, CardRange, RangeKind, card_for
from inspector.ui.card_layout import CLAMPED_LINES, LINE_HEIGHT, CardBody, lay_out_clamped, lay_out_whole, paint_body
from inspector.ui.controls import Header, dim_label
from inspector.ui.theme import SMALL_PIXELS, Theme, ui_font

__all__ = ["Card", "CardRange", "ChunkList", "RangeKind", "card_for"]

OUTSIDE = 8
INSIDE = 12
HEAD_HEIGHT = 44
BAR_WIDTH = 108
FRAME_HEIGHT = OUTSIDE + HEAD_HEIGHT + INSIDE * 1.75
CLAMPED_SIZE = QSize(0, round(FRAME_HEIGHT + CLAMPED_LINES * LINE_HEIGHT))
EDGE = 4
EMPTY = "No chunks"
CARD_ROLE = Qt.ItemDataRole.UserRole + 1

AnyIndex = QModelIndex | QPersistentModelIndex


class CardModel(QAbstractListModel):
    """The cards, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._cards: tuple[Card, ...] = ()

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards."""
        return self._cards

    def set_cards(self, cards: Sequence[Card]) -> None:
        """Show other cards; as many as before are changed in place, so that the list stays where it is."""
        fresh = tuple(cards)
        if len(fresh) == len(self._cards):
            pairs = enumerate(zip(self._cards, fresh, strict=True))
            changed = [row for row, (old, new) in pairs if old is not new and old != new]
            self._cards = fresh
            if changed:
                self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))
            return
        self.beginResetModel()
        self._cards = fresh
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many cards there are."""
        return 0 if parent is not None and parent.isValid() else len(self._cards)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a card, or its text for screen readers and for typing ahead."""
        if not index.isValid():
            return None
        card = self._cards[index.row()]
        if role == CARD_ROLE:
            return card
        if role == Qt.ItemDataRole.DisplayRole:
            return " › ".join(card.trail) or card.text[card.body_start :][:60]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            tokens = "tokens not counted" if card.tokens is None else f"{card.tokens} of {card.limit} tokens"
            unread = f", {card.unread_tokens} unread" if card.is_truncated else ""
            return f"Chunk {card.index + 1}, {' › '.join(card.trail)}, {card.rung}, {tokens}{unread}. {card.text}"
        return None


class CardDelegate(QStyledItemDelegate):
    """Paints cards; what was laid out is kept until width, text or theme change."""

    def __init__(self, view: QListView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._bodies: dict[tuple[Card, int, bool], CardBody] = {}
        self.hovered = -1
        self.fresh: frozenset[int] = frozenset()
        self.explain: Callable[[int], str] = lambda _index: ""

    def forget(self) -> None:
        """Lay everything out anew."""
        self._bodies.clear()

    def body(self, card: Card, is_selected: bool) -> CardBody:
        """Return a card's text as laid out for the width of the list."""
        width = self._text_width()
        key = (card, width, is_selected)
        if key not in self._bodies:
            if len(self._bodies) > 500:
                self._bodies.clear()
            if is_selected:
                self._bodies[key] = lay_out_whole(card, width, self._theme, self.explain(card.index))
            else:
                self._bodies[key] = lay_out_clamped(card, width)
        return self._bodies[key]

    def _text_width(self) -> int:
        return max(60, self._view.viewport().width() - 2 * OUTSIDE - 2 * INSIDE - EDGE)

    def is_selected(self, index: AnyIndex) -> bool:
        """Say whether a row is the selected one."""
        return self._view.currentIndex().row() == index.row()

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return a card's height: fixed for three lines, as much as is needed for the selected one."""
        if not self.is_selected(index):
            return CLAMPED_SIZE
        height = self.body(index.data(CARD_ROLE), True).height
        return QSize(0, round(FRAME_HEIGHT + height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a card: number, trail, rung, tokens with a bar against the limit, and text."""
        card: Card = index.data(CARD_ROLE)
        place: QRect = option.rect
        is_selected = self.is_selected(index)
        frame = QRectF(place).adjusted(OUTSIDE, OUTSIDE, -OUTSIDE, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter, frame, card, is_selected, is_hovered=index.row() == self.hovered)
        inner = frame.adjusted(INSIDE + EDGE, 8, -INSIDE, -INSIDE)
        self._paint_head(painter, inner, card)
        origin = QPointF(inner.left(), inner.top() + HEAD_HEIGHT + 2)
        clip = QRectF(self._view.viewport().rect())
        paint_body(painter, self.body(card, is_selected), origin, inner.width(), self._theme, clip)
        painter.restore()

    def _paint_frame(self, painter: QPainter, frame: QRectF, card: Card, is_selected: bool, is_hovered: bool) -> None:
        is_fresh = card.index in self.fresh
        width = 2.0 if is_selected or is_fresh else 1.0
        color = self._theme.color("accent" if is_selected or is_hovered or is_fresh else "hairline")
        half = width / 2
        painter.save()
        painter.setClipRect(QRectF(frame.left(), frame.top(), EDGE, frame.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colors.band(card.parity))
        painter.drawRoundedRect(frame, 4, 4)
        painter.restore()
        is_dotted = is_fresh and not is_selected
        painter.setPen(QPen(color, width, Qt.PenStyle.DotLine if is_dotted else Qt.PenStyle.SolidLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame.adjusted(half, half, -half, -half), 4, 4)
        if is_selected:
            bar = QRectF(frame.left() + 2, frame.top() + 3, EDGE, frame.height() - 6)
            painter.fillRect(bar, self._theme.colors.band(card.parity))

    def _paint_head(self, painter: QPainter, inner: QRectF, card: Card) -> None:
        theme = self._theme
        small = ui_font(SMALL_PIXELS)
        strong = ui_font(13, QFont.Weight.DemiBold)
        row = QRectF(inner.left(), inner.top(), inner.width(), 18)
        middle = Qt.AlignmentFlag.AlignVCenter
        number = f"#{card.index + 1}"
        painter.setFont(strong)
        painter.setPen(theme.color("text"))
        painter.drawText(row, middle, number)
        left = QFontMetricsF(strong).horizontalAdvance(number) + 10
        painter.setFont(small)
        metrics = QFontMetricsF(small)
        rung_width = metrics.horizontalAdvance(card.rung)
        painter.setPen(theme.color("cut" if card.rung.startswith("cut") else "dim"))
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, card.rung)
        painter.setPen(theme.color("dim"))
        room = row.width() - left - rung_width - 12
        trail = metrics.elidedText(" › ".join(card.trail), Qt.TextElideMode.ElideLeft, max(0.0, room))
        painter.drawText(row.adjusted(left, 0, 0, 0), middle, trail)
        self._paint_sizes(painter, QRectF(inner.left(), inner.top() + 21, inner.width(), 18), card, metrics)

    def _paint_sizes(self, painter: QPainter, row: QRectF, card: Card, metrics: QFontMetricsF) -> None:
        theme = self._theme
        middle = Qt.AlignmentFlag.AlignVCenter
        sizes = f"{card.characters:,} ch"
        painter.setPen(theme.color("dim"))
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, sizes)
        right = row.right() - metrics.horizontalAdvance(sizes) - 10
        if card.tokens is None:
            return
        about = "≈" if card.is_approximate else ""
        tokens = f"{about}{card.tokens:,} / {card.limit:,} tokens"
        width = metrics.horizontalAdvance(tokens)
        painter.setPen(theme.color("truncation" if card.is_truncated else "dim"))
        painter.drawText(QRectF(right - width, row.top(), width + 2, row.height()), middle, tokens)
        bar = QRectF(row.left(), row.center().y() - 2, min(BAR_WIDTH, right - width - 12 - row.left()), 5)
        if bar.width() < 16:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(bar, 2.5, 2.5)
        share = min(1.0, card.tokens / card.limit) if card.limit else 0.0
        color = theme.color("truncation") if card.is_truncated else theme.colors.band(card.parity)
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(5.0, bar.width() * share), 5), 2.5, 2.5)


class CardView(QListView):
    """The list itself: pixel scrolling, copying, and cards that fit its width."""

    copied = Signal(str)
    laid_out = Signal()
    scrolled_by_hand = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.delegate = CardDelegate(self, theme)
        self.setItemDelegate(self.delegate)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAutoScroll(False)
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().sliderMoved.connect(self.scrolled_by_hand)
        self.setAccessibleName("Chunks as embedded")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground, then the cards."""
        self._theme.paint_ground(self.viewport(), event)
        super().paintEvent(event)

    def card(self) -> Card | None:
        """Return the selected card."""
        found = self.currentIndex().data(CARD_ROLE)
        return found if isinstance(found, Card) else None

    def copy(self, is_whole: bool = True) -> None:
        """Copy the selected card's embedding input, or only the chunk's own text."""
        card = self.card()
        if card is not None:
            context = card.range_of(RangeKind.CONTEXT)
            start = context.end if context is not None and not is_whole else 0
            QApplication.clipboard().setText(card.text[start:])
            self.copied.emit(card.text[start:])

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, and tell that a hand did."""
        super().wheelEvent(event)
        self.scrolled_by_hand.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy with Ctrl+C and Ctrl+Shift+C."""
        is_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_C and is_control:
            self.copy()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy."""
        menu = QMenu(self)
        whole = menu.addAction("Copy embedding input\tCtrl+Shift+C")
        text = menu.addAction("Copy chunk text")
        chosen = menu.exec(event.globalPos())
        if chosen is whole:
            self.copy()
        elif chosen is text:
            self.copy(is_whole=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew for another width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.delegate.forget()
            self.scheduleDelayedItemsLayout()

    def updateGeometries(self) -> None:
        """Tell that the cards have their places."""
        super().updateGeometries()
        self.laid_out.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        """Outline the card under the mouse."""
        if event.type() in (QEvent.Type.HoverMove, QEvent.Type.HoverEnter, QEvent.Type.MouseMove):
            position = getattr(event, "position", None)
            row = self.indexAt(position().toPoint()).row() if position is not None else -1
            self._hover(row)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.HoverLeave):
            self._hover(-1)
        return super().viewportEvent(event)

    def _hover(self, row: int) -> None:
        if row != self.delegate.hovered:
            self.delegate.hovered = row
            self.viewport().update()


class ChunkList(QWidget):
    """The pane: a header with the count, and the list. Selecting is a wish told by `chunk_chosen`."""

    chunk_chosen = Signal(int)
    visible_chunk_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_driven = False
        self._top = -1
        self._pinned: int | None = None  # the card that was scrolled to and is to stay where it is
        self._level = 0  # how far below the top of the list it is to stand
        self.header = Header("Chunks as embedded")
        self.count = dim_label()
        self.header.row.addWidget(self.count)
        self.model = CardModel()
        self.view = CardView(theme)
        self.view.setModel(self.model)
        self._empty = QLabel(EMPTY)
        self._empty.setProperty("dim", True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._stack)
        self.setFocusProxy(self.view)
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        self.view.scrolled_by_hand.connect(self._on_scrolled)
        self.view.laid_out.connect(self._on_laid_out)
        theme.changed.connect(self._on_theme_changed)
        self.show_chunks(())

    def show_chunks(self, cards: Sequence[Card]) -> None:
        """Show the cards of a document; the selection stays on its number where there is one."""
        current = self.view.currentIndex().row()
        self._is_driven = True
        self.model.set_cards(cards)
        if 0 <= current < len(cards) and self.view.currentIndex().row() != current:
            self._set_current(current)
        self._is_driven = False
        self.view.scheduleDelayedItemsLayout()
        self.view.viewport().update()
        self.count.setText(f"{len(cards):,} here" if cards else "")
        self._stack.setCurrentIndex(0 if cards else 1)

    def explain_with(self, explain: Callable[[int], str]) -> None:
        """Say who explains, by its index, how the selected chunk was made."""
        self.view.delegate.explain = explain

    def show_fresh(self, chunks: frozenset[int]) -> None:
        """Dot the outlines of cards that have just changed; none takes the dots away."""
        self.view.delegate.fresh = chunks
        self.view.viewport().update()

    def select_chunk(self, index: int | None, is_scrolled: bool = True, level: int = 0) -> None:
        """Select a card and bring it into sight, `level` pixels below the top; None selects none."""
        self._is_driven = True
        self._pinned = None
        if index is None or not 0 <= index < self.model.rowCount():
            self.view.selectionModel().clear()
        else:
            self._set_current(index)
            if is_scrolled:
                self.scroll_to_chunk(index, level)
        self._is_driven = False

    def selected(self) -> int | None:
        """Return the index of the selected card."""
        card = self.view.card()
        return card.index if card is not None else None

    def scroll_to_chunk(self, index: int, level: int = 0) -> None:
        """Let a card stand `level` pixels below the top, or higher where it would not be whole."""
        if 0 <= index < self.model.rowCount():
            self.view.executeDelayedItemsLayout()
            self._pinned = index
            self._level = max(0, level - OUTSIDE)
            self._on_laid_out()

    def _on_laid_out(self) -> None:
        """Keep the card that was scrolled to where it is to be, whatever has changed its place since."""
        if self._pinned is not None and self._pinned < self.model.rowCount():
            was_driven, self._is_driven = self._is_driven, True
            bar = self.view.verticalScrollBar()
            place = self.view.visualRect(self.model.index(self._pinned))
            level = max(0, min(self._level, self.view.viewport().height() - place.height()))
            bar.setValue(bar.value() + place.top() - level)
            self._is_driven = was_driven

    def copy(self) -> None:
        """Copy the selected card's embedding input."""
        self.view.copy()

    def _set_current(self, row: int) -> None:
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.view.selectionModel().setCurrentIndex(self.model.index(row), flags)

    def _on_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        for index in (current, before):
            if index.isValid():
                self.view.delegate.sizeHintChanged.emit(index)
        if current.isValid() and not self._is_driven:
            self._pinned = None
            self.chunk_chosen.emit(current.data(CARD_ROLE).index)

    def _on_scrolled(self) -> None:
        """Tell which card is the top one now."""
        self._pinned = None
        top = self.view.indexAt(self.view.viewport().rect().topLeft() + QRect(0, 0, OUTSIDE * 2, OUTSIDE * 2).center())
        if top.isValid() and top.row() != self._top:
            self._top = top.row()
            self.visible_chunk_changed.emit(top.data(CARD_ROLE).index)

    def _on_theme_changed(self) -> None:
        self.view.delegate.forget()
        self.view.viewport().update()
