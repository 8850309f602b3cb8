"""Where a text stands nearly in a source: the stretch that agrees best, by the normalised Indel similarity."""

from __future__ import annotations

LONGEST = 20_000
"""Characters of a chunk past which it is not looked for nearly: the time grows with chunk times document."""

SEED = 24
"""Characters of a chunk looked for exactly, at several places of it: where they stand it is compared in full."""

MOST_SEEDS = 16
AROUND = 0.25
"""Share of a chunk's length added on both sides of the place where it may stand."""


def locate(wanted: str, source: str, after: int) -> tuple[int, int, float] | None:
    """Return (start, end, share) of the stretch of a source most like a text, None where no part of it stands there.

    The share is 1 - Indel distance / both lengths (rapidfuzz's `ratio`), from 0 to 1. `after` says where the text is
    expected: of equal places the next one is taken.
    """
    from rapidfuzz import fuzz

    if len(wanted) > LONGEST or not source:
        return None
    start = _expected(wanted, source, after)
    if start is None:
        return None
    margin = int(len(wanted) * AROUND) + SEED
    low, high = max(0, start - margin), min(len(source), start + len(wanted) + margin)
    found = fuzz.partial_ratio_alignment(wanted, source[low:high])
    if found is None or found.dest_end <= found.dest_start:
        return None
    first, last = low + found.dest_start, low + found.dest_end
    return first, last, fuzz.ratio(wanted, source[first:last]) / 100


def _expected(wanted: str, source: str, after: int) -> int | None:
    """Return where the text would begin by those seeds of it that stand in the source."""
    step = max(1, (len(wanted) - SEED) // MOST_SEEDS)
    votes: dict[int, int] = {}
    for offset in range(0, max(1, len(wanted) - SEED + 1), step):
        seed = wanted[offset : offset + SEED]
        at = source.find(seed, after)
        if at < 0:
            at = source.find(seed)
        if at >= 0:
            place = max(0, at - offset)
            near = next((known for known in votes if abs(known - place) <= len(wanted) // 4), place)
            votes[near] = votes.get(near, 0) + 1
    return max(votes, key=lambda place: (votes[place], -place)) if votes else None
