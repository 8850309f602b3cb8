"""About: versions, model and engine, where log, cache and settings are; and whose work the program stands on."""

from __future__ import annotations

import platform
from dataclasses import dataclass, fields

from PySide6 import __version__ as qt_version
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector import __version__
from inspector.folders import cache_folder, config_folder
from inspector.licences import Part, read_parts
from inspector.ui.controls import dim_label, strong_label
from inspector.ui.log_file import log_path
from inspector.ui.theme import FAR, NEAR, TIGHT, app_icon

ICON_SIDE = 64
LICENCES_SIZE = (1000, 620)
LIST_WIDTH = 260
NOT_LOADED = "not loaded yet"
PROMISE = "Nothing leaves this machine: the program uses no network, and asks for no updates."


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report of a fault has to say about this program and machine; each in words."""

    version: str
    python: str
    qt: str
    system: str
    model: str
    engine: str
    log: str
    cache: str
    settings: str

    def as_text(self) -> str:
        """Return one fact a line, for the clipboard."""
        return "\n".join(f"{LABELS[field.name]}: {getattr(self, field.name)}" for field in fields(self))


LABELS = {
    "version": "Chunk Inspector",
    "python": "Python",
    "qt": "Qt",
    "system": "System",
    "model": "Model",
    "engine": "Engine",
    "log": "Log",
    "cache": "Cache",
    "settings": "Settings",
}


def gather_facts(model: str = "", engine: str = "") -> Facts:
    """Collect the facts; `model` draws the map, `engine` is what runs it, empty before it is loaded."""
    return Facts(
        version=__version__,
        python=platform.python_version(),
        qt=qt_version,
        system=platform.platform(),
        model=model or NOT_LOADED,
        engine=engine or NOT_LOADED,
        log=str(log_path()),
        cache=str(cache_folder()),
        settings=str(config_folder()),
    )


class AboutBox(QDialog):
    """The facts, to read and to copy, and the way to the licences."""

    def __init__(self, parent: QWidget | None, facts: Facts) -> None:
        """Show these facts over a window."""
        super().__init__(parent)
        self.setWindowTitle("About Chunk Inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._facts = facts
        column = QVBoxLayout(self)
        column.setContentsMargins(FAR + NEAR, FAR + NEAR, FAR + NEAR, FAR)
        column.setSpacing(FAR)
        column.addLayout(self._head())
        column.addLayout(self._form())
        column.addWidget(dim_label(PROMISE))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = QPushButton("Copy details")
        self.licences = QPushButton("Licences…")
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.licences, QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(self.copy_details)
        self.licences.clicked.connect(self.show_licences)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)

    def copy_details(self) -> None:
        """Put the facts on the clipboard."""
        QGuiApplication.clipboard().setText(self._facts.as_text())
        self.copy.setText("Copied")

    def show_licences(self) -> None:
        """Open the list of third parties."""
        LicencesBox(self, read_parts()).open()

    def _head(self) -> QHBoxLayout:
        icon = QLabel()
        icon.setPixmap(app_icon().pixmap(QSize(ICON_SIDE, ICON_SIDE), self.devicePixelRatioF()))
        words = QVBoxLayout()
        words.setSpacing(TIGHT)
        words.addStretch(1)
        words.addWidget(strong_label(f"Chunk Inspector {self._facts.version}"))
        words.addWidget(QLabel("See how your markdown will be chunked, and what it will answer."))
        words.addWidget(dim_label("MIT licence"))
        words.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(FAR)
        row.addWidget(icon)
        row.addLayout(words, 1)
        return row

    def _form(self) -> QFormLayout:
        form = QFormLayout()
        form.setHorizontalSpacing(FAR)
        form.setVerticalSpacing(TIGHT)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for field in fields(self._facts):
            if field.name == "version":
                continue
            value = QLabel(getattr(self._facts, field.name))
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            value.setAccessibleName(LABELS[field.name])
            form.addRow(dim_label(LABELS[field.name]), value)
        return form


class LicencesBox(QDialog):
    """The third parties on the left, the chosen one's licence on the right."""

    def __init__(self, parent: QWidget | None, parts: list[Part]) -> None:
        """List these parts."""
        super().__init__(parent)
        self.setWindowTitle("Licences")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*LICENCES_SIZE)
        self._parts = parts
        self.field = QLineEdit()
        self.field.setPlaceholderText("Filter by name or licence")
        self.field.setAccessibleName("Filter parts")
        self.field.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setAccessibleName("Parts")
        self.list.setFixedWidth(LIST_WIDTH)
        self.list.addItems([f"{part.name} {part.version}".strip() for part in parts])
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Licence")
        self.text.setFont(QFontDatabase.font("JetBrains Mono", "Regular", self.font().pointSize()))
        left = QVBoxLayout()
        left.setSpacing(NEAR)
        left.addWidget(self.field)
        left.addWidget(self.list)
        row = QHBoxLayout()
        row.setSpacing(NEAR)
        row.addLayout(left)
        row.addWidget(self.text, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(FAR, FAR, FAR, FAR)
        column.setSpacing(FAR)
        column.addLayout(row, 1)
        column.addWidget(dim_label(f"{len(parts)} parts. Chunk Inspector itself is under the MIT licence."))
        column.addWidget(buttons)
        self.field.textChanged.connect(self._filter)
        self.list.currentRowChanged.connect(self._show)
        self.list.setCurrentRow(0)

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for row, part in enumerate(self._parts):
            held = f"{part.name} {part.licence}".casefold()
            self.list.setRowHidden(row, not all(word in held for word in wanted))

    def _show(self, row: int) -> None:
        self.text.setPlainText(words_of(self._parts[row]) if 0 <= row < len(self._parts) else "")


def words_of(part: Part) -> str:
    """Return a part's name, licence and page, then the licence's words."""
    head = [f"{part.name} {part.version}".strip(), part.licence, part.home]
    return "\n\n".join(["\n".join(line for line in head if line), *part.texts])
