"""KumaScript, the macros of MDN Web Docs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.dialects.dialect import Dialect
from inspector.core.dialects.page import Code, Find, Page

LONGEST = 2_000
"""Characters of a macro that are looked at."""

_MACRO = re.compile(r"\{\{\s*([A-Za-z][\w.-]*)\s*(?:\((.*)\)\s*)?\}\}", re.DOTALL)
_ARGUMENT = re.compile(r"""\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,"']*))\s*(?:,|\Z)""")
_OPEN = re.compile(r"\{\{")
_SHOWN = re.compile(
    r"\w*xref|htmlelement|svgelement|mathmlelement|\w*attr|glossary|http(?:header|status|method)|rfc|csp|event|bug"
    r"|webkitbug|interwiki|page|linkitem|anch",
    re.IGNORECASE,
)
_BARE = frozenset({"compat", "specifications", "apiref", "cssref", "jsref", "jssidebar", "csssyntax", "cssinfo"})


def finds(page: Page) -> Iterator[Find | Code]:
    """A macro that links (`{{jsxref("Array.from")}}`, `cssxref`, `Glossary`, `HTTPHeader` …) reads as on the
    page: its second argument where that is a text, else its first. All other macros go.

    Without arguments a lower-case word is no macro but text (`{{ user }}` of some template), save a few.
    """
    at = page.start
    for match in _OPEN.finditer(page.text, page.start):
        start = match.start()
        if start < at or not page.is_open(start):
            continue
        end = page.tag_end(match.end(), "}}")
        if end is None or end - start > LONGEST:
            continue
        macro = _MACRO.fullmatch(page.text, start, end)
        if macro is None or (macro[2] is None and not _is_bare(macro[1])):
            continue
        at = end
        kept = _shown(macro) if macro[2] is not None and _SHOWN.fullmatch(macro[1]) else None
        if kept is None:
            yield Find(start, end)
        else:
            yield Find(start, kept[0])
            yield Find(kept[1], end)


def _is_bare(name: str) -> bool:
    return "." not in name and (name != name.lower() or "_" in name or "-" in name or name in _BARE)


def _shown(macro: re.Match[str]) -> tuple[int, int] | None:
    """Return where the argument that is shown stands: the second text of the arguments, else the first."""
    found: list[tuple[int, int]] = []
    at, end = macro.span(2)
    while at < end and len(found) < 2:
        argument = _ARGUMENT.match(macro.string, at, end)
        if argument is None:
            break
        group = next((number for number in (1, 2, 3) if argument.group(number)), None)
        found.append(argument.span(group) if group else (at, at))
        at = argument.end()
    texts = [(a, b) for a, b in found if a < b]
    if len(found) == 2 and found[1][0] < found[1][1]:
        return found[1]
    return texts[0] if texts else None


DIALECT = Dialect(
    "kumascript",
    "KumaScript",
    finds,
    hint=re.compile(r"\{\{"),
    mark=re.compile(
        r"\{\{\s*(?:(?:css|dom|js|svg|webext)\w*xref|htmlelement|glossary|http(?:header|status)|compat|specifications"
        r"|apiref|embedlivesample|previousmenunext)\b",
        re.IGNORECASE,
    ),
)
