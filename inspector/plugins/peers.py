"""Adapters for chunkers that many sites use: their options, and the call that splits; nothing is imported yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from inspector.core.strategies.choices import LARGEST, External, check_overlap, described


def _number(default: int, label: str, help_text: str, minimum: int = 1) -> Any:
    return field(default=default, metadata=described(label, help_text, minimum=minimum, maximum=LARGEST))


def _choice(default: str, label: str, help_text: str, *choices: str) -> Any:
    return field(default=default, metadata=described(label, help_text, choices=choices))


def _cleaned() -> Any:
    return field(default=True, metadata=described("Clean first", "Hand it the cleaned text, not the post as it is."))


@dataclass(frozen=True, slots=True)
class LangChain(External):
    """RecursiveCharacterTextSplitter or MarkdownTextSplitter, in characters."""

    strategy: ClassVar[str] = "langchain"

    size: int = _number(1000, "Size", "chunk_size, in characters.")
    overlap: int = _number(200, "Overlap", "chunk_overlap, in characters.", 0)
    splitter: str = _choice("recursive", "Splitter", "Which of its splitters.", "recursive", "markdown")
    cleaned: bool = _cleaned()

    def check(self) -> None:
        """Refuse an overlap that is not below the size."""
        check_overlap(self.size, self.overlap)


@dataclass(frozen=True, slots=True)
class SemanticTextSplitter(External):
    """MarkdownSplitter or TextSplitter, in characters."""

    strategy: ClassVar[str] = "semantic-text-splitter"

    size: int = _number(1000, "Size", "Its capacity, in characters.")
    overlap: int = _number(0, "Overlap", "Its overlap, in characters.", 0)
    splitter: str = _choice("markdown", "Splitter", "Which of its splitters.", "markdown", "text")
    cleaned: bool = _cleaned()

    def check(self) -> None:
        """Refuse an overlap that is not below the size."""
        check_overlap(self.size, self.overlap)


@dataclass(frozen=True, slots=True)
class Chonkie(External):
    """RecursiveChunker, SentenceChunker or TokenChunker, in characters."""

    strategy: ClassVar[str] = "chonkie"

    size: int = _number(2048, "Size", "chunk_size, in characters.")
    overlap: int = _number(0, "Overlap", "chunk_overlap, in characters; its recursive chunker has none.", 0)
    splitter: str = _choice("recursive", "Splitter", "Which of its chunkers.", "recursive", "sentence", "token")
    cleaned: bool = _cleaned()

    def check(self) -> None:
        """Refuse an overlap that is not below the size."""
        check_overlap(self.size, self.overlap)


def split_langchain(text: str, own: LangChain) -> list[str]:
    """Split a text as LangChain does."""
    import langchain_text_splitters as peer

    kinds = {"recursive": peer.RecursiveCharacterTextSplitter, "markdown": peer.MarkdownTextSplitter}
    return list(kinds[own.splitter](chunk_size=own.size, chunk_overlap=own.overlap).split_text(text))


def split_semantic_text_splitter(text: str, own: SemanticTextSplitter) -> list[str]:
    """Split a text as semantic-text-splitter does."""
    import semantic_text_splitter as peer

    kinds: dict[str, Any] = {"markdown": peer.MarkdownSplitter, "text": peer.TextSplitter}
    return list(kinds[own.splitter](own.size, overlap=own.overlap).chunks(text))


def split_chonkie(text: str, own: Chonkie) -> list[str]:
    """Split a text as chonkie does."""
    import chonkie as peer

    if own.splitter == "recursive":
        chunker: Any = peer.RecursiveChunker(tokenizer="character", chunk_size=own.size)
    else:
        kinds: dict[str, Any] = {"sentence": peer.SentenceChunker, "token": peer.TokenChunker}
        chunker = kinds[own.splitter](tokenizer="character", chunk_size=own.size, chunk_overlap=own.overlap)
    return [chunk.text for chunk in chunker.chunk(text)]


@dataclass(frozen=True)
class Peer:
    """A program with an adapter: its distribution on PyPI, its options, and what splits."""

    name: str
    distribution: str
    help: str
    options: type[External]
    split: Callable[[str, Any], Sequence[str]]


PEERS = (
    Peer("langchain", "langchain-text-splitters", "LangChain's text splitters.", LangChain, split_langchain),
    Peer(
        "semantic-text-splitter",
        "semantic-text-splitter",
        "text-splitter, in Rust.",
        SemanticTextSplitter,
        split_semantic_text_splitter,
    ),
    Peer("chonkie", "chonkie", "chonkie's chunkers.", Chonkie, split_chonkie),
)
