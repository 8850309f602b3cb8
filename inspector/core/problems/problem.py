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
