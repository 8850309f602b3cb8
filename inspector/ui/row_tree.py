"""A tree whose rows are painted here and not by the style: full-row selection with a bar, and small arrows."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QStyle, QStyleOptionViewItem, QTreeView

from inspector.ui.theme import Theme

BAR = 3
SELECTED, NOT_SELECTED = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_None
CLOSED = ((-2.0, -3.5), (-2.0, 3.5), (2.5, 0.0))
OPEN = ((-3.5, -2.0), (3.5, -2.0), (0.0, 2.5))

AnyIndex = QModelIndex | QPersistentModelIndex


class RowTree(QTreeView):
    """Set a delegate that paints its cells whole; `arrow_token` names the colour of the arrows.

    A cell of a selected row is painted with the state that says so.
    """

    arrow_token = "text"
    has_rules = False

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setUniformRowHeights(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setRootIsDecorated(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Take the focus without choosing the first row, which Qt would do where no row is chosen."""
        if self.currentIndex().isValid():
            super().focusInEvent(event)
        else:
            QAbstractScrollArea.focusInEvent(self, event)
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground, then the rows."""
        self._theme.paint_ground(self.viewport(), event)
        super().paintEvent(event)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a row: fill and bar when it is selected, arrow, cells, and a hairline below where there are rules."""
        first = index.sibling(index.row(), 0)
        row = QRect(0, option.rect.top(), self.viewport().width(), option.rect.height())
        is_selected = self.selectionModel().isSelected(first)
        style = QStyleOptionViewItem(option)
        style.state = SELECTED if is_selected else NOT_SELECTED
        if is_selected:
            painter.fillRect(row, self._theme.color("accent_fill"))
            painter.fillRect(QRect(0, row.top(), BAR, row.height()), self._theme.color("accent"))
        for column in range(self.model().columnCount()):
            cell = first.siblingAtColumn(column) if column else first
            if column:  # not by `visualRect`, which asks the model for every index again
                left, width = self.columnViewportPosition(column), self.columnWidth(column)
                style.rect = QRect(left, row.top(), width, row.height())
            else:
                style.rect = self.visualRect(cell)
            if column == 0:
                left = self.columnViewportPosition(0)
                self.drawBranches(painter, QRect(left, row.top(), style.rect.left() - left, row.height()), cell)
            self.itemDelegate().paint(painter, style, cell)
        if self.has_rules:
            painter.fillRect(QRect(0, row.bottom(), row.width(), 1), self._theme.color("hairline"))

    def drawBranches(self, painter: QPainter, rect: QRect, index: AnyIndex) -> None:
        """Paint a small arrow for what can be opened."""
        if not self.model().hasChildren(index):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(self.arrow_token))
        x, y = rect.right() - 5.5, rect.center().y() + 1.0
        shape = OPEN if self.isExpanded(index) else CLOSED
        painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in shape]))
        painter.restore()
