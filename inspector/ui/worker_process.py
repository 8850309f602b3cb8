"""What runs inside a worker process: answer jobs until asked to end, or until the window is gone (no Qt here)."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing import connection as pipes
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize
from typing import Any

from inspector.errors import InspectorError
from inspector.memory import calm_collector, settle_objects

NICENESS = 10  # POSIX: the window comes first
BELOW_NORMAL = 0x4000  # Windows: BELOW_NORMAL_PRIORITY_CLASS
LAST = -1_000  # after multiprocessing has given its semaphores back (numba makes one)
END, DONE, FAILED = b"", b"+", b"-"  # messages: end, please; what follows is a result; is a failure


def work(connection: pipes.Connection[Any, Any]) -> None:
    """Be the worker process: answer jobs until asked to end, or until the window is gone."""
    _prepare_process()
    while True:
        try:
            payload = connection.recv_bytes()
            if payload == END:
                break
            is_done, content = attempt(partial(_call, payload))
            connection.send_bytes(DONE if is_done else FAILED)
            connection.send_bytes(content)
            settle_objects()
        except (EOFError, OSError):
            break
    Finalize(None, _leave, exitpriority=LAST)


def _call(payload: bytes) -> object:
    """Do what a pickled (function, request) asks for."""
    function, request = pickle.loads(payload)
    return function(request)


def attempt(action: Callable[[], object]) -> tuple[bool, bytes]:
    """Do something and pickle it: (True, result), or (False, what a Failed holds)."""
    try:
        return True, bytes(ForkingPickler.dumps(action()))
    except Exception as error:  # the one place: a job that fails is reported, the worker lives on
        is_expected = isinstance(error, (InspectorError, ValueError))
        failure = (type(error).__name__, str(error), "".join(traceback.format_exception(error)), is_expected)
        return False, bytes(ForkingPickler.dumps(failure))


def _prepare_process() -> None:
    """Go off the network, lower the priority, leave Ctrl+C to the window, and watch for its end."""
    from inspector.embedding.encoder import prepare_environment

    prepare_environment()
    calm_collector()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # a windowed program on Windows has no standard streams
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  open as long as the process
    _lower_priority()
    threading.Thread(target=_end_with_parent, name="watch for the window's end", daemon=True).start()


def _lower_priority() -> None:
    """Let the window's own work come first."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), BELOW_NORMAL)
    else:
        os.nice(NICENESS)


def _end_with_parent() -> None:
    """End this process at once when the window's process has ended, whatever is running."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        pipes.wait([parent.sentinel])
        os._exit(1)


def _leave() -> None:
    """End without the second that native libraries take to tear down; everything is on disk by now."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
