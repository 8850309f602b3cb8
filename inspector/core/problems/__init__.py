"""What can be wrong with a document: one small function a rule, in a read-only table.

A rule is handed a chunking and yields problems. Rules that need token counts live in `tokens`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from inspector.core.chunk import Chunking
from inspector.core.problems import outcome, reading, structure
from inspector.core.problems.problem import Problem, Severity

Rule = Callable[[Chunking], Iterator[Problem]]

RULES: Mapping[str, Rule] = MappingProxyType(
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
        "long-heading": structure.long_heading,
        "no-headings": structure.no_headings,
        "dropped": outcome.dropped,
        "folded": outcome.folded,
        "no-chunk": outcome.no_chunk,
        "giant-chunk": outcome.giant_chunk,
    }
)
"""Every rule of the core by the code of its problems."""


def find_problems(chunking: Chunking) -> tuple[Problem, ...]:
    """Apply every rule to a chunking; problems come in source order."""
    found = [problem for rule in RULES.values() for problem in rule(chunking)]
    found.sort(key=lambda problem: (problem.span.start, problem.code))
    return tuple(found)


__all__ = ["RULES", "Problem", "Rule", "Severity", "find_problems"]
