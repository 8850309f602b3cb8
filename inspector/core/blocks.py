"""The block structure of a text: markdown-it-py's tokens as a tree of blocks with positions."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate

from markdown_it.token import Token

from inspector.core.parser import MAX_NESTING, Env, InlineMark, find_marks, parse_blocks, parse_inline


class Kind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    FENCE = "fence"
    CODE = "code"
    HTML = "html"
    MATH = "math"
    RULE = "rule"
    TABLE = "table"
    ROW = "row"
    LIST = "list"
    ITEM = "item"
    QUOTE = "quote"
    FOOTNOTE = "footnote"


CONTAINERS = frozenset({Kind.LIST, Kind.ITEM, Kind.QUOTE, Kind.FOOTNOTE, Kind.TABLE})

_LEAVES = {
    "fence": Kind.FENCE,
    "code_block": Kind.CODE,
    "html_block": Kind.HTML,
    "math_block": Kind.MATH,
    "hr": Kind.RULE,
}
_OPENERS = {
    "paragraph_open": Kind.PARAGRAPH,
    "heading_open": Kind.HEADING,
    "table_open": Kind.TABLE,
    "tr_open": Kind.ROW,
    "bullet_list_open": Kind.LIST,
    "ordered_list_open": Kind.LIST,
    "list_item_open": Kind.ITEM,
    "blockquote_open": Kind.QUOTE,
    "footnote_reference_open": Kind.FOOTNOTE,
}
HEADING_ID = re.compile(r"[ \t]*(?<!\\)(?:\{:?[ \t]*[#.][^{}\n]*\}|\{:[^{}\n]*\}|\{/\*[^{}\n]*\*/\})[ \t]*\Z")
"""An id or attributes at the end of a heading, as Pandoc, kramdown and MDX write them."""

_WORTH_PARSING = re.compile(r"[\[<]")


@dataclass(slots=True)
class Inline:
    """A run of inline text: where each of its characters stands, and what was found in it.

    `lines` holds (offset in content, position in the text) for each of its lines.
    """

    content: str
    lines: list[tuple[int, int]]
    marks: list[InlineMark] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)

    def position(self, offset: int) -> int:
        """Return the position in the text of an offset into the inline text."""
        start, position = self.lines[bisect_right(self.lines, (offset, sys.maxsize)) - 1]
        return position + offset - start


@dataclass(slots=True)
class Block:
    """A block: positions of its first and last character, its blocks, and its inline text.

    `start` is the start of its first line, `end` the end of its last line without the line end. For a
    heading `level` is 1 to 6; for a fence `is_closed` says so; `is_top` means it is in no container.
    """

    kind: Kind
    start: int
    end: int
    first_line: int
    last_line: int
    is_top: bool = False
    level: int = 0
    markup: str = ""
    is_closed: bool = True
    children: list[Block] = field(default_factory=list)
    inlines: list[Inline] = field(default_factory=list)


@dataclass(slots=True)
class BlockTree:
    """All blocks of a text, its link definitions, and whether something was nested too deep.

    `line_starts` are positions; it has one entry more than there are lines.
    """

    blocks: list[Block]
    definitions: list[tuple[int, int]]
    too_deep: bool
    line_starts: list[int]


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks and all that is in them, in the order they stand."""
    stack = list(reversed(list(blocks)))
    while stack:
        block = stack.pop()
        yield block
        stack.extend(reversed(block.children))


def read_blocks(text: str, start: int, has_indented_code: bool = True) -> BlockTree:
    """Parse the blocks of `text[start:]`; positions are into `text`, whose lines end with LF."""
    body = text[start:]
    tokens, env = parse_blocks(body, has_indented_code)
    starts = list(accumulate((len(line) + 1 for line in body.split("\n")), initial=start))
    if len(body) == 0 or body.endswith("\n"):
        starts.pop()  # what follows the last line end is no line
    builder = _Builder(text, starts, env)
    blocks = builder.build(tokens)
    definitions = [(start + first, start + last) for first, last in env["definitions"]]
    return BlockTree(blocks, definitions, builder.too_deep, starts)


class _Builder:
    """Turns a list of tokens into a tree of blocks."""

    def __init__(self, text: str, line_starts: list[int], env: Env) -> None:
        self._text = text
        self._starts = line_starts
        self._env = env
        self.too_deep = False

    def build(self, tokens: list[Token]) -> list[Block]:
        top: list[Block] = []
        stack: list[Block] = []
        for token in tokens:
            siblings = stack[-1].children if stack else top
            if token.type in _LEAVES:
                siblings.append(self._leaf(token, not stack))
            elif token.type in _OPENERS:
                block = self._block(_OPENERS[token.type], token, not stack)
                siblings.append(block)
                stack.append(block)
                if token.level + 1 >= MAX_NESTING and block.kind in CONTAINERS:
                    self.too_deep = True
            elif token.type == "inline":
                self._add_inline(stack[-1], token)
            elif token.nesting < 0 and token.type[:-5] + "open" in _OPENERS:
                stack.pop()
        return top

    def _block(self, kind: Kind, token: Token, is_top: bool) -> Block:
        assert token.map is not None
        first, last = token.map
        last = min(max(last, first + 1), len(self._starts) - 1) if len(self._starts) > 1 else first + 1
        start = self._starts[first]
        end = self._starts[last] - 1 if last < len(self._starts) else len(self._text)
        level = int(token.tag[1]) if kind is Kind.HEADING else 0
        return Block(kind, start, max(start, end), first, last - 1, is_top, level, token.markup)

    def _leaf(self, token: Token, is_top: bool) -> Block:
        block = self._block(_LEAVES[token.type], token, is_top)
        if block.kind is Kind.FENCE:
            assert token.map is not None
            content = token.content
            lines = content.count("\n") + (1 if content and not content.endswith("\n") else 0)
            block.is_closed = token.map[1] - token.map[0] == lines + 2
        return block

    def _add_inline(self, block: Block, token: Token) -> None:
        if not token.content:
            return
        if block.kind is Kind.ROW:
            self._add_cell(block, token.content)
            return
        inline = self._align(block, token.content)
        if inline is not None:  # pragma: no branch - see there
            if block.kind is Kind.HEADING:
                inline.tokens, inline.marks = parse_inline(HEADING_ID.sub("", token.content), self._env)
            elif _WORTH_PARSING.search(token.content):
                inline.marks = find_marks(token.content, self._env)
            block.inlines.append(inline)

    def _align(self, block: Block, content: str) -> Inline | None:
        """Find where each line of inline text stands: each is the tail of a line of the block.

        markdown-it strips container marks and indentation in front, and white space at both ends.
        """
        first = block.first_line
        start = self._starts[first]
        if self._text.startswith(content, start) and start + len(content) == block.end:
            return Inline(content, [(0, start)])  # it stands in the text as it is
        lines = content.split("\n")
        for skipped in range(block.last_line - first - len(lines) + 2):  # lines of white space in front are gone
            placed = self._place(block, lines, first + skipped)
            if placed is not None:
                return Inline(content, placed)
        return None  # pragma: no cover - else nothing of it would be cleaned

    def _place(self, block: Block, lines: list[str], first: int) -> list[tuple[int, int]] | None:
        """Return where each line of inline text begins, when the first stands in line `first` of the text."""
        placed: list[tuple[int, int]] = []
        offset = 0
        for number, line in enumerate(lines):
            whole = self._line(first + number)
            bare = line.lstrip(" \t")
            if number + 1 < len(lines):
                column = len(whole) - len(bare)
            else:
                column = whole.rfind(bare) if block.kind is Kind.HEADING else len(whole.rstrip()) - len(bare)
            if column < 0 or not whole.startswith(bare, column):
                return None
            placed.append((offset, self._starts[first + number] + column - len(line) + len(bare)))
            offset += len(line) + 1
        return placed

    def _line(self, index: int) -> str:
        return self._text[self._starts[index] : self._starts[index + 1] - 1]

    def _add_cell(self, row: Block, content: str) -> None:
        """Place a table cell: the next run of the row that reads as it once `\\|` is `|`."""
        search_from = row.inlines[-1].lines[-1][1] if row.inlines else row.start
        if row.inlines:
            last = row.inlines[-1]
            search_from = last.position(len(last.content) - 1) + 1
        inline = _find_cell(self._text, search_from, row.end, content)
        if inline is None:  # pragma: no cover - see there
            return
        if _WORTH_PARSING.search(content):
            inline.marks = find_marks(content, self._env)
        row.inlines.append(inline)


def _find_cell(text: str, start: int, end: int, content: str) -> Inline | None:
    escaped = content.replace("|", "\\|")
    at = text.find(escaped, start, end)
    if at < 0:  # pragma: no cover - a cell stands in its row, its bars escaped
        return None
    lines = [(0, at)]
    for offset, character in enumerate(content):
        if character == "|":
            lines.append((offset, at + offset + len(lines)))
    return Inline(content, lines)
