"""The map's legend: shapes, names and counts; a click shows only that category."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from inspector.ui.controls import plain_tooltip
from inspector.ui.map_data import Category, short_name
from inspector.ui.map_symbols import outline, paint_symbol
from inspector.ui.theme import SMALL_PIXELS, Theme, ui_font

ROW = 22
MARK = 9.0
INSET = 4.0
GAP = 6
LONGEST_NAME = 170.0


class LegendEntry(QAbstractButton):
    """One category: pressed, only its points are in full colour."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.category: Category | None = None
        self.is_dim = False
        self.setCheckable(True)
        self.setFont(ui_font(SMALL_PIXELS))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_category(self, category: Category) -> None:
        """Stand for another category."""
        self.category = category
        name, count = short_name(category.name), len(category.members)
        metrics = QFontMetricsF(self.font())
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, LONGEST_NAME)
        self.setText(f"{shown} {count:,}")
        self.setAccessibleName(f"{name}: {count:,} chunks")
        self.setToolTip(plain_tooltip(f"{category.name}: {count:,} chunks. Click to see only these."))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room for the mark and the words."""
        width = QFontMetricsF(self.font()).horizontalAdvance(self.text())
        return QSize(round(2 * INSET + MARK + 6 + width + 1), ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the shape and the words; a frame while pressed, hovered or focused."""
        if self.category is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, place = self._theme, QRectF(self.rect()).adjusted(0.5, 1.5, -0.5, -1.5)
        if self.isChecked() or self.underMouse() or self.hasFocus():
            frame = "accent" if self.isChecked() or self.hasFocus() else "hairline"
            painter.setPen(QPen(theme.color(frame), 1))
            painter.setBrush(theme.color("accent_fill" if self.isChecked() else "hover"))
            painter.drawRoundedRect(place, 4, 4)
        color = theme.color(self.category.token)
        painter.setOpacity(0.35 if self.is_dim else 1.0)
        painter.setPen(outline(color))
        painter.setBrush(color)
        paint_symbol(painter, self.category.symbol, QPointF(INSET + MARK / 2, self.rect().center().y() + 0.5), MARK)
        painter.setOpacity(1.0)
        painter.setPen(theme.color("dim" if self.is_dim else "text"))
        painter.setFont(self.font())
        words = QRectF(self.rect()).adjusted(INSET + MARK + 6, 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press with Enter as with Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class Legend(QWidget):
    """Entries in as many rows as they need. Which one is pressed is told by `chosen` (a name, "" for none)."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._buttons: list[LegendEntry] = []
        self._categories: tuple[Category, ...] = ()
        self._pressed = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def entries(self) -> tuple[tuple[str, int], ...]:
        """Names and counts, in order."""
        return tuple((short_name(category.name), len(category.members)) for category in self._categories)

    @property
    def buttons(self) -> tuple[LegendEntry, ...]:
        """The entries, in order."""
        return tuple(self._buttons[: len(self._categories)])

    @property
    def pressed(self) -> str:
        """The name of the category that is pressed, "" for none."""
        return self._pressed

    def show_categories(self, categories: Sequence[Category]) -> None:
        """Show other categories; the pressed one stays pressed while it is among them."""
        self._categories = tuple(categories)
        self.setAccessibleName("Legend: " + ", ".join(f"{name} {count}" for name, count in self.entries))
        while len(self._buttons) < len(categories):
            button = LegendEntry(self._theme, self)
            button.clicked.connect(lambda _checked, b=button: self._on_clicked(b))
            self._buttons.append(button)
        for number, button in enumerate(self._buttons):
            button.setVisible(number < len(categories))
            if number < len(categories):
                button.show_category(categories[number])
        self._show_pressed(self._pressed if any(c.name == self._pressed for c in categories) else "")
        self._lay_out()

    def release(self) -> None:
        """Press none."""
        self._show_pressed("")

    def _on_clicked(self, button: LegendEntry) -> None:
        name = button.category.name if button.category is not None else ""
        self._show_pressed("" if name == self._pressed else name)
        self.chosen.emit(self._pressed)

    def _show_pressed(self, name: str) -> None:
        self._pressed = name
        for button, category in zip(self._buttons, self._categories, strict=False):
            button.setChecked(bool(name) and category.name == name)
            button.is_dim = bool(name) and category.name != name
            button.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many rows as this width needs."""
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:
        """Return the height that all rows need."""
        return QSize(200, self.height())

    def _lay_out(self) -> None:
        left, top = -round(INSET), 0
        for button in self.buttons:
            size = button.sizeHint()
            if left > 0 and left + size.width() > self.width():
                left, top = -round(INSET), top + ROW
            button.setGeometry(max(0, left), top, size.width(), ROW)
            left = max(0, left) + size.width() + GAP
        height = top + ROW if self._categories else 1
        if height != self.height():
            self.setFixedHeight(height)
