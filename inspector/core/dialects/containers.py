"""Containers of colons: Docusaurus, VitePress, Pandoc, Quarto, MyST, Microsoft's documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import Code, Find, Page

_LINE = re.compile(r"^[ \t>]*(:{3,}[^\n]*)$", re.MULTILINE)
_OPENING = re.compile(
    r":{3,}[ \t]*(?:(?P<name>[A-Za-z][\w.-]*)[ \t]*(?P<bracket>\[)?|(?=\{))(?(bracket)|(?:\{[^{}\n]*\})?[ \t]*)"
)
_ATTRIBUTES = re.compile(
    r"""\w[\w-]*=(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)(?:[ \t]+\w[\w-]*=(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+))*"""
)
_LABEL_END = re.compile(r"\](?:\{[^{}\n]*\})?[ \t:]*\Z")
_TAIL = re.compile(r"[ \t:]*\Z|[ \t]*\{[^{}\n]*\}[ \t:]*\Z")
_TOC = re.compile(r"^[ \t]*(\[\[_?toc_?\]\]|\$\{toc\})[ \t]*$", re.MULTILINE | re.IGNORECASE)


def finds(page: Page) -> Iterator[Find | Code]:
    """A line of three or more colons that opens or closes a container loses its marks, its name and attributes;
    the title (`:::tip[Title]`, `:::tip Title`) stays, as does all inside. Headings inside split: they stand
    at the top level of the page. A line that ends in `:::` too (`:::image …:::`, `:::row:::`) goes whole, as
    does `[[toc]]`.
    """
    for match in page.matches(_LINE):
        start, end = match.span(1)
        line = match[1].rstrip()
        end = start + len(line)
        if not line.strip(":") or (line.endswith(":::") and not line.startswith(("::: ", ":::: "))):
            yield Find(start, end)
            continue
        yield from _opening(page, start, end)
    for match in page.matches(_TOC):
        yield Find(match.start(1), match.end(1))


def _opening(page: Page, start: int, end: int) -> Iterator[Find]:
    text = page.text
    opening = _OPENING.match(text, start, end)
    if opening is None:
        return
    title = opening.end()
    if opening["bracket"]:
        closing = _LABEL_END.search(text[title:end])
        stop = title + closing.start() if closing else end
    elif _ATTRIBUTES.fullmatch(text[title:end].strip(" \t:")):
        stop = title
    else:
        tail = _TAIL.search(text[title:end])
        stop = title + tail.start() if tail else end
    if title >= stop:
        yield Find(start, end)
        return
    yield Find(start, title)
    yield Find(stop, end)


DIALECT = Dialect(
    "containers",
    "Containers :::",
    finds,
    hint=re.compile(r":::|\[\[_?toc|\$\{toc", re.IGNORECASE),
    mark=re.compile(r"^[ \t]*:{3,}[ \t]*(?:[a-z][\w-]*|\{)", re.MULTILINE),
    configs=configs(
        ".vitepress/", "docusaurus.config.js", "docusaurus.config.ts", "_quarto.yml", "docfx.json",
        "package.json:vitepress", "package.json:@docusaurus/core",
    ),
)  # fmt: skip
