"""Asking other programs' strategies in a process of their own: a crash or a hang is a message."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from dataclasses import asdict
from typing import IO, Any

from inspector.core.strategies.choices import External
from inspector.errors import StrategyError
from inspector.plugins.child import FLAG
from inspector.plugins.known import all_strategies

SECONDS = 30.0
"""Time for one document; a program that takes longer is stopped."""

START_SECONDS = 30.0
"""Time more for the first, in which the program is imported."""


class Sandbox:
    """The child process, started when it is first asked and again after it was stopped."""

    def __init__(self, seconds: float = SECONDS, start_seconds: float = START_SECONDS) -> None:
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._known: set[str] = set()

    def split(self, own: External, text: str) -> list[str]:
        """Return the texts that a strategy makes of one. Raises StrategyError."""
        name = own.strategy
        strategy = all_strategies().get(name)
        label = strategy.label if strategy is not None else name
        if self._process is None or self._process.poll() is not None:
            self._start()
        seconds = self._seconds + (0 if name in self._known else self._start_seconds)
        request = {"strategy": name, "options": asdict(own), "text": text}
        try:
            answer = self._ask(json.dumps(request), seconds)
        except queue.Empty:
            self.close()
            message = f"{label} gave no answer within {seconds:,.0f} seconds and was stopped. Try other options of it."
            raise StrategyError(message, subject=name) from None
        if answer is None:
            code = self._process.wait() if self._process is not None else None
            self.close()
            raise StrategyError(f"{label} ended without an answer (exit code {code}).", subject=name)
        self._known.add(name)
        result: dict[str, Any] = json.loads(answer)
        if "error" in result:
            raise StrategyError(f"{label} failed: {result['error']}", subject=name)
        return list(result["texts"])

    def close(self) -> None:
        """Stop the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
        self._process = None
        self._known.clear()

    def _start(self) -> None:
        self.close()
        frozen = getattr(sys, "frozen", False)
        command = [sys.executable, FLAG] if frozen else [sys.executable, "-m", "inspector", FLAG]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        if not frozen:
            environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
            env=environment,
        )
        self._answers = queue.Queue()
        assert self._process.stdout is not None
        threading.Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()

    def _ask(self, request: str, seconds: float) -> str | None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except OSError:
            return None
        return self._answers.get(timeout=seconds)


def _listen(stream: IO[str], answers: queue.Queue[str | None]) -> None:
    """Pass lines on, and None at their end."""
    try:
        for line in stream:
            answers.put(line)
    except ValueError:  # closed from the other thread
        pass
    answers.put(None)


_sandbox = Sandbox()
atexit.register(_sandbox.close)


def split_apart(own: External, text: str) -> list[str]:
    """Return the texts that another program's strategy makes of one. Raises StrategyError."""
    return _sandbox.split(own, text)
