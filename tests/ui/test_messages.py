"""Messages between the window and its workers: whole, arrays uncopied, never long in one piece."""

from __future__ import annotations

import multiprocessing
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.ui import messages
from inspector.ui.messages import pack, receive, send, unpack

VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def through_a_pipe(value: object) -> Any:
    near, far = multiprocessing.Pipe()
    sender = threading.Thread(target=send, args=(near, b"+", pack(value)))
    sender.start()
    kind, parts = receive(far)
    sender.join()
    assert kind == b"+"
    return unpack(parts)


@given(VALUES)
def test_a_value_comes_out_as_it_went_in(value: object) -> None:
    assert through_a_pipe(value) == value


@pytest.mark.parametrize("shape", [(0, 3), (1,), (300, 384)])
def test_an_array_goes_beside_the_pickle_and_can_be_read_only(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    parts = pack({"rows": array, "again": array})
    assert len(parts) == 2, "one array, sent once"
    assert np.shares_memory(np.frombuffer(parts[1], np.float32), array) or not array.size
    came = through_a_pipe({"rows": array})["rows"]
    assert np.array_equal(came, array) and came.dtype == array.dtype
    assert not came.flags.writeable
    assert unpack([bytearray(part) for part in parts])["rows"].flags.writeable, "a worker may write"


def test_what_is_not_one_piece_of_memory_comes_too() -> None:
    array = np.arange(24).reshape(4, 6)[::2, ::3]
    assert np.array_equal(through_a_pipe(array), array)


def test_a_long_message_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each read is a moment in which the window's thread may have the interpreter."""
    sizes: list[int] = []
    read = messages._Frames.read

    def noted(frames: messages._Frames, size: int) -> bytes:
        sizes.append(size)
        return read(frames, size)

    monkeypatch.setattr(messages._Frames, "read", noted)
    value = [(number, str(number)) for number in range(100_000)]
    assert unpack(pack(value)) == value
    assert max(sizes) < 200_000 < sum(sizes)
