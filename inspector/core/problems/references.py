"""Rules about references: links whose definition is missing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from inspector.core.blocks import Inline, walk
from inspector.core.document import Document
from inspector.core.problems.problem import Problem, Severity, quoted
from inspector.core.problems.structure import at_positions

_REFERENCE = re.compile(r"(?<![\w\])!\\$])\[(?!\^)([^\[\]\n]+)\]\[(?!\^)([^\[\]\n]*)\](?![\[(])")


def broken_reference(document: Document) -> Iterator[Problem]:
    """A link like `[text][label]` whose label is defined nowhere: its brackets are text."""
    ranges = document.site_syntax
    for block in walk(document.tree.blocks):
        for inline in block.inlines:
            if "][" not in inline.content:
                continue
            for start, end, label in _broken(inline):
                first = inline.position(start)
                at = bisect_right(ranges, (first, len(document.source))) - 1
                if at >= 0 and first < ranges[at][1]:
                    continue
                span, line = at_positions(document, first, inline.position(end - 1) + 1)
                yield Problem(
                    "broken-reference", Severity.WARNING,
                    f"{quoted(label)} is defined nowhere: the brackets at line {line} are read as text.",
                    span, line, f"Add a line “[{label}]: address”, or take the brackets away.",
                )  # fmt: skip


def _broken(inline: Inline) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, label) for each reference in inline text that nothing was found for."""
    for match in _REFERENCE.finditer(inline.content):
        if not any(mark.start < match.end() and match.start() < mark.end for mark in inline.marks):
            yield match.start(), match.end(), match[2] or match[1]
