"""Obsidian's and Foam's notes: wikilinks, embeds, callouts, comments, marks, block ids."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from inspector.core.blocks import Kind
from inspector.core.dialects.alerts import callouts
from inspector.core.dialects.dialect import Dialect, configs
from inspector.core.dialects.page import Code, Find, Page

_COMMENT_MARK = re.compile("%%")
_ONLY_MARKS = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*\Z")
_WIKILINK = re.compile(r"(!?)\[\[(?=[^\s\[\]])([^\[\]\n]+)\]\](?!\()")
_MARKED = re.compile(r"(?<![=\w])==(?=[^\s=])[^\n=]*(?<=[^\s=])==(?![=\w])")
_BLOCK_ID = re.compile(r"(?:\A|(?<=\s))\^[A-Za-z0-9-]{2,}\Z")
LONGEST_ID = 80


def finds(page: Page) -> Iterator[Find | Code]:
    """A wikilink reads as its alias, else as its target (`[[Page]]` Page, `[[#Part]]` Part, `[[Page#Part]]`
    both, a block id never); an embed `![[…]]`, picture or note, goes: its text belongs to the other note.

    `%%…%%` goes, on one line, or over several when it opens at a line's start; unclosed it stays.
    `==marked==` loses its marks, a callout `> [!word]` too: title and text stay. A block id `^word` at a
    paragraph's end goes. A `#tag` is text.
    """
    comments = list(_comments(page))
    starts = [start for start, _end in comments]

    def is_free(position: int) -> bool:
        index = bisect_right(starts, position) - 1
        return index < 0 or comments[index][1] <= position

    for start, end in comments:
        yield Find(start, end)
    for match in page.matches(_WIKILINK):
        if is_free(match.start()):
            yield from _wikilink(match)
    for match in page.matches(_MARKED):
        if is_free(match.start()) and is_free(match.end() - 1):
            yield Find(match.start(), match.start() + 2)
            yield Find(match.end() - 2, match.end())
    for find in (*callouts(page), *_block_ids(page)):
        if is_free(find.start):
            yield find


def _comments(page: Page) -> Iterator[tuple[int, int]]:
    marks = [match.start() for match in page.matches(_COMMENT_MARK)]
    index = 0
    while index + 1 < len(marks):
        start, end = marks[index], marks[index + 1]
        newline = page.find("\n", start)
        if not -1 < newline < end or _opens_line(page, start):
            yield start, end + 2
            index += 2
        else:
            index += 1


def _opens_line(page: Page, position: int) -> bool:
    before = page.line_before(position)
    return before is not None and _ONLY_MARKS.match(before) is not None


def _wikilink(match: re.Match[str]) -> Iterator[Find]:
    if match[1]:
        yield Find(match.start(), match.end())
        return
    start, end = match.span(2)
    bar = match.string.find("|", start, end)
    if -1 < bar < end - 1:
        start = bar + 1
    else:
        target = match[2].rstrip("|\\")
        end = start + len(target)
        block = target.find("#^")
        if block > 0:
            end = start + block
        elif target.startswith("#"):
            start += len(target) - len(target.lstrip("#"))
    if start >= end:
        start = end = match.end(2)
    yield Find(match.start(), start)
    yield Find(end, match.end())


def _block_ids(page: Page) -> Iterator[Find]:
    for block in page.blocks():
        if block.kind not in (Kind.PARAGRAPH, Kind.HEADING):
            continue
        for inline in block.inlines:
            tail = inline.content[-LONGEST_ID:]
            match = _BLOCK_ID.search(tail)
            if match and (len(tail) == len(inline.content) or match.start()):
                start = inline.position(len(inline.content) - len(match.group()))
                if page.is_open(start):  # pragma: no branch - code ends with its backtick
                    yield Find(start, start + len(match.group()))


DIALECT = Dialect(
    "obsidian",
    "Obsidian",
    finds,
    hint=re.compile(r"\[\[|%%|==|\[!|\^[\w-]"),
    mark=re.compile(  # a word in brackets alone on its line is TOML
        r"\[\[(?=[^\W\d])[^\[\]\n|#/ A-Z]*[|#/ A-Z][^\[\]\n]*\]\](?!\()|\S[ \t]+\[\[[^\W\d][\w-]*\]\](?!\()"
        r"|^[ \t]*>[ \t]?\[!\w+\][+-]",
        re.MULTILINE,
    ),
    configs=configs(".obsidian/", ".foam/", ".vscode/foam.json"),
)
