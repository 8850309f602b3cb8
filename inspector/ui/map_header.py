"""The row above the map: what its colours mean, the tools that choose points, and how it was made."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QWidget

from inspector.ui.controls import ElidedLabel
from inspector.ui.map_data import ColorBy
from inspector.ui.map_tools import Tool
from inspector.ui.theme import NEAR, SMALL_PIXELS, Theme, ui_font

COLOR_BOX_WIDTH = 106
TOOLS = (
    (Tool.BOX, "square-dashed", "Box", "Choose points with a box (B). Shift adds, Alt takes away, Escape leaves."),
    (Tool.LASSO, "lasso", "Lasso", "Choose points with a lasso (L). Shift adds, Alt takes away, Escape leaves."),
)


class MapHeader(QWidget):
    """Which tool is armed is told by `tool_chosen` (Tool); the colours by the box itself."""

    tool_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.color_box = QComboBox()
        self.color_box.setAccessibleName("Colour the map by")
        self.color_box.addItems([by.value for by in ColorBy])
        self.color_box.setProperty("snug", True)
        self.color_box.setFixedWidth(COLOR_BOX_WIDTH)
        self.method = ElidedLabel()
        self.method.setProperty("dim", True)
        self.method.setFont(ui_font(SMALL_PIXELS))
        self.method.setProperty("small", True)
        self.method.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label = QLabel("Colour")
        label.setProperty("dim", True)
        label.setBuddy(self.color_box)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(NEAR - 2)
        row.addWidget(label)
        row.addWidget(self.color_box)
        self.tool_buttons: dict[Tool, QPushButton] = {}
        for tool, _, words, hint in TOOLS:
            button = QPushButton(words)
            button.setIconSize(QSize(14, 14))
            button.setCheckable(True)
            button.setToolTip(hint)
            button.setAccessibleName(f"{words} selection")
            button.setProperty("snug", True)
            button.clicked.connect(lambda checked, t=tool: self.tool_chosen.emit(t if checked else Tool.PAN))
            self.tool_buttons[tool] = button
            row.addWidget(button)
        row.addWidget(self.method, 1)
        theme.changed.connect(self._set_icons)
        self._set_icons()

    def show_tool(self, tool: Tool) -> None:
        """Show which tool is armed."""
        for of_button, button in self.tool_buttons.items():
            button.setChecked(of_button is tool)

    def _set_icons(self) -> None:
        for tool, icon, _, _ in TOOLS:
            self.tool_buttons[tool].setIcon(self._theme.icon(icon, "text"))
