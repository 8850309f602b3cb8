"""Every view can be used with the keyboard and is named for screen readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.chunk_list import ChunkList
from inspector.ui.controls import plain_tooltip
from inspector.ui.folder_find import FolderFind
from inspector.ui.main_window import MainWindow
from inspector.ui.map_view import MapView
from inspector.ui.message_bar import MessageBar
from inspector.ui.outline import Outline
from inspector.ui.problems_panel import ProblemsPanel
from inspector.ui.question_panel import QuestionPanel
from inspector.ui.source_view import SourceView
from inspector.ui.strip import Strip
from inspector.ui.theme import Theme
from inspector.ui.welcome import Welcome
from tests.ui.real_window import copy_sample, own_window

INSIDE = ("qt_spinbox_lineedit", "qt_scrollarea_viewport")
VIEWS = (ChunkList, FolderFind, MapView, MessageBar, Outline, ProblemsPanel, QuestionPanel, SourceView, Strip, Welcome)


@pytest.mark.parametrize("view_class", VIEWS, ids=lambda view_class: view_class.__name__)
def test_what_takes_the_focus_has_a_name(qtbot: QtBot, theme: Theme, view_class: Callable[[Theme], QWidget]) -> None:
    view = view_class(theme)
    qtbot.addWidget(view)
    popups = [box.view() for box in view.findChildren(QComboBox)]
    nameless = []
    for widget in view.findChildren(QWidget):
        is_inside = widget in popups or type(widget) is QWidget or isinstance(widget, QLabel)
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or is_inside:
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if not widget.accessibleName() and not text:
            nameless.append(f"{type(widget).__name__} {widget.objectName()}")
    assert nameless == []


def is_in_a_group(widget: QWidget) -> bool:
    """Say whether a button is reached with the arrow keys, from the pressed one of its group."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and group.checkedButton() is not widget


@pytest.fixture
def window(shared_theme: Theme, tmp_path: Path) -> Iterator[MainWindow]:
    with own_window(shared_theme, tmp_path, embeds=False) as real:
        real.open(copy_sample(tmp_path, "from-analyst.md", "queues-at-night.md"))
        yield real.window


def test_tab_goes_through_the_whole_window_in_reading_order(window: MainWindow) -> None:
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    window.toolbar.open_button.setFocus()
    parts = [window.toolbar, window.strip, *window.panes(), window.status]
    seen: list[QWidget] = []
    for _ in range(200):
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused in seen:
            break
        seen.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    expected = {
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and widget.objectName() not in INSIDE
        and not isinstance(widget, QTabBar)
        and not is_in_a_group(widget)
        and not widget.visibleRegion().isEmpty()
    }
    missed = [f"{type(w).__name__} {w.accessibleName()}" for w in expected - set(seen)]
    assert missed == [], [(type(w).__name__, w.accessibleName()) for w in seen]
    places = [next((n for n, part in enumerate(parts) if part.isAncestorOf(w)), -1) for w in seen]
    named = [number for number in places if number >= 0]
    assert named == sorted(named), [(type(w).__name__, w.accessibleName()) for w in seen]


def test_everything_that_takes_the_focus_in_the_window_has_a_name(window: MainWindow) -> None:
    nameless = [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and type(widget) is not QWidget
        and widget.isVisible()
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and widget.objectName() not in INSIDE
    ]
    assert nameless == []


def test_a_name_that_looks_like_markup_is_shown_as_it_is(window: MainWindow) -> None:
    assert plain_tooltip("<b>a</b>\n& b") == "<qt>&lt;b&gt;a&lt;/b&gt;<br>&amp; b</qt>"
    assert plain_tooltip("a & b") == "a & b"
    texts = [w.toolTip() for w in window.findChildren(QWidget)]
    assert [text for text in texts if "<" in text and not text.startswith("<qt>")] == []
