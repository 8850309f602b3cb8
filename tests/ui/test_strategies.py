"""Other strategies in the window: chosen, set by a form made of their metadata, compared on one source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QDialog, QSpinBox
from pytestqt.qtbot import QtBot

from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Recursive, Window
from inspector.core.strategies.registry import STRATEGIES
from inspector.ui.option_form import NOT_SHOWN, OptionForm
from inspector.ui.picture import Picture
from inspector.ui.theme import Theme
from tests.ui.real_window import RealWindow, copy_sample, own_window, wait_until

pytestmark = [pytest.mark.timeout(150)]

POSTS = ("from-analyst.md", "queues-at-night.md", "search-index.md")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, shared_theme: Theme) -> Iterator[RealWindow]:
    folder = tmp_path_factory.mktemp("strategies")
    with own_window(shared_theme, folder, embeds=False) as real:
        real.open(copy_sample(folder, *POSTS), "queues-at-night.md")
        yield real


@pytest.fixture
def real(opened: RealWindow) -> RealWindow:
    """Give the window with the headings strategy, comparing nothing."""
    opened.window.docks["compare"].hide()
    while opened.session.undo_stack.canUndo():
        opened.session.undo_stack.undo()
    opened.wait_read()
    opened.session.choose_document("queues-at-night.md")
    return opened


def choose(real: RealWindow, name: str) -> None:
    """Choose a strategy in the toolbar's menu."""
    box = real.window.toolbar.strategy_box
    box.setCurrentIndex(box.findData(name))
    box.activated.emit(box.currentIndex())
    real.wait_read()


# Choosing


@pytest.mark.parametrize("name", ["recursive", "paragraphs", "sentences", "window"])
def test_a_strategy_is_chosen_and_undone(real: RealWindow, name: str) -> None:
    session = real.session
    before = session.totals.chunks
    choose(real, name)
    assert session.settings.strategy == name
    assert {read.chunking.strategy for read in session.documents.values()} == {name}
    for read in session.documents.values():
        check_chunking(read.chunking)
    assert session.library.is_added_up()
    assert not any(field.isVisible() for field in real.window.strip.fields)
    assert real.window.strip._summary[0].text() == STRATEGIES[name].label
    assert not real.window.toolbar.preset_box.isEnabled()
    session.undo_stack.undo()
    real.wait_read()
    assert session.totals.chunks == before and all(field.isVisible() for field in real.window.strip.fields)
    assert real.window.toolbar.strategy_box.currentData() == "headings"


def test_no_line_is_dragged_where_there_are_no_thresholds(real: RealWindow) -> None:
    choose(real, "window")
    sections = real.window.strip.sections
    assert sections.lines_at(sections.x_of(sections.values[2])) == []
    chunks = real.session.totals.chunks
    real.session.drag(cap=700)
    assert not real.session.is_dragging and real.session.totals.chunks == chunks


def test_text_that_two_windows_share_is_hatched_from_spans(real: RealWindow) -> None:
    choose(real, "window")
    chunking = real.session.open.chunking
    picture = Picture(chunking.document, chunking)
    shared = list(picture.shared_in(0, chunking.document.characters))
    assert len(shared) == len(chunking.chunks) - 1
    for (span, number), (before, after) in zip(
        shared, zip(chunking.chunks, chunking.chunks[1:], strict=False), strict=True
    ):
        assert number == after.index
        assert (span.start, span.end) == (after.span.start, before.span.end)


def test_imported_without_a_file_says_what_to_do(real: RealWindow) -> None:
    real.told.clear()
    choose(real, "imported")
    wait_until(lambda: bool(real.told))
    assert "file of chunks" in real.told[-1].text


def test_a_file_of_chunks_that_is_dropped_is_placed_onto_the_posts(real: RealWindow, tmp_path: Path) -> None:
    source = real.session.documents["queues-at-night.md"].chunking.document.source
    cuts = (0, 700, 1_500, len(source))
    lines = [json.dumps({"text": source[a:b].strip(), "document": "queues-at-night.md"}) for a, b in pairwise(cuts)]
    file = tmp_path / "chunks.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    real.drop(file)
    real.wait_read()
    assert real.session.settings.strategy == "imported"
    chunks = real.session.open.chunking.chunks
    assert [source[c.span.start : c.span.end] for c in chunks] == [source[a:b].strip() for a, b in pairwise(cuts)]
    assert real.window.strip._summary[1].text() == "chunks chunks.jsonl"


# The form


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_a_form_has_a_named_field_for_every_option(qtbot: QtBot, theme: Theme, name: str) -> None:
    kind = STRATEGIES[name].options or Options
    form = OptionForm(kind())
    qtbot.addWidget(form)
    assert set(form.editors) == {option.name for option in fields(kind)} - NOT_SHOWN
    assert all(editor.accessibleName() for editor in form.editors.values())
    with qtbot.assertNotEmitted(form.changed):
        form.show_options(kind())
    form._on_edited()
    assert form.options == kind()  # read back as it was shown


def test_a_change_that_makes_sense_is_told_and_one_that_makes_none_is_marked(qtbot: QtBot, theme: Theme) -> None:
    form = OptionForm(Window())
    qtbot.addWidget(form)
    form.show()
    size, overlap, unit = form.editors["size"], form.editors["overlap"], form.editors["unit"]
    assert isinstance(size, QSpinBox) and isinstance(overlap, QSpinBox) and isinstance(unit, QComboBox)
    with qtbot.waitSignal(form.changed) as told:
        size.setValue(300)
    assert told.args == [Window(size=300)]
    with qtbot.assertNotEmitted(form.changed):
        overlap.setValue(300)
    assert overlap.property("wrong") is True and "not below the size" in form.fault.text()
    assert form.options == Window(size=300)
    with qtbot.waitSignal(form.changed) as told:
        overlap.setValue(20)
    assert told.args == [Window(size=300, overlap=20)] and not form.fault.isVisible()


def test_lists_and_switches_are_read_back(qtbot: QtBot, theme: Theme) -> None:
    form = OptionForm(Recursive())
    qtbot.addWidget(form)
    cleaned = form.editors["cleaned"]
    assert isinstance(cleaned, QCheckBox)
    with qtbot.waitSignal(form.changed) as told:
        cleaned.setChecked(False)
    assert told.args == [Recursive(cleaned=False)]
    headings = OptionForm(Options())
    qtbot.addWidget(headings)
    boxes = headings.editors["clean"].boxes  # type: ignore[attr-defined]
    with qtbot.waitSignal(headings.changed) as told:
        boxes["image"].setChecked(False)
    assert told.args == [replace(Options(), clean=Options().clean - {"image"})]


def test_options_set_in_the_dialog_count_at_once(real: RealWindow) -> None:
    choose(real, "window")
    real.window.commands["options"].trigger()
    dialog = next(d for d in real.window.findChildren(QDialog) if d.isVisible())
    form = dialog.findChild(OptionForm)
    before = real.session.totals.chunks
    form.editors["size"].setValue(120)  # type: ignore[attr-defined]
    real.wait_read()
    assert real.session.settings.own == Window(size=120) and real.session.totals.chunks > before
    real.session.undo_stack.undo()
    assert form.options == Window()
    real.session.undo_stack.undo()  # another strategy: its form goes
    QApplication.processEvents()
    assert not any(d.isVisible() for d in real.window.findChildren(QDialog))


# Compare


def test_two_strategies_are_compared_on_one_source(real: RealWindow) -> None:
    window, session = real.window, real.session
    window.commands["compare"].trigger()
    keeper = session.compare
    wait_until(lambda: keeper.result is not None and bool(keeper.boundaries))
    assert keeper.strategy == "window" and keeper.result.left.chunks == session.totals.chunks
    rows = {row.label: row for row in window.compare.model._rows}
    assert rows["Chunks"].left == f"{session.totals.chunks:,}"
    assert rows["Truncated"].left == f"{session.totals.truncated:,}"
    median = next(label.text() for label in window.strip.size_labels if "median" in label.text())
    assert median == f"median {rows['Median'].left}"
    assert rows["Sentences cut"].better == -1  # the window cuts more of them
    window.compare.only_changes.setChecked(True)
    assert all(row.left != row.right for row in window.compare.model._rows) and len(window.compare.model._rows) < len(
        rows
    )
    window.compare.only_changes.setChecked(False)
    gutter = window.source.text._gutter
    assert gutter._other is not None and gutter.band_left > gutter.other_left
    places = window.compare._places
    assert places and window.compare.places.count() == len(places)
    session.select(session.open_name, 0)
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    QTest.keyClick(window, Qt.Key.Key_F7)
    assert session.selection.offset == places[0].offset
    QTest.keyClick(window, Qt.Key.Key_F7)
    assert session.selection.offset == places[1].offset
    QTest.keyClick(window, Qt.Key.Key_F7, Qt.KeyboardModifier.ShiftModifier)
    assert session.selection.offset == places[0].offset
    window.docks["compare"].hide()
    wait_until(lambda: not keeper.is_on)
    assert gutter._other is None


def test_the_other_side_is_chosen_and_follows_the_settings(real: RealWindow) -> None:
    window, session, keeper = real.window, real.session, real.session.compare
    window.commands["compare"].trigger()
    window.compare.box.setCurrentIndex(window.compare.box.findData("headings"))
    window.compare.box.activated.emit(window.compare.box.currentIndex())
    wait_until(lambda: keeper.result is not None and keeper.strategy == "headings")
    assert keeper.result.agreement.f1 == 1.0 and window.compare._places == ()
    session.commit(cap=600)
    real.wait_read()
    wait_until(lambda: keeper.result is not None and keeper.result.left.chunks == session.totals.chunks)
    assert keeper.result.right.chunks < keeper.result.left.chunks and window.compare._places
    session.choose_document("from-analyst.md")
    wait_until(lambda: keeper.other is not None and keeper.other.document.name == "from-analyst.md")
