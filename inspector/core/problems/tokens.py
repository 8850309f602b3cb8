"""Rules that need token counts, which are handed in as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from inspector.core.chunk import Chunk, Chunking
from inspector.core.problems.problem import Problem, Severity, marked
from inspector.core.problems.rules import DEFAULT_RULES
from inspector.core.span import Span

SHOWN = 14
"""Characters of the unread text that a message quotes."""

FEWEST_UNKNOWN = 10
"""Unknown characters from which a chunk is told of: fewer are an emoji or an arrow, which nobody asks for."""


class Tokens(NamedTuple):
    """How a model reads one chunk; see `inspector.embedding.measure.Reading`."""

    tokens: int
    limit: int
    unread_tokens: int
    unread_from: int | None
    stops_in_context: bool
    unknown_tokens: int
    unknown_characters: int


def token_problems(
    chunking: Chunking, tokens: Sequence[Tokens], model: str, codes: frozenset[str] = DEFAULT_RULES
) -> tuple[Problem, ...]:
    """Find chunks that a model reads only in part, or cannot read; one `Tokens` a chunk, in order."""
    found: list[Problem] = []
    document = chunking.document
    for chunk, count in zip(chunking.chunks, tokens, strict=True):
        number = chunk.index + 1
        if count.unread_tokens and "truncated" in codes:
            found.append(_truncated(chunking, chunk, count, model))
        if count.unknown_characters >= FEWEST_UNKNOWN and "unknown-tokens" in codes:
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


def _truncated(chunking: Chunking, chunk: Chunk, count: Tokens, model: str) -> Problem:
    document = chunking.document
    at = count.unread_from if count.unread_from is not None else chunk.span.end - 1
    line = document.lines.line_of(at)
    words = " ".join(document.source[at : at + 200].split())[:SHOWN].rstrip()
    where = f"from “{words}…”" if not count.stops_in_context else "after text that is added to it"
    levels = chunking.options.split_levels
    level = min(levels) if chunking.sections[chunk.section].heading is None else max(levels)
    fix = f"Add a {marked(level)} near line {line}"
    cap = _characters_before(chunk, at, document.source) // 10 * 10
    if count.stops_in_context:
        fix = "Shorten title and headings, or set the context to none."
    elif chunking.own is None and chunking.options.least_cap <= cap < chunking.options.cap:
        fix += f", or set the cap to {cap:,}."
    else:
        fix += ", or choose a model that reads more."
    return Problem(
        "truncated", Severity.WARNING,
        f"Chunk #{chunk.index + 1} is {count.tokens:,} tokens; {model} reads {count.limit:,}. "
        f"{count.unread_tokens:,} unread {where}.",
        Span(at, chunk.span.end), line, fix,
    )  # fmt: skip


def _characters_before(chunk: Chunk, offset: int, source: str) -> int:
    """Count the code points of a chunk's text that stand before a source offset in it."""
    whole = list(takewhile(lambda piece: piece.span is None or piece.span.end <= offset, chunk.pieces))
    span = chunk.pieces[len(whole)].span
    assert span is not None
    return sum(len(piece.text) for piece in whole) + len(source[span.start : offset].replace("\r\n", "\n"))
