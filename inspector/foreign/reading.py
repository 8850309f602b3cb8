"""Reading files of chunks: JSON lines, JSON or CSV, from LangChain, LlamaIndex, chonkie, this program, or any other."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.document import Document
from inspector.core.strategies.placing import ForeignChunk
from inspector.errors import ChunkFileError

TEXT_KEYS = ("text", "page_content", "content", "chunk", "chunk_text", "body", "document_text")
"""Where a chunk's text is: this program and chonkie, LangChain, LlamaIndex's older dumps, tables of all kinds."""

NAME_KEYS = ("document", "source", "file_path", "file_name", "filename", "path", "file", "doc_id", "ref_doc_id")
START_KEYS = ("start_index", "start_char_idx", "start", "start_offset", "char_start")
END_KEYS = ("end_index", "end_char_idx", "end", "end_offset", "char_end")
_NESTED = ("metadata", "node", "kwargs", "extra_info")
"""Objects within a record whose keys count as its own: LangChain's `metadata` and `kwargs`, LlamaIndex's `node`."""

_LISTS = ("chunks", "nodes", "documents", "data", "records")


class ChunkFile(NamedTuple):
    """The chunks of a file by document name ("" where none is said), and the records that held no text, with why."""

    chunks: Mapping[str, tuple[ForeignChunk, ...]]
    unreadable: tuple[tuple[int, str], ...]


def foreign_chunks(file: str) -> Callable[[Document], Sequence[ForeignChunk]]:
    """Return what gives the chunks of a file that belong to a document. Raises ChunkFileError when it is asked."""
    return partial(_of_document, file)


def _of_document(file: str, document: Document) -> Sequence[ForeignChunk]:
    return chunks_of(_opened(file), document.name)


def _opened(file: str) -> ChunkFile:
    path = Path(file)
    if not file:
        raise ChunkFileError("Name a file of chunks to import.")
    try:
        stamp = path.stat().st_mtime_ns
    except OSError as error:
        raise ChunkFileError(f"{file}: {(error.strerror or str(error)).lower()}.", subject=file) from error
    return _kept(file, stamp)


@lru_cache(maxsize=4)
def _kept(file: str, _stamp: int) -> ChunkFile:
    return read_chunk_file(Path(file))


def chunks_of(file: ChunkFile, name: str) -> Sequence[ForeignChunk]:
    """Return the chunks whose document is named so: the whole path, else one that ends with it or it with; else those
    that name no document."""
    if name in file.chunks:
        return file.chunks[name]
    stated = next((stated for stated in file.chunks if _is_named(name, stated)), "")
    return file.chunks.get(stated, ())


def unclaimed(file: str, names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the documents that a file's chunks name and that are not among these, each with how many. Raises
    ChunkFileError."""
    held = _opened(file).chunks
    listed = list(names)
    return tuple(
        (stated, len(chunks))
        for stated, chunks in held.items()
        if stated and stated not in listed and not any(_is_named(name, stated) for name in listed)
    )


def _is_named(name: str, stated: str) -> bool:
    """Whether a path that a chunk states is a document's: the shorter of the two ends the other."""
    parts, other = name.split("/"), stated.replace("\\", "/").split("/")
    common = min(len(parts), len(other))
    return bool(stated) and parts[-common:] == other[-common:]


def read_chunk_file(path: Path) -> ChunkFile:
    """Read a file of chunks by what it holds, whatever its name. Raises ChunkFileError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8"
        raise ChunkFileError(f"{path}: {why}.", subject=str(path)) from error
    chunks: dict[str, list[ForeignChunk]] = {}
    unreadable: list[tuple[int, str]] = []
    for number, record in enumerate(_records(text, path), 1):
        read = _read(record, number)
        if isinstance(read, str):
            unreadable.append((number, read))
        elif read is not None:
            chunks.setdefault(read[0], []).append(read[1])
    if not chunks:
        why = unreadable[0][1] if unreadable else "it holds no records"
        raise ChunkFileError(f"{path} holds no chunks: {why}.", subject=str(path))
    return ChunkFile({name: tuple(held) for name, held in chunks.items()}, tuple(unreadable))


def _records(text: str, path: Path) -> Iterator[Any]:
    """Yield records of JSON, JSON lines, or CSV with a head line."""
    start = text.lstrip()[:1]
    if start in ("[", "{"):
        try:
            yield from _unpacked(json.loads(text))
            return
        except ValueError:
            pass
        try:
            yield from [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError as error:
            raise ChunkFileError(f"{path} is neither JSON nor JSON lines: {error}.", subject=str(path)) from error
        return
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    sample = text[:4_000].partition("\n")[0]
    delimiter = max(",;\t", key=sample.count)
    yield from csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)


def _unpacked(value: Any) -> list[Any]:
    """Return the records of a JSON value: a list, a list by a known key, an object by document or by id."""
    if isinstance(value, list):
        return value
    for key in _LISTS:
        if isinstance(value.get(key), list):
            return [*value[key]]
    if _first(value, TEXT_KEYS) is not None:
        return [value]
    records: list[Any] = []
    for name, held in value.items():
        if isinstance(held, list):
            records += [
                {"document": name, **entry} if isinstance(entry, dict) else {"document": name, "text": entry}
                for entry in held
            ]
        elif isinstance(held, dict):  # LlamaIndex's document store keeps `__data__` by id
            inner = [entry["__data__"] for entry in held.values() if isinstance(entry, dict) and "__data__" in entry]
            records += inner or ([held] if _first(held, TEXT_KEYS) is not None else [])
    return records


def _read(record: Any, number: int) -> tuple[str, ForeignChunk] | str | None:
    """Return a record's document and chunk; why it holds none; None for our own head line."""
    if isinstance(record, str):
        return "", ForeignChunk(record, number, is_named=False)
    if not isinstance(record, dict):
        return "a record is no object"
    if "chunk_inspector" in record:
        return None
    flat = dict(record)
    for key in _NESTED:
        inner = record.get(key)
        if isinstance(inner, dict):
            for name, value in {**inner, **_inner_metadata(inner)}.items():
                flat.setdefault(name, value)
    text = _first(flat, TEXT_KEYS)
    if not isinstance(text, str):
        return f"no text among {', '.join(map(str, list(record)[:6]))}"
    name = next((flat[key] for key in NAME_KEYS if isinstance(flat.get(key), str) and flat[key]), "")
    start, end = _number(_first(flat, START_KEYS)), _number(_first(flat, END_KEYS))
    spans = flat.get("spans")
    if start is None and isinstance(spans, list) and spans and isinstance(spans[0], list):
        start, end = _number(spans[0][0]), _number(spans[-1][-1])
    return name, ForeignChunk(text, number, start, end, bool(name), _own_pieces(flat.get("pieces")))


def _own_pieces(value: Any) -> tuple[tuple[int, int] | str, ...]:
    """Return the pieces of a chunk that this program wrote; nothing where they are something else."""
    found: list[tuple[int, int] | str] = []
    for piece in value if isinstance(value, list) else ():
        match piece:
            case {"span": [int(start), int(end)]}:
                found.append((start, end))
            case {"text": str(text)}:
                found.append(text)
            case _:
                return ()
    return tuple(found)


def _inner_metadata(inner: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = inner.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _first(record: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
