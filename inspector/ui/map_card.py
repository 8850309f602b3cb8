"""The card that hovers over a point of the map."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from inspector.ui.map_data import MapPoint, label_of
from inspector.ui.theme import NEAR, Theme, ui_font

CARD_WIDTH = 300
SHOWN_CHARACTERS = 200
DISTANCE = 14


class HoverCard(QFrame):
    """What a point is: trail, sizes, how far its place can be trusted, and its first words."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("hover_card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(CARD_WIDTH)
        self._trail, self._sizes, self._trust, self._text = QLabel(), QLabel(), QLabel(), QLabel()
        self._trail.setFont(ui_font(weight=QFont.Weight.DemiBold))
        self._trail.setProperty("strong", True)
        for label in (self._sizes, self._trust):
            label.setProperty("dim", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(NEAR + 2, NEAR, NEAR + 2, NEAR)
        column.setSpacing(4)
        for label in (self._trail, self._sizes, self._trust, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            column.addWidget(label)
        self._near = QPointF()
        self.hide()

    @property
    def words(self) -> str:
        """All that the card says."""
        labels = (self._trail, self._sizes, self._trust, self._text)
        return "\n".join(label.text() for label in labels if label.text())

    def show_point(self, point: MapPoint, near: QPointF) -> None:
        """Show a point's card beside it, inside the parent."""
        self._near = near
        self._trail.setText(label_of(point))
        tokens = f" · {point.tokens:,} tokens" if point.tokens is not None else ""
        more = (" · truncated" if point.is_truncated else "") + (" · changed" if point.is_new else "")
        self._sizes.setText(f"#{point.chunk + 1} · {point.characters:,} characters{tokens}{more}")
        words = " ".join(point.text[: SHOWN_CHARACTERS * 2].split())
        self._text.setText(words[:SHOWN_CHARACTERS] + ("…" if len(words) > SHOWN_CHARACTERS else ""))
        self._trust.setText("")
        self._trust.hide()
        self._place()
        self.show()
        self.raise_()

    def show_trust(self, near_count: int, count: int) -> None:
        """Say how many of the point's true neighbours are near it on the map."""
        if count and self.isVisible():
            self._trust.setText(f"{near_count} of its {count} nearest are near on the map")
            self._trust.show()
            self._place()

    def _place(self) -> None:
        layout, parent = self.layout(), self.parentWidget()
        assert layout is not None and parent is not None
        layout.activate()
        self.resize(CARD_WIDTH, layout.totalHeightForWidth(CARD_WIDTH))
        x, y = self._near.x() + DISTANCE, self._near.y() + DISTANCE
        if x + self.width() > parent.width():
            x = max(4.0, min(self._near.x() - DISTANCE - self.width(), parent.width() - self.width() - 4.0))
        if y + self.height() > parent.height():
            y = max(4.0, self._near.y() - DISTANCE - self.height())
        self.move(round(x), round(y))
