"""What the window and its workers send each other: pickles, with arrays beside them uncopied (no Qt here).

Pickling holds the interpreter, and the window with it; so a long message is read in pieces, and arrays, which can have
30 MB, are written and read by the system, which does not.
"""

from __future__ import annotations

import io
import pickle
import time
from collections.abc import Sequence
from multiprocessing import connection as pipes
from typing import Any

Part = bytes | bytearray | memoryview
A_FRAME = 4_096  # bytes: what is shorter is a frame's head
BREATH = 0.0003  # seconds
PROTOCOL = 5  # the first that can leave arrays out


class _Frames:
    """A pickle to read frame by frame, 64 kB each, a millisecond or two: before each the window has the interpreter.

    A thread that only works would share it with the window half and half, and so double all that the window does.
    """

    def __init__(self, content: Part) -> None:
        self._stream = io.BytesIO(content)

    def read(self, size: int) -> bytes:
        """Give so many bytes."""
        if size > A_FRAME:
            time.sleep(BREATH)
        return self._stream.read(size)

    def readline(self) -> bytes:
        """Give a line."""
        return self._stream.readline()


def pack(value: object) -> list[Part]:
    """Pickle a value: the pickle, and after it the memory of its arrays, which is not copied."""
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(value, PROTOCOL, buffer_callback=buffers.append)
    return [content, *(buffer.raw() for buffer in buffers)]


def unpack(parts: Sequence[Part]) -> Any:
    """Give back what was packed; arrays can be written where the parts can."""
    return pickle.Unpickler(_Frames(parts[0]), buffers=iter(parts[1:])).load()


def send(connection: pipes.Connection[Any, Any], kind: bytes, parts: Sequence[Part]) -> None:
    """Send a message of a kind (one byte). Raises OSError."""
    connection.send_bytes(kind + str(len(parts)).encode())
    for part in parts:
        connection.send_bytes(part)


def receive(connection: pipes.Connection[Any, Any]) -> tuple[bytes, list[Part]]:
    """Wait for a message; gives its kind and its parts. Raises EOFError and OSError."""
    head = connection.recv_bytes()
    return head[:1], [connection.recv_bytes() for _ in range(int(head[1:] or b"0"))]
