"""From bytes to source, and from source to text with LF line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.text import ENCODINGS, LineMap, decode


@pytest.mark.parametrize(
    ("codec", "mark", "name"),
    [
        ("utf-8", b"\xef\xbb\xbf", "UTF-8"),
        ("utf-16-le", b"\xff\xfe", "UTF-16 LE"),
        ("utf-16-be", b"\xfe\xff", "UTF-16 BE"),
        ("utf-32-le", b"\xff\xfe\0\0", "UTF-32 LE"),
        ("utf-32-be", b"\0\0\xfe\xff", "UTF-32 BE"),
    ],
)
def test_a_byte_order_mark_decides(codec: str, mark: bytes, name: str) -> None:
    decoded = decode(mark + "## Zeit für Tee ☕".encode(codec))
    assert decoded.text == "\ufeff## Zeit für Tee ☕"
    assert (decoded.encoding, decoded.bad_byte, decoded.is_binary) == (name, None, False)


def test_few_bad_bytes_among_good_ones_stay_utf_8() -> None:
    decoded = decode("Zeit für Tee, überall: ".encode() + b"\xff ok")
    assert decoded.encoding == "UTF-8"
    assert decoded.text.endswith("\ufffd ok")
    assert decoded.bad_byte == 25


def test_other_bytes_are_guessed_and_named() -> None:
    western = decode("“Café” – 5 €, naïve".encode("cp1252"))
    assert (western.text, western.encoding, western.is_guess) == ("“Café” – 5 €, naïve", "Windows-1252", True)
    russian = decode(("Утром смотритель записывает давление в синюю книгу. " * 20).encode("cp1251"))
    assert russian.is_guess
    assert "смотритель" in russian.text


def test_a_tenth_of_control_characters_is_binary() -> None:
    assert decode(b"\x00\x01\x02\x03 text").is_binary
    assert decode(b"\xff\xfe" + "a\x01b\x02".encode("utf-16-le")).is_binary
    assert not decode(b"a\x00" + b"prose " * 10).is_binary
    assert not decode(b"").is_binary


@given(st.text(alphabet="ab\r\n\0é", max_size=60))
def test_positions_and_offsets_are_each_others_way_back(source: str) -> None:
    line_map = LineMap(source)
    assert line_map.text == source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    for position in range(len(line_map.text) + 1):
        assert line_map.position(line_map.offset(position)) == position
    for at in range(len(source) - 1):
        if source[at : at + 2] == "\r\n":
            assert line_map.position(at) == line_map.position(at + 1)
            assert line_map.span(line_map.position(at), line_map.position(at) + 1) == (at, at + 2)


@pytest.mark.parametrize("codec", list(ENCODINGS))
def test_every_encoding_offered_is_one_python_knows(codec: str) -> None:
    decoded = decode("words, ".encode(codec) * 3, codec)
    assert decoded.text == "words, " * 3
    assert decoded.encoding == ENCODINGS[codec] and decoded.bad_byte is None
    assert decode(b"\xff\xfe\xfd", "utf-8").bad_byte == 0
