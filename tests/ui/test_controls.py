"""Small parts that several views share."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from inspector.ui.controls import Segmented
from inspector.ui.presenter import Soon
from inspector.ui.status_bar import StatusBar
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


def test_what_comes_soon_lets_turns_pass_and_comes_once(qtbot: QtBot) -> None:
    told: list[str] = []
    parent = QObject()
    later = Soon(lambda: told.append("later"), parent, 0, turns=2)
    sooner = Soon(lambda: told.append("sooner"), parent, 0)
    for _ in range(3):
        later.wish()
        sooner.wish()
    qtbot.waitUntil(lambda: len(told) == 2)
    qtbot.wait(20)
    assert told == ["sooner", "later"]
    later.wish()
    qtbot.waitUntil(lambda: len(told) == 3)


def test_the_status_bar_is_as_high_whatever_it_shows(qtbot: QtBot, theme: Theme) -> None:
    """It grew by two pixels with the button, and all above it moved each time something was read."""
    window = QMainWindow()
    qtbot.addWidget(window)
    bar = StatusBar()
    window.setStatusBar(bar)
    window.resize(900, 300)
    window.show()
    heights = []
    for done, total in ((0, 0), (0, 1), (3, 20), (0, 0)):
        bar.show_reading(done, total)
        qtbot.wait(20)
        heights.append(bar.height())
    bar.tell("Copied")
    qtbot.wait(20)
    assert heights == [bar.height()] * 4
