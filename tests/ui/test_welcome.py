"""The welcome page and the message bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.core.problems.problem import Severity
from inspector.ui.message_bar import MessageBar
from inspector.ui.theme import Theme, ThemeMode
from inspector.ui.welcome import Recent, Welcome


def test_three_ways_in(qtbot: QtBot, theme: Theme) -> None:
    page = Welcome(theme)
    qtbot.addWidget(page)
    page.show_recents([Recent("/sites/posts"), Recent("/sites/gone", is_there=False)])
    page.show()
    with qtbot.waitSignal(page.open_requested):
        QTest.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.sample_requested):
        QTest.mouseClick(page.sample_button, Qt.MouseButton.LeftButton)
    there, gone = page.recent_buttons()
    with qtbot.waitSignal(page.recent_chosen) as told:
        QTest.mouseClick(there, Qt.MouseButton.LeftButton)
    assert told.args == ["/sites/posts"]
    assert not gone.isEnabled()
    assert gone.accessibleName() == "/sites/gone, missing"
    page.show_recents(())
    assert page.recent_buttons() == []


def test_a_message_says_what_to_do(qtbot: QtBot, theme: Theme) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    assert not bar.isVisible()
    bar.show_message("Can't read X.", Severity.ERROR, details="errno 13", action="Choose")
    assert bar.isVisible()
    assert bar.property("mark") == "error"
    QTest.mouseClick(bar.copy_button, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "Can't read X.\n\nerrno 13"
    with qtbot.waitSignal(bar.action_chosen):
        QTest.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_a_plain_message_has_no_empty_buttons(qtbot: QtBot, theme: Theme) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    bar.show_message("Reloaded.")
    assert not bar.action_button.isVisible()
    assert not bar.copy_button.isVisible()
    theme.set_mode(ThemeMode.DARK)
    with qtbot.waitSignal(bar.dismissed):
        QTest.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
