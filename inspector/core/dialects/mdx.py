"""MDX: imports and exports, JSX tags, comments in braces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import Code, Find, Page

LONGEST = 5_000
"""Characters of a tag that are looked at."""

_ESM = re.compile(
    r"^(?:import[ \t]+(?:[\w${*][^\n;]*?[ \t}]from[ \t]+)?['\"]|import[ \t]*\{[^}]{0,2000}\}[ \t]*from[ \t]*['\"]"
    r"|export[ \t]+(?:default\b|const\b|let\b|var\b|async\b|function\b|class\b|\{|\*))",
    re.MULTILINE,
)
_NEXT_ESM = re.compile(r"[ \t]*(?:\n|\Z)|(?:import|export)\b")
_COMMENT = re.compile(r"\{/\*")
_BLANK = re.compile(r"\{[ \t]*(?P<quote>['\"])(?P<blank> *)(?P=quote)[ \t]*\}")
_BRACE = re.compile(r"[{}]")
_NAME = re.compile(r"</?(?:[A-Za-z][\w.:-]*)?(?=[\s/>{])")
_OPENER = re.compile(r"<(?=[A-Za-z/>])")
_INNER = re.compile(r"[\"'{}<>]")
_ONLY_MDX = re.compile(
    r"^(?:import[ \t].*\bfrom[ \t]*['\"]|export[ \t]+(?:const|default|function)\b)|\{/\*", re.MULTILINE
)


class _Tag(NamedTuple):
    start: int
    end: int
    name: str
    kind: str  # "open", "close", "whole"
    is_jsx: bool


def is_mdx(page: Page) -> bool:
    """Whether imports, exports or comments show that a text is MDX, which has no indented code."""
    return bool(page.matches(_ONLY_MDX))


def finds(page: Page) -> Iterator[Find | Code]:
    """Imports and exports at a line's start go up to where their braces close (else the blank line), comments
    `{/* … */}` too; `{" "}` is a blank; any other expression in braces is text, for nothing is evaluated.

    Tags of components (a capital, a dot, `<>`) and HTML tags with braces in them go, what is inside stays.
    An opening tag without its closing one is text: `Vec<T>`. In a text with imports, exports or comments of
    MDX there is no indented code.
    """
    braces = _matching(page)
    taken: list[tuple[int, int]] = []
    taken.extend(_esm(page, braces))
    at = page.start
    for match in _COMMENT.finditer(page.text, page.start):
        end = page.find("*/}", match.end())
        if match.start() >= at and end >= 0 and page.is_open(match.start()) and page.is_open(end):
            at = end + 3
            taken.append((match.start(), at))
    taken.sort()
    for start, end in taken:
        yield Find(start, end)
    for match in page.matches(_BLANK):
        yield Find(match.start(), match.start("blank"))
        yield Find(match.end("blank"), match.end())
    yield from _paired(list(_tags(page, braces, taken)))


def _matching(page: Page) -> dict[int, int]:
    """Map each opening brace outside code to its closing one."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for match in _BRACE.finditer(page.text, page.start):
        if not page.is_open(match.start()):
            continue
        if match.group() == "{":
            stack.append(match.start())
        elif stack:
            found[stack.pop()] = match.start()
    return found


def _esm(page: Page, braces: dict[int, int]) -> Iterator[tuple[int, int]]:
    text = page.text
    at = page.start
    for match in _ESM.finditer(text, page.start):
        if match.start() < at or not page.is_open(match.start()):
            continue
        end = match.start()
        while True:
            newline = text.find("\n", end)
            line_end = len(text) if newline < 0 else newline
            brace = text.find("{", end, line_end)
            if brace >= 0 and braces.get(brace, 0) > line_end:
                end = braces[brace]
                continue
            end = brace + 1 if brace >= 0 else line_end
            if brace < 0 and (newline < 0 or _NEXT_ESM.match(text, line_end + 1)):
                break
            if brace < 0:
                end = line_end + 1
        at = end
        yield match.start(), end


def _tags(page: Page, braces: dict[int, int], taken: list[tuple[int, int]]) -> Iterator[_Tag]:
    text = page.text
    at = page.start
    index = 0
    for match in _OPENER.finditer(text, page.start):
        start = match.start()
        if start < at:
            continue
        while index < len(taken) and taken[index][1] <= start:
            index += 1
        if index < len(taken) and taken[index][0] <= start:
            continue
        name = _NAME.match(text, start)
        if name is None or not page.is_open(start):
            continue
        end, has_braces = _tag_end(text, name.end(), braces)
        if end < 0:
            continue
        at = end
        word = name.group().strip("</")
        is_jsx = not word or word[0].isupper() or "." in word or has_braces
        kind = "close" if text[start + 1] == "/" else "whole" if text[end - 2] == "/" else "open"
        if word or text[start:end] in ("<>", "</>"):  # pragma: no branch - a nameless tag holds nothing
            yield _Tag(start, end, word, kind, is_jsx)


def _tag_end(text: str, position: int, braces: dict[int, int]) -> tuple[int, bool]:
    """Return where a tag ends (-1: nowhere) and whether it has braces; strings and braces are jumped."""
    limit = min(len(text), position + LONGEST)
    has_braces = False
    while True:
        match = _INNER.search(text, position, limit)
        if match is None or match.group() in "}<":
            return -1, has_braces
        at = match.start()
        if match.group() == ">":
            return at + 1, has_braces
        if match.group() == "{":
            has_braces = True
            at = braces.get(at, -1)
        else:
            at = text.find(match.group(), at + 1, limit)
        if at < 0 or at >= limit:
            return -1, has_braces
        position = at + 1


def _paired(tags: list[_Tag]) -> Iterator[Find]:
    """Yield the tags of components that are closed, and HTML tags with braces."""
    open_tags: dict[str, list[_Tag]] = {}
    for tag in tags:
        if tag.kind == "open" and tag.is_jsx:
            open_tags.setdefault(tag.name, []).append(tag)
            if tag.name[:1].islower() and "." not in tag.name:
                yield Find(tag.start, tag.end)
        elif tag.kind == "whole" and tag.is_jsx:
            yield Find(tag.start, tag.end)
        elif tag.kind == "close" and open_tags.get(tag.name):
            opening = open_tags[tag.name].pop()
            if not (tag.name[:1].islower() and "." not in tag.name):
                yield Find(opening.start, opening.end)
            yield Find(tag.start, tag.end)


DIALECT = Dialect(
    "mdx",
    "MDX, components",
    finds,
    hint=re.compile(r"^(?:import|export)\b|\{/\*|</?(?:[A-Z>]|[a-z]\w*\.)|<[a-z][^<>]*\{|\{[ \t]*['\"]", re.MULTILINE),
    mark=re.compile(
        r"^import[ \t]+[\w${*][^\n]*[ \t}]from[ \t]+['\"]|^export[ \t]+(?:const|default|function)\b|\{/\*.*?\*/\}"
        r"|^[ \t]*</?[A-Z][\w.]*(?:[ \t][^\n<>]*)?/?>[ \t]*$",
        re.MULTILINE,
    ),
    configs=configs(
        "docusaurus.config.js", "docusaurus.config.ts", "package.json:astro", "package.json:next",
        "package.json:@mdx-js/react", "package.json:@docusaurus/core", "astro.config.mjs", "astro.config.ts",
        "next.config.js", "next.config.mjs", "*.mdx",
    ),
)  # fmt: skip
