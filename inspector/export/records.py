"""The command line's JSON: one record a chunk, one a document. Stable keys; more may come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from inspector import __version__
from inspector.core.chunk import Chunk, Chunking, Piece
from inspector.core.problems import Problem, find_problems
from inspector.core.problems.rules import DEFAULT_RULES
from inspector.core.problems.tokens import Tokens, token_problems
from inspector.core.strategies.placing import ImportReport
from inspector.core.strategies.registry import Curve
from inspector.embedding.measure import Reading
from inspector.embedding.models import Model
from inspector.settings import Settings


def meta_record(settings: Settings, model: Model) -> dict[str, Any]:
    """The line that says which version and settings made the records after it."""
    return {
        "chunk_inspector": __version__,
        "settings": {
            "strategy": settings.strategy,
            **{name: _plain(value) for name, value in asdict(settings.options).items() if name != "dialects"},
            **({settings.strategy: asdict(settings.own)} if settings.own is not None else {}),
            "dialect": settings.dialect,
            "context": settings.context,
            "model": model.name,
            "token_limit": model.token_limit,
            "problems": {"enable": list(settings.rules.enable), "disable": list(settings.rules.disable)},
        },
    }


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


def chunk_record(chunking: Chunking, chunk: Chunk, reading: Reading, model: Model, context: str) -> dict[str, Any]:
    """One chunk as `chunk --format jsonl` prints it."""
    document = chunking.document
    count = reading.count
    return {
        "document": document.name,
        "index": chunk.index,
        "title": document.title,
        "trail": list(chunk.trail),
        "text": chunk.text,
        "characters": chunk.characters,
        "spans": [list(span) for span in chunk.spans],
        "lines": list(document.lines.lines_of(chunk.span)),
        "starts_at": chunk.starts_at.value,
        "folded": [list(fold.trail) for fold in chunk.folded],
        "tokens": count.tokens,
        "token_limit": count.limit,
        "unread_tokens": count.unread_tokens,
        "unread_from": reading.unread_from,
        "unknown_tokens": count.unknown_tokens,
        "model": model.name,
        "context": context,
        "embedding_input": reading.text,
        "pieces": [_piece(piece) for piece in chunk.pieces],
        "metadata": dict(document.metadata),
        "file_sha256": document.sha256,
        "id": chunking.ids[chunk.index],
    }


def _piece(piece: Piece) -> dict[str, Any]:
    if piece.span is None:
        return {"text": piece.text, "why": piece.why}
    return {"span": list(piece.span), "why": piece.why} if piece.why else {"span": list(piece.span)}


def chunk_records(chunking: Chunking, readings: Sequence[Reading], model: Model, context: str) -> list[dict[str, Any]]:
    """All chunks of a document, in order."""
    return [
        chunk_record(chunking, chunk, reading, model, context)
        for chunk, reading in zip(chunking.chunks, readings, strict=True)
    ]


def plain_tokens(readings: Sequence[Reading]) -> list[Tokens]:
    """Readings as the plain values that the token rules take."""
    return [
        Tokens(
            reading.count.tokens,
            reading.count.limit,
            reading.count.unread_tokens,
            reading.unread_from,
            reading.stops_in_context,
            reading.count.unknown_tokens,
            reading.count.unknown_characters,
        )
        for reading in readings
    ]


def all_problems(
    chunking: Chunking, readings: Sequence[Reading], model: Model, codes: frozenset[str] = DEFAULT_RULES
) -> tuple[Problem, ...]:
    """A document's problems by the rules of these codes, those that need tokens included, in source order."""
    name = model.name.rsplit("/")[-1]
    found = [*find_problems(chunking, codes), *token_problems(chunking, plain_tokens(readings), name, codes)]
    return tuple(sorted(found, key=lambda problem: (problem.span.start, problem.code)))


def evidence_record(chunking: Chunking) -> dict[str, Any]:
    """What a strategy shows for its cuts: the distances of `semantic`, what became of another program's chunks."""
    evidence = chunking.evidence
    if isinstance(evidence, Curve):
        gaps = zip(evidence.offsets, evidence.distances, strict=True)
        return {
            "distances": [[offset, round(distance, 6)] for offset, distance in gaps],
            "threshold": round(evidence.threshold, 6),
        }
    if isinstance(evidence, ImportReport):
        return {
            "placed": [asdict(entry) for entry in evidence.placed],
            "unplaced": [asdict(entry) for entry in evidence.unplaced],
        }
    return {}


def document_record(
    chunking: Chunking, readings: Sequence[Reading], model: Model, settings: Settings
) -> dict[str, Any]:
    """One document as `inspect --format jsonl` prints it."""
    document = chunking.document
    titled = document.title_block
    splits = {section.heading.span for section in chunking.sections if section.heading is not None}
    return {
        "document": document.name,
        "title": document.title,
        "encoding": document.encoding,
        "dialects": sorted(document.dialects),
        "line_endings": dict(document.lines.counts),
        "characters": document.characters,
        "headings": [
            {
                "level": heading.level,
                "text": heading.text,
                "line": heading.line,
                "span": list(heading.span),
                "splits": heading.span in splits and block is not titled,
            }
            for heading, block in zip(document.headings, document.outline, strict=True)
        ],
        "removed": [
            {
                "span": list(removed.span),
                "lines": list(document.lines.lines_of(removed.span)),
                "reason": removed.reason,
            }
            for removed in chunking.removed
        ],
        "kept": chunking.kept,
        "chunks": chunk_records(chunking, readings, model, settings.context),
        **({"strategy": chunking.strategy, **evidence_record(chunking)} if chunking.own is not None else {}),
        "problems": [
            {
                "code": problem.code,
                "severity": problem.severity.value,
                "message": problem.message,
                "span": list(problem.span),
                "line": problem.line,
                "fix": problem.fix,
            }
            for problem in all_problems(chunking, readings, model, settings.rules.codes)
        ],
    }
