"""Where a text stands nearly in a source: the stretch that agrees best, by the normalised Indel similarity."""

from __future__ import annotations

from collections.abc import Iterator

LONGEST = 20_000
"""Characters of a chunk past which it is not looked for nearly: the time grows with their square."""

SEED = 24
"""Characters of a chunk looked for exactly, at several places of it: where they stand it is compared in full."""

MOST_SEEDS = 16
FEW_SEEDS = 4
"""Seeds looked for in a whole source, where those looked for near the expected place are not found."""

NEAR = 20_000
"""Characters of the source after the expected place that are looked through first."""

AROUND = 0.25
"""Share of a chunk's length added on both sides of the place where it may stand."""

STEADY = 8
"""Characters that agree together by which the ends of a stretch are found: what lies beyond is as long in both."""

SHORTEST_RUN = 4
"""Characters that agree by themselves; shorter runs are chance."""


def locate(wanted: str, source: str, after: int) -> tuple[float, list[tuple[int, int, int]]] | None:
    """Return how much of a text agrees with the stretch of a source most like it, and what does; None for nothing.

    The share is 1 - Indel distance / both lengths (rapidfuzz's `ratio`), from 0 to 1. `after` says where the text is
    expected. What agrees is (offset in the text, offset in the source, length), rising in both.
    """
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Indel

    if len(wanted) > LONGEST:
        return None
    start = _expected(wanted, source, after)
    if start is None:
        return None
    margin = int(len(wanted) * AROUND) + SEED
    low, high = max(0, start - margin), min(len(source), start + len(wanted) + margin)
    steady = [block for block in Indel.opcodes(wanted, source[low:high]).as_matching_blocks() if block.size >= STEADY]
    if not steady:
        return None
    first = max(low, low + steady[0].b - steady[0].a)
    last = min(high, low + steady[-1].b + len(wanted) - steady[-1].a)
    stretch = source[first:last]
    blocks = Indel.opcodes(wanted, stretch).as_matching_blocks()
    runs = [(block.a, first + block.b, block.size) for block in blocks if block.size >= SHORTEST_RUN]
    return fuzz.ratio(wanted, stretch) / 100, runs


def _expected(wanted: str, source: str, after: int) -> int | None:
    """Return where the text would begin by those seeds of it that stand in the source, looked for nearby first."""
    near = source[after : after + NEAR + len(wanted)]
    place = _voted(near, _seeds(wanted, MOST_SEEDS), len(wanted))
    if place is not None:
        return place + after
    return _voted(source, _seeds(wanted, FEW_SEEDS), len(wanted))


def _seeds(wanted: str, most: int) -> Iterator[tuple[int, str]]:
    step = max(1, (len(wanted) - SEED) // most)
    for offset in range(0, max(1, len(wanted) - SEED + 1), step):
        yield offset, wanted[offset : offset + SEED]


def _voted(source: str, seeds: Iterator[tuple[int, str]], length: int) -> int | None:
    """Return the place most seeds agree on, the first of equal ones; None where none stands in the source."""
    votes: dict[int, int] = {}
    for offset, seed in seeds:
        at = source.find(seed)
        if at >= 0:
            place = max(0, at - offset)
            near = next((known for known in votes if abs(known - place) <= length // 4), place)
            votes[near] = votes.get(near, 0) + 1
    return max(votes, key=lambda place: (votes[place], -place)) if votes else None
