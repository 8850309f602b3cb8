"""The list of chunks, driven by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.embedding.context import embedding_input
from inspector.ui.card import Card, RangeKind, card_for
from inspector.ui.card_layout import CLAMPED_LINES, lay_out_clamped, lay_out_whole
from inspector.ui.chunk_list import CARD_ROLE, ChunkList
from inspector.ui.theme import LIGHT, Theme, ThemeMode

from .conftest import POST, Chunked


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> ChunkList:
    view = ChunkList(theme)
    qtbot.addWidget(view)
    view.resize(320, 700)
    view.show()
    qtbot.waitExposed(view)
    return view


def cards_of(chunked: Chunked, source: str = POST) -> list[Card]:
    document, chunking = chunked(source)
    cards = []
    for chunk in chunking.chunks:
        put = embedding_input(chunk.text, document.title, chunk.trail)
        unread = len(put.text) - 40 if chunk.index == 1 else None
        cards.append(
            card_for(
                chunk, put.text, put.prefix_length,
                tokens=530 if unread else 100, limit=512, unread_tokens=18 if unread else 0, unread_at=unread,
            )
        )  # fmt: skip
    return cards


def texts(card: Card, kind: RangeKind) -> list[str]:
    return [card.text[found.start : found.end] for found in card.ranges if found.kind is kind]


def test_a_card_knows_what_was_added(chunked: Chunked) -> None:
    cards = cards_of(chunked)
    assert texts(cards[0], RangeKind.CONTEXT) == ["A post\n\n"]
    assert texts(cards[0], RangeKind.HEADING) == ["First part"]
    assert cards[0].text[cards[0].body_start :].startswith("\n\nThe first part")
    folded = "".join(texts(cards[1], RangeKind.FOLDED))
    assert folded.startswith("Aside")
    assert "Short words only" in folded
    assert texts(cards[-1], RangeKind.REPEATED)[0].strip() == "Long part"
    assert cards[-1].rung == "cut: sentence"
    assert texts(cards[1], RangeKind.UNREAD) == [cards[1].text[-40:]]


def test_a_click_chooses_a_chunk(qtbot: QtBot, view: ChunkList, chunked: Chunked) -> None:
    view.show_chunks(cards_of(chunked))
    place = view.view.visualRect(view.model.index(1)).center()
    with qtbot.waitSignal(view.chunk_chosen) as told:
        QTest.mouseClick(view.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told.args == [1]


def test_keys_walk_through_the_cards(qtbot: QtBot, view: ChunkList, chunked: Chunked) -> None:
    view.show_chunks(cards_of(chunked))
    view.select_chunk(0)
    with qtbot.waitSignal(view.chunk_chosen) as told:
        QTest.keyClick(view.view, Qt.Key.Key_Down)
    assert told.args == [1]


def test_selecting_from_outside_says_nothing_and_scrolls(qtbot: QtBot, view: ChunkList, chunked: Chunked) -> None:
    view.resize(320, 260)
    view.show_chunks(cards_of(chunked))
    with qtbot.assertNotEmitted(view.chunk_chosen), qtbot.assertNotEmitted(view.visible_chunk_changed):
        view.select_chunk(2)
        QApplication.processEvents()
    assert view.selected() == 2
    assert view.view.visualRect(view.model.index(2)).top() == 0
    view.select_chunk(None)
    assert view.selected() is None


def test_only_the_selected_card_is_whole(view: ChunkList, chunked: Chunked, theme: Theme) -> None:
    cards = cards_of(chunked)
    view.show_chunks(cards)
    QApplication.processEvents()
    before = view.view.visualRect(view.model.index(1)).height()
    view.select_chunk(1)
    QApplication.processEvents()
    after = view.view.visualRect(view.model.index(1)).height()
    assert after > before
    (clamped,) = lay_out_clamped(cards[1], 250).paragraphs
    assert clamped.layout.lineCount() == CLAMPED_LINES
    assert clamped.layout.text().endswith("…")
    whole = lay_out_whole(cards[1], 250, theme)
    assert [paragraph.pill for paragraph in whole.paragraphs if paragraph.pill] == ["title", "folded"]
    assert [paragraph.rule for paragraph in whole.paragraphs if paragraph.rule] == ["unread from here · 18 tokens"]


def test_the_whole_input_is_copied(qtbot: QtBot, view: ChunkList, chunked: Chunked) -> None:
    cards = cards_of(chunked)
    view.show_chunks(cards)
    view.select_chunk(1)
    for modifiers in (Qt.KeyboardModifier.ControlModifier,
                      Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier):  # fmt: skip
        QApplication.clipboard().clear()
        QTest.keyClick(view.view, Qt.Key.Key_C, modifiers)
        assert QApplication.clipboard().text() == cards[1].text
    view.view.copy(is_whole=False)
    assert QApplication.clipboard().text() == cards[1].text[len("A post\n\n") :]


def test_scrolling_by_hand_tells_the_top_card(qtbot: QtBot, view: ChunkList, chunked: Chunked) -> None:
    view.resize(320, 260)
    view.show_chunks(cards_of(chunked))
    QApplication.processEvents()
    with qtbot.assertNotEmitted(view.visible_chunk_changed):
        view.view.verticalScrollBar().setValue(view.view.visualRect(view.model.index(1)).top() - 10)
    down = QWheelEvent(
        QPointF(50, 50), QPointF(50, 50), QPoint(0, -60), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    with qtbot.waitSignal(view.visible_chunk_changed) as told:
        QApplication.sendEvent(view.view.viewport(), down)
    assert told.args == [1]


def test_the_list_keeps_its_place_when_sizes_change(view: ChunkList, chunked: Chunked) -> None:
    view.show_chunks(cards_of(chunked))
    view.select_chunk(2)
    view.show_chunks(cards_of(chunked))
    assert view.selected() == 2


def test_selection_and_parity_are_painted(view: ChunkList, chunked: Chunked) -> None:
    view.show_chunks(cards_of(chunked))
    view.select_chunk(0)
    QApplication.processEvents()
    image = view.view.viewport().grab().toImage()
    rect = view.view.visualRect(view.model.index(0))
    middle = rect.center().y()
    row = [image.pixelColor(x, middle).name().upper() for x in range(rect.left(), rect.left() + 20)]
    assert LIGHT.accent in row
    assert LIGHT.band_a in row


def test_an_empty_document_says_so(view: ChunkList) -> None:
    view.show_chunks(())
    assert view._empty.isVisible()
    assert view.count.text() == ""


def test_screen_readers_get_the_text(view: ChunkList, chunked: Chunked) -> None:
    cards = cards_of(chunked)
    view.show_chunks(cards)
    words = view.model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words.startswith("Chunk 2, Second part, section, 530 of 512 tokens, 18 unread.")
    assert cards[1].text in words
    QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def test_thousands_of_cards_are_shown_at_once(qtbot: QtBot, view: ChunkList, theme: Theme) -> None:
    cards = [Card(number, ("A", "B"), "section", 400, 100, 512, "Some words. " * 40) for number in range(5000)]
    view.show_chunks(cards)
    QApplication.processEvents()
    view.select_chunk(4990)
    assert view.view.indexAt(QPoint(60, 60)).data(CARD_ROLE).index == 4990
    theme.set_mode(ThemeMode.DARK)
    view.grab()
