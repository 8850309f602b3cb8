"""The question and its answers, driven by mouse and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from inspector.ui.answer_filter import AnswerFilter, Choices
from inspector.ui.question_panel import PAUSE_MILLISECONDS, Answer, QuestionPanel
from inspector.ui.snippet import make_snippet
from inspector.ui.theme import Theme, ThemeMode

QUESTION = "how long did the nightly jobs take?"
TEXT = "We moved 40 jobs from cron to a queue. The night run went from six hours to fifty minutes."
ANSWERS = tuple(Answer(rank, 0.8 - rank / 10, f"posts/p{rank}.md", rank, ("A", "B"), TEXT, rank == 2)
                for rank in range(1, 5))  # fmt: skip


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> QuestionPanel:
    panel = QuestionPanel(theme)
    qtbot.addWidget(panel)
    panel.set_middle(QLabel("the map"))
    panel.resize(400, 700)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def test_enter_asks(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.focus_question()
    QTest.keyClicks(panel.field, f"  {QUESTION} ")
    with qtbot.waitSignal(panel.question_asked) as told:
        QTest.keyClick(panel.field, Qt.Key.Key_Return)
    assert told.args == [QUESTION]


def test_nothing_is_asked_with_an_empty_field(qtbot: QtBot, panel: QuestionPanel) -> None:
    with qtbot.assertNotEmitted(panel.question_asked):
        QTest.keyClick(panel.field, Qt.Key.Key_Return)


def test_emptying_the_field_takes_the_answers_away(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.ask(QUESTION)
    panel.show_answers(ANSWERS, QUESTION)
    with qtbot.waitSignal(panel.question_cleared):
        QTest.keyClick(panel.field, Qt.Key.Key_Escape)
    assert panel.model.rowCount() == 0


def test_a_click_chooses_an_answer(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.show_answers(ANSWERS, QUESTION)
    QApplication.processEvents()
    place = panel.view.visualRect(panel.model.index(1)).center()
    with qtbot.waitSignal(panel.answer_chosen) as told:
        QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told.args == ["posts/p2.md", 2]


def test_keys_walk_through_the_answers(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.show_answers(ANSWERS, QUESTION)
    panel.select("posts/p1.md", 1)
    panel.view.setFocus()
    with qtbot.waitSignal(panel.answer_chosen) as told:
        QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert told.args == ["posts/p2.md", 2]
    QTest.keyClick(panel.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == TEXT


def test_selecting_from_outside_says_nothing(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.show_answers(ANSWERS, QUESTION)
    with qtbot.assertNotEmitted(panel.answer_chosen):
        panel.select("posts/p3.md", 3)
    assert panel.view.currentIndex().row() == 2
    panel.select("posts/other.md", 0)
    assert not panel.view.currentIndex().isValid()


def test_states_are_said(panel: QuestionPanel) -> None:
    panel.show_state("searching …")
    assert panel.state.isVisible()
    panel.show_answers((), QUESTION)
    assert panel.state.text() == "Nothing to answer from yet"
    panel.show_answers(ANSWERS, QUESTION)
    assert not panel.state.isVisible()


def test_answers_are_painted_and_read_aloud(panel: QuestionPanel, theme: Theme) -> None:
    panel.show_answers(ANSWERS, QUESTION)
    theme.set_mode(ThemeMode.DARK)
    QApplication.processEvents()
    panel.grab()
    words = panel.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words == f"Answer 1, score 0.70, p1 › A › B. {TEXT}"


def matched(text: str, question: str) -> list[str]:
    snippet = make_snippet(text, question)
    return [snippet.text[start:end] for start, end in snippet.matches]


def test_a_snippet_marks_words_of_one_stem() -> None:
    assert matched(TEXT, QUESTION) == ["jobs", "night"]
    assert matched("A job that retries.", "which jobs are retried?") == ["job", "retries"]
    assert matched("Universal and university.", "the universe") == []
    assert matched("Nothing here.", "how did it take?") == []


def test_a_snippet_is_cut_around_the_words() -> None:
    text = "Filler words. " * 40 + "The gravy is answered here. " + "More filler. " * 30
    snippet = make_snippet(text, "gravy")
    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")
    assert [snippet.text[a:b] for a, b in snippet.matches] == ["gravy"]
    assert make_snippet("", "gravy").text == ""
    assert len(make_snippet("x" * 1000, "x").text) < 200


def test_what_is_typed_is_asked_after_a_pause_once_answers_are_quick(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.set_live(True)
    asked: list[str] = []
    panel.question_asked.connect(asked.append)
    QTest.keyClicks(panel.field, "why so")
    assert asked == []
    qtbot.waitUntil(lambda: asked == ["why so"])
    QTest.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.wait(2 * PAUSE_MILLISECONDS)
    assert asked == ["why so", "why so"]  # Return asks at once, and what is asked is not asked again by the pause


def test_nothing_is_asked_while_typing_before_answers_are_quick(qtbot: QtBot, panel: QuestionPanel) -> None:
    with qtbot.waitSignal(panel.typing_started), qtbot.assertNotEmitted(panel.question_asked):
        QTest.keyClicks(panel.field, "why")
        qtbot.wait(2 * PAUSE_MILLISECONDS)


def test_earlier_questions_come_back_with_the_arrow_keys(qtbot: QtBot, panel: QuestionPanel) -> None:
    for question in ("first", "second", "second", "third"):
        panel.ask(question)
    assert panel.field.history == ("third", "second", "first")
    panel.focus_question()
    QTest.keyClick(panel.field, Qt.Key.Key_Up)
    assert panel.field.text() == "second"  # "third" is what is shown
    QTest.keyClick(panel.field, Qt.Key.Key_Up)
    QTest.keyClick(panel.field, Qt.Key.Key_Up)
    assert panel.field.text() == "first"
    with qtbot.waitSignal(panel.question_asked) as told:
        QTest.keyClick(panel.field, Qt.Key.Key_Return)
    assert told.args == ["first"]
    assert panel.field.history == ("first", "third", "second")
    panel.field.selectAll()
    QTest.keyClicks(panel.field, "half a th")
    QTest.keyClick(panel.field, Qt.Key.Key_Up)
    QTest.keyClick(panel.field, Qt.Key.Key_Down)
    assert panel.field.text() == "half a th"


def test_earlier_questions_are_in_a_menu(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.field.set_history(["this & that", "x" * 90])
    menu = panel.field.make_history_menu()
    words = [action.text() for action in menu.actions()]
    assert words[0] == "this && that"
    assert len(words[1]) == 60
    with qtbot.waitSignal(panel.question_asked) as told:
        menu.actions()[0].trigger()
    assert told.args == ["this & that"]
    menu.actions()[-1].trigger()
    assert panel.field.history == ()
    menu.deleteLater()


def test_all_scores_are_a_histogram_with_the_answers_marked(panel: QuestionPanel) -> None:
    scores = np.linspace(-0.1, 0.7, 100).astype(np.float32)
    panel.show_answers(ANSWERS, QUESTION)
    panel.show_scores(scores, [0.7, 0.69])
    assert panel.histogram.isVisible()
    assert 35 in panel.histogram.marked
    assert max(panel.histogram.marked) - min(panel.histogram.marked) <= 1
    assert panel.histogram.toolTip().startswith("Scores of all 100 chunks: -0.10 to 0.70, median 0.30")
    panel.grab()
    panel.show_tab(1)
    assert not panel.histogram.isVisible()
    panel.show_scores(np.zeros(3, np.float32), [0.0])  # all alike
    panel.show_scores(np.zeros(0, np.float32), [])
    panel.grab()


def test_the_nearest_of_a_chunk_have_a_list_of_their_own(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.show_nearest(ANSWERS, "#3 from-analyst › Experience")
    assert panel.nearest_view.isVisible()
    assert panel.heading.full_text == "Nearest to #3 from-analyst › Experience"
    assert panel.tabs.button(1).text() == "Nearest 4"
    assert not panel.tabs.button(0).isEnabled()
    panel.show_answers(ANSWERS[:2], QUESTION)
    assert panel.view.isVisible()
    panel.show_nearest(ANSWERS, "#1")  # another chunk is selected: the answers stay in sight
    assert panel.view.isVisible()
    QTest.mouseClick(panel.tabs.button(1), Qt.MouseButton.LeftButton)
    assert panel.nearest_view.isVisible()
    panel.nearest_view.setFocus()
    panel.select("posts/p2.md", 2)
    with qtbot.waitSignal(panel.like_requested) as told:
        QTest.keyClick(panel.nearest_view, Qt.Key.Key_M)
    assert told.args == ["posts/p2.md", 2]


def test_more_like_a_chunk_is_said_and_left_with_escape(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.ask(QUESTION)
    panel.show_answers(ANSWERS, "", "#2 p2 › A › B")
    assert panel.field.text() == ""
    assert panel.heading.full_text == "More like #2 p2 › A › B"
    panel.focus_question()
    with qtbot.waitSignal(panel.question_cleared):
        QTest.keyClick(panel.field, Qt.Key.Key_Escape)


def test_answers_are_filtered_by_post_tag_and_year(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.show_answers(ANSWERS, QUESTION)
    button = panel.filter_button
    button.offer(lambda: Choices(["posts/p1.md"], ["queues", "R&D"], ["2024"]))
    button.set_open_document("posts/p2.md")
    button.menu().aboutToShow.emit()
    menus = {action.text(): action.menu() for action in button.menu().actions() if action.menu()}
    assert list(menus) == ["Post", "Tag", "Year"]
    assert button.menu().actions()[0].text() == "Only p2"
    with qtbot.waitSignal(panel.filter_changed) as told:
        menus["Tag"].actions()[1].trigger()
    assert told.args == [AnswerFilter(tag="R&D")]
    assert button.text() == "R&D"
    panel.show_answers((), QUESTION)
    assert panel.state.text() == "No post passes the filter"
    assert button.isVisible()
    button.menu().aboutToShow.emit()
    button.menu().actions()[-1].trigger()
    assert button.value == AnswerFilter()


def test_a_filter_allows_what_fits_all_of_it() -> None:
    wanted = AnswerFilter(tag="queues", year="2024")
    assert wanted.allows("a.md", ("x", "queues"), "2024-03-01")
    assert not wanted.allows("a.md", ("queues",), "2023-03-01")
    assert not wanted.allows("a.md", (), "2024-03-01")
    assert AnswerFilter().allows("a.md", (), "")
    assert not AnswerFilter(document="b.md").allows("a.md", (), "")
