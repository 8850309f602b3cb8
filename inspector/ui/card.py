"""A chunk as a card: plain values that the list of chunks draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.core.chunk import Chunk, Rung


class RangeKind(StrEnum):
    """What a range of an embedding input is."""

    CONTEXT = "context"
    REPEATED = "repeated"
    HEADING = "heading"
    FOLDED = "folded"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class CardRange:
    """A half-open range of a card's text in code points, what it is, and for added text why it is there."""

    start: int
    end: int
    kind: RangeKind
    why: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One chunk as embedded. `text` is the whole embedding input; `tokens` is None while they are not counted."""

    index: int
    trail: tuple[str, ...]
    rung: str
    characters: int
    tokens: int | None
    limit: int
    text: str
    body_start: int = 0
    unread_tokens: int = 0
    ranges: tuple[CardRange, ...] = ()
    is_approximate: bool = False

    @property
    def parity(self) -> int:
        """0 or 1: which of the two tints the chunk has."""
        return self.index % 2

    @property
    def is_truncated(self) -> bool:
        """Whether the model leaves something unread."""
        return self.unread_tokens > 0

    def range_of(self, kind: RangeKind) -> CardRange | None:
        """Return the first range of a kind."""
        return next((found for found in self.ranges if found.kind is kind), None)


def card_for(
    chunk: Chunk,
    text: str,
    prefix_length: int,
    *,
    tokens: int | None = None,
    limit: int = 0,
    unread_tokens: int = 0,
    unread_at: int | None = None,
    is_approximate: bool = False,
) -> Card:
    """Make the card of a chunk from its embedding input.

    `prefix_length` and `unread_at` count code points of `text`, as `embedding_input` and the token counter give them.
    """
    ranges: list[CardRange] = []
    if prefix_length:
        ranges.append(CardRange(0, prefix_length, RangeKind.CONTEXT))
    folds = list(chunk.folded)
    begun: set[int] = set()
    at = prefix_length
    body_start = prefix_length
    for piece in chunk.pieces:
        end = at + len(piece.text)
        if piece.span is None:
            if piece.why and piece.text.strip():
                ranges.append(CardRange(at, end, RangeKind.REPEATED, piece.why))
                if at == body_start:
                    body_start = end
        else:
            fold = next((fold for fold in folds if fold.span.start <= piece.span.start < fold.span.end), None)
            if fold is not None:
                ranges.append(CardRange(at, end, RangeKind.FOLDED))
                heading = fold.trail[-1] if fold.trail else ""
                if heading and fold.section not in begun and piece.text.startswith(heading):
                    ranges.append(CardRange(at, at + len(heading), RangeKind.HEADING))
                begun.add(fold.section)
        at = end
    first, _, _ = text[prefix_length:].partition("\n")
    if chunk.trail and first.strip() == chunk.trail[-1].strip():
        if body_start == prefix_length:
            ranges.append(CardRange(prefix_length, prefix_length + len(first), RangeKind.HEADING))
        body_start = max(body_start, prefix_length + len(first))
    if unread_at is not None:
        ranges.append(CardRange(unread_at, len(text), RangeKind.UNREAD))
    whole = chunk.starts_at in (Rung.SECTION, Rung.DOCUMENT)
    return Card(
        chunk.index,
        chunk.trail,
        str(chunk.starts_at) if whole else f"cut: {chunk.starts_at}",
        chunk.characters,
        tokens,
        limit,
        text,
        body_start,
        unread_tokens,
        tuple(ranges),
        is_approximate,
    )
