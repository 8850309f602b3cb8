"""What the world does wrong gets a clear message, and nothing is lost by it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest

from inspector.settings import FILE_NAME, Settings
from inspector.ui.folder_reader import CHANGES
from inspector.ui.runner import Lane
from inspector.ui.state_file import FILE_NAME as STATE_NAME
from inspector.ui.theme import Theme
from tests.ui.real_window import CASES, RealWindow, let_pass, wait_until

pytestmark = pytest.mark.timeout(150)

POST = "## A part\n\n" + "Some words that make a chunk of their own. " * 12 + "\n"
LOCKED = '''
"""Refuse to open one file, as a system does that forbids it (the super-user may open all)."""
import sys

def refuse(event, arguments):
    if event == "open" and str(arguments[0]).endswith("locked.md"):
        raise PermissionError(13, "Permission denied", arguments[0])

sys.addaudithook(refuse)
'''

Opened = Callable[..., RealWindow]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with one good post."""
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "good.md").write_text(POST)
    return folder


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_theme: Theme) -> Iterator[Opened]:
    """Give a function that opens a folder in a window with empty cache and config folders."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    made: list[RealWindow] = []

    def make(folder: Path, name: str = "") -> RealWindow:
        made.append(RealWindow(shared_theme))
        made[-1].open(folder, name)
        return made[-1]

    yield make
    for real in made:
        real.close()


def footer(real: RealWindow) -> str:
    return real.window.outline.footer.toolTip()


# Files and folders


def test_a_file_that_may_not_be_read_is_named_once(
    opened: Opened, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(LOCKED)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'guard'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    (folder / "locked.md").write_text(POST)
    real = opened(folder)
    assert real.words() == ["Can't read locked.md: permission denied."]
    assert real.bar == "Can't read locked.md: permission denied."
    assert "locked.md: unreadable: permission denied" in footer(real)
    problems = real.window.problems
    wait_until(lambda: [row.document for row in problems.shown() if row.problem.code == "unreadable"] == ["locked.md"])
    assert list(real.session.documents) == ["good.md"] and real.session.totals.documents == 1
    assert real.window.toolbar.count_label.text() == "1 document"
    for _ in range(3):  # looking again, as every few seconds, does not tell it again
        real.session.look_for_changes()
        wait_until(lambda: not real.session.runner.is_busy(Lane.CHUNK, CHANGES), 20)
    real.wait_read()
    assert len(real.words()) == 1


def test_a_folder_named_like_a_post_a_broken_link_and_a_pipe_are_no_posts(opened: Opened, folder: Path) -> None:
    (folder / "folder.md").mkdir()
    (folder / "folder.md" / "inside.md").write_text(POST)
    (folder / "dangling.md").symlink_to(folder / "nowhere.md")
    os.mkfifo(folder / "pipe.md")
    real = opened(folder)
    assert set(real.session.documents) == {"good.md", "folder.md/inside.md"}
    assert "dangling.md: broken link" in footer(real)
    assert "pipe.md" in footer(real)


def test_a_folder_without_markdown_says_so(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.png").write_bytes(b"\x89PNG")
    real = opened(tmp_path / "none")
    assert real.window.source._empty.isVisible()
    assert real.window.source._empty.text() == "No markdown in this folder"
    assert real.window.strip.chunks_label.text() == "0 chunks"
    assert not real.window.status.progress_bar.isVisible()


def test_a_folder_that_is_gone_leaves_what_is_shown(opened: Opened, folder: Path) -> None:
    real = opened(folder)
    real.session.open_folder(folder / "no such")
    assert "there is no such folder" in real.bar and "Choose another folder" in real.bar
    assert real.window.message_bar.action_button.isVisible()
    assert real.session.open_name == "good.md"


def test_a_folder_that_vanishes_while_shown(opened: Opened, folder: Path) -> None:
    real = opened(folder)
    (folder / "good.md").unlink()
    folder.rmdir()
    wait_until(lambda: "there is no such folder" in real.bar, 10, f"told {real.words()}")
    count = len(real.words())
    for _ in range(3):
        real.session.look_for_changes()
        wait_until(lambda: not real.session.runner.is_busy(Lane.CHUNK, CHANGES), 20)
    assert len(real.words()) == count


@pytest.mark.parametrize(
    ("data", "words", "chunks"),
    [
        (POST.encode("utf-16"), "UTF-16", 1),
        (POST.replace("Some", "Café").encode("cp1252"), "1252", 1),
        (bytes(range(256)) * 40, "", 0),
        (b"", "", 0),
        (b"## A\n\n" + b"word \xff\xfe word " * 40 + "é ü ß ".encode() * 40, "UTF-8", 1),
        (POST.encode() + b"\0" * 5, "UTF-8", 1),
    ],
    ids=["UTF-16", "Windows-1252", "binary", "empty", "bad bytes", "NUL"],
)
def test_any_bytes_are_a_post(opened: Opened, folder: Path, data: bytes, words: str, chunks: int) -> None:
    (folder / "odd.md").write_bytes(data)
    real = opened(folder, "odd.md")
    document = real.session.documents["odd.md"]
    assert real.session.open_name == "odd.md"
    assert words in real.window.source.header.words.toolTip() + document.chunking.document.encoding
    assert (len(document.chunking.chunks) > 0) == (chunks > 0)
    codes = {problem.code for problem in document.problems}
    if data.startswith(b"\0\1"):
        assert "binary" in codes
    if "1252" in words:
        assert "encoding-guessed" in codes and "Café" in document.chunking.chunks[0].text
    assert list(real.session.documents) == ["good.md", "odd.md"] and real.session.library.is_added_up()
    assert real.words() == []


def test_a_line_of_two_million_characters_never_stops_the_window(opened: Opened, folder: Path) -> None:
    (folder / "long.md").write_bytes((CASES / "072-qt-long-line.md").read_bytes())
    real = opened(folder, "good.md")
    stalls: list[float] = []
    last = time.perf_counter()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        stalls.append(now - last)
        last = now

    timer = QTimer()
    timer.setInterval(5)
    timer.timeout.connect(tick)
    timer.start()
    last = time.perf_counter()
    session = real.session
    session.choose_document("long.md")
    let_pass(50)
    assert len(session.open.chunking.chunks) > 1_400
    session.select_chunk(700)
    let_pass(50)
    real.window.source.text.verticalScrollBar().setValue(10_000)
    real.window.resize(1400, 900)
    let_pass(50)
    real.drag_line(1300, 1200)
    real.wait_read()
    timer.stop()
    assert max(stalls) < 1.0, f"the window stood still for {max(stalls):.2f} s"
    assert all(chunk.characters <= session.settings.options.cap for chunk in session.open.chunking.chunks)


# Folders of the program that cannot be written


@pytest.mark.model
def test_a_home_that_cannot_be_written_costs_only_the_memory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_theme: Theme
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "file" / "config"))
    real = RealWindow(shared_theme)
    real.open(folder)
    real.wait_map()
    assert any("cannot be used" in words and "Make the folder writable" in words for words in real.words())
    assert len(real.words()) == len(set(real.words()))
    real.drag_line(1200)
    real.session.save(real.session.save_path)
    assert "Can't save to" in real.bar
    assert real.session.differs_from_saved
    real.close()
    assert (tmp_path / "file").read_text() == "no folder"


@pytest.mark.model
def test_a_damaged_vector_cache_is_set_aside_and_begun_anew(opened: Opened, folder: Path, tmp_path: Path) -> None:
    from inspector.embedding.cache import FILE_NAME as VECTORS

    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / VECTORS).write_bytes(b"not a database at all, " * 500)
    real = opened(folder)
    real.wait_map()
    assert [words for words in real.words() if "damaged" in words and "set aside as" in words]
    assert (tmp_path / "cache" / f"{VECTORS}.corrupt-1").read_bytes().startswith(b"not a database")
    assert (tmp_path / "cache" / VECTORS).read_bytes().startswith(b"SQLite format 3")


# Settings and state


def test_bad_settings_of_ones_own_are_set_aside_and_named(opened: Opened, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    own = tmp_path / "config" / FILE_NAME
    own.write_text("headings = [ not toml")
    real = opened(folder)
    told = " ".join(real.words())
    assert str(own) in told and "set aside as" in told
    assert str(own) in real.bar and "set aside as" in real.bar
    assert not own.exists() and own.with_suffix(".toml.unreadable").read_text() == "headings = [ not toml"
    assert real.session.settings == Settings() and real.session.open_name == "good.md"
    real.session.commit(cap=1000)
    real.session.save(real.session.save_path)
    assert "cap = 1000" in own.read_text()


def test_bad_settings_in_the_folder_are_named_and_never_touched(opened: Opened, folder: Path) -> None:
    path = folder / FILE_NAME
    path.write_text("cap = = 3")
    real = opened(folder)
    assert str(path) in real.bar and "the defaults are used" in real.bar
    real.session.commit(cap=1000)
    real.session.save(real.session.save_path)
    assert "Can't save to" in real.bar
    assert path.read_text() == "cap = = 3"
    assert list(folder.glob("*.unreadable")) == []


def test_one_bad_value_falls_back_and_the_others_hold(opened: Opened, folder: Path) -> None:
    (folder / FILE_NAME).write_text('context = "none"\n\n[headings]\ndrop = 900\nfold = 10\n')
    real = opened(folder)
    assert "drop" in real.bar and "default thresholds" in real.bar
    assert real.session.settings.context == "none" and real.session.settings.options.drop == 80


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"version": 99}', '{"version": 1, "recents": 3}', "\udc80",
     '{"version": 1, "geometry": "*", "docks": "a", "theme": "x", "folder": 7, "offset": "y"}'],
)  # fmt: skip
def test_a_bad_state_file_is_set_aside_or_mended(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_theme: Theme, text: str
) -> None:
    from inspector.ui.main_window import MainWindow
    from inspector.ui.runner import Runner
    from inspector.ui.session import Session

    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    path = tmp_path / "config" / STATE_NAME
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    session = Session(Runner())
    window = MainWindow(session, shared_theme)
    window.show()
    session.open_folder(folder)
    wait_until(lambda: session.open_name == "good.md" and not session.reader.is_reading, 20)
    aside = path.with_name(STATE_NAME + ".unreadable")
    assert aside.exists() == window.message_bar.isVisible()
    if aside.exists():
        assert str(aside) in window.message_bar.words.text()
    window.close()
    window.deleteLater()
    QTest.qWait(0)
    assert str(folder) in path.read_text()


# Models


def test_a_folder_that_is_no_model_is_refused_and_the_chunks_stay(opened: Opened, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "no model").mkdir()
    real = opened(folder)
    before = real.session.settings
    real.window._on_model_chosen(str(tmp_path / "no model"))
    assert "no model" in real.bar and "Choose" in real.bar
    assert real.session.settings == before and real.session.totals.chunks == 1
    real.window._on_model_chosen("someone/never-downloaded")
    assert "No model at someone/never-downloaded" in real.bar
    assert real.window.toolbar.model_box.currentText().startswith("bge-base-en-v1.5")


def test_settings_that_name_a_model_that_is_not_here_still_show_the_chunks(opened: Opened, folder: Path) -> None:
    (folder / FILE_NAME).write_text('[models]\ntarget = "someone/else"\nmap = "/no/such/folder"\n')
    real = opened(folder)
    assert "No model at someone/else" in " ".join(real.words())
    assert real.session.totals.chunks == 1 and real.window.chunk_list.model.rowCount() == 1
