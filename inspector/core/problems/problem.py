"""What a problem is: a code, how bad it is, what to do about it, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.core.span import Span


class Severity(StrEnum):
    """How bad a problem is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a document that its author should know. `line` is 1-based, 0 for the whole file."""

    code: str
    severity: Severity
    message: str
    span: Span
    line: int
    fix: str = ""


QUOTED = 40
"""Characters of the source that a message quotes."""


def quoted(text: str) -> str:
    """Return a text's first words in quotation marks, on one line, with an ellipsis where there are more."""
    words = " ".join(text[: QUOTED * 40].split())
    return f"“{words}”" if len(words) <= QUOTED else f"“{words[:QUOTED].rstrip()}…”"


def marked(level: int) -> str:
    """Return a heading level as it is written, `##` for 2."""
    return "#" * level
