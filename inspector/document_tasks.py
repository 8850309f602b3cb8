"""Use cases of the chunk worker, which holds the documents of the folders it has read.

A frozen request -> run_x(request) -> a frozen result.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inspector.core.chunk import Chunking, Rung
from inspector.core.document import Document, read_document
from inspector.core.minimal import ghost_example
from inspector.core.strategies.headings import chunk_sizes, warm_state
from inspector.core.strategies.registry import HEADINGS
from inspector.corpus import FileStamp, Listing, Selection, find_dialects, is_draft, list_folder, stamp
from inspector.document_cache import DocumentCache, Kept, document_key, is_repeatable, settings_digest
from inspector.embedding.measure import read_chunks, total_unread
from inspector.embedding.tokens import TokenCounter
from inspector.errors import InspectorError
from inspector.folders import cache_folder
from inspector.reading import ReadDocument, chunk_as_set, counter_of, read_one, stamped
from inspector.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The documents below a folder."""

    folder: str
    selection: Selection


@dataclass(frozen=True, slots=True)
class ChunkRequest:
    """Documents of a folder to read (or, when `again` is set, to chunk as they were read last).

    `known` has the fingerprint of what the window holds of each name, 0 for nothing; `codecs` the encodings that the
    author has said, by name.
    """

    folder: str
    names: tuple[str, ...]
    settings: Settings
    again: bool = False
    known: tuple[int, ...] = ()
    codecs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be read, and why; its stamp tells when to try again."""

    name: str
    message: str
    stamp: FileStamp | None = None


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What became of each name asked for, in order; a name whose chunks are the same as last time is left out."""

    settings: Settings
    documents: tuple[ReadDocument | Unreadable, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class CountRequest:
    """The sizes of a folder's sections and chunks under other thresholds, without their texts."""

    folder: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class CountResult:
    """Lengths in code points of all sections and all chunks of a folder, int32, and the fates counted."""

    settings: Settings
    sections: NDArray[np.int32]
    chunks: NDArray[np.int32]
    dropped: int
    folded: int
    split: int


@dataclass(frozen=True, slots=True)
class FitRequest:
    """The largest cap with nothing unread in a folder."""

    folder: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class FitResult:
    """That cap in characters, None where there is none above the fold, or it `is_done` not yet."""

    settings: Settings
    cap: int | None
    is_done: bool = True


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """One slice of a sweep: a folder's chunks under one cap, from a document's number on."""

    folder: str
    settings: Settings
    cap: int
    first: int = 0


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a slice has counted: chunks, truncated ones, those cut in mid-sentence; `next` is None at the end."""

    settings: Settings
    cap: int
    chunks: int
    truncated: int
    cut: int
    next: int | None


@dataclass(frozen=True, slots=True)
class ExampleRequest:
    """A few lines of a document with the naive splitter's fault that is on the line at a source offset."""

    folder: str
    name: str
    settings: Settings
    offset: int


@dataclass(frozen=True, slots=True)
class OtherChunksRequest:
    """A document's chunks under other settings, to be compared."""

    folder: str
    name: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class WarmRequest:
    """What the window needs to fold and pack one document by itself."""

    folder: str
    name: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class WarmResult:
    """The warm state of a document, for `adopt_warm_state`; None where it is no longer held."""

    name: str
    sha256: str
    settings: Settings
    state: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ChangesRequest:
    """Which documents of a folder differ from these stamps."""

    folder: str
    selection: Selection
    stamps: tuple[tuple[str, FileStamp | None], ...]


@dataclass(frozen=True, slots=True)
class ChangesResult:
    """The folder's listing now, and the names that are new or have changed on disk."""

    listing: Listing
    changed: tuple[str, ...]


SLICE_SECONDS = 0.1
AHEAD_SECONDS = 0.5
CAP_STEP = 10
MID_SENTENCE = frozenset({Rung.LINE, Rung.WORD, Rung.CHARACTER})

_shelf: dict[tuple[str, str], Document] = {}


@dataclass(slots=True)
class _Search:
    """The search for a cap that is under way."""

    request: FitRequest | None = None
    steps: Generator[None, None, int | None] = field(default_factory=lambda: (_ for _ in ()))


_search = _Search()


def run_list(request: ListRequest) -> Listing:
    """List a folder and tell its dialects. Raises FolderError."""
    listing = list_folder(Path(request.folder), request.selection)
    return replace(listing, dialects=find_dialects(listing))


def run_ahead(folder: str) -> None:
    """Load what a folder's documents were read as last, while the window that will ask for them is being made."""
    with suppress(InspectorError):
        settings, _faults = load_settings(Path(folder)).usable()
        listing = run_list(ListRequest(folder, settings.selection))
        settings = settings.in_dialects(listing.dialects)
        counter_of(settings)
        _Recall(settings).get_ready((name, Path(folder) / name) for name in listing.names)


def run_chunk(request: ChunkRequest) -> ChunkResult:
    """Read and chunk documents, and count their tokens; each stays on the shelf for the next threshold."""
    begun = time.perf_counter()
    _search.request = None  # it may be of documents as they were
    settings, counter = request.settings, counter_of(request.settings)
    found: list[ReadDocument | Unreadable] = []
    known = request.known or (0,) * len(request.names)
    codecs = dict(request.codecs)
    recall = _Recall(settings)
    for name, fingerprint in zip(request.names, known, strict=True):
        place = (request.folder, name)
        path = Path(request.folder) / name
        file_stamp = stamp(path)
        if request.again and place in _shelf:
            result = read_one(_shelf[place], settings, counter, file_stamp)
        else:
            try:
                data = path.read_bytes()
            except OSError as error:
                found.append(Unreadable(name, (error.strerror or str(error)).lower(), file_stamp))
                _shelf.pop(place, None)
                continue
            read = recall.read(name, data, codecs.get(name, ""), counter)
            _shelf[place] = read.chunking.document
            result = stamped(read, counter.model, file_stamp)
        if result.fingerprint != fingerprint:
            found.append(result)
    recall.keep()
    return ChunkResult(settings, tuple(found), time.perf_counter() - begun)


class _Recall:
    """Reads documents under settings: from the cache where it has them, else anew, to be kept there."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cache = _document_cache(cache_folder())
        self._new: dict[bytes, Kept] = {}

    @cached_property
    def _settings_key(self) -> bytes | None:
        return settings_digest(self._settings) if is_repeatable(self._settings) else None

    def read(self, name: str, data: bytes, codec: str, counter: TokenCounter) -> ReadDocument:
        """Read a document's bytes."""
        key = document_key(name, data, codec, self._settings_key) if self._settings_key is not None else None
        kept = self._cache.get(key) if key is not None else None
        if kept is not None:
            return kept.read
        read = read_one(read_document(name, data, codec), self._settings, counter, None)
        if key is not None:
            is_by_headings = self._settings.strategy == HEADINGS
            warm = warm_state(read.chunking.document, self._settings.options) if is_by_headings else None
            self._new[key] = Kept(replace(read, fingerprint=0), warm)
        return read

    def get_ready(self, files: Iterable[tuple[str, Path]]) -> None:
        """Load what is kept of files, by name and path, for a while; one that cannot be read is told of later."""
        if self._settings_key is not None:
            self._cache.get_ready(self._keys(files, self._settings_key), AHEAD_SECONDS)

    def _keys(self, files: Iterable[tuple[str, Path]], settings_key: bytes) -> Iterator[bytes]:
        for name, path in files:
            with suppress(OSError):
                yield document_key(name, path.read_bytes(), "", settings_key)

    def keep(self) -> None:
        """Write what was new, and that the rest was used."""
        self._cache.stamp_used()
        if self._new:
            self._cache.put_many(self._new)


@cache
def _document_cache(folder: Path) -> DocumentCache:
    """Give this process's open cache of a folder."""
    return DocumentCache(folder)


def run_count(request: CountRequest) -> CountResult:
    """Fold and pack every document on the shelf again and return sizes only."""
    sections: list[int] = []
    chunks: list[int] = []
    dropped = folded = split = 0
    for document in _held(request.folder, request.settings):
        if request.settings.strategy != HEADINGS:
            chunking = chunk_as_set(document, request.settings, counter_of(request.settings))
            sections.extend(section.characters for section in chunking.sections)
            chunks.extend(chunk.characters for chunk in chunking.chunks)
            continue
        sizes = chunk_sizes(document, request.settings.options)
        sections.extend(sizes.sections)
        chunks.extend(sizes.chunks)
        dropped += sizes.dropped
        folded += sizes.folded
        split += sizes.split
    return CountResult(
        request.settings, np.array(sections, np.int32), np.array(chunks, np.int32), dropped, folded, split
    )


def run_fit(request: FitRequest) -> FitResult:
    """Search the largest cap with nothing unread, in steps of 10, a tenth of a second long; the caller asks on.

    Only documents that are truncated now are tried: what is read whole is taken to be so under a smaller cap.
    """
    if request.settings.strategy != HEADINGS:
        return FitResult(request.settings, None)
    if _search.request != request:
        _search.steps = _fitting(request)
    _search.request = None  # unless it goes well
    limit = time.perf_counter() + SLICE_SECONDS
    try:
        next(_search.steps)
        while time.perf_counter() < limit:
            next(_search.steps)
    except StopIteration as end:
        return FitResult(request.settings, end.value)
    _search.request = request
    return FitResult(request.settings, None, is_done=False)


def _fitting(request: FitRequest) -> Generator[None, None, int | None]:
    """Search the cap, a document at a time."""
    settings, counter = request.settings, counter_of(request.settings)
    options = settings.options
    truncated = []
    for document in _held(request.folder, settings):
        if _unread(document, settings, counter):
            truncated.append(document)
        yield
    best: int | None = None
    low, high = options.least_cap // CAP_STEP + 1, (options.cap - 1) // CAP_STEP
    while low <= high:
        middle = (low + high) // 2
        trial = replace(settings, options=replace(options, cap=middle * CAP_STEP))
        for document in truncated:
            yield
            if _unread(document, trial, counter):
                high = middle - 1
                break
        else:
            best, low = middle * CAP_STEP, middle + 1
    return best


def run_sweep(request: SweepRequest) -> SweepResult:
    """Chunk documents under another cap for a tenth of a second; the caller asks for the rest."""
    options = request.settings.options
    overlap = max(0, min(options.overlap, request.cap - options.least_cap + options.overlap))
    settings = replace(request.settings, options=replace(options, cap=request.cap, overlap=overlap))
    counter = counter_of(settings)
    documents = _held(request.folder, settings)
    chunks = truncated = cut = 0
    begun = time.perf_counter()
    at = request.first
    while at < len(documents) and time.perf_counter() - begun < SLICE_SECONDS:
        chunking = chunk_as_set(documents[at], settings, counter)
        chunks += len(chunking.chunks)
        cut += sum(chunk.starts_at in MID_SENTENCE for chunk in chunking.chunks)
        truncated += total_unread(read_chunks(chunking, counter, settings.context))[0]
        at += 1
    return SweepResult(request.settings, request.cap, chunks, truncated, cut, at if at < len(documents) else None)


def run_other_chunks(request: OtherChunksRequest) -> Chunking | None:
    """Chunk one document of the shelf by other settings; None where it is no longer held."""
    document = _shelf.get((request.folder, request.name))
    if document is None:
        return None
    return chunk_as_set(document, request.settings, counter_of(request.settings))


def run_example(request: ExampleRequest) -> str:
    """Find at most 20 lines that show the naive splitter's fault at a place; "" where no few lines do."""
    document = _shelf.get((request.folder, request.name))
    if document is None:
        return ""
    return ghost_example(document.in_dialects(request.settings.options.dialects), request.offset)


def _held(folder: str, settings: Settings) -> list[Document]:
    """The documents of a folder on the shelf that count."""
    return [
        document
        for (of_folder, _name), document in _shelf.items()
        if of_folder == folder and (settings.selection.drafts or not is_draft(document))
    ]


def _unread(document: Document, settings: Settings, counter: TokenCounter) -> int:
    readings = read_chunks(chunk_as_set(document, settings, counter), counter, settings.context)
    return total_unread(readings)[1]


def run_warm(request: WarmRequest) -> WarmResult:
    """Return what the window needs to chunk a document under other thresholds without parsing it."""
    document = _shelf.get((request.folder, request.name))
    if document is None:
        return WarmResult(request.name, "", request.settings, None)
    return WarmResult(request.name, document.sha256, request.settings, warm_state(document, request.settings.options))


def run_changes(request: ChangesRequest) -> ChangesResult:
    """Compare a folder with what was read of it. Raises FolderError."""
    listing = list_folder(Path(request.folder), request.selection)
    known = dict(request.stamps)
    changed = tuple(
        name for name in listing.names if name not in known or known[name] != stamp(Path(request.folder) / name)
    )
    now = set(listing.names)
    for key in [key for key in _shelf if key[0] == request.folder and key[1] not in now]:
        del _shelf[key]
    return ChangesResult(listing, changed)
