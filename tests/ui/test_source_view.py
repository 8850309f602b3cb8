"""The source view, driven by mouse and keys."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from inspector.ui.picture import TokenMark
from inspector.ui.source_view import EMBEDDED, EMPTY, SourceView, describe
from inspector.ui.theme import CODE_PIXELS, LIGHT, Theme, ThemeMode

from .conftest import POST, Chunked


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> SourceView:
    view = SourceView(theme)
    qtbot.addWidget(view)
    view.resize(700, 800)
    view.show()
    qtbot.waitExposed(view)
    return view


def shown(view: SourceView, post: tuple[Document, Chunking], marks: tuple[TokenMark, ...] = ()) -> Document:
    document, chunking = post
    view.show_document(document, chunking, marks)
    QApplication.processEvents()
    return document


def point_of(view: SourceView, offset: int) -> QPoint:
    for row in view.text.scene().rows:
        if row.start <= offset < max(row.end, row.start + 1):
            return QPoint(round(view.text.x_of(row, offset)) + 2, round(row.top + row.height / 2))
    raise AssertionError(f"{offset} is out of sight")


def click(view: SourceView, offset: int) -> None:
    QTest.mouseClick(
        view.text.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point_of(view, offset)
    )


def pixel(view: SourceView, point: QPoint) -> QColor:
    image = view.text.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    return image.pixelColor(round(point.x() * ratio), round(point.y() * ratio))


class PaintCount(QObject):
    """Counts what is painted of a widget and its children."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        for part in (widget, *widget.findChildren(QWidget)):
            part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.Paint
        return False


def test_a_drag_paints_what_changes_in_sight_and_nothing_else(view: SourceView, chunked: Chunked) -> None:
    fence = "```\n## no heading\n```\n\n"
    parts = [
        f"## Part {n}\n\n{'Some words of a part. ' * (3 + n * 7 % 23)}\n\n{fence if n % 5 == 3 else ''}"
        for n in range(40)
    ]
    source = "".join(parts)
    document, first = chunked(source)
    shown(view, (document, first))
    view.text.select_chunk(1)
    view.text.scroll_to_top(document.source.index("## Part 9"))
    painted = PaintCount(view.text)
    skipped = 0
    for drop, fold, cap in [(80, 320, cap) for cap in range(1_400, 400, -25)] + [
        (n, 300, 420) for n in range(60, 300, 12)
    ]:
        before = view.text.grab().toImage()
        chunking = chunk_document(document, Options(drop=drop, fold=fold, cap=cap))
        painted.count = 0
        shown(view, (document, chunking))
        was_painted = painted.count > 0
        skipped += not was_painted
        assert was_painted or view.text.grab().toImage() == before, (drop, fold, cap)
    assert 10 < skipped < 55


def test_outlined_chunks_that_are_no_more_are_forgotten(view: SourceView, chunked: Chunked) -> None:
    document, many = chunked("## Part\n\n" + "Some words of a part. " * 60, drop=0, fold=0, cap=120)
    shown(view, (document, many))
    last = len(many.chunks) - 1
    few = chunk_document(document, Options(drop=0, fold=0, cap=2_000))
    view.text.select_chunk(last)
    view.text._hover(last)
    view.text.show_fresh(frozenset({0, last}))
    view.text.grab()
    shown(view, (document, few))
    view.text.grab()
    assert (view.text.selected, view.text.hovered, view.text._fresh) == (None, None, {0})
    view.text.show_fresh(frozenset({0, last}))
    view.text.grab()


def test_the_find_bar_looks_in_the_post_that_is_shown(view: SourceView, chunked: Chunked) -> None:
    shown(view, chunked("## A\n\nneedle " + "words and words " * 40, name="a.md"))
    view.find_bar.open("needle")
    document = shown(view, chunked("## B\n\n" + "words and words " * 400 + " needle, needle\n", name="b.md"))
    first = document.source.index("needle")
    assert view.find_bar.count.text() == "1 of 2"
    assert view.text._found == ((first, first + 6), (first + 8, first + 14))
    assert view.selected_source() == "needle"


def test_nothing_is_shown_before_a_post_is_picked(view: SourceView) -> None:
    assert view._empty.text() == EMPTY
    assert view._empty.isVisible()
    assert not view.pages.isVisible()


def test_the_header_describes_the_file(view: SourceView, chunked: Chunked) -> None:
    shown(view, chunked("a\r\nb\nc\n", name="folder/mixed.md"))
    assert view.header.title.text() == "mixed.md"
    assert view.header.words.full_text == "UTF-8 · mixed line ends · 3 lines"
    assert describe(chunked("a\r\nb\r\n")[0]) == "UTF-8 · CRLF line ends · 2 lines"
    assert describe(chunked("a")[0]) == "UTF-8 · 1 line"


def test_a_click_chooses_the_place(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked(POST))
    offset = document.source.index("make deps")
    with qtbot.waitSignal(view.offset_chosen) as told:
        click(view, offset)
    assert told.args == [offset]


def test_a_click_beside_a_line_stays_on_the_line(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked(POST))
    offset = document.source.index("## Second")
    place = point_of(view, offset)
    place.setX(view.text.viewport().width() - 4)
    with qtbot.waitSignal(view.offset_chosen) as told:
        QTest.mouseClick(view.text.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert document.lines.line_of(told.args[0]) == document.lines.line_of(offset)


def test_a_drag_selects_text_and_chooses_nothing(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked(POST))
    start = document.source.index("make deps")
    area = view.text.viewport()
    with qtbot.assertNotEmitted(view.offset_chosen):
        QTest.mousePress(area, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point_of(view, start))
        QTest.mouseMove(area, point_of(view, start + 4))
        QTest.mouseMove(area, point_of(view, start + 8))
        QTest.mouseRelease(area, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point_of(view, start + 8))
    assert view.selected_source() == "make dep"


def test_copying_gives_the_source_as_it_is(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    source = "## One\r\n\r\nWords\u00a0with\u2028company 😀 here, \u200band more of them to make a chunk.\r\n" * 3
    shown(view, chunked(source, drop=0, fold=0))
    view.text.selectAll()
    view.text.setFocus()
    QTest.keyClick(view.text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == source


def test_lone_surrogates_do_not_shift_what_follows(view: SourceView, chunked: Chunked) -> None:
    document, chunking = chunked("x\ud83dy and a few more words to look at\n" * 4, drop=0, fold=0)
    shown(view, (document, chunking))
    view.select_source(2, 3)
    assert view.selected_source() == document.source[2:3]


def test_tints_follow_the_parity_of_chunks(view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked(POST))
    right = view.text.viewport().width() - 6
    for words, color in (("## First", LIGHT.tint_a), ("make deps", LIGHT.tint_b), ("tags: [one]", LIGHT.page)):
        place = point_of(view, document.source.index(words))
        assert pixel(view, QPoint(right, place.y())).name().upper() == color


def test_the_selected_chunk_has_an_outline(view: SourceView, chunked: Chunked) -> None:
    shown(view, chunked(POST))
    view.select_chunk(0)
    QApplication.processEvents()
    place = view.text.rows_of(view.text.picture.runs_of(0))  # type: ignore[union-attr]
    assert place is not None
    middle = view.text.viewport().width() // 2
    assert pixel(view, QPoint(middle, round(place[0]))).name().upper() == LIGHT.accent
    edge = view.text.viewport().width() - 1
    assert pixel(view, QPoint(edge, round(place[0]) + 30)).name().upper() == LIGHT.accent


def test_hovering_outlines_the_chunk_under_the_mouse(view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked(POST))
    QTest.mouseMove(view.text.viewport(), point_of(view, document.source.index("make deps")))
    QApplication.processEvents()
    assert view.text.hovered == 1


def test_another_chunking_leaves_the_text_alone_and_is_quick(view: SourceView, chunked: Chunked) -> None:
    source = "".join(f"## Part {number}\n\n{'Some words that say little. ' * 30}\n\n" for number in range(150))
    document, chunking = chunked(source)
    shown(view, (document, chunking))
    view.scroll_to_top(len(source) // 2)
    revision, top = view.text.document().revision(), view.text.first_visible_offset()
    others = [chunk_document(document, Options(cap=cap)) for cap in (500, 600, 700, 800)]
    for other in others:
        _ = other.removed
    took = []
    for other in others:
        started = time.perf_counter()
        view.show_document(document, other)
        view.text.viewport().repaint()
        took.append(time.perf_counter() - started)
    assert view.text.document().revision() == revision
    assert view.text.first_visible_offset() == top
    assert min(took) < 0.05


def test_what_has_no_room_goes_into_the_gutter(view: SourceView, chunked: Chunked) -> None:
    shown(view, chunked(POST))
    wide = [placed for placed in view.text.scene().pills if placed.left is None]
    view.resize(230, 800)
    QApplication.processEvents()
    narrow = [placed for placed in view.text.scene().pills if placed.left is None]
    assert len(narrow) > len(wide)
    gutter = view.text._gutter
    place = narrow[0].row
    assert narrow[0].pill.text in gutter.words_at(gutter.width() - 4, place.top + 2)


def test_the_gutter_knows_line_ends(view: SourceView, chunked: Chunked) -> None:
    shown(view, chunked("one\r\ntwo\rthree\n"))
    gutter = view.text._gutter
    x = gutter.ends_left + 1
    words = [gutter.words_at(x, row.top + 2) for row in view.text.scene().rows]
    assert words == ["Line ends with CRLF", "Line ends with a lone CR", "", ""]


def test_scrolling_tells_the_first_line_in_sight(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked("".join(f"line {number}\n" for number in range(400))))
    with qtbot.waitSignal(view.visible_offset_changed) as told:
        view.text.verticalScrollBar().setValue(100)
    assert told.args == [document.lines.starts[100]]
    with qtbot.assertNotEmitted(view.visible_offset_changed):
        view.scroll_to(document.lines.starts[300])
    assert any(row.block == 300 for row in view.text.scene().rows)


def test_scrolling_to_what_is_in_sight_moves_nothing(view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked("".join(f"line {number}\n" for number in range(400))))
    view.scroll_to(document.lines.starts[5])
    assert view.text.verticalScrollBar().value() == 0


def test_the_wheel_zooms_with_ctrl(view: SourceView, chunked: Chunked) -> None:
    shown(view, chunked(POST))
    event = QWheelEvent(
        QPointF(50, 50), QPointF(50, 50), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.text.viewport(), event)
    assert view.text.font().pixelSize() == CODE_PIXELS + 1
    height = view.text.scene().rows[0].height
    view.text.reset_zoom()
    assert view.text.font().pixelSize() == CODE_PIXELS
    assert view.text.scene().rows[0].height < height


def test_find_walks_through_the_places(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked(POST))
    view.text.setFocus()
    view.open_find_bar()
    assert view.find_bar.isVisible()
    QTest.keyClicks(view.find_bar.field, "PART")
    count = document.source.count("PART")
    assert view.find_bar.count.text() == ("not found" if not count else f"1 of {count}")
    view.find_bar.field.clear()
    QTest.keyClicks(view.find_bar.field, "part")
    count = document.source.lower().count("part")
    assert view.find_bar.count.text() == f"1 of {count}"
    QTest.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert view.find_bar.count.text() == f"2 of {count}"
    assert view.selected_source().lower() == "part"
    QTest.keyClick(view.find_bar.field, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert view.find_bar.count.text() == f"1 of {count}"
    QTest.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    QTest.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert not view.find_bar.isVisible()


def test_a_long_line_is_folded_until_it_is_asked_for(view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked("word " * 60_000 + "\n\nend\n"))
    assert len(view.text.toPlainText()) < 10_000
    (gap,) = view.text.offsets.folded
    view.text.scroll_to(gap.start)
    place = point_of(view, gap.start - 3) + QPoint(40, 0)
    QTest.mouseDClick(view.text.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert len(view.text.toPlainText()) == document.characters


def test_as_embedded_shows_the_cleaned_text(qtbot: QtBot, view: SourceView, chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    shown(view, (document, chunking))
    QTest.mouseClick(view.pages.button(EMBEDDED), Qt.MouseButton.LeftButton)
    assert view.embedded.isVisible()
    assert "https://example.org" not in view.embedded.toPlainText()
    assert chunking.chunks[1].text in view.embedded.toPlainText()
    with qtbot.waitSignal(view.offset_chosen) as told:
        QTest.mouseClick(view.embedded.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert told.args == [chunking.chunks[0].span.start]


def test_both_themes_are_painted(view: SourceView, theme: Theme, chunked: Chunked) -> None:
    shown(view, chunked(POST))
    light = view.grab().toImage()
    theme.set_mode(ThemeMode.DARK)
    QApplication.processEvents()
    assert view.grab().toImage() != light


def test_a_reload_keeps_the_place(view: SourceView, chunked: Chunked) -> None:
    source = "".join(f"line {number}\n" for number in range(400))
    shown(view, chunked(source))
    view.scroll_to_top(1500)
    top = view.text.first_visible_offset()
    shown(view, chunked(source + "one more\n"))
    assert view.text.first_visible_offset() == top


@pytest.mark.parametrize("source", ["", "\n", "\r\n", "## only a heading", "\0\0", "\u2028", "😀" * 3000])
def test_any_document_is_painted(view: SourceView, chunked: Chunked, source: str) -> None:
    document, chunking = chunked(source)
    shown(view, (document, chunking), tuple(TokenMark(5, 512) for _ in chunking.chunks))
    view.select_chunk(0 if chunking.chunks else None)
    view.grab()


def test_touching_styles_are_all_painted_after_a_scroll(view: SourceView, chunked: Chunked) -> None:
    document = shown(view, chunked("".join(f"filler {number}\n\n" for number in range(200)) + "\n" + POST[50:]))
    view.scroll_to_top(document.source.index("### Stub"))
    QApplication.processEvents()
    image = view.text.viewport().grab().toImage()
    for word, start in (("###", 0), ("Stub", 4)):
        offset = document.source.index("### Stub") + start
        first, last = point_of(view, offset), point_of(view, offset + len(word) - 1)
        darkest = min(
            image.pixelColor(x, y).lightness()
            for x in range(first.x(), last.x())
            for y in range(first.y() - 6, first.y() + 6)
        )
        assert QColor(LIGHT.dim).lightness() - 4 <= darkest <= QColor(LIGHT.dim).lightness() + 60, word
