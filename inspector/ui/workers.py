"""Worker processes: one a kind, one job at a time, restarted once after a crash, ended with the window (no Qt here).

pebble's pool was tried first: it gives up as a whole when its idle worker is killed from outside.
"""

from __future__ import annotations

import heapq
import logging
import multiprocessing
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from multiprocessing import connection as pipes
from typing import Any, Literal

from inspector.ui.messages import Part, receive, send, unpack
from inspector.ui.worker_process import DONE, END, JOB, attempt, work

Kind = Literal["chunk", "model", "map", "export"]

CANCEL_GRACE = 2.0  # seconds a cancelled job may still answer in
CLOSE_GRACE = 0.5  # seconds a running job may still finish in when the window closes
CLOSE_LIMIT = 2.0  # seconds until a worker that does not end is killed
IDLE_LIMIT = 600.0  # seconds without a job after which a worker ends; the next job starts another
ATTEMPTS = 2  # a job whose worker died is tried once more

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Done:
    """A job's result; its arrays are read-only."""

    ticket: int
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that raised, or whose worker died twice; `is_expected` where the message is meant for the author."""

    ticket: int
    kind: str
    message: str
    traceback: str
    is_expected: bool


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A job that was taken back before it ran, or killed with its worker."""

    ticket: int


Outcome = Done | Failed | Cancelled


@dataclass(frozen=True, slots=True, order=True)
class _Job:
    """One job in the queue, lowest priority number first, then in order."""

    priority: int
    ticket: int
    function: Callable[[Any], Any] = field(compare=False)
    request: object = field(compare=False)


class Worker:
    """One worker process and the thread that feeds it; `deliver` is called with each outcome, in that thread."""

    def __init__(self, kind: Kind, deliver: Callable[[Outcome], None], *, idle_limit: float = IDLE_LIMIT) -> None:
        """Start the thread; the process starts with the first job."""
        self.kind = kind
        self._deliver = deliver
        self._idle_limit = idle_limit
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._connection: Any = None
        self._wake_reader, self._wake_writer = self._context.Pipe(duplex=False)
        self._condition = threading.Condition()
        self._queue: list[_Job] = []
        self._running: int | None = None
        self._cancelled: set[int] = set()
        self._is_closing = False
        self._thread = threading.Thread(target=self._serve, name=f"{kind} worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The process's id, None while there is none."""
        process = self._process
        return process.pid if _is_alive(process) else None

    def submit(self, ticket: int, function: Callable[[Any], Any], request: object, priority: int = 0) -> None:
        """Queue a job; the worker finds `function` by its module and name. A request that does not pickle fails."""
        with self._condition:
            heapq.heappush(self._queue, _Job(priority, ticket, function, request))
            self._condition.notify()

    def discard(self, tickets: Collection[int]) -> None:
        """Take back jobs that wait; one that runs goes on."""
        with self._condition:
            gone = [job.ticket for job in self._queue if job.ticket in tickets]
            self._queue = [job for job in self._queue if job.ticket not in tickets]
            heapq.heapify(self._queue)
        for ticket in gone:
            self._deliver(Cancelled(ticket))

    def cancel(self, tickets: Collection[int]) -> None:
        """Take back jobs that wait; kill the worker of one that runs if it does not answer within two seconds."""
        self.discard(tickets)
        with self._condition:
            if self._running is not None and self._running in tickets:
                self._cancelled.add(self._running)
                self._wake()

    def ask_to_close(self) -> None:
        """Let the running job finish within half a second, then end; does not wait."""
        with self._condition:
            self._is_closing = True
            self._queue.clear()
            self._condition.notify()
            self._wake()

    def close(self, limit: float = CLOSE_LIMIT) -> None:
        """End the process and the thread, killing it at the limit (seconds)."""
        self.ask_to_close()
        self._thread.join(limit)
        process = self._process
        if self._thread.is_alive() and _is_alive(process):
            process.kill()
        self._thread.join()

    def _wake(self) -> None:
        """Interrupt the thread's wait for an answer."""
        if self._running is not None:
            self._wake_writer.send_bytes(b"!")

    def _serve(self) -> None:
        """Take jobs one by one until closed."""
        while (job := self._next()) is not None:
            outcome = self._perform(job)
            with self._condition:
                self._running = None
                self._cancelled.clear()
                while self._wake_reader.poll():
                    self._wake_reader.recv_bytes()
            if outcome is not None:
                self._deliver(outcome)
        self._end_process()

    def _next(self) -> _Job | None:
        """Wait for a job; end the process when none came for long; None when closing."""
        with self._condition:
            while not self._queue and not self._is_closing:
                limit = self._idle_limit if self._process is not None else None
                if not self._condition.wait(limit) and not self._queue:
                    self._end_process()
            if self._is_closing:
                return None
            job = heapq.heappop(self._queue)
            self._running = job.ticket
            return job

    def _perform(self, job: _Job) -> Outcome | None:
        """Run a job in the process, once more if that dies; None when closing came first."""
        code: int | None = None
        is_sound, packed = attempt(lambda: (job.function, job.request))
        if not is_sound:
            return _read_answer(job.ticket, False, packed)
        for _ in range(ATTEMPTS):
            try:
                self._ensure_process()
                send(self._connection, JOB, packed)
                return self._wait_for_answer(job.ticket)
            except (EOFError, OSError):
                code = self._drop_process()
                if self._is_closing:
                    return None
                log.warning("the %s worker ended with code %s", self.kind, code)
        return Failed(
            job.ticket,
            "WorkerError",
            f"The {self.kind} worker stopped twice during one job (exit code {code}). Try again; if memory is short,"
            " close other programs.",
            traceback="",
            is_expected=True,
        )

    def _wait_for_answer(self, ticket: int) -> Outcome | None:
        """Wait for the answer, the process's end (EOFError), a cancel or closing."""
        deadline: float | None = None
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = pipes.wait([self._connection, self._process.sentinel, self._wake_reader], left)
            if self._connection in ready:
                kind, parts = receive(self._connection)
                return _read_answer(ticket, kind == DONE, parts)
            if self._process.sentinel in ready:
                raise EOFError
            if self._wake_reader in ready:
                self._wake_reader.recv_bytes()
            with self._condition:
                is_closing, is_cancelled = self._is_closing, ticket in self._cancelled
            if deadline is not None and time.monotonic() >= deadline:
                self._process.kill()
                self._drop_process()
                return None if is_closing else Cancelled(ticket)
            if is_closing or is_cancelled:
                limit = time.monotonic() + (CLOSE_GRACE if is_closing else CANCEL_GRACE)
                deadline = limit if deadline is None else min(deadline, limit)

    def _ensure_process(self) -> None:
        """Start the process where none is alive."""
        if _is_alive(self._process):
            return
        self._drop_process()
        mine, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs,), name=f"{self.kind} worker", daemon=True)
        process.start()
        theirs.close()
        self._process, self._connection = process, mine

    def _end_process(self) -> None:
        """Ask an idle process to end, and kill it where it does not."""
        if not _is_alive(self._process):
            self._drop_process()
            return
        try:
            send(self._connection, END, ())
        except OSError:
            log.debug("the %s worker has ended already", self.kind)
        self._process.join(CLOSE_GRACE)
        self._drop_process()

    def _drop_process(self) -> int | None:
        """Let go of a process, killed where it still lives; give its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        self._connection.close()
        if process.is_alive():
            process.join(CLOSE_GRACE / 5)
        if process.is_alive():
            process.kill()
        return _reap(process)


def perform(function: Callable[[Any], Any], request: object, ticket: int = 0) -> Outcome:
    """Run a job in this process; what it raises becomes a Failed."""
    return _read_answer(ticket, *attempt(lambda: function(request)))


def _read_answer(ticket: int, is_done: bool, parts: Sequence[Part]) -> Outcome:
    """Turn a worker's answer into an outcome."""
    value = unpack(parts)
    return Done(ticket, _freeze_arrays(value)) if is_done else Failed(ticket, *value)


def _freeze_arrays(result: Any) -> Any:
    """Make a result's arrays read-only again: pickling forgets that they were."""
    if hasattr(result, "setflags"):
        result.setflags(write=False)
    elif is_dataclass(result):
        for item in fields(result):
            _freeze_arrays(getattr(result, item.name))
    return result


def _reap(process: Any) -> int | None:
    """Wait for a process that ends, and give its exit code; None where another thread has it and does not say.

    `join` returns at once, without a code, where another thread is just asking whether the process lives.
    """
    process.join()
    limit = time.monotonic() + CLOSE_LIMIT
    while process.exitcode is None and time.monotonic() < limit:
        time.sleep(0.001)
    code: int | None = process.exitcode
    if code is not None:
        process.close()
    return code


def _is_alive(process: Any) -> bool:
    """Whether a process runs; one that was let go of does not."""
    try:
        return process is not None and bool(process.is_alive())
    except ValueError:  # closed in the worker's own thread
        return False
