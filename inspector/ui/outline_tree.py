"""The outline as data: a document's sections and chunks as nodes, and the filter over them; no Qt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.core.chunk import Chunk, Chunking, Fate, SectionResult


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A document of the folder: its counts, and its chunking once it is known.

    `truncated` holds the indexes of the chunks that the target model reads only in part.
    """

    name: str
    chunk_count: int | None
    characters: int | None
    chunking: Chunking | None = None
    truncated: frozenset[int] = frozenset()
    state: str = ""

    def is_same(self, other: OutlineRow) -> bool:
        """Whether another row of this document says the same, told without comparing chunks."""
        mine, theirs = ((row.chunk_count, row.characters, row.truncated, row.state) for row in (self, other))
        return self.chunking is other.chunking and mine == theirs


class Kind(StrEnum):
    """What a node of the outline is."""

    DOCUMENT = "document"
    SECTION = "section"
    CHUNK = "chunk"
    FOLDED = "folded"
    DROPPED = "dropped"
    NOTE = "note"


@dataclass(slots=True)
class Node:
    """One row of the outline. `offset` is its place in the source, `children` None until it is first opened."""

    kind: Kind
    label: str
    document: int
    parent: int
    row: int = 0
    offset: int = 0
    characters: int | None = None
    chunk: int | None = None
    chunk_count: int | None = None
    warnings: int = 0
    trail: tuple[str, ...] = ()
    rung: str = ""
    children: list[int] | None = field(default_factory=list)


NO_HEADINGS = "No ## or ### headings: the whole post is one section"
FIRST_WORDS = 60


def document_nodes(row: OutlineRow, document: int, root: int, first: int) -> list[Node]:
    """Return the nodes below a document; ids count from `first`, `root` is the document's own."""
    chunking = row.chunking
    if chunking is None:
        return []
    nodes: list[Node] = []
    children: dict[int, list[int]] = {root: []}
    open_sections: list[tuple[int, int]] = []  # (heading level, id)
    chunks_of: dict[int, list[Chunk]] = {}
    for chunk in chunking.chunks:
        chunks_of.setdefault(chunk.section, []).append(chunk)

    def add(node: Node) -> int:
        number = first + len(nodes)
        node.row = len(children[node.parent])
        children[node.parent].append(number)
        children[number] = []
        node.children = children[number]
        nodes.append(node)
        return number

    headed = [section for section in chunking.sections if section.heading is not None]
    if not headed and chunking.chunks:
        add(Node(Kind.NOTE, NO_HEADINGS, document, root))
    for section in chunking.sections:
        parent = root
        if section.heading is not None:
            while open_sections and open_sections[-1][0] >= section.heading.level:
                open_sections.pop()
            above = open_sections[-1][1] if open_sections else root
            parent = add(_section_node(section, document, above))
            open_sections.append((section.heading.level, parent))
        for chunk in chunks_of.get(section.index, ()):
            add(_chunk_node(chunk, document, parent, chunk.index in row.truncated))
    _count(nodes, first, root)
    return nodes


def _section_node(section: SectionResult, document: int, parent: int) -> Node:
    assert section.heading is not None
    words = section.heading.text or "(empty heading)"
    node = Node(Kind.SECTION, words, document, parent, offset=section.span.start, trail=section.trail)
    if section.fate is Fate.FOLDED:
        into = f": folded into #{section.chunk + 1}" if section.chunk is not None else ": folded"
        node.kind, node.label = Kind.FOLDED, f"{words}{into}"
        node.chunk, node.characters = section.chunk, section.characters
    elif section.fate is Fate.DROPPED:
        node.kind, node.label, node.characters = Kind.DROPPED, f"{words} · dropped", section.characters
    return node


def _chunk_node(chunk: Chunk, document: int, parent: int, is_truncated: bool) -> Node:
    node = Node(Kind.CHUNK, first_words(chunk), document, parent, offset=chunk.span.start, trail=chunk.trail)
    node.characters, node.chunk, node.chunk_count = chunk.characters, chunk.index, None
    node.rung, node.warnings = str(chunk.starts_at), int(is_truncated)
    return node


def _count(nodes: list[Node], first: int, root: int) -> None:
    """Add chunks and warnings up to the sections."""
    for node in nodes:
        if node.kind is not Kind.CHUNK:
            continue
        parent = node.parent
        while parent != root:
            above = nodes[parent - first]
            above.chunk_count = (above.chunk_count or 0) + 1
            above.warnings += node.warnings
            parent = above.parent


def first_words(chunk: Chunk) -> str:
    """Return the first words of a chunk after its heading."""
    text = "".join(piece.text for piece in chunk.pieces if piece.span is not None or not piece.why)
    lines = [line.strip() for line in text[: FIRST_WORDS * 4].split("\n") if line.strip()]
    if len(lines) > 1 and chunk.trail and lines[0] == chunk.trail[-1].strip():
        lines = lines[1:]
    return " ".join(lines)[:FIRST_WORDS]


_TERM = re.compile(r'(?:(?P<key>is|rung|trail|len)(?P<sign>[:<>]=?))?(?:"(?P<quoted>[^"]*)"?|(?P<word>\S+))')


@dataclass(frozen=True, slots=True)
class Filter:
    """What the filter field asks for: every term has to hold."""

    words: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    rungs: tuple[str, ...] = ()
    trails: tuple[str, ...] = ()
    longer: int | None = None
    shorter: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return self == Filter()

    def passes(self, node: Node, document_name: str) -> bool:
        """Say whether a node below a document is asked for."""
        if node.kind is Kind.NOTE:
            return False
        if any(not _has_state(node, state) for state in self.states):
            return False
        if any(not node.rung.startswith(rung) for rung in self.rungs):
            return False
        size = node.characters
        if self.longer is not None and (size is None or size <= self.longer):
            return False
        if self.shorter is not None and (size is None or size >= self.shorter):
            return False
        if not self.trails and not self.words:
            return True
        trail = " › ".join(node.trail).lower()
        if any(wanted not in trail for wanted in self.trails):
            return False
        text = f"{document_name} {trail} {node.label}".lower()
        return all(word in text for word in self.words)


def _has_state(node: Node, state: str) -> bool:
    if state == "truncated":
        return node.kind is Kind.CHUNK and node.warnings > 0
    return node.kind.value == state


def read_filter(text: str) -> Filter:
    """Read `is:truncated rung:character len>1200 trail:Install words`; what is not understood is a word."""
    words, states, rungs, trails = [], [], [], []
    longer = shorter = None
    for match in _TERM.finditer(text):
        key, sign = match["key"], match["sign"]
        value = (match["quoted"] if match["quoted"] is not None else match["word"]).lower()
        number = value.replace(",", "")
        if key == "is" and sign == ":":
            states.append(value)
        elif key == "rung" and sign == ":":
            rungs.append(value)
        elif key == "trail" and sign == ":":
            trails.append(value)
        elif key == "len" and sign != ":" and number.isdecimal():
            limit = int(number)
            if sign.startswith(">"):
                longer = limit - 1 if "=" in sign else limit
            else:
                shorter = limit + 1 if "=" in sign else limit
        else:
            words.append(match[0].lower())
    return Filter(tuple(words), tuple(states), tuple(rungs), tuple(trails), longer, shorter)


def with_ancestors(matches: Iterator[int], nodes: list[Node]) -> set[int]:
    """Return some nodes and all nodes above them."""
    shown: set[int] = set()
    for number in matches:
        while number >= 0 and number not in shown:
            shown.add(number)
            number = nodes[number].parent
    return shown
