"""Chunk Inspector: see how markdown will be chunked, what a model reads of it, and what it will answer."""

__version__ = "0.1.0"
