"""What the window offers: to read many files, to keep all code, another encoding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.ui import session as session_module
from inspector.ui.theme import Theme
from tests.ui.real_window import RealWindow, own_window, wait_until

pytestmark = [pytest.mark.timeout(150)]

CODE = "## Code\n\n```py\n" + "x = compute(1)\n" * 40 + "```\n\n## Words\n\n" + "Some words here. " * 12 + "\n"


@pytest.fixture
def real(shared_theme: Theme, tmp_path: Path) -> Iterator[RealWindow]:
    with own_window(shared_theme, tmp_path, embeds=False) as opened:
        yield opened


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def accept(real: RealWindow) -> None:
    """Take what the message bar offers."""
    QTest.mouseClick(real.window.message_bar.action_button, Qt.MouseButton.LeftButton)


def test_a_folder_of_many_files_is_read_when_the_author_says_so(
    real: RealWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MANY_FILES", 3)
    for number in range(5):
        (site / f"{number}.md").write_text(f"## Part {number}\n\n" + "words " * 30)
    real.session.open_folder(site)
    wait_until(lambda: bool(real.bar))
    assert real.bar.startswith("5 files are in this folder") and not real.session.documents
    assert not real.window.status.progress_bar.isVisible()
    accept(real)
    real.wait_read()
    assert len(real.session.documents) == 5
    real.told.clear()
    real.session.reload()
    real.wait_read()
    assert not real.told and len(real.session.documents) == 5


def test_the_preset_that_keeps_code_is_offered_once(real: RealWindow, site: Path) -> None:
    (site / "code.md").write_text(CODE)
    real.open(site)
    assert "% of this folder is code" in real.bar
    kept = real.session.totals.kept
    accept(real)
    real.wait_read()
    assert real.session.settings.options.code_lines == 0 and real.session.totals.kept > kept
    real.session.undo_stack.undo()
    real.wait_read()
    real.session.reload()
    real.wait_read()
    assert not real.bar


@pytest.mark.parametrize("saved", ["[headings]\ncode_lines = 4\n", ""])
def test_it_is_not_offered_where_the_author_has_settings_or_little_code(
    real: RealWindow, site: Path, saved: str
) -> None:
    if saved:
        (site / "chunk-inspector.toml").write_text(saved)
        (site / "code.md").write_text(CODE)
    else:
        (site / "words.md").write_text("## Words\n\n" + "Some words here. " * 200 + "\n\n```\ncode\n```\n")
    real.open(site)
    assert not real.bar


def test_a_file_is_reopened_in_another_encoding(real: RealWindow, site: Path) -> None:
    (site / "old.md").write_bytes(("## Cześć\n\n" + "Zażółć gęślą jaźń. " * 10).encode("cp1250"))
    (site / "plain.md").write_text("## Plain\n\n" + "words " * 30)
    real.open(site, "old.md")
    button = real.window.source.encoding_button
    assert button.isVisible()
    menu = button.menu()
    next(action for action in menu.actions() if action.text() == "Windows-1250").trigger()
    wait_until(lambda: "Zażółć gęślą jaźń." in real.session.open.chunking.document.source)
    real.wait_read()
    assert "Windows-1250" in real.window.source.header.words.full_text
    assert button.isVisible()
    real.session.choose_document("plain.md")
    assert not button.isVisible()
    real.drag_line(900)
    real.wait_read()
    assert "Zażółć" in real.session.documents["old.md"].chunking.document.source
