"""The documents of a folder as they were read last, what of it does not count, and its numbers."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from inspector.core.chunk import Chunking
from inspector.core.document import Document
from inspector.core.strategies.headings import LAST
from inspector.corpus import FileStamp, LeftOut
from inspector.document_tasks import Unreadable
from inspector.reading import ReadDocument
from inspector.ui.totals import FolderTotals, add_documents, add_up

Lengths = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of documents the lengths of sections and chunks in characters, and the chunks' tokens, None while uncounted."""

    sections: Lengths
    chunks: Lengths
    tokens: Lengths | None


class Library:
    """Holds each file in one of three: documents, drafts that do not count, files that could not be read."""

    def __init__(self) -> None:
        """Begin empty."""
        self._documents: dict[str, ReadDocument] = {}
        self._drafts: dict[str, ReadDocument] = {}
        self._unreadable: dict[str, Unreadable] = {}
        self._totals = FolderTotals()
        self._sizes: dict[str, tuple[ReadDocument, Sizes]] = {}

    def sizes(self) -> Sizes:
        """Return the sizes of all documents together; those of a document are read once."""
        kept, self._sizes = self._sizes, {}
        for name, document in self._documents.items():
            known = kept.get(name)
            self._sizes[name] = known if known is not None and known[0] is document else (document, _sizes_of(document))
        parts = [sizes for _, sizes in self._sizes.values()]
        tokens = [part.tokens for part in parts if part.tokens is not None]
        return Sizes(
            _joined([part.sections for part in parts]),
            _joined([part.chunks for part in parts]),
            _joined(tokens) if len(tokens) == len(parts) else None,
        )

    @property
    def documents(self) -> Mapping[str, ReadDocument]:
        """The documents that count, by name."""
        return self._documents

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """The files that could not be read, by name."""
        return self._unreadable

    @property
    def totals(self) -> FolderTotals:
        """The sums over the documents, kept up without adding all up again."""
        return self._totals

    def enter(self, result: ReadDocument | Unreadable, *, with_drafts: bool) -> None:
        """Take a file in, in place of what was known of it; drafts count only where they are wanted."""
        name = result.name
        if isinstance(result, Unreadable) or (result.is_draft and not with_drafts):
            self._forget(name)
            if isinstance(result, Unreadable):
                self._unreadable[name] = result
            else:
                self._drafts[name] = result
            return
        self._drafts.pop(name, None)
        self._unreadable.pop(name, None)
        before = self._documents.get(name)
        document = _with_same_source(before, result)
        self._documents[name] = document  # in its place among the others
        self._totals = add_documents(self._totals, () if before is None else (before,), (document,))

    def replace(self, document: ReadDocument) -> None:
        """Show other chunks of a document; its numbers stay until the worker has counted them."""
        self._documents[document.name] = document

    def remove(self, names: Iterable[str]) -> None:
        """Forget files that are gone."""
        for name in names:
            self._forget(name)

    def _forget(self, name: str) -> None:
        gone = self._documents.pop(name, None)
        if gone is not None:
            self._totals = add_documents(self._totals, (gone,), ())
        self._drafts.pop(name, None)
        self._unreadable.pop(name, None)

    def sort(self, names: Sequence[str]) -> None:
        """Put the documents in the order of a listing."""
        rank = {name: index for index, name in enumerate(names)}
        self._documents = dict(sorted(self._documents.items(), key=lambda item: rank.get(item[0], len(rank))))

    def names_left_out(self) -> set[str]:
        """Return the files that do not count."""
        return self._drafts.keys() | self._unreadable.keys()

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the files that do not count, with the reason."""
        drafts = tuple(LeftOut(name, "draft") for name in self._drafts)
        unreadable = tuple(LeftOut(name, f"unreadable: {file.message}") for name, file in self._unreadable.items())
        return (*drafts, *unreadable)

    def stamps(self) -> tuple[tuple[str, FileStamp | None], ...]:
        """Return of each file, by name, what tells whether it has changed on disk."""
        files: list[ReadDocument | Unreadable] = [*self._documents.values(), *self._drafts.values()]
        files += self._unreadable.values()
        return tuple((file.name, file.stamp) for file in files)

    def is_added_up(self) -> bool:
        """Whether the running totals equal the sum over all documents (for tests)."""
        return self._totals == add_up(self._documents.values())


def _sizes_of(document: ReadDocument) -> Sizes:
    chunks, readings = document.chunking.chunks, document.readings
    is_counted = bool(readings) or not chunks
    return Sizes(
        np.array([section.characters for section in document.chunking.sections], np.int32),
        np.array([chunk.characters for chunk in chunks], np.int32),
        np.array([reading.count.tokens for reading in readings], np.int32) if is_counted else None,
    )


def _joined(parts: Sequence[Lengths]) -> Lengths:
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _with_same_source(before: ReadDocument | None, result: ReadDocument) -> ReadDocument:
    """Keep the document object, and what it knows, where its source has not changed."""
    if before is None:
        return result
    known, read = before.chunking.document, result.chunking.document
    if known.source != read.source or known.dialects != read.dialects:
        return result
    return replace(result, chunking=_with_document(result.chunking, known))


def _with_document(chunking: Chunking, document: Document) -> Chunking:
    """Return a chunking that refers to an equal document object."""
    if chunking.document is document:
        return chunking
    copy = replace(chunking, document=document)
    for name in ("removed", "kept", "ids", "problems"):
        if name in chunking.__dict__:
            copy.__dict__[name] = chunking.__dict__[name]
    document.warm[LAST] = weakref.ref(copy)
    return copy
