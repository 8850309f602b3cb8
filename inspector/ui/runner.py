"""Lanes and generations: jobs go to worker processes, landings come back on the window's thread."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from inspector.ui.worker_process import get_ready
from inspector.ui.workers import IDLE_LIMIT, Cancelled, Done, Failed, Kind, Outcome, Worker

log = logging.getLogger(__name__)

READY = "get ready"


class Lane(Enum):
    """What a job is for; decides its worker and its priority."""

    CHUNK = "chunk"
    CACHE = "cache"
    EMBED = "embed"
    SEARCH = "search"
    PROJECT = "project"
    EVALUATE = "evaluate"
    EXPORT = "export"


WORKER_OF_LANE: Mapping[Lane, Kind] = MappingProxyType(
    {
        Lane.CHUNK: "chunk",
        Lane.CACHE: "chunk",  # which is up anyway, and needs no more than the file
        Lane.EMBED: "model",
        Lane.SEARCH: "model",
        Lane.PROJECT: "map",
        Lane.EVALUATE: "model",
        Lane.EXPORT: "export",
    }
)
LEFT_TO_FINISH = frozenset({Lane.CACHE})
"""Lanes for whose sake no worker is killed: the one that reads documents holds all of them."""
PRIORITY_OF_LANE: Mapping[Lane, int] = MappingProxyType(
    {Lane.SEARCH: 0, Lane.CACHE: 0, Lane.CHUNK: 1, Lane.EMBED: 1, Lane.PROJECT: 1, Lane.EVALUATE: 2, Lane.EXPORT: 2}
)  # the lowest number first: a question goes ahead of slices that wait
IDLE_LIMIT_OF_WORKER: Mapping[Kind, float] = MappingProxyType({"export": 1.0})  # it holds a second copy of the model


@dataclass(frozen=True, slots=True)
class Landing:
    """A result, with the lane, key and generation of the job that made it."""

    lane: Lane
    key: str
    generation: int
    result: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """A job that failed; `is_expected` where `message` is meant for the author, else show the traceback to copy."""

    lane: Lane
    key: str
    generation: int
    kind: str
    message: str
    traceback: str
    is_expected: bool


@dataclass(frozen=True, slots=True)
class _Flight:
    """A job under way."""

    lane: Lane
    key: str
    generation: int


class Runner(QObject):
    """Sends jobs to workers and delivers what lands, on the thread the runner lives in.

    Each (lane, key) has a generation: a new job, or a cancel, makes those before it old. What lands of an old one is
    not shown: it goes to `late`, for those who keep paid-for results, and its failure to the log only.
    """

    landed = Signal(object)  # Landing of the current generation
    late = Signal(object)  # Landing of an old one
    failed = Signal(object)  # Failure of the current generation
    _arrived = Signal(object)  # Outcome, from a worker's thread

    def __init__(self, parent: QObject | None = None) -> None:
        """Start nothing yet: a worker starts with its first job."""
        super().__init__(parent)
        self._workers: dict[Kind, Worker] = {}
        self._tickets = itertools.count(1)
        self._flights: dict[int, _Flight] = {}
        self._generations: dict[tuple[Lane, str], int] = {}
        self._is_closed = False
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    def submit(self, lane: Lane, run_function: Callable[[Any], Any], request: object, key: str = "") -> int:
        """Send a job and give its generation; jobs of the same lane and key that still wait are taken back."""
        generation = self._renew(lane, key)
        if self._is_closed:
            return generation
        older = self._tickets_of(lane, key)
        ticket = next(self._tickets)
        self._flights[ticket] = _Flight(lane, key, generation)
        self._send(ticket, lane, run_function, request, older)
        return generation

    def cancel(self, lane: Lane, key: str | None = None) -> None:
        """Make a lane's jobs, or those of one key, old; its worker is killed if it does not answer in two seconds.

        What runs of a lane in LEFT_TO_FINISH runs on.
        """
        for known_lane, known_key in list(self._generations):
            if known_lane is lane and key in (None, known_key):
                self._renew(lane, known_key)
        worker = self._workers.get(WORKER_OF_LANE[lane])
        if worker is not None and lane in LEFT_TO_FINISH:
            worker.discard(self._tickets_of(lane, key))
        elif worker is not None:
            worker.cancel(self._tickets_of(lane, key))

    def is_busy(self, lane: Lane, key: str | None = None) -> bool:
        """Whether a job of the lane waits or runs."""
        return bool(self._tickets_of(lane, key))

    def generation(self, lane: Lane, key: str = "") -> int:
        """Give the current generation of a lane and key, 0 before the first job."""
        return self._generations.get((lane, key), 0)

    def pids(self) -> dict[Kind, int]:
        """Give the ids of the processes that are alive."""
        return {kind: worker.pid for kind, worker in self._workers.items() if worker.pid is not None}

    def close(self) -> None:
        """End all workers within two seconds; nothing lands afterwards."""
        self._is_closed = True
        for worker in self._workers.values():
            worker.ask_to_close()
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()
        self._flights.clear()

    def _send(
        self, ticket: int, lane: Lane, run_function: Callable[[Any], Any], request: object, older: frozenset[int]
    ) -> None:
        """Hand a job to its worker."""
        kind = WORKER_OF_LANE[lane]
        if kind not in self._workers:
            idle_limit = IDLE_LIMIT_OF_WORKER.get(kind, IDLE_LIMIT)
            self._workers[kind] = Worker(kind, self._arrived.emit, idle_limit=idle_limit)
        self._workers[kind].discard(older)
        self._workers[kind].submit(ticket, run_function, request, PRIORITY_OF_LANE[lane])

    def _renew(self, lane: Lane, key: str) -> int:
        """Count a lane and key's generation up."""
        self._generations[lane, key] = self._generations.get((lane, key), 0) + 1
        return self._generations[lane, key]

    def _tickets_of(self, lane: Lane, key: str | None) -> frozenset[int]:
        """Give the jobs under way of a lane, or of one key in it."""
        return frozenset(
            ticket for ticket, flight in self._flights.items() if flight.lane is lane and key in (None, flight.key)
        )

    def _on_arrived(self, outcome: Outcome) -> None:
        """Deliver one outcome."""
        flight = self._flights.pop(outcome.ticket, None)
        if flight is None or isinstance(outcome, Cancelled):
            return
        is_current = flight.generation == self.generation(flight.lane, flight.key)
        if isinstance(outcome, Done):
            landing = Landing(flight.lane, flight.key, flight.generation, outcome.result)
            (self.landed if is_current else self.late).emit(landing)
        elif is_current:
            self.failed.emit(_failure(flight, outcome))
        else:
            log.info("a job of an old generation failed: %s: %s", outcome.kind, outcome.message)


def started_runner(path: Path | None) -> Runner:
    """Make a runner whose worker gets ready meanwhile to read a folder, or a file's, that is to be opened."""
    runner = Runner()
    folder = path.parent if path is not None and path.is_file() else path
    runner.submit(Lane.CHUNK, get_ready, str(folder) if folder is not None else "", READY)
    return runner


def _failure(flight: _Flight, outcome: Failed) -> Failure:
    """Say of which job a failure is."""
    return Failure(
        flight.lane,
        flight.key,
        flight.generation,
        outcome.kind,
        outcome.message,
        outcome.traceback,
        outcome.is_expected,
    )
