"""The units a section is packed from: blocks, and what each falls into one rung down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise

import regex
import sentencex

from inspector.core.blocks import Block, Kind
from inspector.core.chunk import Rung
from inspector.core.section import Section, is_break, trim
from inspector.core.text import WHITE

WINDOW = 8_000
"""Characters given to sentencex at a time: a run of full stops costs it their square."""

SECTION = "section"
SENTENCE = "sentence"
LINE = "line"
WORD = "word"
TEXT = "text"

_LINE = re.compile(r"[^\n]+")
_BLANK = WHITE.replace("\n", "")
WORDS = regex.compile(  # a blank that carries a mark, or follows one that joins to it, parts no words
    rf"(?:[^{WHITE}]|[{_BLANK}](?=[\p{{GCB=Extend}}\p{{GCB=SpacingMark}}\u200d])|(?<=\p{{GCB=Prepend}})[{_BLANK}])+"
)
_COLON = re.compile(r"[:：][*_~`\"'”’)\]]*\Z")
_FENCE_MARK = re.compile(r"(`{3,}|~{3,})")
_CONTAINER_PREFIX = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]*)*")


@dataclass(slots=True)
class Frame:
    """What is repeated around the pieces of a split block: the lines before and after, and why."""

    opening: str
    closing: str
    why: str


@dataclass(slots=True)
class Node:
    """A stretch of a section's text (offsets into it) that is one unit where it fits.

    `rung` is what a cut before it counts as; `blocks` its blocks, when it is a container.
    """

    kind: str
    start: int
    end: int
    rung: Rung
    blocks: list[Node] = field(default_factory=list)
    level: int = 0
    stays: bool = False
    frame: Frame | None = None

    @property
    def length(self) -> int:
        """Code points."""
        return self.end - self.start


def node_of(section: Section) -> Node:
    """Return the tree of a section, built once from the blocks that begin in it."""
    if not isinstance(section.node, Node):
        section.node = _section_node(section)
    return section.node


def _section_node(section: Section) -> Node:
    text = section.run.text
    children = _place_blocks(section, section.blocks, 0, len(text))
    if section.heading is not None and children:
        children[0].stays = True
    return Node(SECTION, 0, len(text), Rung.SECTION, children)


def _place_blocks(section: Section, blocks: list[Block], start: int, end: int) -> list[Node]:
    """Turn blocks into nodes that together cover all that can be seen in `[start, end)`."""
    text = section.run.text
    nodes: list[Node] = []
    at = start
    for block in blocks:
        first, last = trim(text, max(at, section.place(block.start)), min(end, section.place(block.end)))
        if first >= last:
            continue
        gap = trim(text, at, first)
        if gap[0] < gap[1]:
            if nodes or _has_words(text, gap):
                nodes.append(Node(TEXT, *gap, Rung.PARAGRAPH))
            else:
                first = gap[0]
        nodes.append(_node(section, block, first, last))
        at = last
    gap = trim(text, at, end)
    if gap[0] < gap[1]:
        if nodes and not _has_words(text, gap):
            nodes[-1].end = gap[1]
        else:
            nodes.append(Node(TEXT, *gap, Rung.PARAGRAPH))
    return nodes


def _has_words(text: str, gap: tuple[int, int]) -> bool:
    """Whether a gap between blocks is more than list or quote marks."""
    rest = _CONTAINER_PREFIX.match(text, *gap)
    return rest is None or rest.end() < gap[1]


def _node(section: Section, block: Block, start: int, end: int) -> Node:
    text = section.run.text
    rung = Rung.LINE if block.kind is Kind.ITEM else Rung.PARAGRAPH
    node = Node(block.kind, start, end, rung, level=block.level)
    if block.kind in (Kind.LIST, Kind.ITEM, Kind.QUOTE, Kind.FOOTNOTE):
        node.blocks = _place_blocks(section, block.children, start, end)
        node.blocks[0].start = start
    elif block.kind is Kind.HEADING:
        node.stays = True
    elif block.kind is Kind.PARAGRAPH:
        node.stays = _COLON.search(text, max(start, end - 12), end) is not None
    elif block.kind is Kind.FENCE:
        node.frame = _fence_frame(text, block, start, end)
    elif block.kind is Kind.TABLE:
        node.frame = _table_frame(text, start, end)
    return node


def _fence_frame(text: str, block: Block, start: int, end: int) -> Frame | None:
    line_end = text.find("\n", start, end)
    opening = text[start : line_end if line_end >= 0 else end]
    mark = _FENCE_MARK.search(opening)
    if mark is None or mark.group() != block.markup:  # tags of a site stood for the fence: they are gone
        return None
    prefix = re.sub(r"[-+*]|\d{1,9}[.)]", lambda match: " " * len(match.group()), opening[: mark.start()])
    return Frame(opening, prefix + block.markup, "fence repeated")


def _table_frame(text: str, start: int, end: int) -> Frame | None:
    lines = text[start:end].split("\n", 2)
    return Frame("\n".join(lines[:2]), "", "table header repeated") if len(lines) > 2 else None


def parts(node: Node, text: str, lang: str, fits: Callable[[int], bool]) -> list[Node]:
    """Return what a node falls into one rung down; empty for a word. `fits` judges a length."""
    if node.kind in (SECTION, Kind.LIST, Kind.ITEM, Kind.QUOTE, Kind.FOOTNOTE):
        return node.blocks
    if node.kind in (Kind.FENCE, Kind.CODE, Kind.HTML, Kind.MATH):
        lines = list(_lines(node, text))
        return _join_fence_ends(lines, node, text) if node.kind == Kind.FENCE else lines
    if node.kind == Kind.TABLE:
        rows = list(_lines(node, text))
        if len(rows) > 2 and fits(rows[2].end - rows[0].start):
            rows[0].end = rows[2].end
            del rows[1:3]
        return rows
    if node.kind == SENTENCE:
        return list(_lines(node, text))
    if node.kind == LINE:
        return list(_words(node, text))
    if node.kind == WORD:
        return []
    return list(_sentences(node, text, lang))


def _join_fence_ends(lines: list[Node], node: Node, text: str) -> list[Node]:
    """Let the opening fence stay with the first line of code, the closing one with the last."""
    if len(lines) > 2:
        lines[0].end = lines[1].end
        del lines[1]
    closing = node.frame.closing.strip(" \t>") if node.frame else ""
    if len(lines) > 1 and closing and text[lines[-1].start : lines[-1].end].strip(" \t>").startswith(closing):
        lines[-2].end = lines[-1].end
        del lines[-1]
    return lines


def _lines(node: Node, text: str) -> Iterator[Node]:
    for match in _LINE.finditer(text, node.start, node.end):
        start, end = trim(text, match.start(), match.end())
        if start < end:
            yield Node(LINE, start, end, Rung.LINE)


def _words(node: Node, text: str) -> Iterator[Node]:
    for match in WORDS.finditer(text, node.start, node.end):
        yield Node(WORD, match.start(), match.end(), Rung.WORD)


def _sentences(node: Node, text: str, lang: str) -> Iterator[Node]:
    cuts = sentence_cuts(text[node.start : node.end], lang)
    edges = [node.start, *(node.start + cut for cut in cuts), node.end]
    for start, end in pairwise(edges):
        first, last = trim(text, start, end)
        if first < last:
            yield Node(SENTENCE, first, last, Rung.SENTENCE)


@lru_cache(maxsize=4096)
def sentence_cuts(text: str, lang: str) -> tuple[int, ...]:
    """Return the offsets at which a sentence begins, but the first; never inside a grapheme."""
    safe = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    cuts: list[int] = []
    start = 0
    while start < len(safe):
        window = safe[start : start + WINDOW]
        ends = list(accumulate(map(len, sentencex.segment(lang, window))))
        is_last = start + len(window) == len(safe)
        if not is_last and len(ends) > 1:
            ends.pop()  # the window cuts its last sentence: it is read again with what follows
        elif not is_last:
            ends = []
        cuts.extend(start + end for end in ends)
        start += ends[-1] if ends else len(window)
    return tuple(cut for cut in cuts if 0 < cut < len(text) and is_break(text, cut))
