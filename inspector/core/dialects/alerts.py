"""GitHub's alerts and those of Microsoft's documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.blocks import Kind
from inspector.core.dialects.dialect import Dialect
from inspector.core.dialects.page import Code, Find, Page

_CALLOUT = re.compile(
    r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]*)*(?<=>)[ \t]?[ \t]*(\[![A-Za-z][^\[\]\n]*\][+-]?(?:[ \t]+(?=\S))?)"
)
_INCLUDE = re.compile(r"\[!\w[\w-]*[ \t]*\[[^\[\]\n]*\]\([^()\n]*\)\]")


def callouts(page: Page) -> Iterator[Find]:
    """Yield the mark `[!word]` at the beginning of each quote, with a sign that folds it."""
    for block in page.blocks():
        if block.kind is Kind.QUOTE:
            match = _CALLOUT.match(page.text, block.start, block.end)
            if match and page.is_open(match.start(1)):
                yield Find(match.start(1), match.end(1))


def finds(page: Page) -> Iterator[Find | Code]:
    """The mark of an alert (`> [!NOTE]`) goes; a title after it and its text stay.

    Includes (`[!INCLUDE [text](path)]` and other `[!word [text](path)]`) go: what they hold is another file's.
    """
    yield from callouts(page)
    for match in page.matches(_INCLUDE):
        yield Find(match.start(), match.end())


DIALECT = Dialect(
    "alerts",
    "Alerts > [!NOTE]",
    finds,
    hint=re.compile(r"\[!"),
    mark=re.compile(
        r"^[ \t]*>[ \t]?\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]|\[!INCLUDE[ \t]*\[", re.MULTILINE | re.IGNORECASE
    ),
    configs=(frozenset({"docfx.json"}),),
)
