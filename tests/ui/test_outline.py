"""The outline, driven by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.ui.outline import Outline, OutlineRow
from inspector.ui.outline_model import CHARACTERS, CHUNKS, OutlineModel
from inspector.ui.outline_tree import NO_HEADINGS, Filter, read_filter
from inspector.ui.theme import LIGHT, Theme

from .conftest import POST, Chunked


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> Outline:
    view = Outline(theme)
    qtbot.addWidget(view)
    view.resize(320, 700)
    view.show()
    qtbot.waitExposed(view)
    return view


def rows_of(chunked: Chunked, **options: int) -> list[OutlineRow]:
    rows = []
    for name, source in (("a.md", POST), ("b/plain.md", "Only words, no heading. " * 10), ("c.md", POST)):
        document, chunking = chunked(source, name=name, **options)
        truncated = frozenset({1}) if name == "a.md" else frozenset()
        rows.append(OutlineRow(name, len(chunking.chunks), document.characters, chunking, truncated))
    return rows


def labels(model: OutlineModel, parent: QModelIndex | None = None, depth: int = 0) -> list[str]:
    found = []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        found.append("  " * depth + str(index.data()))
        found += labels(model, index, depth + 1)
    return found


def press(view: Outline, index: QModelIndex) -> None:
    view.tree.scrollTo(index)
    place = view.tree.visualRect(index).center()
    QTest.mouseClick(view.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_rows_stand_where_the_author_wrote_them(view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    view.expand("a.md")
    assert labels(view.model)[:11] == [
        "a.md",
        "  First part",
        "    #1 " + ("The first part has a link and goes on for a while. " * 2)[:60],
        "  Second part",
        "    #2 ```sh ## not a heading make deps ``` The second part is plai",
        "    Aside: folded into #2",
        "    Stub · dropped",
        "  Long part",
        "    #3 " + ("A sentence that stands in a long part of the post. " * 2)[:60],
        "    #4 " + ("A sentence that stands in a long part of the post. " * 2)[:60],
        "b/plain.md",
    ]


def test_columns_count_and_add_up(view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    view.expand("a.md")
    document = view.model.index(0, 0)
    assert view.model.index(0, CHUNKS).data() == "4"
    assert view.model.index(0, CHARACTERS).data() == f"{view.model.rows[0].characters:,}"
    long_part = view.model.index(2, CHUNKS, document)
    assert long_part.data() == "2"
    assert view.model.node(document).warnings == 1
    assert view.model.node(view.model.index(1, 0, document)).warnings == 1


def test_children_are_built_when_a_document_is_opened(view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    document = view.model.index(2, 0)
    assert view.model.hasChildren(document)
    assert view.model.rowCount(document) == 0
    view.tree.expand(document)
    QApplication.processEvents()
    assert view.model.rowCount(document) > 0


def test_a_post_without_headings_says_so(view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    view.expand("b/plain.md")
    assert f"  {NO_HEADINGS}" in labels(view.model)


def test_a_click_tells_the_document_or_the_place(qtbot: QtBot, view: Outline, chunked: Chunked) -> None:
    rows = rows_of(chunked)
    view.show_documents(rows)
    with qtbot.waitSignal(view.document_chosen) as told:
        press(view, view.model.index(2, 0))
    assert told.args == ["c.md"]
    view.expand("a.md")
    chunk = view.model.chunk_index(0, 1)
    with qtbot.waitSignal(view.place_chosen) as told:
        press(view, chunk)
    assert rows[0].chunking is not None
    assert told.args == ["a.md", rows[0].chunking.chunks[1].span.start]


def test_selecting_opens_what_is_above(qtbot: QtBot, view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    with qtbot.assertNotEmitted(view.place_chosen), qtbot.assertNotEmitted(view.document_chosen):
        view.select("a.md", 3)
    node = view.model.node(view.tree.currentIndex())
    assert node.chunk == 3
    assert view.tree.isExpanded(view.model.index(0, 0))


def test_what_is_open_and_selected_survives_a_new_chunking(view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    view.expand("a.md")
    view.select("a.md", 2)
    view.update_document(rows_of(chunked, cap=700)[0])
    assert view.tree.isExpanded(view.model.index(0, 0))
    assert view.model.node(view.tree.currentIndex()).chunk == 2
    view.show_documents(rows_of(chunked))
    assert view.tree.isExpanded(view.model.index(0, 0))
    assert view.model.node(view.tree.currentIndex()).chunk == 2


def test_the_filter_finds_states_rungs_sizes_and_trails(qtbot: QtBot, view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))

    def after(text: str) -> list[str]:
        view.field.setText(text)
        view.apply_filter()
        return [label.strip() for label in labels(view.model)]

    assert [label[:3] for label in after("is:truncated")] == ["a.m", "Sec", "#2 "]
    assert after("is:dropped").count("Stub · dropped") == 2
    assert after("is:folded").count("Aside: folded into #2") == 2
    assert sum(label.startswith("#4") for label in after("rung:sentence")) == 2
    assert not any(label.startswith("#1") for label in after("len>700"))
    assert [label[:2] for label in after("trail:long len<800") if label.startswith("#")] == ["#4", "#4"]
    assert after("plain.md") != []
    assert after("nowhere") == []
    assert len(after("")) >= 3


def test_the_filter_waits_for_a_pause_in_typing(qtbot: QtBot, view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    QTest.keyClicks(view.field, "is:truncated")
    qtbot.waitUntil(lambda: view.model.rowCount() == 1)
    QTest.keyClick(view.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.model.rowCount() == 3)


def test_the_words_of_a_filter() -> None:
    assert read_filter('is:folded len>=1,200 len<2000 trail:"My install" rung:line word') == Filter(
        ("word",), ("folded",), ("line",), ("my install",), 1199, 2000
    )
    assert read_filter("  ").is_empty


def test_what_was_left_out_is_said(view: Outline) -> None:
    assert not view.footer.isVisible()
    view.show_left_out({"ignored": 6, "draft": 1}, ["a", "b"])
    assert view.footer.full_text == "7 files left out: 6 ignored, 1 draft"
    assert view.footer.toolTip() == "a\nb"
    view.show_left_out({"draft": 1})
    assert view.footer.full_text == "1 file left out: 1 draft"


def test_the_selected_row_is_filled_with_a_bar_at_the_left(view: Outline, chunked: Chunked) -> None:
    view.show_documents(rows_of(chunked))
    view.select("c.md")
    QApplication.processEvents()
    image = view.tree.viewport().grab().toImage()
    row = view.tree.visualRect(view.model.index(2, 0))
    assert image.pixelColor(1, row.center().y()).name().upper() == LIGHT.accent
    assert image.pixelColor(view.tree.viewport().width() - 2, row.top() + 3).name().upper() == LIGHT.accent_fill


def test_the_model_keeps_qts_rules(view: Outline, chunked: Chunked) -> None:
    tester = QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    tester.setUseFetchMore(False)  # it would fetch in the middle of a reset, and then object to that
    view.show_documents(rows_of(chunked))
    view.expand("a.md")
    view.update_document(rows_of(chunked, cap=500)[0])
    view.update_document(rows_of(chunked, cap=500)[2])
    view.field.setText("is:folded")
    view.apply_filter()
    view.update_document(rows_of(chunked)[0])
    assert tester is not None


def test_a_large_folder_is_shown_at_once(view: Outline, chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    rows = [OutlineRow(f"post-{number}.md", 4, document.characters, chunking) for number in range(3000)]
    view.show_documents(rows)
    view.select("post-2999.md", 2)
    assert view.model.node(view.tree.currentIndex()).chunk == 2


def test_a_filter_over_many_documents_is_taken_in_steps(qtbot: QtBot, theme: Theme, chunked: Chunked) -> None:
    outline = Outline(theme)
    qtbot.addWidget(outline)
    _, chunking = chunked(POST)
    rows = [OutlineRow(f"{number}.md", len(chunking.chunks), 1, chunking) for number in range(120)]
    outline.show_documents(rows)
    outline.field.setText("is:folded")
    outline.apply_filter()
    qtbot.waitUntil(lambda: outline.model.is_filtered)
    assert outline.model.rowCount() == 120
    outline.field.setText("60.md")
    outline.apply_filter()
    outline.update_document(rows[7])  # a change meanwhile: looked for anew
    qtbot.waitUntil(lambda: outline.model.rowCount() == 1)
    outline.field.setText("")
    outline.apply_filter()
    assert not outline.model.is_filtered and outline.model.rowCount() == 120
