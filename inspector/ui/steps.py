"""Long work in the window's thread, a few milliseconds at a time, so that nothing stalls."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

STEP_SECONDS = 0.008
A_TURN = 0.002
"""Seconds between two kinds of work within which nothing else can have come: they share the time of a step."""
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

    Where several are under way, one has the time of a step in a turn of the event loop, and each other one `next`.
    """

    _ended = 0.0  # when a step of any ended

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
        now = time.perf_counter()
        deadline = now + (STEP_SECONDS if now - Steps._ended > A_TURN else 0.0)
        self._work_on(deadline)
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
