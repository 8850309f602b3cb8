"""What a target model reads of each chunk: its embedding input, tokens, and where in the source reading stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.core.chunk import Chunk, Chunking
from inspector.embedding.context import Context, EmbeddingInput, embedding_input
from inspector.embedding.tokens import TokenCount, TokenCounter


@dataclass(frozen=True, slots=True)
class Reading:
    """How a model reads one chunk.

    `unread_from` is the source offset of the first verbatim character that is not read, None when all is
    read; `stops_in_context` that title and heading alone fill the model's limit or that the stop falls in
    text that the source has not. `context_tokens` counts what stands before the chunk's own text.
    """

    input: EmbeddingInput
    count: TokenCount
    unread_from: int | None
    stops_in_context: bool
    context_tokens: int = 0

    @property
    def text(self) -> str:
        """The embedding input."""
        return self.input.text


def read_chunks(
    chunking: Chunking,
    counter: TokenCounter,
    context: Context,
    known: Mapping[str, TokenCount] | None = None,
    most: int | None = None,
    before: Sequence[tuple[Chunk, Reading]] = (),
) -> tuple[Reading, ...]:
    """Count every chunk of a document as `counter`'s model reads it, in order.

    `known` holds counts by embedding input; where more than `most` are not among them, nothing is counted and the
    result is empty. `before` has readings of the same document by the same model and in the same context: a chunk with
    the very same pieces is read as it was.
    """
    title, prefix = chunking.document.title, counter.model.passage_prefix
    kept = {id(chunk.pieces): reading for chunk, reading in before}
    readings = [kept.get(id(chunk.pieces)) for chunk in chunking.chunks]
    new = [
        (index, chunk, embedding_input(chunk.text, title, chunk.trail, context, prefix=prefix))
        for index, (chunk, reading) in enumerate(zip(chunking.chunks, readings, strict=True))
        if reading is None
    ]
    found = known or {}
    fresh = [entry.text for _, _, entry in new if entry.text not in found]
    if most is not None and len(fresh) > most:
        return ()
    counted = dict(zip(fresh, counter.count(fresh), strict=True))
    contexts = counter.count([entry.text[: entry.prefix_length] for _, _, entry in new])
    for (index, chunk, entry), before_it in zip(new, contexts, strict=True):
        count = counted.get(entry.text) or found[entry.text]
        unread_from, stops_in_context = _stop(chunk, entry, count, chunking.document.source)
        context_tokens = before_it.tokens - counter.special_count
        readings[index] = Reading(entry, count, unread_from, stops_in_context, context_tokens)
    return tuple(reading for reading in readings if reading is not None)


def _stop(chunk: Chunk, entry: EmbeddingInput, count: TokenCount, source: str) -> tuple[int | None, bool]:
    """Return where in the source reading stops, and whether it does so in text that the source has not."""
    if count.unread_from is None:
        return None, False
    position = count.unread_from - entry.prefix_length
    if position < 0:
        return chunk.span.start, True
    offset = chunk.source_offset(position, source)
    if offset is not None:
        return offset, False
    return _next_verbatim(chunk, position), True


def _next_verbatim(chunk: Chunk, position: int) -> int | None:
    """Return the source offset of the first verbatim text at or after a position in synthetic text."""
    at = 0
    for piece in chunk.pieces:
        if piece.span is not None and at >= position:
            return piece.span.start
        at += len(piece.text)
    return None


def total_unread(readings: Sequence[Reading]) -> tuple[int, int]:
    """Return how many chunks are truncated, and how many tokens are unread in all."""
    unread = [reading.count.unread_tokens for reading in readings if reading.count.unread_tokens]
    return len(unread), sum(unread)
