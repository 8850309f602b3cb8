"""What a chunking is: pieces, chunks, sections, and the account of every source character."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.core.span import Span

if TYPE_CHECKING:
    from inspector.core.document import Document, Heading
    from inspector.core.options import Options
    from inspector.core.problems.problem import Problem
    from inspector.core.strategies.choices import Choices


class Rung(StrEnum):
    """What made a chunk start where it does, coarsest first; each is uglier than the one before."""

    DOCUMENT = "document"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"
    LINE = "line"
    WORD = "word"
    CHARACTER = "character"


OVERLAP = "overlap"
"""Why a verbatim piece stands at a chunk's start that the chunk before holds too."""


class Piece(NamedTuple):
    """A run of chunk text: verbatim when it has a span of the source, else synthetic, with the reason.

    A verbatim piece has a reason only where it is shared with an earlier chunk: OVERLAP.
    """

    text: str
    span: Span | None
    why: str = ""


class Removed(NamedTuple):
    """A span of the source that is in no chunk, and why."""

    span: Span
    reason: str


class Fate(StrEnum):
    """What became of a section."""

    KEPT = "kept"
    FOLDED = "folded"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class SectionResult:
    """A section as it came out of cleaning, and what became of it.

    `characters` is the length of its cleaned text in code points; `chunk` the index of the chunk in
    which it begins, None when it was dropped.
    """

    index: int
    heading: Heading | None
    trail: tuple[str, ...]
    span: Span
    characters: int
    fate: Fate
    chunk: int | None


@dataclass(frozen=True, slots=True)
class Fold:
    """A folded section that begins in a chunk after its start."""

    section: int
    trail: tuple[str, ...]
    span: Span
    characters: int


@dataclass(frozen=True)
class Chunk:
    """An ordered run of pieces, its trail, the folds in it, and why it starts where it does.

    `section` is the index of the section it starts in; `characters` counts code points of `text`.
    """

    index: int
    section: int
    trail: tuple[str, ...]
    starts_at: Rung
    folded: tuple[Fold, ...]
    pieces: tuple[Piece, ...]
    characters: int

    @cached_property
    def text(self) -> str:
        """The chunk's text, without any context."""
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The runs of verbatim text in the source; a synthetic piece or a removal ends a run."""
        runs: list[Span] = []
        open_run = False
        for piece in self.pieces:
            if piece.span is None:
                open_run = False
            elif open_run and runs[-1].end == piece.span.start:
                runs[-1] = Span(runs[-1].start, piece.span.end)
            else:
                runs.append(piece.span)
                open_run = True
        return tuple(runs)

    @cached_property
    def own(self) -> tuple[Span, ...]:
        """Where in the source the text stands that no earlier chunk holds."""
        return tuple(piece.span for piece in self.pieces if piece.span is not None and piece.why != OVERLAP)

    @cached_property
    def shared(self) -> tuple[Span, ...]:
        """Where in the source the text stands that an earlier chunk holds too."""
        return tuple(piece.span for piece in self.pieces if piece.span is not None and piece.why == OVERLAP)

    @property
    def span(self) -> Span:
        """From the first to the last verbatim character in the source."""
        spans = self.spans
        return Span(spans[0].start, spans[-1].end)

    def source_offset(self, position: int, source: str) -> int | None:
        """Return where in `source` a position in `text` stands, None when it lies in synthetic text.

        A position at the end of the text gives the end of the last verbatim piece.
        """
        at = 0
        for piece in self.pieces:
            if position < at + len(piece.text):
                if piece.span is None:
                    return None
                offset = piece.span.start
                for _ in range(position - at):
                    offset += 2 if source.startswith("\r\n", offset) else 1
                return offset
            at += len(piece.text)
        return self.spans[-1].end if self.spans else None


@dataclass(frozen=True)
class Chunking:
    """The result for one document: its sections, chunks, removals and problems.

    `kept` counts source characters in chunks; `kept` plus the lengths of `removed` is the length of
    the source. `removed` is in source order and disjoint. `own` holds the options of another strategy
    than `headings`; `evidence` what that strategy shows for its cuts.
    """

    document: Document
    options: Options
    sections: tuple[SectionResult, ...]
    chunks: tuple[Chunk, ...]
    own: Choices | None = None
    evidence: object = None

    @property
    def strategy(self) -> str:
        """The name of the strategy that made it."""
        return self.own.strategy if self.own is not None else "headings"

    @property
    def is_cleaned(self) -> bool:
        """Whether the chunks were made of the cleaned text."""
        return self.own is None or self.own.is_cleaned

    @classmethod
    def planned(
        cls, document: Document, options: Options, build: Callable[[], tuple[Sequence[SectionResult], Sequence[Chunk]]]
    ) -> Chunking:
        """Return a chunking whose sections and chunks are put together when first asked for."""
        planned: Chunking = object.__new__(cls)
        planned.__dict__.update(document=document, options=options, _build=build)
        return planned

    def __getattr__(self, name: str) -> Any:
        """Put sections and chunks together; called only while they are missing."""
        build = self.__dict__.get("_build")
        if build is None or name not in ("sections", "chunks"):
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        sections, chunks = build()
        self.__dict__.update(sections=tuple(sections), chunks=tuple(chunks))
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what is put together, not how."""
        state = {"sections": self.sections, "chunks": self.chunks, **self.__dict__}
        state.pop("_build", None)
        return state

    @cached_property
    def removed(self) -> tuple[Removed, ...]:
        """What is in no chunk, and why."""
        from inspector.core.ledger import read_ledger

        return read_ledger(self)

    @cached_property
    def kept(self) -> int:
        """Source characters in chunks."""
        return self.document.characters - sum(removed.span.length for removed in self.removed)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What the author should know, in source order; token problems are found elsewhere."""
        from inspector.core.problems import find_problems

        return find_problems(self)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """An id for each chunk that stays while its path, text and place among equal texts do."""
        seen: dict[str, int] = {}
        ids = []
        for chunk in self.chunks:
            nth = seen[chunk.text] = seen.get(chunk.text, -1) + 1
            key = f"{self.document.name}\0{nth}\0{chunk.text}"
            ids.append(hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16])
        return tuple(ids)

    def chunk_at(self, offset: int) -> int | None:
        """Return the index of the chunk that holds a source offset, else None."""
        for chunk in self.chunks:
            for span in chunk.spans:
                if span.start <= offset < span.end:
                    return chunk.index
        return None
