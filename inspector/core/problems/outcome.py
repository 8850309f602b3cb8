"""Rules about what chunking made of a document: dropped, folded, nothing left."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.chunk import Chunking, Fate, SectionResult
from inspector.core.problems.problem import Problem, Severity, quoted
from inspector.core.problems.structure import TAB, heading_lookalike
from inspector.core.span import Span

STATIC = ("problems", "static")
"""Where a document keeps the problems that no option changes, by code."""

GIANT = 6_000
"""Characters past which no common embedding model reads a chunk to its end."""


def _named(section: SectionResult) -> str:
    if section.heading is None:
        return "The text before the first heading"
    return f"“{section.heading.text}”" if section.heading.text else "An empty heading"


def _place(chunking: Chunking, section: SectionResult) -> tuple[Span, int]:
    span = section.heading.span if section.heading is not None else section.span
    return span, chunking.document.lines.line_of(span.start)


def long_heading(chunking: Chunking) -> Iterator[Problem]:
    """A heading over a quarter of the cap: it is clipped where it is repeated."""
    limit = chunking.options.cap // 4
    for heading in chunking.document.headings:
        if len(heading.text) > limit:
            yield Problem(
                "long-heading", Severity.WARNING,
                f"The heading at line {heading.line} has {len(heading.text):,} characters, over a quarter of the cap: "
                f"repeated, it is clipped to {limit:,}.",
                heading.span, heading.line, "Shorten the heading.",
            )  # fmt: skip


def no_headings(chunking: Chunking) -> Iterator[Problem]:
    """A document longer than the cap without a heading to split at."""
    sections = chunking.sections
    if len(sections) != 1 or sections[0].heading is not None or sections[0].characters <= chunking.options.cap:
        return
    document = chunking.document
    cause = ""
    if any(not fence.is_closed for fence in document.fences):
        cause = " (an unclosed fence swallows the rest)"
    elif next(heading_lookalike(document), None) is not None:
        cause = " (lines that look like headings hold invisible characters)"
    levels = " or ".join("#" * level for level in sorted(chunking.options.split_levels))
    yield Problem(
        "no-headings", Severity.NOTE, f"No {levels} headings: the whole post is one section{cause}.",
        Span(0, 0), 1, "Add headings where a new idea begins.",
    )  # fmt: skip


def dropped(chunking: Chunking) -> Iterator[Problem]:
    """A section that is in no chunk."""
    for section in chunking.sections:
        if section.fate is Fate.DROPPED:
            span, line = _place(chunking, section)
            yield Problem(
                "dropped", Severity.NOTE,
                f"{_named(section)} is dropped: {section.characters:,} < {chunking.options.drop:,} characters.",
                span, line, "Write more under it, lower drop, or fold stubs.",
            )  # fmt: skip


def folded(chunking: Chunking) -> Iterator[Problem]:
    """A section that joined the one before it; says so when that one stands in another branch."""
    for section in chunking.sections:
        if section.fate is Fate.FOLDED and section.chunk is not None:
            span, line = _place(chunking, section)
            host = chunking.chunks[section.chunk]
            crosses = section.trail[: len(section.trail) - 1] != host.trail[: len(section.trail) - 1]
            branch = ", of another branch" if crosses else ""
            yield Problem(
                "folded", Severity.NOTE,
                f"{_named(section)} is folded into #{section.chunk + 1}{branch}: "
                f"{section.characters:,} < {chunking.options.fold:,} characters.",
                span, line, "Write more under it, or lower fold.",
            )  # fmt: skip


def no_chunk(chunking: Chunking) -> Iterator[Problem]:
    """A document with text of which nothing is left."""
    if chunking.chunks or not chunking.sections:
        return
    longest = max(chunking.sections, key=lambda section: section.characters)
    yield Problem(
        "no-chunk", Severity.WARNING,
        f"Nothing of this document is in a chunk: its longest section has {longest.characters:,} characters, "
        f"drop is {chunking.options.drop:,}.",
        Span(0, 0), 1, "Lower drop, or write more.",
    )  # fmt: skip


def giant_chunk(chunking: Chunking) -> Iterator[Problem]:
    """A chunk so long that hardly any model reads it to its end."""
    for chunk in chunking.chunks:
        if chunk.characters > GIANT:
            line = chunking.document.lines.line_of(chunk.span.start)
            yield Problem(
                "giant-chunk", Severity.WARNING,
                f"Chunk #{chunk.index + 1} has {chunk.characters:,} characters: no common model reads it to its end.",
                chunk.span, line, "Lower the cap, or add headings.",
            )  # fmt: skip


def duplicate_trail(chunking: Chunking) -> Iterator[Problem]:
    """A kept section with the same heading trail as an earlier one: an answer cannot tell them apart."""
    source = chunking.document.source
    seen: dict[tuple[str, ...], int] = {}
    for section in chunking.sections:
        heading = section.heading
        if heading is None or not heading.text or section.fate is not Fate.KEPT:
            continue
        if TAB.search(source, *heading.span):
            continue
        first = seen.setdefault(section.trail, heading.line)
        if first != heading.line:
            yield Problem(
                "duplicate-trail", Severity.NOTE,
                f"{quoted(' > '.join(section.trail))} is the trail of two sections, the first at line {first}: "
                "an answer cannot tell them apart.",
                heading.span, heading.line, "Give each a heading of its own.",
            )  # fmt: skip
