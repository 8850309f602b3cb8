"""The process in which other programs' strategies run: a line of JSON in, a line of JSON out, until its input ends."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import TextIO

from inspector.plugins.known import find_strategies

FLAG = "--plugin-child"
"""The argument that makes the program be this process."""


def serve() -> int:
    """Answer requests on standard input; what a plug-in prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin, requests), daemon=True).start()
    while True:
        answers.write(json.dumps(answer(requests.get())) + "\n")
        answers.flush()


def _listen(stream: TextIO, requests: queue.Queue[str]) -> None:
    """Pass lines on; end the process with its parent, whatever a plug-in is doing."""
    for line in stream:
        requests.put(line)
    os._exit(0)


def answer(line: str) -> dict[str, object]:
    """Split the text of a request, by the strategy and options that it names."""
    try:
        request = json.loads(line)
        found = find_strategies()
        kind = found.strategies[request["strategy"]].options
        assert kind is not None
        texts = found.splits[request["strategy"]](request["text"], kind(**request["options"]))
        return {"texts": [str(text) for text in texts]}
    except Exception as error:  # whatever a plug-in raises is an answer
        return {"error": f"{type(error).__name__}: {error}"}
