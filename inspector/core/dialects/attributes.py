"""Attributes in braces without a colon: heading ids and classes of Hugo, Pandoc, VitePress and MkDocs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.blocks import Kind
from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import FILLER, Code, Find, Page

_LIST = r"\{[ \t]*(?:[#.][\w:-]|[\w:-]+=)[^{}\n]*\}"
_AT_HEADING_END = re.compile(rf"(?<!\\)(?:{_LIST}|\{{-\}}|\{{/\*[^{{}}\n]*\*/\}})[ \t]*(?:#+[ \t]*)?\Z")
_OWN_LINE = re.compile(rf"^[ \t>]*({_LIST})[ \t]*$", re.MULTILINE)
_AFTER_SPAN = re.compile(rf"(?<=[)\]])(?<!\\){_LIST}")


def finds(page: Page) -> Iterator[Find | Code]:
    """An attribute list goes at the end of a heading (`{#id .class}`, `{key=value}`, `{-}`; an id at the end of
    a heading of the outline goes in any dialect), alone on its line, and right after a link, an image or a
    bracket. Anywhere else braces are text.
    """
    for block in page.blocks():
        if block.kind is not Kind.HEADING:
            continue
        for inline in block.inlines:
            match = _AT_HEADING_END.search(inline.content[-400:])
            if match and page.is_open(inline.position(len(inline.content) - 1)):
                before = max(0, len(inline.content) - 400)
                text = match.group().rstrip(" \t#")
                start = inline.position(before + match.start())
                if page.text.startswith(text, start):  # pragma: no branch - it stands there as it is
                    yield Find(start, start + len(text), FILLER * len(text))
    own: set[int] = set()
    for match in page.matches(_OWN_LINE):
        own.add(match.start(1))
        yield Find(match.start(1), match.end(1))
    for match in page.matches(_AFTER_SPAN):
        if match.start() not in own:  # pragma: no branch - nothing stands before one of its own
            yield Find(match.start(), match.end())


DIALECT = Dialect(
    "attributes",
    "Attributes {#id .class}",
    finds,
    hint=re.compile(r"\{[ \t]*[#.\w/-]"),
    mark=re.compile(rf"^#{{1,6}}[ \t].*{_LIST}[ \t]*$|[)\]]{_LIST}", re.MULTILINE),
    configs=configs(
        "hugo.toml", "hugo.yaml", "config.toml + content/", "_quarto.yml", ".vitepress/", "docusaurus.config.js",
        "docusaurus.config.ts",
    ),
)  # fmt: skip
