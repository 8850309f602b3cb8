"""Every action of the window: in one table, with its key, in the palette, and doing what it says."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QInputDialog, QLabel, QMenu

from inspector.core.ghost import find_ghost
from inspector.settings import PRESETS
from inspector.ui import editor
from inspector.ui.actions import GROUPS, SPECS
from inspector.ui.chooser import Choice, Chooser, narrow
from inspector.ui.docks import ARRANGEMENTS
from inspector.ui.picture import Lens
from inspector.ui.theme import Theme
from tests.ui.real_window import CASES, RealWindow, copy_sample, let_pass, own_window, wait_until

pytestmark = [pytest.mark.timeout(150)]

POSTS = ("from-analyst.md", "queues-at-night.md", "search-index.md", "unlabelled-table.md")
CRLF = "009-eol-crlf.md"
CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, shared_theme: Theme) -> Iterator[RealWindow]:
    folder = tmp_path_factory.mktemp("commands")
    site = copy_sample(folder, *POSTS)
    shutil.copy(CASES / CRLF, site)
    with own_window(shared_theme, folder, embeds=False) as real:
        real.open(site)
        yield real


@pytest.fixture
def real(opened: RealWindow) -> RealWindow:
    """Give the window as it was opened."""
    opened.window.source.set_lens(Lens.OFF)
    opened.window.reset_layout()
    while opened.session.undo_stack.canUndo():
        opened.session.undo_stack.undo()
    opened.session.undo_stack.clear()
    opened.wait_read()
    opened.session.choose_document("from-analyst.md")
    opened.session.select_chunk(1)
    return opened


def press(real: RealWindow, name: str) -> None:
    """Press an action's keys, as the window has them."""
    keys = real.window.commands[name].shortcut()
    assert not keys.isEmpty(), name
    real.window.activateWindow()
    assert QTest.qWaitForWindowActive(real.window)
    combination = keys[0]
    QTest.keyClick(real.window, combination.key(), combination.keyboardModifiers())


def dialog_of(real: RealWindow, kind: type[QDialog]) -> QDialog:
    """Return the dialog that is open."""
    return next(dialog for dialog in real.window.findChildren(kind) if dialog.isVisible())


# The table


def test_every_action_of_the_table_does_something_and_is_named_once(real: RealWindow) -> None:
    commands = real.window.commands
    names = [spec.name for spec in SPECS]
    assert len(names) == len(set(names)) and set(names) <= set(commands.by_name)
    assert {spec.group for spec in SPECS} == set(GROUPS)
    for name, action in commands.by_name.items():
        assert action.text(), name
        assert action in real.window.actions(), name
        assert commands.group_of(name) in GROUPS
    titles = [commands.title(name) for name in commands.by_name]
    assert len(titles) == len(set(titles))


def test_no_two_actions_share_a_key(real: RealWindow) -> None:
    seen: dict[str, str] = {}
    for name, action in real.window.commands.by_name.items():
        for keys in action.shortcuts():
            words = keys.toString(QKeySequence.SequenceFormat.PortableText)
            assert words not in seen, f"{words}: {seen.get(words)} and {name}"
            seen[words] = name
    for words in ("Ctrl+O", "Ctrl+P", "Ctrl+Shift+P", "Ctrl+F", "Ctrl+Shift+F", "Ctrl+L", "Alt+Up", "Alt+Down", "F8",
                  "F9", "Ctrl+Z", "Alt+Left", "Alt+Right", "F5", "Ctrl+Return", "Ctrl+Shift+C", "Ctrl+E", "Ctrl+S",
                  "Ctrl+0", "Alt+1", "Alt+2", "Alt+3", "F6", "F1"):  # fmt: skip
        assert words in seen, words


def test_every_action_of_the_table_is_in_the_menu(real: RealWindow) -> None:
    listed = set()

    def walk(menu: QMenu) -> None:
        for action in menu.actions():
            listed.add(action)
            below = action.menu()
            if isinstance(below, QMenu):
                walk(below)

    walk(real.window.menus.main)
    assert {name for name, action in real.window.commands.by_name.items() if action not in listed} == set()


def test_every_action_is_in_the_palette_with_its_key(real: RealWindow) -> None:
    press(real, "palette")
    chooser = dialog_of(real, Chooser)
    assert isinstance(chooser, Chooser)
    rows = {choice.words: choice for choice in chooser._choices}
    for name in real.window.commands.by_name:
        if name != "palette":
            choice = rows[real.window.commands.title(name).rstrip("…")]
            keys = real.window.commands[name].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            assert choice.right == keys
    QTest.keyClicks(chooser.field, "next chunk")
    before = real.session.selected_chunk
    QTest.keyClick(chooser.field, Qt.Key.Key_Return)
    assert real.session.selected_chunk == (before or 0) + 1


def test_the_list_is_walked_with_the_arrows_and_left_with_escape(real: RealWindow) -> None:
    real.window.dialogs.show_palette()
    chooser = dialog_of(real, Chooser)
    assert isinstance(chooser, Chooser)
    QTest.keyClick(chooser.field, Qt.Key.Key_Down)
    assert chooser.view.currentIndex().row() == 1
    QTest.keyClicks(chooser.field, "zzz")
    assert chooser.nothing.isVisible() and chooser.model.rowCount() == 0
    QTest.keyClick(chooser.field, Qt.Key.Key_Return)  # nothing to choose
    assert chooser.isVisible()
    QTest.keyClick(chooser.field, Qt.Key.Key_Escape)
    QTest.keyClick(chooser.field, Qt.Key.Key_Escape)
    assert not chooser.isVisible()


def test_what_begins_with_the_words_comes_first() -> None:
    choices = [Choice("A retry"), Choice("Try again"), Choice("Retries", "of a try"), Choice("Nothing")]
    assert [choice.words for choice in narrow(choices, "try")] == ["Try again", "Retries", "A retry"]
    assert [choice.words for choice in narrow(choices, "again try")] == ["Try again"]
    assert narrow(choices, "", most=2) == choices[:2]


def test_the_sheet_of_keys_lists_every_key(real: RealWindow) -> None:
    press(real, "shortcuts")
    sheet = dialog_of(real, QDialog)
    words = {label.text() for label in sheet.findChildren(QLabel)}
    for action in real.window.commands.by_name.values():
        if not action.shortcut().isEmpty():
            assert action.shortcut().toString(QKeySequence.SequenceFormat.NativeText) in words
    sheet.reject()


# Going about


def test_go_to_a_heading_of_another_post(real: RealWindow) -> None:
    press(real, "go_to")
    chooser = dialog_of(real, Chooser)
    assert isinstance(chooser, Chooser)
    QTest.keyClicks(chooser.field, "who wakes")
    QTest.keyClick(chooser.field, Qt.Key.Key_Return)
    assert real.session.open_name == "queues-at-night.md"
    assert real.session.open.chunking.chunks[real.session.selected_chunk].trail == ("Who wakes for it",)


def test_the_places_selected_are_gone_through_back_and_forward(real: RealWindow) -> None:
    session = real.session
    session.select_chunk(0, "search-index.md")
    session.select_chunk(2)
    press(real, "back")
    press(real, "back")
    assert (session.open_name, session.selected_chunk) == ("from-analyst.md", 1)
    press(real, "forward")
    press(real, "forward")
    press(real, "forward")  # nothing more
    assert (session.open_name, session.selected_chunk) == ("search-index.md", 2)


def test_f6_goes_round_all_panes(real: RealWindow) -> None:
    window = real.window
    window.activateWindow()
    window.source.text.setFocus()
    seen = []
    for _ in range(6):
        press(real, "next_pane")
        focused = QApplication.focusWidget()
        seen.append(focused)
    panes = (window.strip, window.outline, window.source, window.chunk_list, window.questions, window.problems)
    assert all(any(pane is w or pane.isAncestorOf(w) for w in seen if w is not None) for pane in panes)
    press(real, "previous_pane")


def test_taking_the_focus_chooses_nothing(real: RealWindow) -> None:
    real.window.problems.tree.clearSelection()
    real.window.problems.tree.setCurrentIndex(real.window.problems.tree.rootIndex())
    before = real.session.selection
    real.window.problems.tree.setFocus()
    real.window.outline.tree.setFocus()
    assert real.session.selection == before


def test_find_in_all_posts_goes_to_a_place(real: RealWindow) -> None:
    window = real.window
    press(real, "find_folder")
    assert window.folder_find.isVisible()
    window.folder_find.field.setText("the night")
    wait_until(lambda: not window.folder_find.is_searching and window.folder_find.model.rowCount() > 0)
    hits = window.folder_find.model.hits
    assert {hit.document for hit in hits} > {"from-analyst.md"}
    for hit in hits:
        source = real.session.documents[hit.document].chunking.document.source
        assert source[hit.start : hit.end].lower() == "the night"
    index = window.folder_find.model.index(len(hits) - 1)
    real.click_item(window.folder_find.view, index)
    assert real.session.open_name == hits[-1].document
    assert window.source.selected_source().lower() == "the night"
    window.folder_find.field.setText("no such words anywhere")
    window.folder_find.search()
    wait_until(lambda: not window.folder_find.is_searching)
    assert window.folder_find.count.text() == "not found"


# Undo


def test_a_drag_is_one_step_to_undo(real: RealWindow) -> None:
    session, stack = real.session, real.session.undo_stack
    chunks = session.totals.chunks
    real.drag_line(1_200, 1_000, 900, 700)
    real.wait_read()
    fewer = session.settings.options.cap
    assert stack.count() == 1 and session.totals.chunks > chunks
    assert real.window.commands["undo"].text() == f"Undo cap 1,400 → {fewer:,}"
    press(real, "undo")
    real.wait_read()
    assert session.settings.options.cap == 1_400 and session.totals.chunks == chunks
    assert real.window.strip.thresholds == (80, 320, 1_400)
    assert not real.window.commands["undo"].isEnabled()
    press(real, "redo")
    real.wait_read()
    assert session.settings.options.cap == fewer
    assert session.library.is_added_up()


def test_a_drag_that_is_taken_back_leaves_nothing_to_undo(real: RealWindow) -> None:
    real.hold_line()
    real.move_line(900)
    QTest.keyClick(real.window.strip.sections, Qt.Key.Key_Escape)
    real.wait_read()
    assert real.session.settings.options.cap == 1_400
    assert real.session.undo_stack.count() == 0


def test_presets_and_models_are_undone_as_well(real: RealWindow) -> None:
    session = real.session
    before = session.settings
    real.window.menus.presets["Fine"].trigger()
    real.wait_read()
    assert session.settings.options == PRESETS["Fine"]
    assert real.window.menus.presets["Fine"].isChecked()
    real.window._on_model_chosen("sentence-transformers/all-MiniLM-L6-v2")
    real.wait_read()
    press(real, "undo")
    press(real, "undo")
    real.wait_read()
    assert session.settings == before


# Lens


def test_under_the_ghost_a_crlf_post_is_one_giant_chunk(real: RealWindow) -> None:
    window = real.window
    real.session.choose_document(CRLF)
    press(real, "lens")
    press(real, "lens")
    assert window.source.lens is Lens.GHOST and window.menus.lenses["ghost"].isChecked()
    picture = window.source.text.picture
    assert picture is not None and picture.ghost is not None
    assert len(picture.ghost.chunks) == 1 and len(picture.ghost.lost) == 3
    assert "1 chunk: it loses 3 headings" in window.source.lens_bar.words.full_text
    pills = [placed.pill.text for placed in window.source.text.scene().pills]
    assert pills.count("lost: CRLF") >= 2
    assert any(pill.startswith("ghost 1 · ") for pill in pills)
    press(real, "lens")
    assert window.source.lens is Lens.OFF and not window.source.lens_bar.isVisible()


def test_a_minimal_example_of_the_fault_is_copied(real: RealWindow) -> None:
    real.session.choose_document(CRLF)
    real.window.source.set_lens(Lens.GHOST)
    QApplication.clipboard().clear()
    QTest.mouseClick(real.window.source.lens_bar.example_button, Qt.MouseButton.LeftButton)
    wait_until(lambda: bool(QApplication.clipboard().text()))
    assert QApplication.clipboard().text().startswith("## Packing list")
    real.session.choose_document("queues-at-night.md")
    assert not find_ghost(real.session.open.chunking.document).differs
    real.window.source.ask_for_example()
    assert "no harm" in real.window.status.told_label.text()


def test_marks_show_line_ends_fences_and_what_nobody_sees(real: RealWindow) -> None:
    window = real.window
    real.session.choose_document("unlabelled-table.md")
    window.source.set_lens(Lens.MARKS)
    window.source.scroll_to(real.session.open.chunking.document.fences[-1].span.start)
    pills = {placed.pill.text for placed in window.source.text.scene().pills}
    assert {"LF", "fence opens, never closed"} <= pills
    assert "1 fence never closed" in window.source.lens_bar.words.full_text
    real.session.choose_document(CRLF)
    assert "CRLF" in {placed.pill.text for placed in window.source.text.scene().pills}


# Copies, editor, layouts


def test_both_copies_are_exact(real: RealWindow) -> None:
    session = real.session
    document = session.open
    press(real, "copy_input")
    assert QApplication.clipboard().text() == document.readings[1].text
    real.window.commands["copy_source"].trigger()
    span = document.chunking.chunks[1].span
    assert QApplication.clipboard().text() == document.chunking.document.source[span.start : span.end]


def test_the_editor_is_asked_for_once_and_opened_at_the_line(
    real: RealWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "told.txt"
    script = tmp_path / "editor.py"
    script.write_text("import sys; open(sys.argv[1], 'w').write(' '.join(sys.argv[2:]))")
    command = f'"{Path(sys.executable).as_posix()}" "{script.as_posix()}" "{told.as_posix()}" {{file}}:{{line}}'
    asked = []

    def answer(*given: object, **more: object) -> tuple[str, bool]:
        asked.append(given)
        return ("Another command…", True) if len(asked) == 1 else (command, True)

    monkeypatch.setattr(QInputDialog, "getItem", answer)
    monkeypatch.setattr(QInputDialog, "getText", answer)
    monkeypatch.setattr(real.window.dialogs, "editor_command", "")
    press(real, "edit")
    wait_until(lambda: told.exists() and bool(told.read_text()))
    line = real.session.open.chunking.document.lines.line_of(real.session.selection.offset)
    assert told.read_text() == f"{real.session.folder / 'from-analyst.md'}:{line}"
    press(real, "edit")
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("code --goto {file}:{line}", ["code", "--goto", "/a b.md:7"]),
        ("vi", ["vi", "/a b.md"]),
        ("'my editor' +{line}", ["my editor", "+7", "/a b.md"]),
    ],
)
def test_an_editors_command_is_filled_in(command: str, words: list[str]) -> None:
    assert editor.words_of(command, Path("/a b.md"), 7) == words


@pytest.mark.parametrize("command", ["", "   ", 'code "unclosed', "no-such-editor-here {file}"])
def test_an_editor_that_cannot_be_started_says_so(command: str, tmp_path: Path) -> None:
    with pytest.raises(editor.EditorError) as caught:
        editor.open_in_editor(command, tmp_path / "a.md", 1)
    assert caught.value.message


def test_the_environments_own_editor_is_offered_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vim")
    assert next(iter(editor.presets().items())) == ("$VISUAL", "vim +{line} {file}")
    monkeypatch.delenv("VISUAL")
    assert "$VISUAL" not in editor.presets()


@pytest.mark.parametrize("name", list(ARRANGEMENTS))
def test_layouts_show_the_panes_of_their_work(real: RealWindow, name: str) -> None:
    window = real.window
    before = real.session.selection
    press(real, f"layout_{name}")
    let_pass(50)
    shown = {pane for pane, dock in window.docks.by_name.items() if dock.isVisible()}
    assert shown == ARRANGEMENTS[name].panes
    assert window.source.isVisible()
    assert window.source.lens == ARRANGEMENTS[name].lens
    assert real.session.selection == before
    window.reset_layout()
    assert {pane for pane, dock in window.docks.by_name.items() if dock.isVisible()} >= {"outline", "chunks", "map"}


def test_zoom_and_contrast(real: RealWindow) -> None:
    text, theme = real.window.source.text, real.window.theme
    size = text.font().pixelSize()
    real.window.commands["zoom_in"].trigger()
    assert text.font().pixelSize() == size + 1
    real.window.commands["zoom_reset"].trigger()
    assert text.font().pixelSize() == size
    press(real, "next_problem")
    real.window.commands["high_contrast"].trigger()
    assert theme.has_contrast and theme.colors.tint_a == theme.colors.page
    real.window.commands["high_contrast"].trigger()
    assert not theme.has_contrast
    real.window.commands["reduced_motion"].trigger()
    assert theme.is_still
    real.window.commands["reduced_motion"].trigger()


# What a change on disk did, and the sweep


def test_what_changed_on_disk_is_dotted_for_a_while(real: RealWindow) -> None:
    session, window = real.session, real.window
    file = session.folder / "search-index.md"
    before = file.read_bytes()
    session.choose_document("search-index.md")
    session._change_timer.setInterval(400)
    window.source.scroll_to_top(session.open.chunking.chunks[3].span.start)
    top = window.source.text.first_visible_offset()
    changed = before + b"\n## What was added\n\n" + b"Words that nobody had read before this test. " * 9 + b"\n"
    aside = file.with_suffix(".part")
    aside.write_bytes(changed)
    aside.replace(file)  # as editors save: written aside, then moved
    session.look_for_changes()
    wait_until(lambda: bool(session.change.names))
    last = len(session.open.chunking.chunks) - 1
    assert session.change.words == "+1" and session.change.fresh["search-index.md"] == {last}
    assert window.strip.before_label.text() == "+1"
    assert window.source.text._fresh == {last} == window.chunk_list.view.delegate.fresh
    assert "Reloaded search-index.md: +1" in window.status.told_label.text()
    assert window.source.text.first_visible_offset() == top
    wait_until(lambda: not session.change.names, 5)
    assert not window.source.text._fresh
    file.write_bytes(before)
    session.look_for_changes()
    wait_until(lambda: session.change.words == "−1")
    wait_until(lambda: not session.change.names, 5)


def test_the_sweep_tells_what_other_caps_would_make(real: RealWindow) -> None:
    window = real.window
    real.session._on_settled()
    wait_until(lambda: bool(window.strip.sweep._points))
    sweep = window.strip.sweep
    assert list(sweep._points) == list(range(400, 2_401, 100))
    assert sweep._points[1_400].chunks == real.session.totals.chunks
    assert sweep._points[1_400].truncated == real.session.totals.truncated
    counts = [point.chunks for point in sweep._points.values()]
    assert counts[0] > counts[-1]
    _, _, _, place = sweep.charts()[0]
    QTest.mouseClick(sweep, Qt.MouseButton.LeftButton, pos=place.topLeft().toPoint())
    real.wait_read()
    assert real.session.settings.options.cap == 400
    press(real, "undo")
    real.wait_read()
    sweep.setFocus()
    real.session._on_settled()
    wait_until(lambda: bool(sweep._points))
    QTest.keyClick(sweep, Qt.Key.Key_Right)
    QTest.keyClick(sweep, Qt.Key.Key_Return)
    assert real.session.settings.options.cap == 1_500
