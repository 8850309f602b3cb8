"""What can be wrong with a document: one small function a rule, in a read-only table.

A rule is handed a document or a chunking and yields problems. Rules that need token counts live in `tokens`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.problems import outcome, reading, structure
from inspector.core.problems.outcome import STATIC
from inspector.core.problems.problem import Problem, Severity

Rule = Callable[[Chunking], Iterator[Problem]]
DocumentRule = Callable[[Document], Iterator[Problem]]

DOCUMENT_RULES: Mapping[str, DocumentRule] = MappingProxyType(
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
    }
)
"""Rules about a document alone, by the code of their problems."""

CHUNKING_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "long-heading": outcome.long_heading,
        "no-headings": outcome.no_headings,
        "dropped": outcome.dropped,
        "folded": outcome.folded,
        "no-chunk": outcome.no_chunk,
        "giant-chunk": outcome.giant_chunk,
    }
)
"""Rules about what chunking made of it."""


def static_problems(document: Document) -> tuple[Problem, ...]:
    """Apply the rules that no option changes, once a document."""
    kept = document.warm.get(STATIC)
    if kept is None:
        kept = tuple(problem for rule in DOCUMENT_RULES.values() for problem in rule(document))
        document.warm[STATIC] = kept
    found: tuple[Problem, ...] = kept
    return found


def find_problems(chunking: Chunking) -> tuple[Problem, ...]:
    """Apply every rule to a chunking; problems come in source order."""
    found = [*static_problems(chunking.document)]
    found.extend(problem for rule in CHUNKING_RULES.values() for problem in rule(chunking))
    found.sort(key=lambda problem: (problem.span.start, problem.code))
    return tuple(found)


__all__ = [
    "CHUNKING_RULES",
    "DOCUMENT_RULES",
    "STATIC",
    "Problem",
    "Rule",
    "Severity",
    "find_problems",
    "static_problems",
]
