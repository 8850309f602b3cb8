"""The strip: thresholds by mouse, by keys and by typing, and its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.controls import SteadyLabel
from inspector.ui.histogram import axis_upper, count_bins, nearest_rank, ticks
from inspector.ui.strip import Strip, StripCounts, judge
from inspector.ui.theme import LIGHT, Theme
from inspector.ui.threshold_histogram import CAP, DROP, FOLD

LENGTHS = (20, 50, 90, 200, 310, 330, 700, 900, 1200, 1500, 9000)
COUNTS = StripCounts(
    section_lengths=LENGTHS, chunk_count=104, chunks_before=107, dropped=2, folded=3, split=2,
    tokens=(100, 200, 300, 530, 600), truncated=2, unread_tokens=106, fit_cap=1020,
    median=676, longest=1390, shortest=85, seconds=0.012,
)  # fmt: skip


@pytest.fixture
def strip(qtbot: QtBot, theme: Theme) -> Strip:
    strip = Strip(theme)
    qtbot.addWidget(strip)
    strip.resize(1500, 122)
    strip.show()
    qtbot.waitExposed(strip)
    strip.show_counts(COUNTS)
    QApplication.processEvents()
    return strip


def place_of(strip: Strip, line: int) -> QPoint:
    return QPoint(round(strip.sections.x_of(strip.sections.values[line])), 60)


def drag(strip: Strip, line: int, to: int, release: bool = True) -> None:
    plot = strip.sections
    start = place_of(strip, line)
    end = QPoint(round(plot.x_of(to)), 60)
    QTest.mousePress(plot, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(plot, QPoint(round(start.x() + (end.x() - start.x()) * share), 60))
    if release:
        QTest.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=end)


def test_a_dragged_line_tells_each_step_and_counts_once(qtbot: QtBot, strip: Strip) -> None:
    dragged: list[tuple[int, ...]] = []
    committed: list[tuple[int, ...]] = []
    strip.thresholds_dragged.connect(lambda *values: dragged.append(values))
    strip.thresholds_committed.connect(lambda *values: committed.append(values))
    drag(strip, CAP, 1000)
    assert len(dragged) == 3
    assert len(committed) == 1
    assert committed[0] == dragged[-1]
    assert committed[0][:2] == (80, 320)
    assert abs(committed[0][2] - 1000) < 6
    assert strip.fields[CAP].value() == committed[0][2]


def test_a_dragged_line_stops_at_its_neighbour(qtbot: QtBot, strip: Strip) -> None:
    drag(strip, FOLD, 1700)
    assert strip.thresholds == (80, 1400, 1400)
    drag(strip, FOLD, 0)
    assert strip.thresholds[FOLD] == 80
    drag(strip, DROP, 1000)
    assert strip.thresholds[DROP] <= strip.thresholds[FOLD]


def test_lines_in_one_place_can_be_parted_again(strip: Strip) -> None:
    strip.set_thresholds(400, 400, 1400)
    drag(strip, DROP, 700)
    assert strip.thresholds[DROP] == 400
    assert strip.thresholds[FOLD] > 600
    strip.set_thresholds(400, 400, 1400)
    drag(strip, FOLD, 100)
    assert strip.thresholds[DROP] < 200
    assert strip.thresholds[FOLD] == 400


def test_escape_takes_a_drag_back(qtbot: QtBot, strip: Strip) -> None:
    with qtbot.assertNotEmitted(strip.thresholds_committed):
        drag(strip, CAP, 900, release=False)
        assert strip.thresholds[CAP] != 1400
        QTest.keyClick(strip.sections, Qt.Key.Key_Escape)
        QTest.mouseRelease(strip.sections, Qt.MouseButton.LeftButton, pos=QPoint(10, 60))
    assert strip.thresholds == (80, 320, 1400)


def test_the_state_before_stays_as_an_outline_while_dragging(strip: Strip) -> None:
    drag(strip, CAP, 900, release=False)
    before = strip.sections.ghost
    assert before is not None
    strip.show_counts(StripCounts(section_lengths=LENGTHS[:4], tokens=(10,), chunk_count=1))
    assert strip.sections.ghost == before
    assert strip.tokens.ghost is not None
    assert strip.sections.bins != before
    strip.grab()
    QTest.mouseRelease(strip.sections, Qt.MouseButton.LeftButton, pos=QPoint(10, 60))
    assert strip.sections.ghost is None


def test_the_axis_stands_still_while_dragging(strip: Strip) -> None:
    upper = strip.sections.bins.upper
    drag(strip, CAP, 600, release=False)
    strip.show_counts(COUNTS)
    assert strip.sections.bins.upper == pytest.approx(upper)
    QTest.mouseRelease(strip.sections, Qt.MouseButton.LeftButton, pos=QPoint(10, 60))


def test_arrow_keys_move_the_focused_line(qtbot: QtBot, strip: Strip) -> None:
    strip.sections.setFocus()
    with qtbot.waitSignal(strip.thresholds_committed) as told:
        QTest.keyClick(strip.sections, Qt.Key.Key_Right)
    assert told.args == [90, 320, 1400]
    QTest.keyClick(strip.sections, Qt.Key.Key_Up)
    QTest.keyClick(strip.sections, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert strip.thresholds == (90, 319, 1400)


def test_typing_counts_when_it_is_done(qtbot: QtBot, strip: Strip) -> None:
    field = strip.fields[CAP]
    field.setFocus()
    field.selectAll()
    with qtbot.assertNotEmitted(strip.thresholds_committed):
        QTest.keyClicks(field, "1100")
    with qtbot.waitSignal(strip.thresholds_committed) as told:
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert told.args == [80, 320, 1100]
    assert strip.sections.values == (80, 320, 1100)


def test_nonsense_marks_the_field_and_the_last_good_stays(qtbot: QtBot, strip: Strip) -> None:
    field = strip.fields[DROP]
    field.setFocus()
    field.selectAll()
    with qtbot.assertNotEmitted(strip.thresholds_committed):
        QTest.keyClicks(field, "500")
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.property("wrong") is True
    assert field.toolTip() == "Drop is above the fold of 320"
    assert strip.thresholds == (80, 320, 1400)
    assert strip.sections.values == (80, 320, 1400)
    with qtbot.waitSignal(strip.thresholds_committed):
        strip.fields[FOLD].setValue(600)
    assert field.property("wrong") is False
    assert strip.thresholds == (500, 600, 1400)


def test_what_makes_no_sense() -> None:
    assert judge(80, 320, 1400) == {}
    assert set(judge(0, 0, 10)) == {CAP}
    assert set(judge(400, 320, 1400)) == {DROP, FOLD}
    assert set(judge(80, 2000, 1400)) == {FOLD, CAP}


def test_arrows_of_a_field_step_by_ten(strip: Strip) -> None:
    strip.fields[CAP].setFocus()
    QTest.keyClick(strip.fields[CAP], Qt.Key.Key_Up)
    assert strip.thresholds[CAP] == 1410


def test_numbers_are_in_sight(strip: Strip) -> None:
    assert strip.chunks_label.text() == "104 chunks"
    assert strip.before_label.text() == "was 107"
    assert strip.unread_label.text() == "2 truncated · 106 tokens unread"
    assert [label.text() for label in strip._count_labels] == ["2 dropped", "3 folded", "2 split"]
    assert [label.text() for label in strip.size_labels] == ["median 676", "longest 1,390", "shortest 85"]
    assert strip.chunks_label.toolTip() == "Chunked in 12 ms"


def test_fit_cap_sets_the_cap(qtbot: QtBot, strip: Strip) -> None:
    assert strip.fit_button.text() == "Fit cap: 1,020"
    with qtbot.waitSignal(strip.thresholds_committed) as told:
        QTest.mouseClick(strip.fit_button, Qt.MouseButton.LeftButton)
    assert told.args == [80, 320, 1020]
    strip.show_counts(StripCounts(section_lengths=LENGTHS, chunk_count=3, tokens=(3,)))
    assert not strip.fit_button.isVisible()


def test_a_preview_of_nothing_names_the_rule(qtbot: QtBot, strip: Strip) -> None:
    strip.set_thresholds(5000, 5000, 5000)
    strip.show_counts(StripCounts(section_lengths=LENGTHS, chunk_count=0, tokens=()))
    assert strip.unread_label.text() == "No section survives cleaning at drop = 5,000"
    with qtbot.waitSignal(strip.thresholds_committed) as told:
        QTest.mouseClick(strip.reset_button, Qt.MouseButton.LeftButton)
    assert told.args == [80, 320, 1400]


def test_truncated_bars_have_their_own_colour(strip: Strip) -> None:
    image = strip.tokens.grab().toImage()
    plot = strip.tokens.plot()
    colors = set()
    for x in range(round(strip.tokens.x_of(515)) + 2, image.width()):
        colors.add(image.pixelColor(x, round(plot.bottom()) - 2).name().upper())
    assert LIGHT.truncation in colors
    assert LIGHT.bar not in colors


def test_tokens_may_still_be_counted(strip: Strip) -> None:
    strip.show_counts(StripCounts(section_lengths=LENGTHS, chunk_count=5, tokens=None))
    assert strip.unread_label.text() == ""
    strip.grab()


def test_a_bar_says_what_it_counts(strip: Strip) -> None:
    assert "of" in strip.sections.words_at(strip.sections.x_of(700))
    assert strip.sections.words_at(strip.sections.width() - 2).startswith("1 over")


def test_bins_count_everything_once() -> None:
    lengths = np.array([0, 1, 99, 100, 101, 5000])
    bins = count_bins(lengths, 1000, 10)
    assert sum(bins.counts) + bins.overflow == len(lengths)
    assert bins.counts[0] == 3
    assert bins.overflow == 1
    assert axis_upper(lengths, 1400) >= 1400
    assert axis_upper(np.array([], dtype=np.int64), 1400) == 1750
    assert ticks(1770, 700) == [0, 500, 1000, 1500]


class Layouts(QObject):
    """Counts how often a widget asks for another layout."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.LayoutRequest
        return False


def test_numbers_that_change_ask_for_another_layout_only_when_they_need_room(strip: Strip) -> None:
    asked = Layouts(strip)
    for number in range(7):
        counts = replace(COUNTS, chunk_count=100 + number, dropped=number, median=600 + number, longest=1_300 + number)
        strip.show_counts(counts)
        QApplication.processEvents()
    assert asked.count == 0
    assert strip.chunks_label.text() == "106 chunks"
    strip.show_counts(replace(COUNTS, chunk_count=123_456, chunks_before=1_234_567, dropped=123_456))
    QApplication.processEvents()
    assert asked.count > 0
    for label in strip.findChildren(SteadyLabel):
        assert label.width() >= label.fontMetrics().horizontalAdvance(label.text()), label.text()


def test_bars_that_are_the_same_are_not_drawn_again(strip: Strip) -> None:
    for counts in (COUNTS, replace(COUNTS, tokens=None)):
        strip.show_counts(counts)
        sections, tokens = strip.sections._drawn_bars(), strip.tokens._drawn_bars()
        strip.show_counts(counts)
        assert strip.sections._drawn_bars() is sections
        assert strip.tokens._drawn_bars() is tokens
    strip.show_counts(replace(COUNTS, section_lengths=(*LENGTHS, 340), tokens=(100, 200)))
    assert strip.sections._drawn_bars() is not sections
    assert strip.tokens._drawn_bars() is not tokens


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=50), st.floats(0, 1))
def test_the_nearest_rank_is_the_least_value_that_enough_do_not_exceed(lengths: list[int], share: float) -> None:
    least = min(value for value in lengths if sum(other <= value for other in lengths) >= share * len(lengths))
    assert nearest_rank(np.array(lengths, np.int64), share) == least
    assert nearest_rank(np.zeros(0, np.int64), share) == 0
