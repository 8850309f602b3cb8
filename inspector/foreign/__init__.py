"""Chunks that other programs made: reading their files, and finding where a reworded text stands."""

from inspector.foreign.reading import foreign_chunks, read_chunk_file, unclaimed

__all__ = ["foreign_chunks", "read_chunk_file", "unclaimed"]
