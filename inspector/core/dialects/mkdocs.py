"""Admonitions and tabs of Python-Markdown and MkDocs, whose text is indented by four columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import FILLER, Code, Find, Page

_MARK = re.compile(
    r'^[ ]*(?P<mark>(?:!!!|\?\?\?\+?)[ ]?[\w-]+(?:[ ]+[\w-]+)*(?:[ ]+(?="))?|===[!+]?[ ]+(?="))'
    r'(?:"(?P<title>[^"\n]*)(?P<close>")|(?<=[\w-]))[ ]*$',
    re.MULTILINE,
)
_TOC = re.compile(r"^[ \t]*(\[TOC\])[ \t]*$", re.MULTILINE)
ITEM = "+   "
"""What the parser reads for a mark: a list item, whose text is indented by four columns too."""


def finds(page: Page) -> Iterator[Find | Code]:
    """Of `!!! note "Title"`, `??? note` and `=== "Tab"` the title stays, and the text, which is markdown and
    no indented code. Headings in it do not split, as in a list item. A kind without a title goes whole, as
    does `[TOC]`.
    """
    for match in page.matches(_MARK):
        start, end = match.span("mark")
        if match["title"] is not None:
            end = match.start("title")
        yield Find(start, end, (ITEM + FILLER * (end - start))[: end - start])
        if match["close"]:
            yield Find(match.start("close"), match.end("close"))
    for match in page.matches(_TOC):
        yield Find(match.start(1), match.end(1))


DIALECT = Dialect(
    "mkdocs",
    "MkDocs",
    finds,
    hint=re.compile(r"!!!|\?\?\?|=== \"|\[TOC\]"),
    mark=re.compile(r'^[ ]*(?:(?:!!!|\?\?\?\+?) [\w-]+(?: ".*")?|=== ".*")[ ]*$', re.MULTILINE),
    configs=configs("mkdocs.yml", "mkdocs.yaml"),
    passes=5,
)
