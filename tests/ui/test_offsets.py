"""Source offsets and displayed positions, against a real text document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from inspector.core.span import LineIndex
from inspector.ui.offsets import OffsetMap, folded_label, moved_offset

pytestmark = pytest.mark.usefixtures("qapp")

AWKWARD = st.sampled_from(
    [
        "\r\n", "\r", "\n", "\0", "\u2028", "\u2029", "\ud800", "\udfff", "\ud83d", "\ude00", "\u00a0", "\u200b",
        "\ufeff", "\ufdd0", "\ufdd1", "\ufffc", "\x0b", "\x0c", "\x1c", "\x85", "\t", "a", "é", "e\u0301", "漢", "😀",
        "👨\u200d👩\u200d👧", "\U0010ffff", "## x", "word ", "\u202e",
    ]
)  # fmt: skip
SOURCES = st.lists(st.one_of(AWKWARD, st.text(max_size=4)), max_size=40).map("".join)


def shown(offsets: OffsetMap) -> QTextDocument:
    document = QTextDocument(QCoreApplication.instance())
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText(offsets.text)
    return document


@given(SOURCES)
def test_qt_counts_the_positions_we_say(source: str) -> None:
    offsets = OffsetMap(source)
    document = shown(offsets)
    assert document.characterCount() - 1 == offsets.position_count
    document.deleteLater()


@given(SOURCES)
def test_qt_has_the_lines_of_the_source(source: str) -> None:
    offsets = OffsetMap(source)
    document = shown(offsets)
    lines = LineIndex(source)
    assert document.blockCount() == len(lines)
    for number in range(len(lines)):
        assert document.findBlockByNumber(number).position() == offsets.position(lines.starts[number])
    document.deleteLater()


@given(SOURCES)
def test_there_and_back_again_is_the_same_place(source: str) -> None:
    offsets = OffsetMap(source)
    for offset in range(len(source) + 1):
        back = offsets.offset(offsets.position(offset))
        is_inside_line_end = source[offset - 1 : offset + 1] == "\r\n" and offset > 0
        assert back == (offset - 1 if is_inside_line_end else offset)


@given(SOURCES)
def test_positions_never_go_back(source: str) -> None:
    offsets = OffsetMap(source)
    positions = [offsets.position(offset) for offset in range(len(source) + 1)]
    assert positions == sorted(positions)
    places = [offsets.offset(position) for position in range(offsets.position_count + 1)]
    assert places == sorted(places)
    assert places[0] == 0
    assert places[-1] == len(source)


@given(SOURCES, st.integers(3, 12))
def test_folded_lines_keep_the_places_around_them(source: str, long_line: int) -> None:
    offsets = OffsetMap(source, long_line=long_line)
    document = shown(offsets)
    assert document.characterCount() - 1 == offsets.position_count
    assert document.blockCount() == len(LineIndex(source))
    for gap in offsets.folded:
        assert gap.end - gap.start > 0
        assert offsets.offset(offsets.position(gap.end)) == gap.end
        assert offsets.position((gap.start + gap.end) // 2) == offsets.position(gap.start)
        assert offsets.text[offsets.offset(0) :].count(folded_label(gap).strip()) >= 1
    document.deleteLater()


@given(SOURCES)
def test_what_qt_selects_is_what_we_mean(source: str) -> None:
    offsets = OffsetMap(source)
    document = shown(offsets)
    cursor = QTextCursor(document)
    for offset, character in enumerate(source):
        if not (character.isalpha() or character == "😀"):
            continue
        cursor.setPosition(offsets.position(offset))
        cursor.setPosition(offsets.position(offset + 1), QTextCursor.MoveMode.KeepAnchor)
        assert cursor.selectedText() == character
    document.deleteLater()


def test_an_expanded_line_is_shown_whole() -> None:
    source = "a" * 5000 + "\n" + "b"
    folded = OffsetMap(source, long_line=3000)
    assert len(folded.text) < len(source)
    (gap,) = folded.folded
    assert OffsetMap(source, frozenset({gap.start}), long_line=3000).text == source


def test_plain_text_is_the_identity() -> None:
    assert OffsetMap("plain\ntext").is_identity()
    assert not OffsetMap("plain\r\ntext").is_identity()
    assert not OffsetMap("😀").is_identity()


@given(st.text("ab\n"), st.text("12"), st.text("34"), st.text("cd\n"), st.integers(0, 40))
def test_a_place_outside_an_edit_keeps_the_text_that_follows_or_precedes_it(
    head: str, old: str, new: str, tail: str, place: int
) -> None:
    before, after = head + old + tail, head + new + tail
    place = min(place, len(before))
    moved = moved_offset(before, after, place)
    assert 0 <= moved <= len(after)
    if place <= len(head):
        assert after[:moved] == before[:place]
    elif place >= len(before) - len(tail):
        assert after[moved:] == before[place:]
