"""Parts of the map pane: its legend and the card that hovers over a point."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from inspector.ui.map_data import Category, MapPoint, short_name
from inspector.ui.theme import NEAR, SMALL_PIXELS, Theme, ui_font

ROW = 20.0
MARK = 9.0
CARD_WIDTH = 300
SHOWN_CHARACTERS = 200
SHAPES: dict[str, list[tuple[float, float]]] = {
    "t1": [(0, -1), (1, 0.8), (-1, 0.8)],
    "t": [(0, 1), (1, -0.8), (-1, -0.8)],
    "s": [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    "d": [(0, -1.1), (1.1, 0), (0, 1.1), (-1.1, 0)],
    "p": [(0, -1), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)],
    "h": [(0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0), (-0.5, -0.87)],
    "+": [(-0.35, -1), (0.35, -1), (0.35, -0.35), (1, -0.35), (1, 0.35), (0.35, 0.35), (0.35, 1), (-0.35, 1),
          (-0.35, 0.35), (-1, 0.35), (-1, -0.35), (-0.35, -0.35)],
}  # fmt: skip


def paint_symbol(painter: QPainter, symbol: str, middle: QPointF, size: float) -> None:
    """Paint one of the map's shapes with the painter's brush."""
    half = size / 2
    if symbol == "o":
        painter.drawEllipse(middle, half, half)
        return
    painter.drawPolygon(QPolygonF([QPointF(middle.x() + x * half, middle.y() + y * half) for x, y in SHAPES[symbol]]))


class Legend(QWidget):
    """Shapes, names and counts, in as many rows as they need."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._categories: tuple[Category, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def entries(self) -> tuple[tuple[str, int], ...]:
        """Names and counts, in order."""
        return tuple((short_name(category.name), len(category.members)) for category in self._categories)

    def show_categories(self, categories: Sequence[Category]) -> None:
        """Show other categories."""
        self._categories = tuple(categories)
        self.setAccessibleName("Legend: " + ", ".join(f"{name} {count}" for name, count in self.entries))
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many rows as this width needs."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the height that all rows need."""
        return QSize(200, round(self._places()[1]))

    def _fit(self) -> None:
        height = round(self._places()[1])
        if height != self.height():
            self.setFixedHeight(max(1, height))

    def _places(self) -> tuple[list[QRectF], float]:
        metrics = QFontMetricsF(ui_font(SMALL_PIXELS))
        left, top = 0.0, 0.0
        places = []
        for name, count in self.entries:
            width = MARK + 6 + metrics.horizontalAdvance(f"{name} {count:,}")
            if left and left + width > self.width():
                left, top = 0.0, top + ROW
            places.append(QRectF(left, top, width, ROW))
            left += width + 14
        return places, top + ROW if places else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the entries."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(ui_font(SMALL_PIXELS))
        places, _ = self._places()
        for category, place, (name, count) in zip(self._categories, places, self.entries, strict=True):
            color = self._theme.color(category.token)
            painter.setPen(QPen(color.darker(125), 1))
            painter.setBrush(color)
            middle = QPointF(place.left() + MARK / 2 + 1, place.center().y())
            paint_symbol(painter, category.symbol, middle, MARK)
            painter.setPen(self._theme.color("text"))
            words = place.adjusted(MARK + 6, 0, 4, 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, f"{name} {count:,}")


class HoverCard(QFrame):
    """What a point is: trail, sizes, and its first words."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("hover_card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(CARD_WIDTH)
        self._trail, self._sizes, self._text = QLabel(), QLabel(), QLabel()
        self._trail.setFont(ui_font(weight=QFont.Weight.DemiBold))
        self._trail.setProperty("strong", True)
        self._sizes.setProperty("dim", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(NEAR + 2, NEAR, NEAR + 2, NEAR)
        column.setSpacing(4)
        for label in (self._trail, self._sizes, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            column.addWidget(label)
        self.hide()

    @property
    def words(self) -> str:
        """All that the card says."""
        return "\n".join(label.text() for label in (self._trail, self._sizes, self._text))

    def show_point(self, point: MapPoint, near: QPointF) -> None:
        """Show a point's card beside it, inside the parent."""
        self._trail.setText(" › ".join((short_name(point.document), *point.trail)))
        tokens = f" · {point.tokens:,} tokens" if point.tokens is not None else ""
        unread = " · truncated" if point.is_truncated else ""
        self._sizes.setText(f"#{point.chunk + 1} · {point.characters:,} characters{tokens}{unread}")
        words = " ".join(point.text[: SHOWN_CHARACTERS * 2].split())
        self._text.setText(words[:SHOWN_CHARACTERS] + ("…" if len(words) > SHOWN_CHARACTERS else ""))
        layout = self.layout()
        assert layout is not None
        self.resize(CARD_WIDTH, layout.totalHeightForWidth(CARD_WIDTH))
        parent = self.parentWidget()
        assert parent is not None
        x, y = near.x() + 14, near.y() + 14
        if x + self.width() > parent.width():
            x = max(4.0, min(near.x() - 14 - self.width(), parent.width() - self.width() - 4.0))
        if y + self.height() > parent.height():
            y = max(4.0, near.y() - 14 - self.height())
        self.move(round(x), round(y))
        self.show()
        self.raise_()
