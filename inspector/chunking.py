"""Chunking by the strategy that settings name, with the tokenizer and whatever else it is to be handed."""

from __future__ import annotations

from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.strategies.choices import Imported
from inspector.core.strategies.registry import Distances, Tools, chunk_with
from inspector.embedding.tokens import TokenCounter
from inspector.foreign import foreign_chunks
from inspector.foreign.likeness import locate
from inspector.plugins.sandbox import split_apart
from inspector.settings import Settings


def chunk_by(document: Document, settings: Settings, counter: TokenCounter, distances: Distances | None) -> Chunking:
    """Chunk a document by the chosen strategy; `distances` are asked for by `semantic` alone.

    Raises InspectorError or Missing (a ValueError) where a strategy lacks what it needs.
    """
    own = settings.own
    if own is None:
        return chunk_with(document, settings.options, None, Tools())
    foreign = foreign_chunks(own.chunks) if isinstance(own, Imported) else None
    tools = Tools(counter.starts, distances, foreign, locate, split_apart)
    return chunk_with(document, settings.options, own, tools)
