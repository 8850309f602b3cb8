"""What stands in the window before a folder is open: what the program does, and three ways in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector.ui.controls import ElidedLabel, dim_label
from inspector.ui.theme import FAR, NEAR, TIGHT, Theme, app_icon, ui_font

WIDTH = 520
MOST_RECENT = 6
PURPOSE = (
    "See how your markdown will be cut into chunks, what an embedding model reads of each of them, "
    "and which of them answers a question."
)


@dataclass(frozen=True, slots=True)
class Recent:
    """A folder that was open before; one that is gone is shown, but cannot be chosen."""

    path: str
    is_there: bool = True


class Welcome(QWidget):
    """The page. It only asks: `open_requested`, `sample_requested`, `recent_chosen`."""

    open_requested = Signal()
    sample_requested = Signal()
    recent_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        picture = QLabel()
        picture.setPixmap(app_icon().pixmap(56, 56))
        title = QLabel("Chunk Inspector")
        title.setFont(ui_font(26, QFont.Weight.DemiBold))
        title.setStyleSheet("font-size: 26px; font-weight: 600;")
        purpose = dim_label(PURPOSE)
        purpose.setWordWrap(True)
        self.open_button = QPushButton("Open folder…")
        self.open_button.setDefault(True)
        self.sample_button = QPushButton("Try the sample")
        self.sample_button.setToolTip("A small site with the usual accidents: mixed line ends, an unclosed fence …")
        self.drop_label = dim_label("or drop a folder or markdown files here")
        self._recent_title = dim_label("Recent")
        self._recents = QVBoxLayout()
        self._recents.setSpacing(0)
        buttons = QHBoxLayout()
        buttons.setSpacing(NEAR)
        for widget in (self.open_button, self.sample_button, self.drop_label):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(NEAR)
        column.addWidget(picture)
        column.addSpacing(NEAR)
        column.addWidget(title)
        column.addWidget(purpose)
        column.addSpacing(FAR)
        column.addLayout(buttons)
        column.addSpacing(FAR + NEAR)
        column.addWidget(self._recent_title)
        column.addLayout(self._recents)
        middle = QWidget()
        middle.setLayout(column)
        middle.setFixedWidth(WIDTH)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addWidget(middle, 0, Qt.AlignmentFlag.AlignHCenter)
        outer.addStretch(3)
        self.open_button.clicked.connect(self.open_requested)
        self.sample_button.clicked.connect(self.sample_requested)
        self.show_recents(())

    def show_recents(self, recents: Sequence[Recent]) -> None:
        """List folders that were open before, the latest first."""
        while (item := self._recents.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._recent_title.setVisible(bool(recents))
        for recent in recents[:MOST_RECENT]:
            self._recents.addWidget(self._row(recent))

    def recent_buttons(self) -> list[QPushButton]:
        """Return the buttons of the recent folders."""
        items = [self._recents.itemAt(number) for number in range(self._recents.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, QPushButton)]

    def _row(self, recent: Recent) -> QPushButton:
        button = QPushButton()
        button.setObjectName("recent")
        button.setAccessibleName(recent.path if recent.is_there else f"{recent.path}, missing")
        button.setProperty("path", recent.path)
        folder, _, name = recent.path.replace("\\", "/").rstrip("/").rpartition("/")
        row = QHBoxLayout(button)
        row.setContentsMargins(TIGHT, 0, NEAR, 0)
        label = QLabel(name or recent.path)
        where = ElidedLabel(folder if recent.is_there else f"{folder} · missing", Qt.TextElideMode.ElideMiddle)
        where.setProperty("dim", True)
        for part in (label, where):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        if not recent.is_there:
            label.setProperty("dim", True)
        row.addWidget(label)
        row.addWidget(where, 1)
        button.setMinimumHeight(30)
        button.setEnabled(recent.is_there)
        button.clicked.connect(self._on_recent)
        return button

    def _on_recent(self) -> None:
        button = self.sender()
        if button is not None:
            self.recent_chosen.emit(str(button.property("path")))
