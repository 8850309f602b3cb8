"""What can be wrong with a document: one small function a rule, in read-only tables; `rules` says what each is.

A rule is handed a document or a chunking and yields problems. Rules that need token counts live in `tokens`, those
that need vectors in `inspector.embedding.likeness`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.problems import cuts, headings, outcome, reading, references, structure
from inspector.core.problems.outcome import STATIC
from inspector.core.problems.problem import Problem, Severity
from inspector.core.problems.rules import DEFAULT_RULES

Finder = Callable[[Chunking], Iterator[Problem]]
DocumentFinder = Callable[[Document], Iterator[Problem]]

DOCUMENT_RULES: Mapping[str, DocumentFinder] = MappingProxyType(
    {
        "binary": reading.binary,
        "bad-bytes": reading.bad_bytes,
        "encoding-guessed": reading.encoding_guessed,
        "nul": reading.nul,
        "line-endings": reading.line_endings,
        "invisible-characters": reading.invisible_characters,
        "front-matter": reading.front_matter,
        "nesting": structure.nesting,
        "unclosed-fence": structure.unclosed_fence,
        "unclosed-comment": structure.unclosed_comment,
        "heading-in-fence": structure.heading_in_fence,
        "heading-lookalike": structure.heading_lookalike,
        "skipped-level": headings.skipped_level,
        "multiple-h1": headings.multiple_h1,
        "hash-without-space": headings.hash_without_space,
        "accidental-setext": headings.accidental_setext,
        "heading-too-long": headings.heading_too_long,
        "long-title": headings.long_title,
        "broken-reference": references.broken_reference,
    }
)
"""Rules about a document alone, by the code of their problems."""

CHUNKING_RULES: Mapping[str, Finder] = MappingProxyType(
    {
        "long-heading": outcome.long_heading,
        "no-headings": outcome.no_headings,
        "dropped": outcome.dropped,
        "folded": outcome.folded,
        "no-chunk": outcome.no_chunk,
        "giant-chunk": outcome.giant_chunk,
        "duplicate-trail": outcome.duplicate_trail,
        "cut-mid-sentence": cuts.cut_mid_sentence,
        "cut-in-table": cuts.cut_in_table,
        "cut-in-code": cuts.cut_in_code,
        "runt": cuts.runt,
        "opens-with-pronoun": cuts.opens_with_pronoun,
    }
)
"""Rules about what chunking made of it."""

OF_HEADINGS = frozenset({"long-heading", "no-headings", "dropped", "folded", "no-chunk", "runt"})
"""Those about thresholds that only the heading strategy has."""


def static_problems(document: Document, codes: frozenset[str] = DEFAULT_RULES) -> dict[str, tuple[Problem, ...]]:
    """Apply the rules that no option changes, each once a document; the result is kept with it, by code."""
    kept: dict[str, tuple[Problem, ...]] = document.warm.setdefault(STATIC, {})
    for code, find in DOCUMENT_RULES.items():
        if code in codes and code not in kept:
            kept[code] = tuple(find(document))
    return kept


def find_problems(chunking: Chunking, codes: frozenset[str] = DEFAULT_RULES) -> tuple[Problem, ...]:
    """Apply the rules of these codes to a chunking; problems come in source order."""
    found: list[Problem] = []
    for code, problems in static_problems(chunking.document, codes).items():
        if code in codes:
            found.extend(problems)
    for code, find in CHUNKING_RULES.items():
        if code in codes and (chunking.own is None or code not in OF_HEADINGS):
            found.extend(find(chunking))
    found.sort(key=lambda problem: (problem.span.start, problem.code))
    return tuple(found)


__all__ = [
    "CHUNKING_RULES",
    "DOCUMENT_RULES",
    "STATIC",
    "Problem",
    "Severity",
    "find_problems",
    "static_problems",
]
