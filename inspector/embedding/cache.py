"""Vectors and map layouts on disk (SQLite, WAL), safe to delete, shared by windows; a broken file stops no one."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from inspector.cache_file import STAMP_GRAIN, CacheFile, prune, stamp, used_bytes
from inspector.embedding.projection import Layout, Method
from inspector.folders import CACHE_VARIABLE, cache_folder

Vectors = NDArray[np.float32]

FILE_NAME = "vectors-1.sqlite"  # the number is the schema's version: another version never reads this one's file
LARGEST = 2 * 1024**3  # bytes, then the least recently used go
BATCH = 500  # digests a statement, under SQLite's limit of variables
WITHOUT = f"New vectors last until the program ends. Make the folder writable, or set {CACHE_VARIABLE} to another one."
SCHEMA = """
CREATE TABLE IF NOT EXISTS models (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, revision TEXT NOT NULL, UNIQUE (name, revision));
CREATE TABLE IF NOT EXISTS vectors (
    model INTEGER NOT NULL, digest BLOB NOT NULL, used INTEGER NOT NULL, vector BLOB NOT NULL, UNIQUE (model, digest));
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used);
CREATE TABLE IF NOT EXISTS layouts (
    model INTEGER NOT NULL, folder TEXT NOT NULL, digest BLOB NOT NULL, used INTEGER NOT NULL, method TEXT NOT NULL,
    note TEXT NOT NULL, inputs BLOB NOT NULL, coordinates BLOB NOT NULL, UNIQUE (model, folder));
"""


@dataclass(frozen=True, slots=True)
class StoredLayout:
    """The last map of a folder: the digests of its embedding inputs in the order of the layout's points."""

    digests: tuple[str, ...]
    layout: Layout


def input_digest(text: str) -> str:
    """Give the sha256 of an embedding input, in hexadecimal: its name in the cache."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class VectorCache:
    """Vectors by (model, revision, digest) and layouts by (model, revision, folder); never raises for the file's sake.

    What cannot be written is kept in memory; `notices` says in plain words what went wrong.
    """

    def __init__(self, folder: str | Path | None = None, *, largest: int = LARGEST) -> None:
        """Keep the folder and the largest size in bytes; nothing is opened before it is needed."""
        self.folder = Path(folder) if folder is not None else cache_folder()
        self.largest = largest
        self._file = CacheFile(self.folder / FILE_NAME, SCHEMA, what="vector cache", without=WITHOUT)
        self._memory: sqlite3.Connection | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._file.path

    @property
    def notices(self) -> list[str]:
        """What went wrong, in plain words."""
        return self._file.notices

    @property
    def is_in_memory(self) -> bool:
        """Whether new vectors last only as long as this object, because the file cannot be written."""
        return not self._file.can_write

    def get_many(self, model: str, revision: str, digests: Iterable[str]) -> dict[str, Vectors]:
        """Find vectors (d,) float32 read-only by digest; those that are missing, or damaged, are left out."""
        wanted = list(dict.fromkeys(digests))
        stale: list[int] = []
        found = self._file.read(lambda file: _read(file, _model_id(file, model, revision), wanted, stale)) or {}
        if stale:
            self._file.write(lambda file: stamp(file, "vectors", stale))
        if self._memory is not None:
            missing = [digest for digest in wanted if digest not in found]
            found |= _read(self._memory, _model_id(self._memory, model, revision), missing, [])
        return found

    def put_many(self, model: str, revision: str, vectors: Mapping[str, Vectors]) -> None:
        """Write vectors (d,) by digest in one transaction, and prune the file when it has grown too large."""
        self._write(lambda connection: _put(connection, _model_id(connection, model, revision, add=True), vectors))
        self.prune()

    def get_layout(self, model: str, revision: str, folder: str, digests: Sequence[str]) -> Layout | None:
        """Find the map of exactly these embedding inputs in this order, or None."""
        stored = self.last_layout(model, revision, folder)
        return stored.layout if stored is not None and stored.digests == tuple(digests) else None

    def last_layout(self, model: str, revision: str, folder: str) -> StoredLayout | None:
        """Find the folder's last map, whatever has changed since, or None."""
        if self._memory is not None:
            kept = _read_layout(self._memory, _model_id(self._memory, model, revision), folder)
            if kept is not None:
                return kept
        return self._file.read(lambda file: _read_layout(file, _model_id(file, model, revision), folder))

    def put_layout(self, model: str, revision: str, folder: str, digests: Sequence[str], layout: Layout) -> None:
        """Keep a folder's map, in place of the one before; another count of points than of digests is a ValueError."""
        if len(digests) != len(layout.coordinates):
            raise ValueError(f"{len(digests)} digests, but {len(layout.coordinates)} points")
        self._write(
            lambda connection: _put_layout(
                connection, _model_id(connection, model, revision, add=True), folder, digests, layout
            )
        )

    def prune(self) -> int:
        """Delete the least recently used vectors while the file is larger than allowed; give how many went."""
        return self._file.write(lambda file: prune(file, "vectors", self.largest)) or 0

    def size(self) -> int:
        """Give the bytes in use in the file."""
        return self._file.read(used_bytes) or 0

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    def _write(self, action: Callable[[sqlite3.Connection], None]) -> None:
        """Write to the file, or to memory where that fails."""
        self._file.write(action)
        if self.is_in_memory:
            if self._memory is None:
                self._memory = sqlite3.connect(":memory:", check_same_thread=False)
                self._memory.executescript(SCHEMA)
            with self._memory:
                action(self._memory)


def _model_id(connection: sqlite3.Connection, name: str, revision: str, *, add: bool = False) -> int:
    """Find a model's number, -1 where it has none and none is to be added."""
    if add:
        connection.execute("INSERT OR IGNORE INTO models (name, revision) VALUES (?, ?)", (name, revision))
    row = connection.execute("SELECT id FROM models WHERE name = ? AND revision = ?", (name, revision)).fetchone()
    return int(row[0]) if row else -1


def _read(connection: sqlite3.Connection, owner: int, digests: Sequence[str], stale: list[int]) -> dict[str, Vectors]:
    """Read vectors in batches, damaged ones left out; add the row numbers of those not used for a day to `stale`."""
    found: dict[str, Vectors] = {}
    now = int(time.time())
    for start in range(0, len(digests) if owner >= 0 else 0, BATCH):
        names = [bytes.fromhex(digest) for digest in digests[start : start + BATCH]]
        marks = ", ".join("?" * len(names))
        rows = connection.execute(
            f"SELECT rowid, digest, used, vector FROM vectors WHERE model = ? AND digest IN ({marks})",
            (owner, *names),
        )
        for row, digest, used, blob in rows:
            vector = np.frombuffer(blob, "<f4") if len(blob) % 4 == 0 else np.zeros(0, np.float32)
            if len(vector) and np.isfinite(vector).all():
                found[digest.hex()] = vector
                if now - used > STAMP_GRAIN:
                    stale.append(row)
    return found


def _put(connection: sqlite3.Connection, owner: int, vectors: Mapping[str, Vectors]) -> None:
    """Write vectors by digest, in place of what was there."""
    now = int(time.time())
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (model, digest, used, vector) VALUES (?, ?, ?, ?)",
        [(owner, bytes.fromhex(digest), now, np.asarray(row, "<f4").tobytes()) for digest, row in vectors.items()],
    )


def _put_layout(
    connection: sqlite3.Connection, owner: int, folder: str, digests: Sequence[str], layout: Layout
) -> None:
    """Write a folder's map with the digests it was made of."""
    inputs = b"".join(map(bytes.fromhex, digests))
    coordinates = np.asarray(layout.coordinates, "<f4").tobytes()
    connection.execute(
        "INSERT OR REPLACE INTO layouts (model, folder, digest, used, method, note, inputs, coordinates)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (owner, folder, _sum(inputs), int(time.time()), layout.method, layout.note, inputs, coordinates),
    )


def _sum(inputs: bytes) -> bytes:
    """Give the digest of ordered input digests."""
    return hashlib.sha256(inputs).digest()


def _read_layout(connection: sqlite3.Connection, owner: int, folder: str) -> StoredLayout | None:
    """Read a folder's last map; one whose parts do not fit together is none."""
    row = connection.execute(
        "SELECT digest, method, note, inputs, coordinates FROM layouts WHERE model = ? AND folder = ?",
        (owner, folder),
    ).fetchone()
    if row is None or _sum(row[3]) != row[0] or len(row[4]) * 4 != len(row[3]):
        return None
    digests = tuple(row[3][start : start + 32].hex() for start in range(0, len(row[3]), 32))
    coordinates = np.frombuffer(row[4], "<f4").reshape(-1, 2)
    return StoredLayout(digests, Layout(coordinates, cast(Method, row[1]), row[2]))
