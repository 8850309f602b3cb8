"""A folder's dialect is shown as it was detected, and can be chosen in the menu."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from inspector.settings import read_settings
from inspector.ui.main_window import MainWindow
from inspector.ui.session import Session
from inspector.ui.state_file import State
from inspector.ui.theme import Theme
from tests.fakes import InstantRunner

POST = "## Berths\n\n{{< note >}}\n" + "Mind the swell, and ask [[Crew list|the crew]]. " * 6 + "\n{{< /note >}}\n"
OTHER = "## Crew\n\n" + "Plain words about the crew. " * 8 + "\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "hugo.toml").write_text("", encoding="utf-8")
    (tmp_path / "a.md").write_text(POST, encoding="utf-8")
    for number in range(40):
        (tmp_path / f"b{number}.md").write_text(OTHER, encoding="utf-8")
    return tmp_path


@pytest.fixture
def window(theme: Theme, site: Path) -> Iterator[MainWindow]:
    session = Session(InstantRunner())
    window = MainWindow(session, theme, State())
    session.open_folder(site)
    session._settle.stop()
    yield window
    window.close()
    window.deleteLater()
    session.deleteLater()
    QApplication.processEvents()


def checked(window: MainWindow) -> set[str]:
    return {name for name, action in window.menus.dialects.items() if action.isChecked()}


def text_of(window: MainWindow) -> str:
    return window.session.documents["a.md"].chunking.chunks[0].text


def test_the_detected_dialect_is_read_and_shown(window: MainWindow) -> None:
    assert window.session.settings.options.dialects == {"hugo", "attributes"}
    assert window.status.dialect_label.text() == "dialect: Hugo +1 (detected)"
    assert "Hugo, Attributes" in window.status.dialect_label.toolTip()
    assert checked(window) == {"auto", "hugo", "attributes"}
    assert "{{<" not in text_of(window) and "[[Crew" in text_of(window)
    assert not window.session.differs_from_saved
    assert window.toolbar.preset_box.currentText() == "Blog"


def test_a_dialect_is_taken_in_and_left_out_by_the_menu(window: MainWindow) -> None:
    window.menus.dialects["obsidian"].trigger()
    assert window.session.settings.dialect == "hugo,attributes,obsidian"
    assert "[[Crew" not in text_of(window) and window.session.differs_from_saved
    assert checked(window) == {"hugo", "attributes", "obsidian"}
    window.menus.dialects["hugo"].trigger()
    assert "{{<" in text_of(window)
    window.menus.dialects["none"].trigger()
    assert checked(window) == {"none"} and window.status.dialect_label.text() == "dialect: none"
    window.menus.dialects["auto"].trigger()
    assert checked(window) == {"auto", "hugo", "attributes"} and "{{<" not in text_of(window)
    window.menus.dialects["auto"].trigger()
    assert checked(window) == {"auto", "hugo", "attributes"}
    assert not window.session.differs_from_saved


def test_presets_and_drags_leave_the_dialect(window: MainWindow) -> None:
    session = window.session
    window.toolbar.preset_chosen.emit("Docs")
    assert session.settings.options.code_lines == 0 and session.settings.options.dialects == {"hugo", "attributes"}
    session.drag(cap=1000)
    session.commit(cap=900)
    assert session.settings.options.dialects == {"hugo", "attributes"} and "{{<" not in text_of(window)
    session.revert()
    assert session.settings == session.saved_settings


def test_a_change_on_disk_keeps_the_dialect(window: MainWindow, site: Path) -> None:
    (site / "a.md").write_text(POST + "\nMore {{< note >}} words.\n", encoding="utf-8")
    window.session.look_for_changes()
    assert "More" in text_of(window) and "{{<" not in text_of(window)
    assert window.session.detected_dialects == {"hugo", "attributes"}


def test_the_choice_is_saved(window: MainWindow, site: Path) -> None:
    window.menus.dialects["none"].trigger()
    path = site / "chunk-inspector.toml"
    window.session.save(path)
    assert read_settings(path).settings.dialect == "none"
    window.session.reload()
    window.session._settle.stop()
    assert window.session.settings.options.dialects == frozenset() and "{{<" in text_of(window)
