"""Liquid and its kin (Jekyll, Eleventy, Nunjucks): tags, outputs, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import Code, Find, Page, next_after

_OPEN = re.compile(r"(?<!\{)\{(?:%|\{(?![<%])|#(?=\s))")
_CLOSERS = {"{%": "%}", "{{": "}}", "{#": "#}"}
_NAME = re.compile(r"-?\s*(\w+)")
_ENDS = {name: re.compile(r"\{%-?\s*end" + name + r"\s*-?%\}") for name in ("raw", "comment", "highlight", "verbatim")}
_RAW = re.compile(r"\{%-?\s*(?:raw|endraw)\s*-?%\}")
_UNTIL_CODE_END = re.compile(r"(?:\{%-?\s*endraw\s*-?%\}[ \t]*)\Z")


def finds(page: Page) -> Iterator[Find | Code]:
    """Tags `{% … %}`, outputs `{{ … }}` and Nunjucks comments `{# … #}` go; nothing is evaluated.

    What stands between tags stays (`capture`, `if`, `for` …), but for the inside of `comment`. The text of
    `raw` stays as it is, tags and all; the inside of `highlight` is code.
    """
    ends = {name: page.matches(pattern) for name, pattern in _ENDS.items()}
    starts = {name: [match.start() for match in matches] for name, matches in ends.items()}
    at = page.start
    for match in _OPEN.finditer(page.text, page.start):
        start = match.start()
        if start < at or not page.is_open(start):
            continue
        end = page.tag_end(match.end(), _CLOSERS[match.group()])
        if end is None:
            continue
        at = end
        name = _NAME.match(page.text, match.end(), end) if match.group() == "{%" else None
        word = name[1] if name else ""
        closing = next_after(starts[word], end) if word in ends else None
        if closing is None:
            yield Find(start, end)
            continue
        close = ends[word][closing]
        at = close.end()
        if word == "comment":
            yield Find(start, at)
        elif word == "highlight":
            yield from _highlight(page, Find(start, end), close.start(), close.end())
        else:
            yield Find(start, end)
            yield Find(close.start(), at)


def _highlight(page: Page, opening: Find, close: int, end: int) -> Iterator[Find | Code]:
    """Yield a code block and the `raw` tags in it, which no reader sees."""
    before = page.line_before(close)
    raw_end = _UNTIL_CODE_END.search(before) if before else None
    closing = close - len(raw_end.group()) if raw_end else close
    closing = max(closing, opening.end)
    yield Code(opening, Find(closing, end))
    for raw in _RAW.finditer(page.text, opening.end, closing):
        yield Find(raw.start(), raw.end(), raw.group())


DIALECT = Dialect(
    "liquid",
    "Liquid",
    finds,
    hint=re.compile(r"\{[%{#]"),
    mark=re.compile(
        r"(?<!\{)\{%-?\s*(?:include|raw|if|for|assign|capture|link|post_url|highlight|comment|image|block)\b"
    ),
    configs=configs("_config.yml", "_config.yaml", "_config.toml", ".eleventy.js", "eleventy.config.js"),
)
