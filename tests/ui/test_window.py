"""The window by mouse and keys: one selection in all views, thresholds dragged and typed, closing at any moment,
themes, what is remembered between starts, and what is dropped on it.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from inspector.core.strategies.headings import is_warm
from inspector.ui.question_panel import ANSWER_ROLE
from inspector.ui.state_file import load_state
from inspector.ui.theme import DARK, LIGHT, Theme, ThemeMode
from inspector.ui.threshold_histogram import CAP, DROP, FOLD
from tests.ui.real_window import CASES, ROOT, RealWindow, copy_sample, let_pass, move_mouse, wait_until

pytestmark = [pytest.mark.model, pytest.mark.timeout(150)]

POSTS = ("about.md", "backfills.md", "queues-at-night.md", "search-index.md", "weekly-note-39.md", "weekly-note-40.md")


@pytest.fixture(scope="module")
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("window")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNK_INSPECTOR_CACHE", str(folder / "cache"))
        patch.setenv("CHUNK_INSPECTOR_CONFIG", str(folder / "config"))
        yield folder


@pytest.fixture(scope="module")
def mapped(own_folders: Path, shared_theme: Theme) -> Iterator[RealWindow]:
    """Open the window once on some posts of the sample, embedded and mapped."""
    real = RealWindow(shared_theme)
    real.open(copy_sample(own_folders, *POSTS))
    real.wait_map()
    yield real
    real.close()


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give empty cache and config folders."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def fresh(scratch: Path, shared_theme: Theme) -> Iterator[RealWindow]:
    real = RealWindow(shared_theme)
    yield real
    real.close()


# Selection


def test_a_click_in_the_source_selects_everywhere(mapped: RealWindow) -> None:
    session = mapped.session
    session.choose_document("search-index.md")
    for index in (3, 1, 5):
        mapped.click_source(session.open.chunking.chunks[index].span.start + 12)
        mapped.assert_selected("search-index.md", index)


def test_a_click_on_a_card_selects_everywhere_and_scrolls_the_source(mapped: RealWindow) -> None:
    session = mapped.session
    session.choose_document("queues-at-night.md")
    mapped.window.source.text.clearFocus()
    for index in (4, 7, 0):
        mapped.click_item(mapped.window.chunk_list.view, mapped.window.chunk_list.model.index(index))
        mapped.assert_selected("queues-at-night.md", index)
        assert mapped.is_in_sight(session.open.chunking.chunks[index].span.start)


def test_a_click_on_an_outline_leaf_selects_everywhere(mapped: RealWindow) -> None:
    outline = mapped.window.outline
    number = outline.model.document_number("backfills.md")
    for index in (2, 6):
        leaf = outline.model.chunk_index(number, index)
        outline.tree.setExpanded(outline.model.document_index(number), True)
        mapped.click_item(outline.tree, leaf)
        mapped.assert_selected("backfills.md", index)
        assert mapped.is_in_sight(mapped.session.open.chunking.chunks[index].span.start)


def test_a_click_on_a_point_of_the_map_selects_everywhere(mapped: RealWindow) -> None:
    plot = mapped.window.map_view.plot
    for number in (3, 20):
        point = plot._points[plot.point_at(plot.place_of(number))]
        QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.place_of(number).toPoint())
        mapped.assert_selected(point.document, point.chunk)
        assert mapped.is_in_sight(mapped.session.selection.offset)


def test_a_click_on_an_answer_selects_everywhere_with_its_place_in_sight(mapped: RealWindow) -> None:
    questions = mapped.window.questions
    QTest.keyClicks(questions.field, "how long did the nightly jobs take?")
    QTest.keyClick(questions.field, Qt.Key.Key_Return)
    wait_until(lambda: questions.model.rowCount() == 20, what="no answers")
    for row in (0, 3, 9):
        index = questions.model.index(row)
        answer, _ = index.data(ANSWER_ROLE)
        mapped.click_item(questions.view, index)
        mapped.assert_selected(answer.document, answer.chunk)
        assert questions.view.currentIndex().row() == row
        assert mapped.is_in_sight(mapped.session.selection.offset)
    assert mapped.window.map_view.plot._question is not None
    questions.field.clear()
    wait_until(lambda: questions.model.rowCount() == 0 and mapped.window.map_view.plot._question is None, 5)


def test_the_answer_of_a_question_is_the_chunk_that_says_it(mapped: RealWindow) -> None:
    questions = mapped.window.questions
    questions.ask("What are the words of the second section of backfills?")
    wait_until(lambda: questions.model.rowCount() == 20)
    document = mapped.session.documents["backfills.md"]
    questions.ask(document.chunking.chunks[3].text[:400])
    wait_until(lambda: mapped.session.map.answers.question.startswith(document.chunking.chunks[3].text[:50].strip()))
    answer, _ = questions.model.index(0).data(ANSWER_ROLE)
    assert (answer.document, answer.chunk) == ("backfills.md", 3)
    questions.field.clear()


def test_alt_down_and_up_walk_through_the_chunks(mapped: RealWindow) -> None:
    mapped.session.choose_document("search-index.md")
    mapped.session.select_chunk(0)
    for keys, chunk in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Down, 2), (Qt.Key.Key_Up, 1)):
        QTest.keyClick(mapped.window, keys, Qt.KeyboardModifier.AltModifier)
        mapped.assert_selected("search-index.md", chunk)


def test_a_post_without_chunks_is_shown_as_selected_too(fresh: RealWindow, scratch: Path) -> None:
    folder = scratch / "few"
    folder.mkdir()
    (folder / "a.md").write_text("## A\n\n" + "Words of a post that has a chunk. " * 20)
    (folder / "empty.md").write_text("")
    fresh.open(folder)
    fresh.session.choose_document("empty.md")
    fresh.assert_selected("empty.md", None, with_map=False)
    fresh.session.choose_document("a.md")
    fresh.assert_selected("a.md", 0, with_map=False)


# Thresholds


def test_a_drag_moves_the_open_post_at_once_and_the_folder_on_release(mapped: RealWindow) -> None:
    session = mapped.session
    session.choose_document("search-index.md")
    session.select_chunk(2)
    wait_until(lambda: is_warm(session.open.chunking.document, session.settings.options), 10, "never warm")
    anchor = session.open.chunking.chunks[2].trail
    others = {name: document for name, document in session.documents.items() if name != "search-index.md"}
    before = len(session.open.chunking.chunks)
    mapped.hold_line(CAP)
    for value in (1200, 900, 700):
        mapped.move_line(value)
        cap = session.settings.options.cap
        assert abs(cap - value) < 10
        assert all(chunk.characters <= cap for chunk in session.open.chunking.chunks)  # at once, before any event
        assert mapped.window.chunk_list.model.rowCount() == len(session.open.chunking.chunks)
        assert all(session.documents[name] is document for name, document in others.items())
    assert len(session.open.chunking.chunks) > before
    wait_until(lambda: mapped.window.strip._counts.tokens is None, 5, "the folder was not counted live")
    live = mapped.window.strip._counts.chunk_count
    mapped.release_line()
    mapped.wait_read()
    assert all(chunk.characters <= cap for document in session.documents.values() for chunk in document.chunking.chunks)
    assert session.totals.chunks == live == mapped.window.strip._counts.chunk_count
    assert session.library.is_added_up()
    assert session.open.chunking.chunks[session.selected_chunk].trail == anchor
    session.commit(cap=1400)
    mapped.wait_map()


def test_a_drag_right_after_opening_a_post_reaches_it_without_another_move(fresh: RealWindow, scratch: Path) -> None:
    fresh.open(copy_sample(scratch, *POSTS))
    session = fresh.session
    session.choose_document("search-index.md")
    before = len(session.open.chunking.chunks)
    fresh.hold_line(CAP)
    fresh.move_line(700)
    wait_until(lambda: len(session.open.chunking.chunks) > before, 5, "the open post never followed")
    assert session.is_dragging
    fresh.release_line()
    fresh.wait_read()


@pytest.mark.parametrize("by_key", [True, False], ids=["Escape", "back by hand"])
def test_a_drag_can_be_taken_back(mapped: RealWindow, by_key: bool) -> None:
    session = mapped.session
    chunks = session.totals.chunks
    mapped.hold_line(CAP)
    begun = mapped._point
    mapped.move_line(800)
    assert session.is_dragging
    if by_key:
        QTest.keyClick(mapped.window.strip.sections, Qt.Key.Key_Escape)
    else:
        sections = mapped.window.strip.sections
        while sections.values[CAP] < 1400:  # pixel by pixel: the axis is coarser than a character
            begun += QPoint(1, 0)
            mapped.move_line(min(1400, sections.value_at(begun.x())))
            if sections.values[CAP] >= 1390:
                sections._move(CAP, 1400)
        mapped.release_line()
    wait_until(lambda: not session.is_dragging, 5, "the drag has not ended")
    mapped.wait_read()
    assert session.settings.options.cap == 1400 and session.totals.chunks == chunks
    mapped.wait_map()


@pytest.mark.parametrize(("line", "value"), [(CAP, "20"), (CAP, "200"), (FOLD, "5000"), (DROP, "900")])
def test_a_typed_value_without_sense_is_marked_and_the_last_result_stays(
    mapped: RealWindow, line: int, value: str
) -> None:
    session, field = mapped.session, mapped.window.strip.fields[line]
    session.choose_document("backfills.md")
    session.select_chunk(2)
    before, chunks = session.settings, session.totals.chunks
    type_into(field, value)
    assert field.property("wrong") and field.toolTip()
    assert session.settings == before and session.totals.chunks == chunks
    assert mapped.window.strip.thresholds == (80, 320, 1400)
    mapped.assert_selected("backfills.md", 2)
    type_into(field, str((80, 320, 1400)[line]))
    assert not field.property("wrong")


def test_a_typed_value_with_sense_counts(mapped: RealWindow) -> None:
    session = mapped.session
    type_into(mapped.window.strip.fields[FOLD], "400")
    mapped.wait_read()
    assert session.settings.options.fold == 400
    lengths = [section.characters for d in session.documents.values() for section in d.chunking.sections]
    kept = [s for d in session.documents.values() for s in d.chunking.sections if s.chunk == 1 and s.fate == "kept"]
    assert lengths and all(section.characters >= 400 for section in kept)
    assert mapped.window.toolbar.save_button.isVisible()
    mapped.window.toolbar.revert_button.click()
    mapped.wait_map()
    assert session.settings.options.fold == 320 and not mapped.window.toolbar.save_button.isVisible()


def type_into(field: QWidget, value: str) -> None:
    """Type a value into a field and leave it with Enter."""
    field.selectAll()  # type: ignore[attr-defined]
    QTest.keyClicks(field, value)
    QTest.keyClick(field, Qt.Key.Key_Return)


# Case 076: points are replaced under the pointer


def test_hover_then_another_cap_then_a_move(fresh: RealWindow, scratch: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = scratch / "case"
    folder.mkdir()
    (folder / "076.md").write_bytes((CASES / "076-qt-hover-after-reload.md").read_bytes())
    fresh.open(folder)
    assert fresh.session.totals.chunks == 30
    fresh.wait_map()
    session, plot = fresh.session, fresh.window.map_view.plot
    session.select_chunk(29)
    move_mouse(plot.viewport(), plot.place_of(29).toPoint())
    wait_until(plot.card.isVisible, 5, "no card")
    session.commit(drop=0, fold=0, cap=450)
    fresh.wait_map()
    fine = session.totals.chunks
    assert fine > 30
    move_mouse(plot.viewport(), plot.place_of(fine - 1).toPoint() + QPoint(40, 0))
    move_mouse(plot.viewport(), plot.place_of(fine - 1).toPoint())
    wait_until(plot.card.isVisible, 5, "no card of a new point")
    hovered = plot._points[plot._hovered]
    assert hovered.text == session.open.chunking.chunks[hovered.chunk].text
    session.select_chunk(fine - 1)
    session.commit(drop=80, fold=2000, cap=20_000)
    fresh.wait_map()
    move_mouse(plot.viewport(), QPoint(5, 5))
    few = session.totals.chunks
    assert few < 30
    fresh.assert_selected("076.md", few - 1)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


# Case 075: closing, and another folder, while embedding

CLOSING = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import inspector.ui.main_window as main_window

show = main_window.MainWindow.show
def show_and_close(window):
    show(window)
    embedder = window.session.map.embedder
    def look():
        if len(embedder.vectors) >= 8 and embedder.missing_count:
            print(*window.session.runner.pids().values(), flush=True)
            window.close()
        else:
            QTimer.singleShot(1, look)
    look()
main_window.MainWindow.show = show_and_close
from inspector.cli_window import run
if __name__ == "__main__":
    sys.exit(run(["open", sys.argv[1]]))
"""


@pytest.mark.usefixtures("qapp")
def test_closing_while_embedding_ends_all_at_once(scratch: Path) -> None:
    (scratch / "case").mkdir()
    (scratch / "case" / "075.md").write_bytes((CASES / "075-qt-close-while-embedding.md").read_bytes())
    (scratch / "program.py").write_text(CLOSING)
    process = subprocess.Popen(
        [sys.executable, str(scratch / "program.py"), str(scratch / "case")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    pids = [int(word) for word in process.stdout.readline().split()]  # printed at the moment of closing
    assert len(pids) >= 2
    children = psutil.Process(process.pid).children(recursive=True)
    _, errors = process.communicate(timeout=5)
    assert process.returncode == 0
    assert [line for line in errors.splitlines() if "does not support" not in line] == []
    assert living(children) == [] and {child.pid for child in children} >= set(pids)


def living(processes: list[psutil.Process], limit: float = 1.0) -> list[psutil.Process]:
    """Return which processes still run; one that has ended and waits for its new parent does not."""

    def runs(process: psutil.Process) -> bool:
        try:
            return process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    _, alive = psutil.wait_procs(processes, timeout=limit)
    return [process for process in alive if runs(process)]


def test_another_folder_while_embedding_shows_only_its_own(fresh: RealWindow, scratch: Path) -> None:
    old, new = scratch / "old", scratch / "new"
    for folder in (old, new):
        folder.mkdir()
    (old / "index.md").write_bytes((CASES / "075-qt-close-while-embedding.md").read_bytes())
    parts = (f"## New {n}\n\n" + f"Words about thing number {n}, again and again. " * 10 for n in range(18))
    body = "\n\n".join(parts)
    (new / "index.md").write_text(body)
    fresh.session.open_folder(old)
    session, window = fresh.session, fresh.window
    wait_until(lambda: len(session.map.embedder.vectors) >= 8 and session.map.embedder.missing_count)
    session.map.ask("who counts the seed?")
    seen: list[str] = []
    session.open_folder(new)
    shown = [point.text for point in window.map_view._points]
    assert session.map.points == () and session.map.answers.question == "" and shown == []
    session.map.map_changed.connect(lambda: seen.extend(point.text for point in window.map_view._points))
    session.map.answers_changed.connect(lambda: seen.extend(f"## {hit.point}" for hit in session.map.answers.hits))
    fresh.wait_map()
    assert session.totals.chunks == 18 and len(session.map.points) == 18
    assert seen and all(text.startswith("New ") for text in seen)
    assert session.map.answers.question == ""
    assert fresh.words() == []


def test_an_interrupt_ends_the_program_too(scratch: Path) -> None:
    (scratch / "case").mkdir()
    (scratch / "case" / "a.md").write_text("## A\n\n" + "Some words. " * 40)
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", "open", str(scratch / "case")], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    parent = psutil.Process(process.pid)
    wait_until(lambda: parent.children(recursive=True), 30, "no worker started")
    children = parent.children(recursive=True)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=5)
    assert living(children, 5) == []


# Themes, starts, recents, drops


def page_color(real: RealWindow) -> str:
    image = real.window.source.text.viewport().grab().toImage()
    return image.pixelColor(image.width() - 3, image.height() - 3).name().upper()


def test_light_and_dark_switch_while_the_window_is_open(mapped: RealWindow, qapp: QApplication) -> None:
    theme = mapped.window.theme
    theme.changed.connect(lambda: theme.style_application(qapp))
    mapped.session.choose_document("about.md")
    actions = {a.text(): a for menu in mapped.window.findChildren(QWidget) for a in menu.actions()}
    assert page_color(mapped) == LIGHT.page.upper()
    actions["Dark"].trigger()
    QApplication.processEvents()
    assert theme.mode is ThemeMode.DARK and page_color(mapped) == DARK.page.upper()
    assert mapped.window.map_view.plot.backgroundBrush().color().name().upper() == DARK.page.upper()
    actions["Light"].trigger()
    QApplication.processEvents()
    assert page_color(mapped) == LIGHT.page.upper()


def start(theme: Theme) -> RealWindow:
    """Start as the program does without an argument: the last folder, where it still is."""
    state, fault = load_state()
    assert fault == ""
    real = RealWindow(theme, state)
    if state.folder and Path(state.folder).is_dir():
        real.session.open_folder(Path(state.folder), state.document, state.offset)
    return real


def test_the_next_start_shows_the_same_place(scratch: Path, shared_theme: Theme) -> None:
    folder = copy_sample(scratch, *POSTS)
    first = RealWindow(shared_theme)
    first.open(folder)
    first.session.choose_document("queues-at-night.md")
    first.session.select_chunk(3)
    first.window.questions.field.remember("who wakes?")
    first.window.dialogs.editor_command = "vi {file}"
    first.close()
    second = start(shared_theme)
    try:
        assert second.window.questions.field.history == ("who wakes?",)
        assert second.window.dialogs.editor_command == "vi {file}"
        second.wait_read()
        assert second.session.folder == folder.resolve()
        second.assert_selected("queues-at-night.md", 3, with_map=False)
        assert second.is_in_sight(second.session.selection.offset)
    finally:
        second.close()
    (folder / "queues-at-night.md").unlink()
    third = start(shared_theme)
    try:
        third.wait_read()
        third.assert_selected("about.md", 0, with_map=False)
    finally:
        third.close()


def test_a_recent_folder_that_is_gone_is_greyed(scratch: Path, shared_theme: Theme) -> None:
    first = RealWindow(shared_theme)
    for name in ("one", "two"):
        (scratch / name).mkdir()
        (scratch / name / "a.md").write_text("## A\n\nSome words.\n")
        first.open(scratch / name)
    first.close()
    (scratch / "two" / "a.md").unlink()
    (scratch / "two").rmdir()
    second = start(shared_theme)
    try:
        window = second.window
        assert window.center.currentWidget() is window.welcome
        buttons = {button.property("path"): button for button in window.welcome.recent_buttons()}
        assert {path: button.isEnabled() for path, button in buttons.items()} == {
            str(scratch / "two"): False,
            str(scratch / "one"): True,
        }
        window.menus.recents.aboutToShow.emit()
        assert [action.isEnabled() for action in window.menus.recents.actions()] == [False, True]
        QTest.mouseClick(buttons[str(scratch / "one")], Qt.MouseButton.LeftButton)
        second.wait_read()
        assert second.session.open_name == "a.md" and window.center.currentWidget() is window.source
    finally:
        second.close()


def test_a_folder_and_a_file_can_be_dropped(fresh: RealWindow, scratch: Path) -> None:
    folder = scratch / "dropped"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.md", "b.md", "deep/c.md"):
        (folder / name).write_text(f"## {name}\n\n" + "Some words that make a chunk. " * 10)
    fresh.drop(folder)
    fresh.wait_read()
    assert fresh.session.folder == folder.resolve() and fresh.session.open_name == "a.md"
    fresh.drop(folder / "b.md")
    fresh.wait_read()
    assert fresh.session.open_name == "b.md" and len(fresh.session.documents) == 3
    fresh.drop(folder / "deep" / "c.md")
    fresh.wait_read()
    assert fresh.session.folder == (folder / "deep").resolve() and fresh.session.open_name == "c.md"
    let_pass(20)
    assert fresh.words() == []
