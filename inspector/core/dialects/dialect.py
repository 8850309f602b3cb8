"""What a dialect is: a name, how its syntax is found, and how it is told that a folder is written in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.core.dialects.page import Code, Find, Page


@dataclass(frozen=True, slots=True)
class Dialect:
    """The syntax of a site generator or program that is no CommonMark.

    `finds` yields what is site syntax in a page. `hint` is in every text that holds any. A folder is
    written in it when all names of one of `configs` are there, or when `mark` is in the prose of enough of
    its texts. `passes` above 1: what is found may uncover more.
    """

    name: str
    label: str
    finds: Callable[[Page], Iterator[Find | Code]]
    hint: re.Pattern[str]
    mark: re.Pattern[str]
    configs: tuple[frozenset[str], ...] = ()
    passes: int = 1


def configs(*names: str) -> tuple[frozenset[str], ...]:
    """Names of which each alone tells; `a + b` only both together."""
    return tuple(frozenset(part.strip() for part in name.split("+")) for name in names)
