"""Long work goes on a little at a time, and several kinds of it share a turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from inspector.ui import steps as steps_module
from inspector.ui.steps import PAUSE, STEP_SECONDS, Steps, do_all

PART_SECONDS = STEP_SECONDS / 8
ENDLESS = 10**9
Work = Callable[[list[str], str, int], Iterator[object]]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Work of parts that take an eighth of a step by a clock that only they move."""
    now = 0.0

    def parts(log: list[str], name: str, count: int) -> Iterator[object]:
        nonlocal now
        for _ in range(count):
            now += PART_SECONDS
            log.append(name)
            yield None

    monkeypatch.setattr(steps_module.time, "perf_counter", lambda: now)
    monkeypatch.setattr(Steps, "_ended", 0.0)
    monkeypatch.setattr(Steps, "_first", None)
    return parts


def test_one_alone_has_the_time_of_a_step_in_every_turn(qtbot: QtBot, work: Work) -> None:
    log: list[str] = []
    steps = Steps()
    turns = []
    steps._timer.timeout.connect(lambda: turns.append(len(log)))
    steps.run(work(log, "a", 32))
    qtbot.waitUntil(lambda: not steps.is_running)
    assert len(log) == 32
    assert 4 <= len(turns) <= 5


def test_the_first_has_the_time_and_the_others_go_on(qtbot: QtBot, work: Work) -> None:
    log: list[str] = []
    first, second = Steps(), Steps()
    first.run(work(log, "a", 60))
    second.run(work(log, "b", 60))
    qtbot.waitUntil(lambda: not first.is_running and not second.is_running)
    meanwhile = log[: len(log) - log[::-1].index("a")].count("b")
    assert 0 < meanwhile < 20, "the second went on meanwhile, by less"
    assert log.count("a") == log.count("b") == 60


def test_the_others_have_the_time_when_the_first_is_given_up(qtbot: QtBot, work: Work) -> None:
    log: list[str] = []
    first, second = Steps(), Steps()
    first.run(work(log, "a", ENDLESS))
    second.run(work(log, "b", 60))
    qtbot.waitUntil(lambda: "b" in log)
    first.stop()
    qtbot.waitUntil(lambda: not second.is_running)
    assert log.count("b") == 60 and log.count("a") < ENDLESS


def test_a_pause_ends_the_turn(qtbot: QtBot) -> None:
    log: list[str] = []

    def with_pauses() -> Iterator[object]:
        for _ in range(3):
            log.append("done")
            yield PAUSE

    steps = Steps()
    turns = []
    steps._timer.timeout.connect(lambda: turns.append(len(log)))
    steps.run(with_pauses())
    qtbot.waitUntil(lambda: not steps.is_running)
    assert turns[:3] == [1, 2, 3]
    do_all(with_pauses())
    assert len(log) == 6
