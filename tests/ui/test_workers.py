"""Worker processes do one job at a time, die alone, come back once, and never outlive the window."""

from __future__ import annotations

import operator
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from inspector import vector_tasks
from inspector.embedding.projection import Layout
from inspector.errors import ModelError
from inspector.ui.workers import Cancelled, Done, Failed, Worker, perform

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0  # seconds a test waits for an outcome


class Watched:
    """A worker whose outcomes can be waited for."""

    def __init__(self, **options) -> None:
        self.outcomes: queue.Queue = queue.Queue()
        self.worker = Worker("chunk", self.outcomes.put, **options)

    def next(self):
        return self.outcomes.get(timeout=PATIENCE)

    def do(self, function, request, ticket=1):
        self.worker.submit(ticket, function, request)
        return self.next()


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.worker.close()


# Jobs: found by name in the worker.


def touch_and_wait(path: str) -> str:
    """Say that the job runs, then wait to be let go."""
    Path(path).touch()
    while not Path(f"{path}.go").exists():
        time.sleep(0.01)
    return path


def die_the_first_time(path: str) -> str:
    if not Path(path).exists():
        Path(path).touch()
        os._exit(9)
    return "second time"


def state_of_process(_: object) -> tuple[int, bool, str | None, bool]:
    niceness = os.nice(0) if hasattr(os, "nice") else 10
    ignores = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return niceness, ignores, os.environ.get("HF_HUB_OFFLINE"), "PySide6" in sys.modules


def raise_model_error(name: str) -> None:
    raise ModelError(f"No model at {name}.", subject=name)


def give_layout(_: object) -> Layout:
    return Layout(np.zeros((2, 2), np.float32), "pca")


def give_lambda(_: object) -> object:
    return lambda: None


def wait_for(path: Path) -> None:
    """Wait until a worker has said that its job runs."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, "the job never began"
        time.sleep(0.01)


def test_a_job_gives_its_result_and_the_process_stays(watched):
    assert watched.do(operator.neg, 5, 7) == Done(7, -5)
    pid = watched.worker.pid
    assert watched.do(operator.neg, 6) == Done(1, -6)
    assert watched.worker.pid == pid != os.getpid()


def test_a_job_costs_less_than_twenty_milliseconds(watched):
    watched.do(operator.neg, 0)
    times = []
    for number in range(50):
        begun = time.perf_counter()
        watched.do(operator.neg, number)
        times.append(time.perf_counter() - begun)
    assert sorted(times)[25] < 0.02


def test_the_process_is_polite_offline_and_without_qt(watched):
    before = os.nice(0)
    niceness, ignores_interrupt, offline, has_qt = watched.do(state_of_process, None).result
    assert niceness > before
    assert ignores_interrupt
    assert offline == "1"
    assert not has_qt


def test_a_failure_carries_type_message_and_traceback(watched):
    expected = watched.do(raise_model_error, "x")
    assert isinstance(expected, Failed)
    assert (expected.kind, expected.message, expected.is_expected) == ("ModelError", "No model at x.", True)
    assert "in raise_model_error" in expected.traceback
    bug = watched.do(operator.neg, "text")
    assert (bug.kind, bug.is_expected) == ("TypeError", False)
    assert watched.do(operator.neg, 1) == Done(1, -1)


def test_what_does_not_pickle_fails_and_stops_nothing(watched):
    assert "pickle" in watched.do(operator.neg, lambda: None).message
    assert "pickle" in watched.do(give_lambda, None).message
    assert watched.do(operator.neg, 1) == Done(1, -1)


def test_arrays_arrive_read_only(watched):
    assert not watched.do(give_layout, None).result.coordinates.flags.writeable


def test_low_numbers_go_first_and_equal_ones_in_order(watched, tmp_path):
    path = tmp_path / "runs"
    watched.worker.submit(1, touch_and_wait, str(path), 1)
    wait_for(path)
    watched.worker.submit(2, operator.neg, 2, 1)
    watched.worker.submit(3, operator.neg, 3, 1)
    watched.worker.submit(4, operator.neg, 4, 0)
    Path(f"{path}.go").touch()
    assert [watched.next().ticket for _ in range(4)] == [1, 4, 2, 3]


def test_an_idle_worker_that_was_killed_is_replaced(watched):
    watched.do(operator.neg, 1)
    pid = watched.worker.pid
    os.kill(pid, signal.SIGKILL)
    assert watched.do(operator.neg, 2) == Done(1, -2)
    assert watched.worker.pid != pid


def test_a_job_whose_worker_died_is_tried_again(watched, tmp_path):
    assert watched.do(die_the_first_time, str(tmp_path / "was here")) == Done(1, "second time")


def test_a_job_that_kills_its_worker_twice_is_reported_and_the_next_one_works(watched):
    failed = watched.do(os._exit, 3)
    assert isinstance(failed, Failed)
    assert failed.kind == "WorkerError"
    assert failed.is_expected
    assert "stopped twice during one job (exit code 3)" in failed.message
    assert watched.do(operator.neg, 1) == Done(1, -1)


def test_waiting_jobs_are_taken_back_at_once(watched, tmp_path):
    path = tmp_path / "runs"
    watched.worker.submit(1, touch_and_wait, str(path))
    wait_for(path)
    watched.worker.submit(2, operator.neg, 2)
    watched.worker.submit(3, operator.neg, 3)
    watched.worker.discard({1, 2})
    assert watched.next() == Cancelled(2)
    Path(f"{path}.go").touch()
    assert [watched.next().ticket for _ in range(2)] == [1, 3]


def test_cancel_lets_a_job_finish_that_answers_in_time(watched, tmp_path):
    path = tmp_path / "runs"
    watched.worker.submit(1, touch_and_wait, str(path))
    wait_for(path)
    pid = watched.worker.pid
    watched.worker.cancel({1})
    Path(f"{path}.go").touch()
    assert watched.next() == Done(1, str(path))
    assert watched.do(operator.neg, 1) == Done(1, -1)
    assert watched.worker.pid == pid


def test_cancel_kills_after_two_seconds_and_the_next_job_gets_a_new_worker(watched, tmp_path):
    path = tmp_path / "runs"
    watched.worker.submit(1, touch_and_wait, str(path))
    wait_for(path)
    begun, pid = time.monotonic(), watched.worker.pid
    watched.worker.cancel({1})
    assert watched.next() == Cancelled(1)
    assert 1.9 < time.monotonic() - begun < 4
    assert not psutil.pid_exists(pid)
    assert watched.do(operator.neg, 1) == Done(1, -1)


@pytest.mark.parametrize("is_busy", [False, True])
def test_closing_takes_less_than_two_seconds_and_leaves_no_process(tmp_path, is_busy):
    watched = Watched()
    watched.do(operator.neg, 1)
    pid = watched.worker.pid
    if is_busy:
        path = tmp_path / "runs"
        watched.worker.submit(1, touch_and_wait, str(path))
        wait_for(path)
    begun = time.monotonic()
    watched.worker.close()
    assert time.monotonic() - begun < 2
    assert not psutil.pid_exists(pid)
    assert watched.outcomes.empty()
    assert not watched.worker._thread.is_alive()


def test_closing_lets_a_running_job_finish_that_is_nearly_done(tmp_path):
    watched = Watched()
    path = tmp_path / "runs"
    watched.worker.submit(1, touch_and_wait, str(path))
    wait_for(path)
    watched.worker.ask_to_close()
    Path(f"{path}.go").touch()
    watched.worker.close()
    assert watched.next() == Done(1, str(path))


def test_an_idle_worker_ends_and_the_next_job_starts_another():
    watched = Watched(idle_limit=0.1)
    watched.do(operator.neg, 1)
    process = psutil.Process(watched.worker.pid)
    psutil.wait_procs([process], timeout=PATIENCE)
    assert not process.is_running()
    assert watched.do(operator.neg, 2) == Done(1, -2)
    watched.worker.close()


def test_a_job_can_be_done_in_this_process_with_the_same_outcomes():
    assert perform(operator.neg, 2, 5) == Done(5, -2)
    assert perform(raise_model_error, "x").kind == "ModelError"


PARENT = """
import operator, sys, time
from inspector.ui.workers import Worker
import {module} as jobs
if __name__ == "__main__":
    worker = Worker("map", print)
    worker.submit(1, jobs.{function}, {request})
    while worker.pid is None:
        time.sleep(0.01)
    print(worker.pid, flush=True)
    sys.stdin.read()
"""


def start_parent(
    tmp_path: Path, module: str, function: str, request: str
) -> tuple[subprocess.Popen[str], psutil.Process]:
    """Start a program with a busy worker; give it and its worker."""
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(module=module, function=function, request=request))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    parent = subprocess.Popen([sys.executable, str(script)], stdin=pipe, stdout=pipe, text=True, env=environment)
    assert parent.stdout is not None
    return parent, psutil.Process(int(parent.stdout.readline()))


def assert_ends_with_its_parent(parent: subprocess.Popen[str], worker: psutil.Process) -> None:
    """Kill a program; its worker, and all it started, ends within five seconds."""
    family = psutil.Process(parent.pid).children(recursive=True)
    assert worker in family
    parent.kill()
    parent.communicate()
    _, alive = psutil.wait_procs(family, timeout=5)
    assert not alive


def test_a_busy_worker_ends_when_the_window_is_killed(tmp_path):
    path = tmp_path / "runs"
    parent, worker = start_parent(tmp_path, "tests.ui.test_workers", "touch_and_wait", repr(str(path)))
    wait_for(path)
    assert_ends_with_its_parent(parent, worker)


def test_a_real_task_runs_in_a_worker(watched):
    outcome = watched.do(vector_tasks.run_project, vector_tasks.ProjectRequest(np.eye(6, dtype=np.float32), "pca"))
    assert outcome.result.coordinates.shape == (6, 2)
