"""A document: its source, what was found in it, and its title."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.core.problems.problem import Problem
from inspector.core.span import LineIndex, Span


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the outline: its plain words, and the span of its lines without the last line end."""

    level: int
    text: str
    span: Span
    line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block: the span of all its lines, its opening line (1-based), and whether it is closed."""

    span: Span
    line: int
    is_closed: bool
