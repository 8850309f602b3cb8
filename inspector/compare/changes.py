"""What changed between two chunkings of a document: which chunks are new, gone, moved or the same."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from inspector.core.chunk import Chunking

SHOWN = 60
"""Characters of a chunk that are kept to show which it was."""


class Fate(StrEnum):
    """What became of a chunk."""

    SAME = "same"
    MOVED = "moved"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Mark:
    """What is kept of a chunk: a digest of its text, where it starts in the source, its length and its first words."""

    digest: str
    start: int
    characters: int
    words: str


@dataclass(frozen=True, slots=True)
class Change:
    """One chunk before and after: its number then and now, None where it was or is not."""

    fate: Fate
    before: int | None
    after: int | None
    words: str


def marks_of(chunking: Chunking) -> tuple[Mark, ...]:
    """Return what is kept of each chunk, in order."""
    return tuple(
        Mark(
            hashlib.sha256(chunk.text.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            chunk.span.start,
            chunk.characters,
            " ".join(chunk.text[: SHOWN * 4].split())[:SHOWN],
        )
        for chunk in chunking.chunks
    )


def find_changes(before: Sequence[Mark], after: Sequence[Mark]) -> tuple[Change, ...]:
    """Return every chunk of now in order, each gone one before the chunk that followed it.

    Equal texts are paired in order; the longest run of pairs that kept their order are the same, the others moved.
    """
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for number, mark in enumerate(before):
        waiting[mark.digest].append(number)
    paired = [waiting[mark.digest].popleft() if waiting[mark.digest] else None for mark in after]
    stayed = _longest_rising([number for number in paired if number is not None])
    gone = deque(sorted(set(range(len(before))) - set(paired)))
    found: list[Change] = []
    for now, then in enumerate(paired):
        if then in stayed:
            while gone and gone[0] < then:
                number = gone.popleft()
                found.append(Change(Fate.GONE, number, None, before[number].words))
        fate = Fate.NEW if then is None else Fate.SAME if then in stayed else Fate.MOVED
        found.append(Change(fate, then, now, after[now].words))
    found.extend(Change(Fate.GONE, number, None, before[number].words) for number in gone)
    return tuple(found)


def _longest_rising(numbers: Sequence[int]) -> frozenset[int]:
    """Return a longest subsequence that rises (patience sorting); the numbers are distinct."""
    tails: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_left(tails, number)
        before[number] = tails[place - 1] if place else None
        if place == len(tails):
            tails.append(number)
        else:
            tails[place] = number
    kept: list[int] = []
    at = tails[-1] if tails else None
    while at is not None:
        kept.append(at)
        at = before[at]
    return frozenset(kept)
