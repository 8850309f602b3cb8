"""A document: its source, what was found in it, and its title."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from markdown_it.token import Token

from inspector.core.blocks import Block, BlockTree, Kind, walk
from inspector.core.dialects.page import FILLER
from inspector.core.dialects.reading import SiteSyntax, read_in_dialects
from inspector.core.front_matter import FrontMatter, read_front_matter
from inspector.core.html import tag_mark
from inspector.core.span import LineIndex, Span
from inspector.core.text import BOM, WHITE, Decoded, LineMap, decode

_WORDS = re.compile(r"\w+")
_FENCE_PLACE = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]*)*")
_NOT_KEPT = re.compile(rf"[{WHITE}>]*")
_LIGHT = ("lines", "line_map", "body_start", "title", "headings", "fences")
ADOPTED = ("outline", "title_block", "heading_texts")
"""What a document may be handed without its block tree, as blocks that hold nothing; the tree has its own."""
_HEAVY = frozenset({"_in_dialects", *ADOPTED})
_VARIANT = "variant"
"""Where a document keeps itself as it reads in other dialects."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the outline: its plain words, and the span of its lines without the last line end."""

    level: int
    text: str
    span: Span
    line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block: the span of all its lines, its opening line (1-based), and whether it is closed."""

    span: Span
    line: int
    is_closed: bool


@dataclass(frozen=True)
class Document:
    """A document as read: `source` is its text with line endings untouched, `name` its path with `/`,
    `dialects` the names of the site dialects it is read in.

    All that is derived from the source is made once, when first asked for. `warm` holds what a strategy
    keeps for the next call with other options; it is no part of the value.
    """

    name: str
    source: str
    sha256: str
    decoded: Decoded
    dialects: frozenset[str] = frozenset()
    warm: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the block tree, which is large, but with all that views ask for, which needs it."""
        for name in _LIGHT:
            getattr(self, name)
        state = {name: value for name, value in self.__dict__.items() if name not in _HEAVY}
        return {**state, "warm": {}}

    def in_dialects(self, dialects: frozenset[str]) -> Document:
        """Return the document as it reads in these dialects; the last one asked for is kept."""
        if dialects == self.dialects:
            return self
        kept = self.warm.get(_VARIANT)
        if not isinstance(kept, Document) or kept.dialects != dialects:
            kept = replace(self, dialects=dialects, warm={})
            for name in ("lines", "line_map", "front_matter", "body_start"):
                if name in self.__dict__:
                    kept.__dict__[name] = self.__dict__[name]
            self.warm[_VARIANT] = kept
        return kept

    @property
    def encoding(self) -> str:
        """The encoding as shown to people."""
        return self.decoded.encoding

    @property
    def characters(self) -> int:
        """Code points of the source."""
        return len(self.source)

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the source."""
        return LineIndex(self.source)

    @cached_property
    def line_map(self) -> LineMap:
        """The source with LF line ends, and the way back."""
        return LineMap(self.source)

    @cached_property
    def front_matter(self) -> FrontMatter | None:
        """The front matter, None where there is none."""
        text = self.line_map.text
        return read_front_matter(text, 1 if text.startswith(BOM) else 0)

    @cached_property
    def body_start(self) -> int:
        """The position at which the body begins: after byte order mark and front matter."""
        if self.front_matter is not None:
            return self.front_matter.end
        return 1 if self.source.startswith(BOM) else 0

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The front matter's data, as JSON can hold it."""
        return self.front_matter.data if self.front_matter is not None else {}

    @cached_property
    def _in_dialects(self) -> SiteSyntax:
        for name in ADOPTED:
            self.__dict__.pop(name, None)
        return read_in_dialects(self.line_map.text, self.body_start, self.dialects)

    @property
    def tree(self) -> BlockTree:
        """The block structure; positions are into `line_map.text`."""
        return self._in_dialects.tree

    @property
    def site_syntax(self) -> tuple[tuple[int, int], ...]:
        """The ranges of positions that are syntax of the dialects, in order."""
        return self._in_dialects.ranges

    @cached_property
    def outline(self) -> tuple[Block, ...]:
        """The headings at the top level of the document, as blocks."""
        return tuple(block for block in self.tree.blocks if block.kind is Kind.HEADING)

    @cached_property
    def heading_texts(self) -> tuple[str, ...]:
        """The plain words of each heading of the outline."""
        return tuple(heading_words(block, FILLER if self.dialects else "") for block in self.outline)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The outline, with spans of the source."""
        first = self.line_map.text.count("\n", 0, self.body_start) + 1
        return tuple(
            Heading(block.level, text, self.line_map.span(block.start, block.end), first + block.first_line)
            for block, text in zip(self.outline, self.heading_texts, strict=True)
        )

    @cached_property
    def title_block(self) -> Block | None:
        """The h1 that is the title and stands in no chunk: the first, unless front matter says otherwise."""
        stated = self._stated_title
        for block, text in zip(self.outline, self.heading_texts, strict=True):
            if block.level == 1:
                return block if not stated or _WORDS.findall(text.lower()) == _WORDS.findall(stated.lower()) else None
        return None

    @cached_property
    def _stated_title(self) -> str:
        value = self.metadata.get("title")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return ""
        return " ".join(str(value).split())

    @cached_property
    def title(self) -> str:
        """Front matter `title`, else the first h1, else the file's stem."""
        if self._stated_title:
            return self._stated_title
        for block, text in zip(self.outline, self.heading_texts, strict=True):
            if block.level == 1 and text:
                return text
            if block.level == 1:
                break
        return _stem(self.name)

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """All fenced code blocks, also inside lists and quotes, in order."""
        found = []
        for block in walk(self.tree.blocks):
            if block.kind is Kind.FENCE:
                span = self.line_map.span(self._code_start(block), block.end)
                found.append(Fence(span, self.lines.line_of(span.start), block.is_closed))
        return tuple(found)

    def _code_start(self, block: Block) -> int:
        """Where what is kept of a fence begins: after the tag, where a tag of a dialect opens it."""
        ranges, text = self.site_syntax, self.line_map.text
        start = block.start + len(_FENCE_PLACE.match(text, block.start).group())  # type: ignore[union-attr]
        index = bisect_right(ranges, (start, len(text))) - 1
        if index < 0 or ranges[index][1] <= start:
            return block.start
        while index < len(ranges) and ranges[index][0] <= start < block.end:
            start = _NOT_KEPT.match(text, ranges[index][1]).end()  # type: ignore[union-attr]
            index += 1
        return min(start, block.end)


def read_document(name: str, data: bytes, codec: str = "") -> Document:
    """Read a document from its bytes. Any bytes make a document; a binary file has an empty source.

    `codec` is a Python encoding to read it in, "" to find one out. Raises LookupError for one that is not known.
    """
    decoded = decode(data, codec)
    source = "" if decoded.is_binary else decoded.text
    return Document(name, source, hashlib.sha256(data).hexdigest(), decoded)


def document_from_text(name: str, source: str) -> Document:
    """Make a document of a text, as if it had been read from a UTF-8 file."""
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(name, source, digest, Decoded(source, "UTF-8"))


def _stem(name: str) -> str:
    """Return a path's last part without its suffix; a leading dot begins no suffix."""
    last = name.rpartition("/")[2]
    return last[: last.rfind(".")] if last.rfind(".") > 0 else last


def heading_words(block: Block, filler: str = "") -> str:
    """Return a heading's plain words: no marks, escapes, entities, tags, images, notes or ids.

    `filler` is what stands for site syntax.
    """
    if not block.inlines:
        return ""
    words = "".join(_words(block.inlines[0].tokens))
    if filler:
        words = words.replace(filler, "")
    return " ".join(words.split())


def _words(tokens: list[Token]) -> list[str]:
    words: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            words.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif token.type == "html_inline" and tag_mark(token.content, 0, len(token.content)) is None:
            words.append(token.content)
    return words
