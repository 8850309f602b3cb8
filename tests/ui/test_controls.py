"""Small parts that several views share."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetrics
from pytestqt.qtbot import QtBot

from inspector.ui.controls import Segmented
from inspector.ui.theme import Theme


def test_a_pressed_segment_has_room_for_its_bold_text(qtbot: QtBot, theme: Theme) -> None:
    labels = ("Source", "As embedded", "Nearest 10", "Folder")
    segments = Segmented(labels, "Pages")
    qtbot.addWidget(segments)
    segments.show()
    widths = [segments.button(number).width() for number in range(len(labels))]
    for number, label in enumerate(labels):
        segments.choose(number)
        button = segments.button(number)
        bold = QFont(button.font())
        bold.setWeight(QFont.Weight.DemiBold)
        edges = 24 if number == 0 else 23  # a left border is the first's alone
        assert button.width() - edges >= QFontMetrics(bold).horizontalAdvance(label), label
        assert [segments.button(other).width() for other in range(len(labels))] == widths, "nothing moves"
