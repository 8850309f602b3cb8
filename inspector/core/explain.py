"""Explain: the rules that made a chunk, in order, with the numbers that decided."""

from __future__ import annotations

from dataclasses import fields

from inspector.core.chunk import Chunk, Chunking, Fate, SectionResult
from inspector.core.strategies.choices import Choices


def explain_chunk(chunking: Chunking, index: int) -> tuple[str, ...]:
    """Return the steps that made a chunk; lengths are code points of cleaned text. Raises IndexError."""
    chunk, options = chunking.chunks[index], chunking.options
    if chunking.own is not None:
        return _explain_other(chunking, chunk, chunking.own)
    host = _host(chunking, chunk.section)
    group = [piece for piece in chunking.chunks if _host(chunking, piece.section) == host]
    sections = [chunking.sections[host], *_folded_after(chunking, host)]
    own = chunking.sections[host].characters
    length = chunk.characters if len(group) == 1 else sum(section.characters for section in sections)
    name = "section"
    if chunking.sections[host].heading is None:
        name = "before the first heading" if len(chunking.sections) > 1 else "no headings"
    sign = "≤" if len(group) == 1 else ">"
    if len(sections) == 1:
        steps = [f"{name} {own:,} {sign} cap {options.cap:,}"]
    else:
        steps = [f"{name} {own:,}"]
        steps += [_fold_words(section.trail, section.characters, options.fold) for section in sections[1:]]
        steps.append(f"{length:,} {sign} cap {options.cap:,}")
    if len(group) == 1:
        return tuple(steps)
    if chunk is not group[0]:
        steps.append(f"cut: {chunk.starts_at}")
    steps.append(f"piece {group.index(chunk) + 1} of {len(group)}")
    for words, count in _added(chunk):
        steps.append(f"{words} +{count:,}")
    return tuple(steps)


def _explain_other(chunking: Chunking, chunk: Chunk, own: Choices) -> tuple[str, ...]:
    """Say of another strategy's chunk where it starts, its options and what it shares with the one before."""
    steps = [f"{own.strategy}: starts at {chunk.starts_at}", f"{chunk.characters:,} characters"]
    steps += [
        f"{option.metadata['label'].lower()} {getattr(own, option.name):,}"
        for option in fields(own)
        if isinstance(option.default, int) and not isinstance(option.default, bool)
    ]
    shared = sum(span.length for span in chunk.shared)
    if shared:
        steps.append(f"shares {shared:,} with #{chunk.index}")
    steps += [f"{words} +{count:,}" for words, count in _added(chunk)]
    return tuple(steps)


def _host(chunking: Chunking, section: int) -> int:
    """Return the section that a folded one was joined to, else the section itself."""
    while section > 0 and chunking.sections[section].fate is Fate.FOLDED:
        section -= 1
    return section


def _folded_after(chunking: Chunking, host: int) -> list[SectionResult]:
    found = []
    for section in chunking.sections[host + 1 :]:
        if section.fate is Fate.KEPT:
            break
        if section.fate is Fate.FOLDED:
            found.append(section)
    return found


def _fold_words(trail: tuple[str, ...], characters: int, fold: int) -> str:
    sign = "<" if characters < fold else "≥"
    return f"“{trail[-1] if trail else '…'}” {characters:,} {sign} fold {fold:,}: joined"


def _added(chunk: Chunk) -> list[tuple[str, int]]:
    """Return what text was added that stands elsewhere in the source, and how much of it."""
    found: dict[str, int] = {}
    for piece in chunk.pieces:
        if piece.span is None and piece.why and piece.text.strip():
            found[piece.why] = found.get(piece.why, 0) + len(piece.text)
    return list(found.items())
