"""The question and its answers, driven by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

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
