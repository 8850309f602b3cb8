"""Long work in the window's thread, a few milliseconds at a time, so that nothing stalls."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer

STEP_SECONDS = 0.008
A_TURN = 0.002
"""Seconds between two steps within which nothing else can have come: they are of one turn of the event loop."""
AT_ONCE = 2_000
"""Chunks up to which work on all of them is done at once: some ten milliseconds."""
PAUSE = object()
"""Yielded by work whose next part is to wait until what was done is painted."""


def do_all(work: Iterator[object]) -> None:
    """Do at once what could be done in steps."""
    for _ in work:
        pass


class Steps(QObject):
    """Runs one generator at a time; each `next` of it should take well under the time of a step.

    Where several are under way, the first in a turn of the event loop has the time of a step, each other one `next`.
    """

    _first: ClassVar[Steps | None] = None  # in this turn
    _ended: ClassVar[float] = 0.0  # when a step of any ended

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Iterator[object] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._step)

    @property
    def is_running(self) -> bool:
        """Whether there is work left."""
        return self._work is not None

    def run(self, work: Iterator[object], *, at_once: bool = False) -> None:
        """Begin with work in place of what was under way; little of it may be done at once."""
        self.stop()
        if at_once:
            do_all(work)
            return
        self._work = work
        self._timer.start()

    def stop(self) -> None:
        """Give up what was under way."""
        self._timer.stop()
        self._work = None

    def _step(self) -> None:
        now, first = time.perf_counter(), Steps._first
        if first is None or first is self or not first.is_running or now - Steps._ended > A_TURN:
            Steps._first = self
        self._work_on(now + (STEP_SECONDS if Steps._first is self else 0.0))
        Steps._ended = time.perf_counter()

    def _work_on(self, deadline: float) -> None:
        """Do one `next`, and more until the deadline."""
        work = self._work
        while work is not None and self._work is work:
            try:
                if next(work) is PAUSE or time.perf_counter() > deadline:
                    return
            except StopIteration:
                if self._work is work:
                    self.stop()
                return
