"""What is selected, what was selected before, and how a place is found again after its chunks have changed."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.chunk import Chunk, Chunking

MOST_PLACES = 200


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected: a place in a document's source; the chunk is looked up."""

    document: str = ""
    offset: int = -1


@dataclass(frozen=True, slots=True)
class Anchor:
    """The chunk that was selected, by its words: to find it again after the file has changed."""

    trail: tuple[str, ...]
    text: str

    @classmethod
    def of(cls, chunk: Chunk) -> Anchor:
        """Remember a chunk."""
        return cls(chunk.trail, chunk.text)

    def find(self, chunking: Chunking, here: int) -> int:
        """Return the offset at which the chunk is now: the same text, else the same trail, else the same place."""
        if not chunking.chunks:
            return here
        same = [chunk for chunk in chunking.chunks if chunk.text == self.text] or [
            chunk for chunk in chunking.chunks if chunk.trail == self.trail
        ]
        if same and not any(chunk.span.start <= here < chunk.span.end for chunk in same):
            return min(same, key=lambda chunk: abs(chunk.span.start - here)).span.start
        return chunking.chunks[-1].span.start if here >= chunking.document.characters else here


class Places:
    """The places that were selected one after the other, to go back and forward through."""

    def __init__(self) -> None:
        """Begin nowhere."""
        self._places: list[Selection] = []
        self._at = -1

    def clear(self) -> None:
        """Forget all places."""
        self._places, self._at = [], -1

    def visit(self, place: Selection) -> None:
        """Note a place; those that were ahead are forgotten."""
        if self._at >= 0 and self._places[self._at] == place:
            return
        self._places = [*self._places[: self._at + 1], place][-MOST_PLACES:]
        self._at = len(self._places) - 1

    def step(self, by: int) -> Selection | None:
        """Go back (-1) or forward (1); None where there is nothing."""
        if not 0 <= self._at + by < len(self._places):
            return None
        self._at += by
        return self._places[self._at]


def chunk_near(chunking: Chunking, offset: int) -> int | None:
    """Return the chunk at a source offset: the one that holds it, else the one around it, else its section's."""
    held = chunking.chunk_at(offset)
    if held is not None:
        return held
    for chunk in chunking.chunks:
        if chunk.span.start <= offset < chunk.span.end:
            return chunk.index
    for section in chunking.sections:
        if section.span.start <= offset < section.span.end:
            following = [c.index for c in chunking.chunks if section.span.start <= c.span.start < section.span.end]
            if following:
                later = [i for i in following if chunking.chunks[i].span.start >= offset]
                return later[0] if later else following[-1]
            return section.chunk
    return None
