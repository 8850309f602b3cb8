"""Hugo's shortcodes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import Code, Find, Page

CODE = frozenset({"highlight", "code", "code-toggle", "mermaid"})
"""Shortcodes whose inside is code."""

HIDDEN = frozenset({"comment"})
"""Shortcodes whose inside no reader sees."""

_OPEN = re.compile(r"\{\{[<%]")
_NAME = re.compile(r"\s*(/?)\s*([\w./-]*[\w])")


class _Tag(NamedTuple):
    start: int
    end: int
    name: str
    closes: bool
    is_whole: bool


def finds(page: Page) -> Iterator[Find | Code]:
    """Tags `{{< … >}}` and `{{% … %}}` go, what stands between a pair stays, headings in it too.

    The inside of `highlight`, `code`, `code-toggle` and `mermaid` is code; that of `comment` goes. A
    shortcode that is shown, `{{</* … */>}}`, loses only `/*` and `*/`, as on the page. One in a link's
    address goes with the address.
    """
    tags: list[_Tag] = []
    shown: list[Find] = []
    at = page.start
    for match in _OPEN.finditer(page.text, page.start):
        if match.start() < at or not page.is_open(match.start()):
            continue
        is_shown = page.text.startswith("/*", match.end())
        closer = match.group()[-1].replace("<", ">") + "}}"
        end = page.tag_end(match.end(), "*/" + closer if is_shown else closer)
        if end is None:
            continue
        at = end
        if is_shown:
            shown += [Find(match.end(), match.end() + 2), Find(end - 5, end - 3)]
            continue
        name = _NAME.match(page.text, match.end(), end - 3)
        is_whole = page.text[match.end() : end - 3].rstrip().endswith("/")
        tags.append(_Tag(match.start(), end, name[2] if name else "", bool(name and name[1]), is_whole))
    yield from _paired(tags)
    yield from shown


def _paired(tags: list[_Tag]) -> Iterator[Find | Code]:
    closings: dict[str, list[int]] = {}
    for index, tag in enumerate(tags):
        if tag.closes:
            closings.setdefault(tag.name, []).append(index)
    index = 0
    while index < len(tags):
        tag = tags[index]
        partner = None
        if tag.name in CODE | HIDDEN and not tag.closes and not tag.is_whole:
            ends = closings.get(tag.name, [])
            nearest = bisect_left(ends, index)
            partner = ends[nearest] if nearest < len(ends) else None
        if partner is None:
            yield Find(tag.start, tag.end)
        elif tag.name in HIDDEN:
            yield Find(tag.start, tags[partner].end)
        else:
            closing = tags[partner]
            yield Code(Find(tag.start, tag.end), Find(closing.start, closing.end))
        index = index + 1 if partner is None else partner + 1


DIALECT = Dialect(
    "hugo",
    "Hugo",
    finds,
    hint=re.compile(r"\{\{[<%]"),
    mark=re.compile(r"\{\{[<%](?!/\*)\s*/?\s*[A-Za-z]"),
    configs=configs(
        "hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default/", "config.toml + content/",
        "config.yaml + content/", "config.yml + content/",
    ),
)  # fmt: skip
