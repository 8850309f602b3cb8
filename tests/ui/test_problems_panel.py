"""The problems, driven by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from inspector.core.problems.problem import Problem, Severity
from inspector.core.problems.rules import RULES, RuleChoice
from inspector.core.span import Span
from inspector.ui.problems_panel import FOLDER, POST, ProblemRow, ProblemsPanel
from inspector.ui.theme import Theme


def row(document: str, code: str, severity: Severity, line: int) -> ProblemRow:
    return ProblemRow(document, Problem(code, severity, f"{code} here.", Span(line, line + 3), line, "Mend it."))


ROWS = (
    row("a.md", "folded", Severity.NOTE, 3),
    row("a.md", "truncated", Severity.WARNING, 4),
    row("b/c.md", "unclosed-fence", Severity.ERROR, 31),
    row("b/c.md", "truncated", Severity.WARNING, 8),
    row("b/c.md", "line-endings", Severity.WARNING, 0),
)


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> ProblemsPanel:
    panel = ProblemsPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(1000, 240)
    panel.show()
    qtbot.waitExposed(panel)
    panel.show_problems(ROWS, "a.md")
    return panel


def cells(panel: ProblemsPanel) -> list[tuple[str, ...]]:
    return [tuple(panel.model.index(r, c).data() for c in range(3)) for r in range(panel.model.rowCount())]


def test_the_worst_comes_first_and_notes_are_hidden(panel: ProblemsPanel) -> None:
    assert cells(panel) == [
        ("unclosed-fence", "unclosed-fence here. Mend it.", "c.md:31"),
        ("line-endings", "line-endings here. Mend it.", "c.md"),
        ("truncated", "truncated here. Mend it.", "2 places"),
    ]
    assert [chip.text() for chip in panel.chips.values()] == ["1 error", "3 warnings", "1 note"]


def test_chips_show_and_hide(panel: ProblemsPanel) -> None:
    QTest.mouseClick(panel.chips[Severity.NOTE], Qt.MouseButton.LeftButton)
    assert cells(panel)[-1][0] == "folded"
    QTest.mouseClick(panel.chips[Severity.ERROR], Qt.MouseButton.LeftButton)
    assert cells(panel)[0][0] == "line-endings"


def test_another_post_of_the_folder_leaves_the_list_alone(qtbot: QtBot, panel: ProblemsPanel) -> None:
    with qtbot.assertNotEmitted(panel.model.modelReset):
        panel.show_problems(list(ROWS), "b/c.md")
    assert panel.scope.button(POST).text() == "This post 3"
    with qtbot.waitSignal(panel.model.modelReset):
        panel.show_problems(ROWS[:-1], "b/c.md")
    assert [chip.text() for chip in panel.chips.values()] == ["1 error", "2 warnings", "1 note"]


def test_this_post_or_the_folder(panel: ProblemsPanel) -> None:
    assert panel.scope.button(POST).text() == "This post 2"
    QTest.mouseClick(panel.scope.button(POST), Qt.MouseButton.LeftButton)
    assert [cell[0] for cell in cells(panel)] == ["truncated"]
    QTest.mouseClick(panel.scope.button(FOLDER), Qt.MouseButton.LeftButton)
    assert len(cells(panel)) == 3


def test_a_click_tells_the_place(qtbot: QtBot, panel: ProblemsPanel) -> None:
    place = panel.tree.visualRect(panel.model.index(0, 1)).center()
    with qtbot.waitSignal(panel.problem_chosen) as told:
        QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told.args == ["b/c.md", 31, 34]


def test_a_click_on_a_group_opens_it(qtbot: QtBot, panel: ProblemsPanel) -> None:
    group = panel.model.index(2, 0)
    with qtbot.assertNotEmitted(panel.problem_chosen):
        QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=panel.tree.visualRect(group).center())
    assert panel.tree.isExpanded(group)
    assert panel.model.rowCount(group) == 2


def test_walking_goes_round(qtbot: QtBot, panel: ProblemsPanel) -> None:
    told: list[tuple[object, ...]] = []
    panel.problem_chosen.connect(lambda *args: told.append(args))
    for _ in range(5):
        panel.next_problem()
    panel.previous_problem()
    assert [args[:2] for args in told] == [
        ("b/c.md", 31), ("b/c.md", 0), ("a.md", 4), ("b/c.md", 8), ("b/c.md", 31), ("b/c.md", 8),
    ]  # fmt: skip


def test_selection_and_open_groups_survive_new_problems(panel: ProblemsPanel) -> None:
    panel.previous_problem()
    assert panel.tree.isExpanded(panel.model.index(2, 0))
    panel.show_problems(ROWS[1:], "b/c.md")
    assert panel.tree.isExpanded(panel.model.index(2, 0))
    assert panel.model.row_of(panel.tree.currentIndex()) == ROWS[3]


def test_no_problems_says_so(panel: ProblemsPanel) -> None:
    panel.show_problems((), None)
    assert panel._empty.text() == "No problems in this folder"
    panel.show_problems(ROWS[:1], "a.md")
    assert panel._empty.text() == "No problems in this folder but 1 hidden"
    panel.next_problem()


def test_a_problem_is_copied_with_its_place(panel: ProblemsPanel) -> None:
    panel.next_problem()
    panel.tree.setFocus()
    QTest.keyClick(panel.tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    expected = "b/c.md:31: error: unclosed-fence here. Mend it. [unclosed-fence]"
    assert QApplication.clipboard().text() == expected


def test_the_model_keeps_qts_rules(panel: ProblemsPanel) -> None:
    tester = QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    panel.show_problems(ROWS[:3], "a.md")
    panel.show_problems(ROWS, "a.md")
    assert tester is not None


def action_of(menu: QMenu, text: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == text)


def test_a_rows_menu_goes_copies_and_hides(qtbot: QtBot, panel: ProblemsPanel) -> None:
    menu = panel.menu_of(panel.model.index(0, 0))
    with qtbot.waitSignal(panel.problem_chosen) as told:
        action_of(menu, "Go to place").trigger()
    assert told.args == ["b/c.md", 31, 34]
    action_of(menu, "Copy message").trigger()
    assert QApplication.clipboard().text() == ROWS[2].copied
    with qtbot.waitSignal(panel.rule_hidden) as told:
        action_of(menu, "Hide this rule in this folder").trigger()
    assert told.args == ["unclosed-fence"]


@pytest.mark.parametrize("reason", [QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard])
def test_a_menu_is_asked_for_by_mouse_and_key(
    qtbot: QtBot, panel: ProblemsPanel, reason: QContextMenuEvent.Reason
) -> None:
    panel.tree.menu_wanted.disconnect()
    panel.next_problem()
    panel.next_problem()
    is_key = reason == QContextMenuEvent.Reason.Keyboard
    target = panel.tree if is_key else panel.tree.viewport()
    place = panel.tree.visualRect(panel.model.index(0, 2)).center()
    with qtbot.waitSignal(panel.tree.menu_wanted) as told:
        QApplication.sendEvent(target, QContextMenuEvent(reason, place, target.mapToGlobal(place)))
    assert (told.args[0].row(), told.args[0].column()) == (1 if is_key else 0, 0)


def test_hidden_rules_are_counted_and_brought_back(qtbot: QtBot, panel: ProblemsPanel) -> None:
    assert panel.rules_chip.text() == "Rules"
    panel.show_rules(RuleChoice(("runt",), ("folded", "dropped")))
    assert panel.rules_chip.text() == "2 rules hidden"
    menu = panel.rules_chip.menu()
    menu.aboutToShow.emit()
    checks = {action.text(): action.isChecked() for action in menu.actions() if action.isCheckable()}
    assert checks == {
        "dropped": False, "folded": False, "accidental-setext": False, "duplicate-trail": False, "runt": True,
        "several-topics": False,
    }  # fmt: skip
    with qtbot.waitSignal(panel.rule_shown) as told:
        action_of(menu, "folded").trigger()
    assert told.args == ["folded"]
    with qtbot.waitSignal(panel.rule_hidden) as told:
        action_of(menu, "runt").trigger()
    assert told.args == ["runt"]
    panel.show_rules(RuleChoice(disable=("folded",)))
    assert panel.rules_chip.text() == "1 rule hidden"


def test_posts_of_crlf_are_one_note_of_a_folder(panel: ProblemsPanel) -> None:
    rows = [row(f"{name}.md", "line-endings", Severity.NOTE, 1) for name in "abc"]
    panel.show_problems([*rows, ROWS[4]], "b.md")
    panel.chips[Severity.NOTE].setChecked(True)
    assert panel.chips[Severity.NOTE].text() == "1 note"
    assert cells(panel)[-1] == ("line-endings", "3 posts end every line with CRLF. Mend it.", "3 posts")
    panel.show_folder(is_folder=False)
    assert cells(panel) == [("line-endings", "line-endings here. Mend it.", "b.md:1")]


def test_a_rule_says_why_it_matters(panel: ProblemsPanel) -> None:
    words = panel.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert words == f"unclosed-fence: {RULES['unclosed-fence'].why}"
