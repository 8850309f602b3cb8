"""Characters that nobody sees: what they are called, and where they are in a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.text import INVISIBLE

NAMES = {
    "\u00a0": "NBSP",
    "\u00ad": "SHY",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LSEP",
    "\u2029": "PSEP",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u202f": "NNBSP",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\ufeff": "BOM",
}
"""The usual short names (Unicode, NameAliases.txt; U+FEFF by what it mostly is)."""

_UNSEEN = re.compile(f"{INVISIBLE.pattern}|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00a0\u200c\u200d\u202f]")


class Unseen(NamedTuple):
    """One such character: its source offset, and its short name, or its code in hexadecimal."""

    offset: int
    name: str


def unseen_in(source: str, start: int, end: int) -> Iterator[Unseen]:
    """Yield the characters of `source[start:end]` that nobody sees; line ends and plain blanks are none."""
    for match in _UNSEEN.finditer(source, start, end):
        yield Unseen(match.start(), name_of(match.group()))


def name_of(character: str) -> str:
    """Return a character's short name, else its code as hexadecimal digits."""
    return NAMES.get(character) or f"{ord(character):02X}"


def full_name_of(character: str) -> str:
    """Return what Unicode calls a character, with its code: `U+200B ZERO WIDTH SPACE`."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character')}"
