"""The row at the top: the folder, the target model, the preset, and what differs from the settings on disk."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from inspector.core.strategies.registry import HEADINGS
from inspector.embedding.models import KNOWN_MODELS, Model
from inspector.plugins import all_strategies
from inspector.settings import FILE_NAME, PRESETS, Settings, preset_of
from inspector.ui.controls import ElidedLabel, dim_label
from inspector.ui.theme import FAR, NEAR, WIDE, Theme

HEIGHT = 46
OTHER = "Other: limit N tokens…"
FOLDER = "A model on this machine…"
CUSTOM = "Custom"


class Toolbar(QFrame):
    """Shows folder and settings; what the author asks for is told by signals."""

    open_requested = Signal()
    model_chosen = Signal(str)
    other_limit_requested = Signal()
    model_folder_requested = Signal()
    preset_chosen = Signal(str)
    strategy_chosen = Signal(str)
    options_requested = Signal()
    save_requested = Signal()
    revert_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setFixedHeight(HEIGHT)
        self._theme = theme
        self.open_button = QPushButton("Open…")
        self.folder_label = ElidedLabel("", Qt.TextElideMode.ElideMiddle)
        self.folder_label.setProperty("strong", True)
        self.count_label = dim_label()
        self.strategy_box = QComboBox()
        self.strategy_box.setAccessibleName("Strategy: how posts are cut")
        for name, strategy in all_strategies().items():
            self.strategy_box.addItem(strategy.label, name)
            self.strategy_box.setItemData(self.strategy_box.count() - 1, strategy.help, Qt.ItemDataRole.ToolTipRole)
        self.options_button = QPushButton("Options…")
        self.options_button.setToolTip("All options of the strategy")
        self.model_box = QComboBox()
        self.model_box.setAccessibleName("Target model: what the site embeds with")
        self.preset_box = QComboBox()
        self.preset_box.setAccessibleName("Preset of thresholds")
        self.preset_box.addItems(list(PRESETS))
        self.differs_label = ElidedLabel()
        self.differs_label.setProperty("dim", True)
        self.save_button = QPushButton("Save")
        self.revert_button = QPushButton("Revert")
        self.menu_button = QToolButton()
        self.menu_button.setAccessibleName("Menu")
        self.menu_button.setToolTip("Menu")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for box in (
            self.strategy_box,
            self.model_box,
            self.preset_box,
        ):  # a long name gives way, not these
            box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._of_folder: list[QWidget] = []
        self._labels: dict[QWidget, QLabel] = {}
        self._lay_out()
        self.open_button.clicked.connect(self.open_requested)
        self.save_button.clicked.connect(self.save_requested)
        self.revert_button.clicked.connect(self.revert_requested)
        self.model_box.activated.connect(self._on_model)
        self.preset_box.textActivated.connect(self._on_preset)
        self.strategy_box.activated.connect(self._on_strategy)
        self.options_button.clicked.connect(self.options_requested)
        theme.changed.connect(self._paint_icons)
        self._paint_icons()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(WIDE - 4, 0, WIDE - 4, 0)
        row.setSpacing(NEAR)
        row.addWidget(self.open_button)
        row.addWidget(self.folder_label)
        row.addWidget(self.count_label)
        row.addSpacing(FAR + NEAR)
        for words, widget in (
            ("&Strategy", self.strategy_box),
            ("", self.options_button),
            ("Target &model", self.model_box),
            ("&Preset", self.preset_box),
        ):
            self._of_folder.append(widget)
            if words:
                label = QLabel(words)
                label.setProperty("dim", True)
                label.setBuddy(widget)
                self._of_folder.append(label)
                self._labels[widget] = label
                row.addSpacing(NEAR)
                row.addWidget(label)
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.differs_label)
        for button in (self.save_button, self.revert_button, self.menu_button):
            row.addWidget(button)

    def set_menu(self, menu: QMenu) -> None:
        """Give the menu button its menu."""
        self.menu_button.setMenu(menu)

    def show_folder(self, name: str, documents: int, path: str) -> None:
        """Show which folder is open."""
        self.folder_label.set_full_text(name, path)
        self.count_label.setText(f"{documents:,} document{'' if documents == 1 else 's'}" if name else "")
        for widget in self._of_folder:
            widget.setVisible(bool(name))

    def show_settings(self, settings: Settings, target: Model, *, differs: bool, has_file: bool) -> None:
        """Show the settings in force, and whether they differ from those on disk."""
        with QSignalBlocker(self.model_box):
            self.model_box.clear()
            for name, model in KNOWN_MODELS.items():
                self.model_box.addItem(_model_words(model), name)
            if target.name not in KNOWN_MODELS or settings.token_limit:
                self.model_box.addItem(_model_words(target), settings.target_model)
                self.model_box.setCurrentIndex(self.model_box.count() - 1)
            else:
                self.model_box.setCurrentIndex(self.model_box.findData(target.name))
            self.model_box.addItem(OTHER)
            self.model_box.addItem(FOLDER)
        with QSignalBlocker(self.strategy_box):
            self.strategy_box.setCurrentIndex(self.strategy_box.findData(settings.strategy))
        for widget in (self.preset_box, self._labels[self.preset_box]):  # a preset is one of thresholds
            widget.setEnabled(settings.strategy == HEADINGS)
        with QSignalBlocker(self.preset_box):
            custom = self.preset_box.findText(CUSTOM)
            name = preset_of(settings.options) or CUSTOM
            if name == CUSTOM and custom < 0:
                self.preset_box.addItem(CUSTOM)
            elif name != CUSTOM and custom >= 0:
                self.preset_box.removeItem(custom)
            self.preset_box.setCurrentText(name)
        self.differs_label.set_full_text(
            f"differs from {FILE_NAME if has_file else 'your defaults'}" if differs else ""
        )
        self.save_button.setVisible(differs)
        self.revert_button.setVisible(differs)

    def _on_strategy(self, index: int) -> None:
        self.strategy_chosen.emit(str(self.strategy_box.itemData(index)))

    def _on_model(self, index: int) -> None:
        words = self.model_box.itemText(index)
        if words == OTHER:
            self.other_limit_requested.emit()
        elif words == FOLDER:
            self.model_folder_requested.emit()
        else:
            self.model_chosen.emit(str(self.model_box.itemData(index)))

    def _on_preset(self, name: str) -> None:
        if name in PRESETS:
            self.preset_chosen.emit(name)

    def _paint_icons(self) -> None:
        self.menu_button.setIcon(self._theme.icon("menu"))


def _model_words(model: Model) -> str:
    if model.is_approximate:
        return model.label
    return f"{model.name.rpartition('/')[2]} · {model.token_limit:,} tokens"
