"""The Qt model of the outline: nodes in a list, ids in the indexes, children built when a document is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt

from inspector.ui.outline_tree import Filter, Kind, Node, OutlineRow, document_nodes, with_ancestors

TRAIL, CHUNKS, CHARACTERS = 0, 1, 2
HEADERS = ("trail", "chunks", "chars")

AnyIndex = QModelIndex | QPersistentModelIndex


class OutlineModel(QAbstractItemModel):
    """Documents at the top, below them sections and chunks. Indexes carry node ids, never pointers."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[OutlineRow] = []
        self._nodes: list[Node] = []
        self._roots: list[int] = []
        self._shown: set[int] | None = None  # what a filter lets through, None without one
        self._shown_parents: set[int] = set()  # what has something below it that is shown
        self._filter = Filter()
        self._parents_shown: dict[int, list[int]] = {}
        self._rows_shown: dict[int, int] = {}  # of the nodes that a filter lets through

    # What it holds

    @property
    def rows(self) -> tuple[OutlineRow, ...]:
        """The documents."""
        return tuple(self._rows)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter hides something."""
        return self._shown is not None

    def show_rows(self, rows: Sequence[OutlineRow]) -> None:
        """Show other documents."""
        self.beginResetModel()
        self._rows = list(rows)
        self._build_roots()
        self._apply_filter()
        self.endResetModel()

    def update_row(self, row: OutlineRow) -> bool:
        """Show a document's new counts and chunking; return whether it is one of those shown."""
        number = self.document_number(row.name)
        if number is None:
            return False
        if self._rows[number].is_same(row):
            return True
        if self._shown is not None:
            self.beginResetModel()
            self._rows[number] = row
            self._build_roots()
            self._apply_filter()
            self.endResetModel()
            return True
        self._rows[number] = row
        root = self._roots[number]
        node = self._nodes[root]
        index = self.createIndex(number, 0, root)
        if node.children:
            self.beginRemoveRows(index, 0, len(node.children) - 1)
            node.children = []
            self.endRemoveRows()
        was_built = node.children is not None
        self._nodes[root] = fresh = _root_node(row, number)
        fresh.row = number
        self.dataChanged.emit(index, self.createIndex(number, CHARACTERS, root))
        if was_built and row.chunking is not None:
            self._insert(index, root, number)
        return True

    def set_filter(self, wanted: Filter, matches: Sequence[int] | None = None) -> None:
        """Hide what a filter does not let through; `matches` are the nodes it does, where they have been found."""
        self.beginResetModel()
        self._filter = wanted
        self._apply_filter(matches)
        self.endResetModel()

    def matching(self, wanted: Filter) -> Iterator[list[int]]:
        """Yield the nodes that a filter lets through, document by document; their sections are built where needed."""
        for root in self._roots:
            first = len(self._nodes)
            if self._nodes[root].children is None:
                self._build(root)
                below: Iterable[int] = range(first, len(self._nodes))
            else:
                below = self._below(root)
            name = self._rows[self._nodes[root].document].name
            yield [number for number in below if wanted.passes(self._nodes[number], name)]

    def document_number(self, name: str) -> int | None:
        """Return the place of a document among those shown."""
        return next((number for number, row in enumerate(self._rows) if row.name == name), None)

    def node(self, index: AnyIndex) -> Node:
        """Return the node of an index."""
        return self._nodes[int(index.internalId())]

    def document_index(self, number: int) -> QModelIndex:
        """Return the index of a document."""
        return self._index_of(self._roots[number])

    def chunk_index(self, number: int, chunk: int) -> QModelIndex:
        """Return the index of a chunk, building what is above it; invalid when it is filtered away."""
        root = self._roots[number]
        parent = self.document_index(number)
        if parent.isValid() and self.canFetchMore(parent):
            self.fetchMore(parent)
        for identity in self._below(root):
            node = self._nodes[identity]
            if node.kind is Kind.CHUNK and node.chunk == chunk:
                return self._index_of(identity)
        return QModelIndex()

    def key(self, index: AnyIndex) -> tuple[object, ...]:
        """Return what a node is known by when the nodes are built anew."""
        node = self.node(index)
        return (self._rows[node.document].name, node.kind.value, node.trail, node.chunk)

    # What it is made of

    def _build_roots(self) -> None:
        self._nodes = []
        self._roots = []
        for number, row in enumerate(self._rows):
            node = _root_node(row, number)
            node.row = number
            self._roots.append(len(self._nodes))
            self._nodes.append(node)

    def _apply_filter(self, matches: Sequence[int] | None = None) -> None:
        self._parents_shown, self._rows_shown = {}, {}
        if self._filter.is_empty:
            self._shown = None
            return
        if matches is None:
            matches = [number for found in self.matching(self._filter) for number in found]
        self._shown = with_ancestors(iter(matches), self._nodes)
        self._shown_parents = {self._nodes[identity].parent for identity in self._shown}
        if self._filter != Filter(self._filter.words):
            return
        for root in self._roots:  # a document is found by its name, too, when words are all that is asked
            name = self._rows[self._nodes[root].document].name.lower()
            if all(word in name for word in self._filter.words):
                self._shown.add(root)

    def _build(self, root: int) -> list[Node]:
        number = self._nodes[root].document
        first = len(self._nodes)
        fresh = document_nodes(self._rows[number], number, root, first)
        self._nodes += fresh
        self._nodes[root].children = [first + at for at, node in enumerate(fresh) if node.parent == root]
        return fresh

    def _insert(self, index: QModelIndex, root: int, number: int) -> None:
        first = len(self._nodes)
        fresh = document_nodes(self._rows[number], number, root, first)
        top = [first + at for at, node in enumerate(fresh) if node.parent == root]
        self._nodes[root].children = []  # nothing more to fetch, whoever asks meanwhile
        if not top:
            return
        self.beginInsertRows(index, 0, len(top) - 1)
        self._nodes += fresh
        self._nodes[root].children = top
        self.endInsertRows()

    def _children(self, identity: int) -> list[int]:
        everything = self._roots if identity < 0 else self._nodes[identity].children or []
        if self._shown is None:
            return everything
        if identity not in self._parents_shown:
            shown = self._parents_shown[identity] = [child for child in everything if child in self._shown]
            self._rows_shown.update(zip(shown, range(len(shown)), strict=True))
        return self._parents_shown[identity]

    def _below(self, identity: int) -> Iterator[int]:
        """Yield the nodes below another, in their order."""
        waiting = list(reversed(self._nodes[identity].children or []))
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed(self._nodes[found].children or [])

    def _index_of(self, identity: int) -> QModelIndex:
        node = self._nodes[identity]
        row: int | None = node.row
        if self._shown is not None:
            self._children(node.parent)
            row = self._rows_shown.get(identity)
        return self.createIndex(row, 0, identity) if row is not None else QModelIndex()

    # What Qt asks

    def index(self, row: int, column: int, parent: AnyIndex | None = None) -> QModelIndex:
        """Return the index of a row below `parent`."""
        children = self._children(_identity(parent))
        if not 0 <= row < len(children) or not 0 <= column < len(HEADERS):
            return QModelIndex()
        return self.createIndex(row, column, children[row])

    def parent(self, index: AnyIndex | None = None) -> Any:
        """Return the index above another; without one, as QObject's `parent` does."""
        if index is None:
            return super().parent()
        if not index.isValid():
            return QModelIndex()
        above = self._nodes[int(index.internalId())].parent
        return self._index_of(above) if above >= 0 else QModelIndex()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """Return how many rows are below `parent` by now."""
        if parent is not None and parent.isValid() and parent.column() > 0:
            return 0
        return len(self._children(_identity(parent)))

    def columnCount(self, parent: AnyIndex | None = None) -> int:
        """Return the number of columns."""
        return len(HEADERS)

    def hasChildren(self, parent: AnyIndex | None = None) -> bool:
        """Say whether a row can be opened, also before its children are built."""
        if parent is None or not parent.isValid():
            return bool(self._roots)
        identity = int(parent.internalId())
        node = self._nodes[identity]
        if node.children is None:
            return self._rows[node.document].chunking is not None
        return bool(node.children) if self._shown is None else identity in self._shown_parents

    def canFetchMore(self, parent: AnyIndex) -> bool:
        """Say whether a document's children are still to be built."""
        if not parent.isValid():
            return False
        node = self.node(parent)
        return node.children is None and self._rows[node.document].chunking is not None

    def fetchMore(self, parent: AnyIndex) -> None:
        """Build a document's children."""
        if self.canFetchMore(parent):
            root = _identity(parent)
            number = self._nodes[root].document
            self._insert(self.createIndex(parent.row(), 0, root), root, number)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's name."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == TRAIL else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says."""
        if not index.isValid():
            return None
        node = self.node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_words(node, index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == TRAIL:
            return self._words(node)
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == TRAIL:
            return self._words(node)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() != TRAIL:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _words(self, node: Node) -> str:
        name = self._rows[node.document].name
        state = self._rows[node.document].state
        head = name + (f" ({state})" if state else "") if node.kind is Kind.DOCUMENT else " › ".join(node.trail)
        label = "" if node.kind is Kind.DOCUMENT else node.label
        number = f"#{node.chunk + 1}" if node.kind is Kind.CHUNK and node.chunk is not None else ""
        unread = ""
        if node.warnings:
            unread = "truncated" if node.kind is Kind.CHUNK else f"{node.warnings} truncated"
        return "\n".join(dict.fromkeys(part for part in (head, f"{number} {label}".strip(), unread) if part))


def cell_words(node: Node, column: int) -> str:
    """Return what a cell says."""
    if column == TRAIL:
        return f"#{node.chunk + 1} {node.label}" if node.kind is Kind.CHUNK and node.chunk is not None else node.label
    value = node.chunk_count if column == CHUNKS else node.characters
    return "" if value is None else f"{value:,}"


def _root_node(row: OutlineRow, number: int) -> Node:
    node = Node(Kind.DOCUMENT, row.name, number, -1, characters=row.characters, chunk_count=row.chunk_count)
    node.warnings = len(row.truncated)
    node.children = None
    return node


def _identity(index: AnyIndex | None) -> int:
    return int(index.internalId()) if index is not None and index.isValid() else -1
