"""From bytes to source, and from source to text whose lines end with LF only."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from dataclasses import dataclass, replace

import regex
from charset_normalizer import from_bytes

from inspector.core.span import LINE_END, Span

BOM = "\ufeff"

_BOMS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE"),
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_CONTROL_BYTES = bytes([*range(9), 0x0B, *range(0x0E, 0x20), 0x7F])
_WESTERN = "€‚„…‘’“”•–—™ §«°´·»ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûü".encode("cp1252")

ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "latin_1": "ISO 8859-1",
    "iso8859_15": "ISO 8859-15",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "shift_jis": "Shift JIS",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "euc_kr": "EUC-KR",
}
"""What a file can be reopened as: Python's names, and those shown to people."""

BINARY_SHARE = 10
"""A file more than one in this many of whose characters are control characters is binary."""

WHITE = " \t\n\x0b\x0c\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000"
"""White space that may be given up at a cut: no no-break spaces, no separators that Unicode alone knows."""

JOINS_BEFORE = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]")
"""A character that is one grapheme with the one before it."""

INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]"
)
"""Characters that nobody sees and that change what is found: reported, never changed."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text: `encoding` as shown to people, `bad_byte` the offset of the first byte that is not
    UTF-8 and `bad_value` that byte, `is_guess` that the encoding was guessed, `is_binary` that the file is no text."""

    text: str
    encoding: str
    bad_byte: int | None = None
    bad_value: int = 0
    is_guess: bool = False
    is_binary: bool = False


def decode(data: bytes, codec: str = "") -> Decoded:
    """Decode a file: `codec` where one is said, else a byte order mark decides, then UTF-8, then a guess.

    Never raises but for a codec that Python does not know (LookupError).
    """
    if codec:
        return _decoded(data, codec, ENCODINGS.get(codec, codec))
    for mark, codec, name in _BOMS:
        if data.startswith(mark):
            decoded = _decoded(data, codec, name)
            return replace(decoded, is_binary=_is_binary_text(decoded.text))
    if len(data.translate(None, _CONTROL_BYTES)) * BINARY_SHARE < len(data) * (BINARY_SHARE - 1):
        return Decoded(data.decode("utf-8", errors="replace"), "binary", is_binary=True)
    decoded = _decoded(data, "utf-8", "UTF-8")
    if decoded.bad_byte is None:
        return decoded
    dropped = data.decode("utf-8", errors="ignore")
    bad_count = decoded.text.count("\ufffd") - dropped.count("\ufffd")
    if len(dropped) - len(dropped.encode("ascii", "ignore")) >= bad_count:
        return decoded
    codec = _guess(data)
    text = data.decode(codec, errors="replace")
    return replace(decoded, text=text, encoding=ENCODINGS.get(codec, codec), is_guess=True)


def _decoded(data: bytes, codec: str, name: str) -> Decoded:
    """Decode in one encoding, whatever cannot be decoded replaced."""
    bad = _first_bad(data, codec)
    return Decoded(data.decode(codec, errors="replace"), name, bad, data[bad] if bad is not None else 0)


def _first_bad(data: bytes, codec: str) -> int | None:
    try:
        data.decode(codec)
    except UnicodeDecodeError as error:
        return error.start
    return None


def _is_binary_text(text: str) -> bool:
    return len(_CONTROLS.findall(text)) * BINARY_SHARE > len(text)


def _guess(data: bytes) -> str:
    """Guess the encoding of bytes that are not UTF-8; a western text is Windows-1252."""
    high = data.translate(None, bytes(range(0x80)))
    if len(high) * 2 < len(data) and not high.translate(None, _WESTERN):
        return "cp1252"
    best = from_bytes(data[:200_000]).best()
    return best.encoding if best is not None else "cp1252"


class LineMap:
    """A source with every line end as LF and NUL as U+FFFD, and the way back to source offsets.

    Offsets into `text` are called *positions*; only CRLF makes them differ from source offsets.
    """

    __slots__ = ("_pairs", "source_length", "text")

    def __init__(self, source: str) -> None:
        self.source_length = len(source)
        self._pairs: list[int] = []
        text = source
        if "\r" in source:
            before = 0
            for match in LINE_END.finditer(source):
                if match.end() - match.start() == 2:
                    self._pairs.append(match.start() - before)
                    before += 1
            text = LINE_END.sub("\n", source)
        self.text = text.replace("\0", "\ufffd")

    def offset(self, position: int) -> int:
        """Return the source offset of a position."""
        return position + bisect_left(self._pairs, position) if self._pairs else position

    def span(self, start: int, end: int) -> Span:
        """Return the source span of a range of positions."""
        if not self._pairs:
            return Span(start, end)
        return Span(self.offset(start), self.offset(end))

    def position(self, offset: int) -> int:
        """Return the position of a source offset (of a CRLF's second half: of the CRLF)."""
        low, high = 0, len(self._pairs)
        while low < high:
            middle = (low + high) // 2
            if self._pairs[middle] + middle < offset:
                low = middle + 1
            else:
                high = middle
        if low and self._pairs[low - 1] + low == offset:
            return self._pairs[low - 1]
        return offset - low
