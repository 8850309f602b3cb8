"""A form made of a dataclass's field metadata: a row a field, checked as one whole, told when it makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields, replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from inspector.core.options import OptionError, Options
from inspector.core.strategies.choices import Choices
from inspector.ui.controls import dim_label, set_state
from inspector.ui.theme import NEAR, TIGHT

AnyOptions = Options | Choices
NOT_SHOWN = frozenset({"dialects"})  # chosen in the menu
FILES = "Chunks (*.jsonl *.json *.csv);;All files (*)"


class OptionForm(QWidget):
    """The options of one strategy. `changed` gives them whole; what makes no sense marks its field and is not told."""

    changed = Signal(object)

    def __init__(self, options: AnyOptions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._options = options
        self.editors: dict[str, QWidget] = {}
        self.fault = QLabel()
        self.fault.setProperty("mark", "fault")
        self.fault.setWordWrap(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(NEAR * 2)
        grid.setVerticalSpacing(TIGHT + 2)
        grid.setColumnStretch(2, 1)
        for row, option in enumerate(f for f in fields(options) if f.name not in NOT_SHOWN):
            editor = self._editor(option, getattr(options, option.name))
            self.editors[option.name] = editor
            label = QLabel(str(option.metadata["label"]))
            label.setBuddy(editor)
            hint = dim_label(str(option.metadata["help"]))
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1)
            grid.addWidget(hint, row, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(grid)
        column.addWidget(self.fault)
        self.fault.hide()

    @property
    def options(self) -> AnyOptions:
        """The last options that made sense."""
        return self._options

    def show_options(self, options: AnyOptions) -> None:
        """Show other values of the same options, without a signal."""
        self._options = options
        for name, editor in self.editors.items():
            with QSignalBlocker(editor):
                _show_value(editor, getattr(options, name))
            set_state(editor, "wrong", False)
        self.fault.hide()

    def _editor(self, option: Field[Any], value: Any) -> QWidget:
        choices = option.metadata.get("choices")
        if isinstance(value, bool):
            box = QCheckBox()
            box.toggled.connect(self._on_edited)
            editor: QWidget = box
        elif isinstance(value, int):
            spin = QSpinBox()
            spin.setRange(0, int(option.metadata["maximum"]))
            spin.setGroupSeparatorShown(True)
            spin.setKeyboardTracking(False)
            spin.setAlignment(Qt.AlignmentFlag.AlignRight)
            spin.valueChanged.connect(self._on_edited)
            editor = spin
        elif isinstance(value, str) and choices:
            combo = QComboBox()
            combo.addItems([str(choice) for choice in choices])
            combo.currentTextChanged.connect(self._on_edited)
            editor = combo
        elif isinstance(value, frozenset) and choices:
            several = _Several(choices)
            several.toggled.connect(self._on_edited)
            editor = several
        elif option.name == "chunks":
            editor = _FileField()
            editor.chosen.connect(self._on_edited)
        else:
            line = QLineEdit()
            line.editingFinished.connect(self._on_edited)
            editor = line
        editor.setAccessibleName(str(option.metadata["label"]))
        editor.setToolTip(_choices_words(choices) if not isinstance(editor, QComboBox) else "")
        editor.setMinimumWidth(150)
        _show_value(editor, value)
        return editor

    def _on_edited(self) -> None:
        values = {name: _value_of(editor, getattr(self._options, name)) for name, editor in self.editors.items()}
        try:
            options = replace(self._options, **values)
        except OptionError as error:
            for name, editor in self.editors.items():
                set_state(editor, "wrong", name == error.field)
            self.fault.setText(str(error))
            self.fault.show()
            return
        for editor in self.editors.values():
            set_state(editor, "wrong", False)
        self.fault.hide()
        if options != self._options:
            self._options = options
            self.changed.emit(options)


class _Several(QWidget):
    """Any of some choices, a box each."""

    toggled = Signal()

    def __init__(self, choices: Sequence[Any]) -> None:
        super().__init__()
        self.boxes = {choice: QCheckBox(str(choice)) for choice in choices}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(NEAR)
        for box in self.boxes.values():
            box.toggled.connect(self.toggled)
            row.addWidget(box)
        row.addStretch(1)

    @property
    def chosen(self) -> frozenset[Any]:
        """The choices that are on."""
        return frozenset(choice for choice, box in self.boxes.items() if box.isChecked())

    def choose(self, chosen: frozenset[Any]) -> None:
        """Switch the boxes, without a signal."""
        for choice, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(choice in chosen)


class _FileField(QWidget):
    """A path, typed or chosen."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.line = QLineEdit()
        self.line.setAccessibleName("File")
        self.line.editingFinished.connect(self.chosen)
        button = QPushButton("Choose…")
        button.clicked.connect(self._choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.line, 1)
        row.addWidget(button)
        self.setFocusProxy(self.line)

    def _choose(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Chunks of another program", self.line.text(), FILES)
        if path:
            self.line.setText(path)
            self.chosen.emit()


def _choices_words(choices: Any) -> str:
    return f"From: {', '.join(str(choice) for choice in choices)}" if choices else ""


def _show_value(editor: QWidget, value: Any) -> None:
    if isinstance(editor, QCheckBox):
        editor.setChecked(value)
    elif isinstance(editor, QSpinBox):
        editor.setValue(value)
    elif isinstance(editor, QComboBox):
        editor.setCurrentText(str(value))
    elif isinstance(editor, _Several):
        editor.choose(value)
    elif isinstance(editor, _FileField):
        editor.line.setText(value)
    elif isinstance(editor, QLineEdit):
        editor.setText(", ".join(map(str, value)) if isinstance(value, tuple) else str(value))
        editor.setCursorPosition(0)


def _value_of(editor: QWidget, like: Any) -> Any:
    """Read an editor as the type that the option has."""
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    if isinstance(editor, QSpinBox):
        return editor.value()
    if isinstance(editor, QComboBox):
        return editor.currentText()
    if isinstance(editor, _Several):
        return editor.chosen
    if isinstance(editor, _FileField):
        return editor.line.text().strip()
    assert isinstance(editor, QLineEdit)
    if isinstance(like, tuple):
        return tuple(word.strip() for word in editor.text().split(",") if word.strip())
    return editor.text().strip()
