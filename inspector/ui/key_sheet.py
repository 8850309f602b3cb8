"""The sheet of keys, F1: every action that has one, under the headings of the table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.ui.actions import GROUPS, Actions
from inspector.ui.controls import dim_label, strong_label
from inspector.ui.theme import FAR, NEAR, TIGHT, WIDE

COLUMNS = 3
PANE_KEYS = (
    ("Source", (("Ctrl+C", "Copy the selected source"), ("Ctrl+wheel", "Text size"), ("F3", "Next place found"))),
    ("Thresholds", (("Up, Down", "Choose a line"), ("Left, Right", "Move it by 10"), ("Shift", "… by 1"))),
    (
        "Map",
        (
            ("L, B, V", "Lasso, box, pan"),
            ("N", "Neighbours"),
            ("Arrows, Enter", "Next point, select it"),
            ("Esc", "Leave a lasso or box"),
        ),
    ),
)


class KeySheet(QDialog):
    """All keys at a glance."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        """List the keys as they are now."""
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        blocks = [(group, _keys_of(actions, group)) for group in GROUPS]
        blocks = [(group, keys) for group, keys in blocks if keys]
        blocks += [(title, list(keys)) for title, keys in PANE_KEYS]
        row = QHBoxLayout(self)
        row.setContentsMargins(FAR + NEAR, FAR, FAR + NEAR, FAR)
        row.setSpacing(FAR * 2 + NEAR)
        for column in _in_columns(blocks):
            box = QVBoxLayout()
            box.setSpacing(FAR)
            for title, keys in column:
                box.addLayout(_block(title, keys))
            box.addStretch(1)
            row.addLayout(box)


def _keys_of(actions: Actions, group: str) -> list[tuple[str, str]]:
    native = QKeySequence.SequenceFormat.NativeText
    return [
        (action.shortcut().toString(native), action.text().rstrip("…"))
        for name, action in actions.by_name.items()
        if actions.group_of(name) == group and not action.shortcut().isEmpty()
    ]


def _in_columns(blocks: list[tuple[str, list[tuple[str, str]]]]) -> list[list[tuple[str, list[tuple[str, str]]]]]:
    """Deal blocks out to columns of about one height, in order."""
    rows = sum(len(keys) + 2 for _, keys in blocks)
    columns: list[list[tuple[str, list[tuple[str, str]]]]] = [[]]
    filled = 0
    for title, keys in blocks:
        if len(columns) < COLUMNS and filled + (len(keys) + 2) / 2 > rows / COLUMNS:
            columns.append([])
            filled = 0
        columns[-1].append((title, keys))
        filled += len(keys) + 2
    return columns


def _block(title: str, keys: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(WIDE)
    grid.setVerticalSpacing(TIGHT)
    grid.addWidget(strong_label(title), 0, 0, 1, 2)
    for number, (key, words) in enumerate(keys, 1):
        grid.addWidget(QLabel(words), number, 0)
        grid.addWidget(dim_label(key), number, 1)
    grid.setColumnMinimumWidth(0, 190)
    grid.setColumnMinimumWidth(1, 100)
    return grid
