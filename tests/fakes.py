"""Stand-ins for what is slow: an encoder by hashing, a runner without processes, and a gate that holds jobs back."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from inspector import vector_tasks
from inspector.embedding import engines
from inspector.embedding.encoder import Encoder
from inspector.embedding.models import Model
from inspector.ui.runner import Lane, Runner
from inspector.ui.workers import Kind, perform

HASH_MODEL = Model("hash", 32, 256)


class HashEncoder:
    """Unit vectors (n, 32) float32 from the words of a text: equal texts are equal, texts that share words are near."""

    engine = "hash"

    def __init__(self, dimensions: int = 32) -> None:
        """Keep the width; `calls` counts the texts encoded."""
        self.dimensions = dimensions
        self.calls = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Add a random but fixed direction for each word."""
        self.calls += len(texts)
        rows = np.array([self._vector(text) for text in texts], np.float32).reshape(-1, self.dimensions)
        rows.setflags(write=False)
        return rows

    def _vector(self, text: str) -> NDArray[np.float64]:
        total = np.full(self.dimensions, 1e-3)
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            total += np.random.default_rng(seed).normal(size=self.dimensions)
        return total / np.linalg.norm(total)


def use_hash_encoder(monkeypatch: pytest.MonkeyPatch) -> HashEncoder:
    """Let tasks of this process encode by hashing, whatever the model, each with its own width; fresh caches."""
    encoder = HashEncoder()

    def open_encoder(model: Model, allow_download: bool) -> Encoder:
        encoder.dimensions = model.dimensions or 32
        return encoder

    monkeypatch.setattr(engines, "open_encoder", open_encoder)
    monkeypatch.setattr(vector_tasks, "_loaded", vector_tasks._Loaded())
    return encoder


class Gate:
    """Holds jobs back while it is shut."""

    def __init__(self) -> None:
        """Begin open."""
        self.is_open = True
        self._on_open: list[Callable[[], None]] = []

    def shut(self) -> None:
        """Hold back what comes from now on."""
        self.is_open = False

    def open(self) -> None:
        """Let everything pass, what was held back first."""
        self.is_open = True
        for listener in list(self._on_open):
            listener()

    def when_opened(self, listener: Callable[[], None]) -> None:
        """Call back whenever the gate opens."""
        self._on_open.append(listener)


class InstantRunner(Runner):
    """A runner that does each job at once in this process, or when its gate opens; same signals, same generations."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Begin with an open gate; `jobs` records (lane, key, request) of all that was submitted."""
        super().__init__(parent)
        self.gate = Gate()
        self.gate.when_opened(self._drain)
        self.jobs: list[tuple[Lane, str, object]] = []
        self._pending: deque[tuple[int, Lane, Callable[[Any], Any], object]] = deque()
        self._is_draining = False

    def submit(self, lane: Lane, run_function: Callable[[Any], Any], request: object, key: str = "") -> int:
        """Record a job, then send it."""
        self.jobs.append((lane, key, request))
        return super().submit(lane, run_function, request, key)

    def cancel(self, lane: Lane, key: str | None = None) -> None:
        """Forget the lane's jobs that wait at the gate."""
        super().cancel(lane, key)
        gone = self._tickets_of(lane, key)
        self._pending = deque(job for job in self._pending if job[0] not in gone)
        for ticket in gone:
            self._flights.pop(ticket, None)

    def pids(self) -> dict[Kind, int]:
        """There are no processes."""
        return {}

    def _send(
        self, ticket: int, lane: Lane, run_function: Callable[[Any], Any], request: object, older: frozenset[int]
    ) -> None:
        self._pending = deque(job for job in self._pending if job[0] not in older)
        for gone in older:
            self._flights.pop(gone, None)
        self._pending.append((ticket, lane, run_function, request))
        self._drain()

    def _drain(self) -> None:
        """Do what waits, questions first; jobs submitted meanwhile are done after, not within."""
        if self._is_draining:
            return
        self._is_draining = True
        try:
            while self._pending and self.gate.is_open and not self._is_closed:
                job = next((job for job in self._pending if job[1] is Lane.SEARCH), self._pending[0])
                self._pending.remove(job)
                self._on_arrived(perform(job[2], job[3], job[0]))
        finally:
            self._is_draining = False
