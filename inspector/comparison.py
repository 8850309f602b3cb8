"""Comparing two ways to chunk a folder, and this run with the last: frozen requests in, frozen results out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inspector.compare.boundaries import Agreement, agreement
from inspector.compare.changes import Change, Mark, find_changes, marks_of
from inspector.compare.last_run import LastRun, keep_run, read_last_run
from inspector.compare.metrics import Counted, Metrics, count_document, summed
from inspector.core.chunk import Chunking
from inspector.core.document import read_document
from inspector.core.strategies.placing import ImportReport
from inspector.corpus import find_dialects, is_draft, list_folder
from inspector.embedding.measure import read_chunks
from inspector.reading import chunk_as_set, counter_of
from inspector.settings import AUTO, Settings, described


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Two settings to chunk a folder's documents by; `names` () is all of them."""

    folder: str
    left: Settings
    right: Settings
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """One document under both settings: what is counted, how far the boundaries agree, what became of an import."""

    name: str
    left: Counted
    right: Counted
    agreement: Agreement
    reports: tuple[ImportReport, ...] = ()


@dataclass(frozen=True, slots=True)
class CompareResult:
    """Both columns of the table, the agreement of all boundaries, and the documents in order.

    `seconds` within the metrics are chunking alone, each side from its own fresh parse.
    """

    left: Metrics
    right: Metrics
    agreement: Agreement
    documents: tuple[ComparedDocument, ...]


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """What changed in one document since the last run; `is_new` says that it was not there."""

    name: str
    changes: tuple[Change, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class SinceLastRun:
    """The documents whose chunks changed, those that are gone, how it was and is chunked, and how many are the same."""

    before: str | None
    now: str
    changed: tuple[ChangesSince, ...]
    gone: tuple[str, ...]
    same: int


def run_compare(request: CompareRequest) -> CompareResult:
    """Chunk every document of a folder twice. Raises FolderError, and InspectorError of a strategy."""
    compared: list[ComparedDocument] = []
    seconds = [0.0, 0.0]
    dialects, files = _files(request.folder, request.left, request.names)
    left_settings, right_settings = request.left.in_dialects(dialects), request.right.in_dialects(dialects)
    for name, data in files:
        left, left_seconds = _chunked(name, data, left_settings)
        right, right_seconds = _chunked(name, data, right_settings)
        seconds[0] += left_seconds
        seconds[1] += right_seconds
        compared.append(compare_document(left, right, left_settings, right_settings))
    total = sum((entry.agreement for entry in compared), Agreement(0, 0, 0))
    return CompareResult(
        summed((entry.left for entry in compared), seconds[0]),
        summed((entry.right for entry in compared), seconds[1]),
        total,
        tuple(compared),
    )


def compare_document(
    left: Chunking, right: Chunking, left_settings: Settings, right_settings: Settings
) -> ComparedDocument:
    """Compare two chunkings of one source as their settings' models read them. Raises ModelError."""
    evidence = (left.evidence, right.evidence)
    return ComparedDocument(
        left.document.name,
        count_document(left, read_chunks(left, counter_of(left_settings), left_settings.context)),
        count_document(right, read_chunks(right, counter_of(right_settings), right_settings.context)),
        agreement(left, right),
        tuple(entry for entry in evidence if isinstance(entry, ImportReport)),
    )


def run_changes_since(folder: str, settings: Settings, keep: bool = True) -> SinceLastRun:
    """Chunk a folder and say what changed since the last run; this one is kept in its place."""
    last = read_last_run(Path(folder))
    before = last.documents if last is not None else {}
    now: dict[str, tuple[Mark, ...]] = {}
    dialects, files = _files(folder, settings, ())
    settings = settings.in_dialects(dialects)
    for name, data in files:
        now[name] = marks_of(_chunked(name, data, settings)[0])
    changed = tuple(
        ChangesSince(name, find_changes(before.get(name, ()), marks), name not in before)
        for name, marks in now.items()
        if [mark.digest for mark in marks] != [mark.digest for mark in before.get(name, ())] or name not in before
    )
    how = described(settings)
    if keep:
        keep_run(Path(folder), LastRun(how, now))
    return SinceLastRun(
        last.how if last is not None else None,
        how,
        changed,
        tuple(name for name in before if name not in now),
        len(now) - len(changed),
    )


def _files(
    folder: str, settings: Settings, names: tuple[str, ...]
) -> tuple[frozenset[str], Iterator[tuple[str, bytes]]]:
    """Return the dialects of a folder, and name and bytes of each document that counts and can be read."""
    listing = list_folder(Path(folder), settings.selection)
    dialects = find_dialects(listing) if settings.dialect == AUTO else frozenset()
    return dialects, _read_files(Path(folder), names or listing.names, settings.selection.drafts)


def _read_files(folder: Path, names: tuple[str, ...], drafts: bool) -> Iterator[tuple[str, bytes]]:
    for name in names:
        try:
            data = (folder / name).read_bytes()
        except OSError:
            continue
        if drafts or not is_draft(read_document(name, data)):
            yield name, data


def _chunked(name: str, data: bytes, settings: Settings) -> tuple[Chunking, float]:
    document = read_document(name, data)
    counter = counter_of(settings)
    begun = time.perf_counter()
    chunking = chunk_as_set(document, settings, counter)
    len(chunking.chunks)
    return chunking, time.perf_counter() - begun
