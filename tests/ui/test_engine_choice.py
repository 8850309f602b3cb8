"""Which engine serves is said on the map and chosen in the menu."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector import vector_tasks
from inspector.ui.main_window import MainWindow
from inspector.ui.session import Session
from inspector.ui.state_file import State
from inspector.ui.theme import Theme
from tests.fakes import InstantRunner, use_hash_encoder


def test_the_fast_engine_can_be_switched_off_in_the_menu(
    tmp_path: Path, qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    use_hash_encoder(monkeypatch)
    (tmp_path / "posts").mkdir()
    (tmp_path / "posts" / "a.md").write_text("# A\n\n" + "Some words in a post. " * 30)
    runner = InstantRunner()
    session = Session(runner)
    window = MainWindow(session, theme, State())
    qtbot.addWidget(window)
    session.open_folder(tmp_path / "posts")
    qtbot.waitUntil(lambda: session.map.layout is not None)
    assert window.map_view.note.toolTip() == "Vectors by hash"
    action = window.commands["fast_engine"]
    assert action.isChecked()
    action.trigger()
    assert session.settings.engine == "sentence-transformers"
    assert not action.isChecked()
    qtbot.waitUntil(lambda: session.map.embedder.engine_choice == "sentence-transformers")
    session.map.ask("post")
    asked = [request for _, _, request in runner.jobs if isinstance(request, vector_tasks.EncodeQuestionRequest)]
    assert asked[-1].engine == "sentence-transformers"
    action.trigger()
    assert action.isChecked()
    window.close()
