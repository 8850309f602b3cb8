"""Rules about references: links whose definition is missing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from inspector.core.blocks import Inline, walk
from inspector.core.document import Document
from inspector.core.problems.problem import Problem, Severity, quoted
from inspector.core.problems.structure import at_positions

_REFERENCE = re.compile(r"(?<![\w\])!\\$])\[(?!\^)([^\[\]\n]+)\]\[(?!\^)([^\[\]\n]*)\](?![\[(])")


def broken_reference(document: Document) -> Iterator[Problem]:
    """A link like `[text][label]` whose label is defined nowhere: its brackets are text."""
    if "][" not in document.line_map.text:
        return
    for block in walk(document.tree.blocks):
        for inline in block.inlines:
            for start, end, label in _broken(inline):
                span, line = at_positions(document, inline.position(start), inline.position(end - 1) + 1)
                yield Problem(
                    "broken-reference", Severity.WARNING,
                    f"{quoted(label)} is defined nowhere: the brackets at line {line} are read as text.",
                    span, line, f"Add a line “[{label}]: address”, or take the brackets away.",
                )  # fmt: skip


def _broken(inline: Inline) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, label) for each reference in inline text that nothing was found for."""
    if "][" not in inline.content:
        return
    marks = sorted((mark.start, mark.end) for mark in inline.marks)
    starts = [start for start, _end in marks]
    reach = list(accumulate((end for _start, end in marks), max))
    for match in _REFERENCE.finditer(inline.content):
        before = bisect_left(starts, match.end())
        if before == 0 or reach[before - 1] <= match.start():
            yield match.start(), match.end(), match[2] or match[1]
