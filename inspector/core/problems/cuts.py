"""Rules about where a chunk begins and how it reads by itself: cuts within a sentence, a table or code, runts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import takewhile

from inspector.core.blocks import Block, Kind, walk
from inspector.core.chunk import Chunk, Chunking, Rung
from inspector.core.document import Document
from inspector.core.fold import SEPARATOR
from inspector.core.language import sentence_language
from inspector.core.outline import read_outline
from inspector.core.problems.problem import Problem, Severity, quoted
from inspector.core.span import Span

LEAVES = "leaves"
"""Where a document keeps its leaf blocks and where each starts."""

SENSIBLE_CAP = 2_000
"""No cap above this is advised: few models read more characters at once."""

NEAR = 40
"""Characters before a cut that are searched for the end of a sentence."""

_MARKS = re.compile(r"[ \t>]*")
_LEAF_KINDS = frozenset({Kind.PARAGRAPH, Kind.FENCE, Kind.CODE, Kind.TABLE})
_WITHIN = frozenset({Rung.SENTENCE, Rung.LINE, Rung.WORD, Rung.CHARACTER})
_SENTENCE_END = re.compile(r"[.!?:;…。！？：；؟۔][\s\"'”’»)\]*_`~]*\Z")
_PRONOUN = re.compile(
    r"[*_\"“(]*(?:(?:They|These|Those|He|She)\b|This (?:is|was|means|makes|allows|lets|gives|can|will|works|happens|"
    r"does|has|would|should|may|might|also)\b|It (?:(?:can|will|had|has|did|does|also|would)\b(?! be\b| been\b)|"
    r"(?:allows|lets|provides|uses|contains|returns|makes|works|gives|keeps|creates|supports)\b))"
)
"""A pronoun whose noun stands before it. “It is”, “it turns out”, “it can be” mostly refer to what follows."""


def _leaf_at(document: Document, position: int) -> Block | None:
    """Return the paragraph, table or code block that holds a position."""
    kept = document.warm.get(LEAVES)
    if kept is None:
        leaves = [block for block in walk(document.tree.blocks) if block.kind in _LEAF_KINDS]
        kept = document.warm[LEAVES] = ([block.start for block in leaves], leaves)
    starts, blocks = kept
    at = bisect_right(starts, position) - 1
    block: Block | None = blocks[at] if at >= 0 and position < blocks[at].end else None
    return block


def _cuts(chunking: Chunking, *kinds: Kind) -> Iterator[tuple[Chunk, Block, int]]:
    """Yield (chunk, block, position) for each chunk that begins inside a block of these kinds."""
    document = chunking.document
    for chunk in chunking.chunks:
        if chunk.starts_at not in _WITHIN:
            continue
        position = document.line_map.position(chunk.spans[0].start)
        block = _leaf_at(document, position)
        if block is None or block.kind not in kinds:
            continue
        if _MARKS.match(document.line_map.text, block.start).end() < position:  # type: ignore[union-attr]
            yield chunk, block, position


def _place(chunking: Chunking, chunk: Chunk) -> tuple[Span, int, str]:
    """Return the rest of the line on which a chunk's own text starts, its number, and its words as cleaned."""
    document = chunking.document
    start = chunk.spans[0].start
    line = document.lines.line_of(start)
    end = max(start + 1, document.lines.span_of(line).end)
    opening = sum(len(piece.text) for piece in takewhile(lambda piece: piece.span is None, chunk.pieces))
    words = chunk.text[opening:].partition("\n")[0].strip("| \t").replace("**", "").replace("`", "")
    return Span(start, end), line, quoted(words)


def cut_mid_sentence(chunking: Chunking) -> Iterator[Problem]:
    """A chunk that begins within a sentence."""
    text = chunking.document.line_map.text
    for chunk, block, position in _cuts(chunking, Kind.PARAGRAPH):
        if _SENTENCE_END.search(text, max(block.start, position - NEAR), position):
            continue
        line_end = text.find("\n", position)
        if chunk.starts_at is Rung.LINE and (
            not text[position].islower() or " | " in text[position : line_end if line_end >= 0 else block.end]
        ):
            continue  # lines of a list without marks, as of references or verse
        span, line, words = _place(chunking, chunk)
        yield Problem(
            "cut-mid-sentence", Severity.WARNING,
            f"Chunk #{chunk.index + 1} begins within a sentence, at {words}.",
            span, line, "Shorten the sentence, or end the paragraph before it.",
        )  # fmt: skip


def cut_in_table(chunking: Chunking) -> Iterator[Problem]:
    """A chunk that begins within a table."""
    for chunk, block, _position in _cuts(chunking, Kind.TABLE):
        span, line, words = _place(chunking, chunk)
        yield Problem(
            "cut-in-table", Severity.WARNING,
            f"Chunk #{chunk.index + 1} begins within a table, at the row {words}.",
            span, line, _advice(chunking, chunk, block, "table"),
        )  # fmt: skip


def cut_in_code(chunking: Chunking) -> Iterator[Problem]:
    """A chunk that begins within a code block."""
    for chunk, block, _position in _cuts(chunking, Kind.FENCE, Kind.CODE):
        span, line, words = _place(chunking, chunk)
        yield Problem(
            "cut-in-code", Severity.NOTE,
            f"Chunk #{chunk.index + 1} begins within a code block, at {words}.",
            span, line, _advice(chunking, chunk, block, "code"),
        )  # fmt: skip


def _advice(chunking: Chunking, chunk: Chunk, block: Block, what: str) -> str:
    """Say which cap would hold a block and its section's heading whole, where one is sensible."""
    section = read_outline(chunking.document, chunking.options).sections[chunk.section]
    needed = section.place(block.end) - section.place(block.start)
    if section.heading_line:
        needed += len(section.heading_line) + len(SEPARATOR)
    cap = -(-needed // 10) * 10
    if cap <= SENSIBLE_CAP:
        return f"Split the {what} in two, or set the cap to {cap:,}."
    return f"Split the {what}, with a heading for each part."


def runt(chunking: Chunking) -> Iterator[Problem]:
    """A chunk shorter than the fold that stands alone, as nothing stood before it to fold it into."""
    if len(chunking.chunks) < 2:
        return
    for chunk in chunking.chunks:
        if chunk.characters < chunking.options.fold // 2:
            span, line, words = _place(chunking, chunk)
            yield Problem(
                "runt", Severity.NOTE,
                f"Chunk #{chunk.index + 1} ({words}) has only {chunk.characters:,} characters, "
                f"under fold {chunking.options.fold:,}, and stands alone.",
                span, line, "Write more there, or join it with its neighbour.",
            )  # fmt: skip


def opens_with_pronoun(chunking: Chunking) -> Iterator[Problem]:
    """A chunk whose first word refers to something that stands in the chunk before."""
    document = chunking.document
    if sentence_language(document.metadata.get("lang"), chunking.options.lang) != "en":
        return
    for chunk in chunking.chunks:
        if chunk.starts_at not in (Rung.PARAGRAPH, Rung.SENTENCE):
            continue
        if _PRONOUN.match(document.source, chunk.spans[0].start):
            span, line, words = _place(chunking, chunk)
            yield Problem(
                "opens-with-pronoun", Severity.NOTE,
                f"Chunk #{chunk.index + 1} opens with {words}: what that refers to is in #{chunk.index}.",
                span, line, "Name the thing again.",
            )  # fmt: skip
