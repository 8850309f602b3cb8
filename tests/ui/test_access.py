"""Every view can be used with the keyboard and is named for screen readers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.chunk_list import ChunkList
from inspector.ui.map_view import MapView
from inspector.ui.message_bar import MessageBar
from inspector.ui.outline import Outline
from inspector.ui.problems_panel import ProblemsPanel
from inspector.ui.question_panel import QuestionPanel
from inspector.ui.source_view import SourceView
from inspector.ui.strip import Strip
from inspector.ui.theme import Theme
from inspector.ui.welcome import Welcome

VIEWS = (ChunkList, MapView, MessageBar, Outline, ProblemsPanel, QuestionPanel, SourceView, Strip, Welcome)


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
