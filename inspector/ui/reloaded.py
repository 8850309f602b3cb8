"""What a change on disk did to the chunks: which are new, which are gone, and what is truncated now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspector.core.chunk import Chunk

SHOWN_MILLISECONDS = 10_000
"""How long what is new stays dotted."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The files read again and, of each, the indices of chunks whose text is new; counts over all of them."""

    names: tuple[str, ...] = ()
    fresh: Mapping[str, frozenset[int]] = field(default_factory=dict)
    added: int = 0
    gone: int = 0
    truncated_before: int = 0
    truncated: int = 0

    @property
    def words(self) -> str:
        """`+2 −1, truncated 4 → 3`; "" where nothing is otherwise."""
        parts = []
        counts = [f"{sign}{count:,}" for sign, count in (("+", self.added), ("−", self.gone)) if count]
        if counts:
            parts.append(" ".join(counts))
        if self.truncated != self.truncated_before:
            parts.append(f"truncated {self.truncated_before:,} → {self.truncated:,}")
        return ", ".join(parts)


def compare_chunks(before: Sequence[Chunk], after: Sequence[Chunk]) -> tuple[frozenset[int], int]:
    """Return the indices of chunks whose text was not there before, and how many texts are gone."""
    left = Counter(chunk.text for chunk in before)
    fresh = set()
    for chunk in after:
        if left[chunk.text]:
            left[chunk.text] -= 1
        else:
            fresh.add(chunk.index)
    return frozenset(fresh), left.total()
