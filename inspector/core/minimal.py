"""The smallest part of a source that still shows a fault, for a report to whoever maintains the splitter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from inspector.core.document import Document, document_from_text
from inspector.core.ghost import find_ghost

MOST_LINES = 20
MOST_TRIALS = 2_000
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def lines_of(source: str) -> list[str]:
    """Cut a source into its lines, each with its line end."""
    return _LINES.findall(source)


def shrink(lines: Sequence[str], shows: Callable[[str], bool], most_trials: int = MOST_TRIALS) -> list[str]:
    """Take lines away while `shows` holds of the rest: delta debugging (Zeller and Hildebrandt, 2002, ddmin).

    Gives up taking away after `most_trials` questions; what is left then still shows the fault.
    """
    kept, parts, trials = list(lines), 2, 0
    while len(kept) > 1 and trials < most_trials:
        size = -(-len(kept) // parts)
        for start in range(0, len(kept), size):
            rest = kept[:start] + kept[start + size :]
            trials += 1
            if rest and shows("".join(rest)):
                kept, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(parts * 2, len(kept))
    return kept


def ghost_example(document: Document, line_start: int) -> str:
    """Return at most 20 lines that show the same fault of the naive splitter as the line at this offset.

    The line stays as it is, with its line end; `""` where the splitter has it right, or where no few lines show it.
    """
    ghost = find_ghost(document)
    is_invented = line_start in ghost.invented
    if not is_invented and line_start not in ghost.lost:
        return ""
    lines = document.lines
    number = lines.line_of(line_start)
    fault = lines_of(document.source)[number - 1]

    def shows(source: str) -> bool:
        found = find_ghost(document_from_text(document.name, source).in_dialects(document.dialects))
        starts = found.invented if is_invented else found.lost
        return any(_line_at(source, start) == fault for start in starts)

    return minimal_example(document.source, number, shows)


def minimal_example(source: str, line: int, shows: Callable[[str], bool]) -> str:
    """Return at most 20 lines of which `shows` holds; `""` where no few lines do.

    Of 41, 401 and all lines round a line (1-based), the first stretch that shows it is shrunk.
    """
    all_lines = lines_of(source)
    for reach in (20, 200, len(all_lines)):
        stretch = all_lines[max(0, line - 1 - reach) : line + reach]
        if shows("".join(stretch)):
            kept = shrink(stretch, shows)
            return "".join(kept) if len(kept) <= MOST_LINES else ""
    return ""


def _line_at(source: str, start: int) -> str:
    match = _LINES.match(source, start)
    return match.group() if match is not None else ""
