"""Documents as they were read and chunked last, on disk: a second start parses none that is the same.

A document is found again by all that decides what comes of it: its name and bytes, the settings, the tokenizer, and
this program's own code. So nothing here is ever out of date, and all of it is safe to delete.
"""

from __future__ import annotations

import hashlib
import json
import logging
import pickle
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from inspector import __version__
from inspector.cache_file import STAMP_GRAIN, CacheFile, prune, stamp
from inspector.core.strategies.headings import adopt_warm_state
from inspector.core.strategies.registry import STRATEGIES
from inspector.embedding.models import tokenizer_file
from inspector.errors import ModelError
from inspector.folders import cache_folder
from inspector.reading import ReadDocument
from inspector.settings import Settings

FILE_NAME = "documents-1.sqlite"  # the number is the schema's version
LARGEST = 256 * 1024**2  # bytes, then the least recently used go; a folder takes half as much again as its text
QUICK = 1  # zlib's level
SUM = 16  # bytes of the checksum before each value
SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (key BLOB NOT NULL PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS documents_by_use ON documents (used);
"""
PARSERS = ("markdown-it-py", "mdit-py-plugins", "PyYAML", "charset-normalizer", "regex", "sentencex", "tokenizers")
"""The libraries that decide what is read."""
REPEATABLE = frozenset({"tokens"})
"""What a strategy may need for its chunks to follow from document and settings alone: no vectors, no other program."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """A document as read, and what packing it again under other thresholds needs; None where that is not by headings.

    Stamp and fingerprint are of no use to another process.
    """

    read: ReadDocument
    warm: dict[str, Any] | None


class DocumentCache:
    """Kept documents by key, in a file that only this user can read; never raises for the file's sake."""

    def __init__(self, folder: str | Path | None = None, *, largest: int = LARGEST) -> None:
        """Keep the folder and the largest size in bytes; nothing is opened before it is needed."""
        path = (Path(folder) if folder is not None else cache_folder()) / FILE_NAME
        without = "Every start reads all documents anew."
        self._file = CacheFile(path, SCHEMA, what="document cache", without=without, is_private=True)
        self._largest = largest
        self._ready: dict[bytes, Kept] = {}
        self._stale: list[int] = []  # rows that were used, and whose stamp is over a day old

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._file.path

    def get(self, key: bytes) -> Kept | None:
        """Find a document, ready to be packed again; a damaged one is none."""
        return self._ready.pop(key, None) or self._load(key)

    def get_ready(self, keys: Iterable[bytes], seconds: float) -> None:
        """Load documents that will be asked for, for so long; they wait until one is put that was not there."""
        limit = time.perf_counter() + seconds
        for key in keys:
            kept = self._load(key)
            if kept is not None:
                self._ready[key] = kept
            if time.perf_counter() > limit:
                return

    def _load(self, key: bytes) -> Kept | None:
        found = self._file.read(lambda file: _read(file, key))
        self._tell()
        if found is None:
            return None
        row, used, value = found
        kept = _unpacked(value)
        if time.time() - used > STAMP_GRAIN:
            self._stale.append(row)
        if kept is not None and kept.warm is not None:
            adopt_warm_state(kept.read.chunking.document, kept.warm)
        return kept

    def stamp_used(self) -> None:
        """Write, for all that was found since the last time in one transaction, that it was used."""
        stale, self._stale = self._stale, []
        if stale:
            self._file.write(lambda file: stamp(file, "documents", stale))

    def put_many(self, documents: Mapping[bytes, Kept]) -> None:
        """Write documents by key in one transaction, and prune the file when it has grown too large."""
        self._ready.clear()
        now = int(time.time())
        rows = [(key, now, _packed(kept)) for key, kept in documents.items()]
        statement = "INSERT OR REPLACE INTO documents (key, used, value) VALUES (?, ?, ?)"
        self._file.write(lambda file: file.executemany(statement, rows))
        self._file.write(lambda file: prune(file, "documents", self._largest))
        self._tell()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    def _tell(self) -> None:
        """Log what went wrong: it costs time, nothing else."""
        for notice in self._file.notices:
            log.warning("%s", notice)
        self._file.notices.clear()


def is_repeatable(settings: Settings) -> bool:
    """Whether a document's chunks follow from its bytes and the settings alone."""
    strategy = STRATEGIES.get(settings.strategy)
    return strategy is not None and strategy.needs <= REPEATABLE


def settings_digest(settings: Settings) -> bytes:
    """Give the digest of all beside a document's bytes and name that decides what is read of it.

    Raises ModelError where the target model is not here.
    """
    target = settings.target()
    own = settings.own
    parts = {
        "code": code_digest(),
        "options": asdict(settings.options),
        "strategy": settings.strategy,
        "own": asdict(own) if own is not None else None,
        "context": settings.context,
        "target": asdict(target),
        "rules": settings.rules.codes,
    }
    digest = hashlib.blake2b(json.dumps(parts, default=sorted, sort_keys=True).encode(), digest_size=32)
    try:
        digest.update(_file_digest(tokenizer_file(target)))
    except OSError as error:
        raise ModelError(f"The tokenizer of {target.name} cannot be read: {error}.", subject=target.name) from error
    return digest.digest()


def document_key(name: str, data: bytes, codec: str, settings_key: bytes) -> bytes:
    """Give the key (32 bytes) of a document's bytes, read in an encoding ("" to find one out), under settings."""
    digest = hashlib.blake2b(settings_key, digest_size=32)
    digest.update(json.dumps([name, codec]).encode())
    digest.update(hashlib.sha256(data).digest())
    return digest.digest()


@cache
def _file_digest(file: Path) -> bytes:
    """Give the digest of a file that is read once in a process, as a tokenizer is. Raises OSError."""
    return hashlib.sha256(file.read_bytes()).digest()


@cache
def code_digest() -> str:
    """Tell this program's code, and that of the libraries that parse, from any other: versions, files' sizes and times.

    In a bundle the program is one file.
    """
    digest = hashlib.blake2b(f"{__version__}\0{sys.version}".encode(), digest_size=16)
    for name in PARSERS:
        digest.update(f"\0{name}\0{_version(name)}".encode())
    for file in _code_files():
        with suppress(OSError):  # an editor's lock, a link to nowhere
            status = file.stat()
            digest.update(f"\0{file.name}\0{status.st_size}\0{status.st_mtime_ns}".encode())
    return digest.hexdigest()


def _code_files() -> Iterator[Path]:
    if getattr(sys, "frozen", False):
        yield Path(sys.executable)
    else:
        yield from sorted(Path(__file__).parent.rglob("*.py"))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # a bundle may come without
        return ""


def _read(connection: sqlite3.Connection, key: bytes) -> tuple[int, int, bytes] | None:
    row: tuple[int, int, bytes] | None = connection.execute(
        "SELECT rowid, used, value FROM documents WHERE key = ?", (key,)
    ).fetchone()
    return row


def _packed(kept: Kept) -> bytes:
    value = zlib.compress(pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL), QUICK)
    return _sum(value) + value


def _unpacked(value: bytes) -> Kept | None:
    """Read a value back; None for one that is not as it was written."""
    if value[:SUM] != _sum(value[SUM:]):
        return None
    kept = pickle.loads(zlib.decompress(value[SUM:]))
    return kept if isinstance(kept, Kept) else None


def _sum(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=SUM).digest()
