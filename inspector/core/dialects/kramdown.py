"""kramdown's attribute lists and extensions (Jekyll)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import Code, Find, Page, next_after

_OWN_LINE = re.compile(r"^[ \t>]*(\{:[^:{}\n/][^{}\n]*\}|\{:\})[ \t]*$", re.MULTILINE)
_AFTER_SPAN = re.compile(r"(?<=[)\]*_`\"'>])(?<!\\)\{:[^:{}\n/][^{}\n]*\}")
_AT_ITEM = re.compile(r"^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]+(\{:[^:{}\n/][^{}\n]*\})", re.MULTILINE)
_TOC = re.compile(r"\{:[^{}\n]*(?<![\w.#-])toc(?![\w-])[^{}\n]*\}")
_LIST_LINE = re.compile(r"^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t][^\n]*\n\Z", re.MULTILINE)
_EXTENSION = re.compile(r"\{::(\w+)(?:[ \t][^{}\n]*)?(/?)\}")
_END = re.compile(r"\{:/(\w*)\}")


def finds(page: Page) -> Iterator[Find | Code]:
    """Attribute lists `{: …}` go: on a line of their own, after a link, emphasis or code, at an item's start.

    `{::comment}…{:/comment}` goes whole; of other extensions only the marks. The item above `{:toc}`, which
    kramdown replaces by the table of contents, goes with it.
    """
    own = page.matches(_OWN_LINE)
    for match in own:
        yield Find(match.start(1), match.end(1))
        if _TOC.fullmatch(match[1]):
            above = page.text.rfind("\n", page.start, match.start() - 1) + 1
            line = _LIST_LINE.match(page.text[above : match.start()])
            if line is not None and above >= page.start:
                yield Find(above, match.start() - 1)
    taken = {match.start(1) for match in own}
    for match in page.matches(_AT_ITEM):
        if match.start(1) not in taken:  # pragma: no branch - an item's mark stands before it
            taken.add(match.start(1))
            yield Find(match.start(1), match.end(1))
    for match in page.matches(_AFTER_SPAN):
        if match.start() not in taken:  # pragma: no branch - a bracket stands before it
            yield Find(match.start(), match.end())
    yield from _extensions(page)


def _extensions(page: Page) -> Iterator[Find]:
    ends = page.matches(_END)
    starts = [match.start() for match in ends]
    comments: list[re.Match[str]] = []
    at = page.start
    for match in page.matches(_EXTENSION):
        if match.start() < at:
            continue
        at = match.end()
        closing = next_after(starts, at) if match[1] == "comment" and not match[2] else None
        if closing is None:
            yield Find(match.start(), at)
        else:
            at = ends[closing].end()
            comments.append(ends[closing])
            yield Find(match.start(), at)
    closed = {match.start() for match in comments}
    for match in ends:
        if match.start() not in closed:
            yield Find(match.start(), match.end())


DIALECT = Dialect(
    "kramdown",
    "kramdown",
    finds,
    hint=re.compile(r"\{:"),
    mark=re.compile(r"^\{:[^{}\n]*\}[ \t]*$|[)\]*_`]\{:[^{}\n]+\}|\{::\w+", re.MULTILINE),
    configs=configs("_config.yml", "_config.yaml", "_config.toml"),
)
