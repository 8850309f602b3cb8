"""Source offset to position in the displayed text and back; the only module that knows how the two differ.

Three coordinates: an *offset* counts code points of the source; a *place* counts code points of the
displayed text; a *position* counts UTF-16 units of the displayed text, which is what Qt counts.
The displayed text differs from the source so:

- CRLF, lone CR and LF are one line feed each, which Qt shows as one block break;
- what Qt would break a line at, delete or show as nothing usable (U+2028, U+2029, NUL, lone surrogates
  and Qt's own noncharacters) is one placeholder character;
- a line over `LONG_LINE` code points shows its beginning and one line of words instead of the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

LONG_LINE = 200_000
"""A line longer than this is shown folded: 1 M characters on a line cost 455 ms to show."""
FOLDED_HEAD = 2_000
"""What a folded line still shows."""

PLACEHOLDERS = {
    "\0": "\u2400",
    "\u2028": "\u2424",
    "\u2029": "\u2424",
    "\ufdd0": "\ufffd",  # Qt's beginning and end of frame
    "\ufdd1": "\ufffd",
    "\ufffc": "\ufffd",  # Qt's mark of an embedded object
    "\ufeff": "\u200b",  # at the start of a string it is taken for a byte order mark and lost
}
_MARKS = "\r\0\u2028\u2029\ufdd0\ufdd1\ufffc\ufeff"
_DIFFERENT = re.compile(f"\r\n?|[{_MARKS}\ud800-\udfff]")
_LINE = re.compile("[^\r\n]+")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Folded:
    """A line whose rest is not shown: the source span left out."""

    start: int
    end: int


class OffsetMap:
    """The displayed text of a source, and the way between the two.

    `expanded` names the starts of spans left out that the author has asked to see after all.
    """

    def __init__(self, source: str, expanded: frozenset[int] = frozenset(), long_line: int = LONG_LINE) -> None:
        self.folded = _folded(source, expanded, long_line)
        # Parallel arrays: from _offsets[i] in the source and _places[i] in the display on, all counts alike.
        self._offsets: list[int] = [0]
        self._places: list[int] = [0]
        self.text = self._build(source)
        self.length = len(source)
        is_plain = self.text.isascii()  # told at once, as Python keeps it
        self._astral = [] if is_plain else [match.start() for match in _ASTRAL.finditer(self.text)]
        self._astral_positions = [place + count for count, place in enumerate(self._astral)]
        self.position_count = len(self.text) + len(self._astral)

    def position(self, offset: int) -> int:
        """Return the UTF-16 position of a source offset; inside a CRLF or a folded rest, the place before it."""
        return self._to_position(self._to_place(max(0, min(offset, self.length))))

    def offset(self, position: int) -> int:
        """Return the source offset of a UTF-16 position; inside a surrogate pair, its character's."""
        return self._to_offset(self._from_position(max(0, min(position, self.position_count))))

    def is_identity(self) -> bool:
        """Say whether offsets and positions are the same numbers."""
        return len(self._offsets) == 1 and not self._astral

    def _build(self, source: str) -> str:
        parts: list[str] = []
        at = place = 0
        for start, end, shown in _substitutions(source, self.folded):
            parts += (source[at:start], shown)
            place += start - at + len(shown)
            at = end
            if end - start != len(shown):
                # The start of the substitution, then what follows it.
                self._offsets += (start, end)
                self._places += (place - len(shown), place)
        parts.append(source[at:])
        return "".join(parts)

    def _to_place(self, offset: int) -> int:
        run = bisect_right(self._offsets, offset) - 1
        place = self._places[run] + offset - self._offsets[run]
        if run % 2:  # inside a substitution, whose first character stands for all of it
            return self._places[run]
        return place

    def _to_offset(self, place: int) -> int:
        run = bisect_right(self._places, place) - 1
        if run % 2:
            return self._offsets[run]
        return self._offsets[run] + place - self._places[run]

    def _to_position(self, place: int) -> int:
        return place + bisect_left(self._astral, place)

    def _from_position(self, position: int) -> int:
        before = bisect_left(self._astral_positions, position)
        if before and self._astral_positions[before - 1] == position - 1:
            before -= 1
            return position - 1 - before
        return position - before


def _substitutions(source: str, folded: tuple[Folded, ...]) -> list[tuple[int, int, str]]:
    """Return what is shown differently, in order: start, end, and what stands there instead."""
    found = [(gap.start, gap.end, folded_label(gap)) for gap in folded]
    if not _may_differ(source):
        return found
    gaps = iter(folded)
    gap = next(gaps, None)
    for match in _DIFFERENT.finditer(source):
        while gap is not None and gap.end <= match.start():
            gap = next(gaps, None)
        if gap is not None and gap.start <= match.start():
            continue
        found.append((match.start(), match.end(), _shown(match.group())))
    return sorted(found)


def _may_differ(source: str) -> bool:
    """Whether anything may be shown differently: told much faster than what."""
    if any(mark in source for mark in _MARKS):
        return True
    try:
        source.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates
        return True
    return False


def _shown(text: str) -> str:
    if text[0] == "\r":
        return "\n"
    return PLACEHOLDERS.get(text, "\ufffd")


def _folded(source: str, expanded: frozenset[int], long_line: int) -> tuple[Folded, ...]:
    if len(source) <= long_line:
        return ()
    head = min(FOLDED_HEAD, long_line)
    long = (match.span() for match in _LINE.finditer(source) if match.end() - match.start() > long_line)
    return tuple(Folded(start + head, end) for start, end in long if start + head not in expanded)


def folded_label(gap: Folded) -> str:
    """Return the words that stand for the rest of a folded line."""
    return f" … {gap.end - gap.start:,} more characters on this line: double-click to expand"


def moved_offset(before: str, after: str, offset: int) -> int:
    """Return where a place of a source is after an edit: what stands before and behind the edit stays with its text."""
    start = _common_length(before, after)
    if offset <= start:
        return offset
    end = _common_length(before[start:][::-1], after[start:][::-1])
    return max(start, offset + len(after) - len(before)) if offset >= len(before) - end else start


def _common_length(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
