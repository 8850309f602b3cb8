"""Rules that need token counts, which are handed in as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.core.chunk import Chunking
from inspector.core.problems.problem import Problem, Severity
from inspector.core.span import Span

SHOWN = 14
"""Characters of the unread text that a message quotes."""


class Tokens(NamedTuple):
    """How a model reads one chunk; see `inspector.embedding.measure.Reading`."""

    tokens: int
    limit: int
    unread_tokens: int
    unread_from: int | None
    stops_in_context: bool
    unknown_tokens: int
    unknown_characters: int


def token_problems(chunking: Chunking, tokens: Sequence[Tokens], model: str) -> tuple[Problem, ...]:
    """Find chunks that a model reads only in part, or cannot read; one `Tokens` a chunk, in order."""
    found: list[Problem] = []
    document = chunking.document
    for chunk, count in zip(chunking.chunks, tokens, strict=True):
        number = chunk.index + 1
        if count.unread_tokens:
            at = count.unread_from if count.unread_from is not None else chunk.span.end - 1
            line = document.lines.line_of(at)
            words = " ".join(document.source[at : at + 200].split())[:SHOWN].rstrip()
            where = f"from “{words}…”" if not count.stops_in_context else "after text that is added to it"
            found.append(Problem(
                "truncated", Severity.WARNING,
                f"Chunk #{number} is {count.tokens:,} tokens; {model} reads {count.limit:,}. "
                f"{count.unread_tokens:,} unread {where}",
                Span(at, chunk.span.end), line, f"Add a heading near line {line}, or lower the cap.",
            ))  # fmt: skip
        if count.unknown_tokens:
            plural = "s" if count.unknown_tokens > 1 else ""
            verb = "cover" if plural else "covers"
            found.append(Problem(
                "unknown-tokens", Severity.WARNING,
                f"Chunk #{number}: {count.unknown_tokens:,} unknown token{plural} {verb} "
                f"{count.unknown_characters:,} characters that {model} cannot read.",
                chunk.span, document.lines.line_of(chunk.span.start),
                "Long words without blanks and rare scripts carry no meaning for this model.",
            ))  # fmt: skip
    return tuple(found)
