"""Lanes and generations: what lands late is not shown, questions go first, and nothing outlives the runner."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from PySide6.QtCore import QThread

from inspector import vector_tasks
from inspector.ui import workers
from inspector.ui.runner import Lane, Runner
from tests.fakes import InstantRunner
from tests.ui.test_workers import raise_model_error, touch_and_wait, wait_for


@pytest.fixture
def runner(qtbot) -> Iterator[Runner]:
    made = Runner()
    yield made
    made.close()


class Log:
    """What a runner has delivered."""

    def __init__(self, runner: Runner) -> None:
        self.landed, self.late, self.failed, self.threads = [], [], [], set()
        runner.landed.connect(self.take_landed)
        runner.late.connect(self.late.append)
        runner.failed.connect(self.failed.append)

    def take_landed(self, landing) -> None:
        self.landed.append(landing)
        self.threads.add(QThread.currentThread())


def test_a_landing_comes_on_the_windows_thread_with_lane_key_and_generation(runner, qtbot):
    log = Log(runner)
    generation = runner.submit(Lane.CHUNK, operator.neg, 4, "a.md")
    assert log.landed == []
    qtbot.waitUntil(lambda: bool(log.landed))
    landing = log.landed[0]
    assert (landing.lane, landing.key, landing.generation, landing.result) == (Lane.CHUNK, "a.md", generation, -4)
    assert log.threads == {QThread.currentThread()}


def test_a_failure_says_what_went_wrong(runner, qtbot):
    log = Log(runner)
    runner.submit(Lane.CHUNK, raise_model_error, "x", "a.md")
    qtbot.waitUntil(lambda: bool(log.failed))
    failure = log.failed[0]
    assert (failure.kind, failure.message, failure.is_expected) == ("ModelError", "No model at x.", True)
    assert (failure.lane, failure.key) == (Lane.CHUNK, "a.md")


def test_a_landing_of_an_old_generation_is_not_shown(runner, qtbot, tmp_path):
    log = Log(runner)
    path = tmp_path / "runs"
    old = runner.submit(Lane.CHUNK, touch_and_wait, str(path), "a.md")
    wait_for(path)
    new = runner.submit(Lane.CHUNK, operator.neg, 1, "a.md")
    other = runner.submit(Lane.CHUNK, operator.neg, 2, "b.md")
    Path(f"{path}.go").touch()
    qtbot.waitUntil(lambda: len(log.landed) == 2)
    assert [(landing.key, landing.generation) for landing in log.landed] == [("a.md", new), ("b.md", other)]
    assert [landing.generation for landing in log.late] == [old]


def test_jobs_that_wait_are_replaced_by_newer_ones_of_their_key(runner, qtbot, tmp_path):
    log = Log(runner)
    path = tmp_path / "runs"
    runner.submit(Lane.CHUNK, touch_and_wait, str(path), "busy")
    wait_for(path)
    for number in range(20):
        runner.submit(Lane.CHUNK, operator.neg, number, "a.md")
    Path(f"{path}.go").touch()
    qtbot.waitUntil(lambda: len(log.landed) == 2 and not runner.is_busy(Lane.CHUNK))
    assert [landing.result for landing in log.landed] == [str(path), -19]
    assert log.late == []


def test_a_question_goes_ahead_of_slices_that_wait(runner, qtbot, tmp_path):
    log = Log(runner)
    path = tmp_path / "runs"
    runner.submit(Lane.EMBED, touch_and_wait, str(path), "slice 0")
    wait_for(path)
    runner.submit(Lane.EVALUATE, operator.neg, 9, "evaluation")
    for number in range(1, 4):
        runner.submit(Lane.EMBED, operator.neg, number, f"slice {number}")
    runner.submit(Lane.SEARCH, operator.neg, 0)
    Path(f"{path}.go").touch()
    qtbot.waitUntil(lambda: len(log.landed) == 6)
    lanes = [landing.lane for landing in log.landed]
    assert lanes == [Lane.EMBED, Lane.SEARCH, Lane.EMBED, Lane.EMBED, Lane.EMBED, Lane.EVALUATE]


def test_lanes_of_other_workers_do_not_wait(runner, qtbot, tmp_path):
    log = Log(runner)
    path = tmp_path / "runs"
    runner.submit(Lane.EMBED, touch_and_wait, str(path))
    runner.submit(Lane.CHUNK, operator.neg, 1)
    request = vector_tasks.ProjectRequest(np.eye(4, dtype=np.float32), "pca")
    runner.submit(Lane.PROJECT, vector_tasks.run_project, request)
    qtbot.waitUntil(lambda: len(log.landed) == 2)
    assert len(set(runner.pids().values())) == 3
    Path(f"{path}.go").touch()
    qtbot.waitUntil(lambda: len(log.landed) == 3)


def test_cancel_shows_nothing_more_of_the_lane_and_spares_others(runner, qtbot, tmp_path):
    log = Log(runner)
    path = tmp_path / "runs"
    runner.submit(Lane.EMBED, touch_and_wait, str(path), "a")
    wait_for(path)
    runner.submit(Lane.EMBED, operator.neg, 1, "b")
    runner.submit(Lane.SEARCH, operator.neg, 2)
    runner.cancel(Lane.EMBED)
    Path(f"{path}.go").touch()
    qtbot.waitUntil(lambda: bool(log.landed) and not runner.is_busy(Lane.EMBED))
    assert [landing.result for landing in log.landed] == [-2]
    assert [landing.result for landing in log.late] == [str(path)]


def test_a_look_up_that_is_cancelled_is_not_worth_the_worker_that_holds_the_documents(
    runner, qtbot, tmp_path, monkeypatch
):
    monkeypatch.setattr(workers, "CANCEL_GRACE", 0.2)
    path = tmp_path / "runs"
    runner.submit(Lane.CACHE, touch_and_wait, str(path), "look-up")
    wait_for(path)
    pids = runner.pids()
    runner.cancel(Lane.CACHE)
    qtbot.wait(600)
    Path(f"{path}.go").touch()
    log = Log(runner)
    runner.submit(Lane.CHUNK, operator.neg, 1)
    qtbot.waitUntil(lambda: len(log.landed) == 1)
    assert runner.pids() == pids


def test_closing_ends_all_workers_within_two_seconds(qtbot, tmp_path):
    runner = Runner()
    log = Log(runner)
    paths = [tmp_path / name for name in ("chunk", "model", "map")]
    for lane, path in zip((Lane.CHUNK, Lane.EMBED, Lane.PROJECT), paths, strict=True):
        runner.submit(lane, touch_and_wait, str(path))
    for path in paths:
        wait_for(path)
    pids = runner.pids().values()
    begun = time.monotonic()
    runner.close()
    assert time.monotonic() - begun < 2
    assert not any(map(psutil.pid_exists, pids))
    runner.submit(Lane.CHUNK, operator.neg, 1)
    qtbot.wait(1)
    assert (log.landed, log.late, log.failed, runner.pids()) == ([], [], [], {})


def test_an_instant_runner_lands_at_once_and_keeps_generations(qtbot):
    runner = InstantRunner()
    log = Log(runner)
    runner.submit(Lane.CHUNK, operator.neg, 1, "a")
    assert [landing.result for landing in log.landed] == [-1]
    runner.submit(Lane.CHUNK, raise_model_error, "x", "a")
    assert log.failed[0].kind == "ModelError"
    runner.gate.shut()
    runner.submit(Lane.EMBED, operator.neg, 2, "b")
    runner.submit(Lane.CHUNK, operator.neg, 3, "a")
    runner.submit(Lane.CHUNK, operator.neg, 4, "a")
    runner.submit(Lane.SEARCH, operator.neg, 5)
    runner.submit(Lane.PROJECT, operator.neg, 6)
    runner.cancel(Lane.PROJECT)
    assert len(log.landed) == 1
    runner.gate.open()
    assert [landing.result for landing in log.landed[1:]] == [-5, -2, -4]
    assert not any(map(runner.is_busy, Lane))
