"""What runs inside a worker process: answer jobs until asked to end, or until the window is gone (no Qt here)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import connection as pipes
from multiprocessing.util import Finalize
from typing import Any

from inspector.errors import InspectorError
from inspector.memory import calm_collector, settle_objects
from inspector.ui.messages import Part, pack, receive, send, unpack

NICENESS = 15  # POSIX: the window comes first
BELOW_NORMAL = 0x4000  # Windows: BELOW_NORMAL_PRIORITY_CLASS
LAST = -1_000  # after multiprocessing has given its semaphores back (numba makes one)
JOB, END, DONE, FAILED = b"j", b"e", b"+", b"-"  # kinds of messages: work; end, please; a result; a failure


def work(connection: pipes.Connection[Any, Any]) -> None:
    """Be the worker process: answer jobs until asked to end, or until the window is gone."""
    _prepare_process()
    while True:
        try:
            kind, parts = receive(connection)
            if kind == END:
                break
            is_done, answer = attempt(partial(_call, parts))
            send(connection, DONE if is_done else FAILED, answer)
            settle_objects()
        except (EOFError, OSError):
            break
    Finalize(None, _leave, exitpriority=LAST)


def get_ready(folder: str) -> None:
    """Import what reading documents needs, and load what is kept of a folder's ("" for none yet).

    The first job of a worker that is started before there is a window.
    """
    from inspector.document_tasks import run_ahead

    if folder:
        run_ahead(folder)


def _call(parts: Sequence[Part]) -> object:
    """Do what a packed (function, request) asks for; its arrays can be written, as some of numba's must."""
    function, request = unpack([bytearray(part) for part in parts])
    return function(request)


def attempt(action: Callable[[], object]) -> tuple[bool, list[Part]]:
    """Do something and pack it: (True, result), or (False, what a Failed holds)."""
    try:
        return True, pack(action())
    except Exception as error:  # the one place: a job that fails is reported, the worker lives on
        is_expected = isinstance(error, (InspectorError, ValueError))
        failure = (type(error).__name__, str(error), "".join(traceback.format_exception(error)), is_expected)
        return False, pack(failure)


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
