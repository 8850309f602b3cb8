"""Vectors and map layouts on disk (SQLite, WAL), safe to delete, shared by windows; a broken file stops no one."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.folders import FOLDER_VARIABLE, cache_folder
from inspector.embedding.projection import Layout, Method

Vectors = NDArray[np.float32]
Answer = TypeVar("Answer")

FILE_NAME = "vectors-1.sqlite"  # the number is the schema's version: another version never reads this one's file
LARGEST = 2 * 1024**3  # bytes, then the least recently used go
KEPT_SHARE = 0.8  # of the largest size is left after pruning, so that it is rare
STAMP_GRAIN = 86_400  # seconds: a vector's last use is written at most once a day
WAIT = 10.0  # seconds for another process to finish writing
BATCH = 500  # digests a statement, under SQLite's limit of variables
PRAGMAS = ("auto_vacuum = INCREMENTAL", "journal_mode = WAL", "synchronous = NORMAL")
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
        self.path = self.folder / FILE_NAME
        self.largest = largest
        self.notices: list[str] = []
        self._file: sqlite3.Connection | None = None
        self._file_identity = (0, 0)
        self._memory: sqlite3.Connection | None = None
        self._can_read = self._can_write = True

    @property
    def is_in_memory(self) -> bool:
        """Whether new vectors last only as long as this object, because the file cannot be written."""
        return not self._can_write

    def get_many(self, model: str, revision: str, digests: Iterable[str]) -> dict[str, Vectors]:
        """Find vectors (d,) float32 read-only by digest; those that are missing, or damaged, are left out."""
        wanted = list(dict.fromkeys(digests))
        stale: list[int] = []
        found = self._in_file(lambda file: _read(file, _model_id(file, model, revision), wanted, stale)) or {}
        if stale and self._can_write:
            self._in_file(lambda file: _stamp(file, stale), writes=True)
        if self._memory is not None:
            missing = [digest for digest in wanted if digest not in found]
            found |= _read(self._memory, _model_id(self._memory, model, revision), missing, [])
        return found

    def put_many(self, model: str, revision: str, vectors: Mapping[str, Vectors]) -> None:
        """Write vectors (d,) by digest in one transaction, and prune the file when it has grown too large."""
        self._write(lambda connection: _put(connection, _model_id(connection, model, revision, add=True), vectors))
        if self._can_write:
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
        return self._in_file(lambda file: _read_layout(file, _model_id(file, model, revision), folder))

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
        return self._in_file(lambda file: _prune(file, self.largest), writes=True) or 0

    def size(self) -> int:
        """Give the bytes in use in the file."""
        return self._in_file(_used_bytes) or 0

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, action: Callable[[sqlite3.Connection], None]) -> None:
        """Write to the file, or to memory where that fails."""
        if self._can_write:
            self._in_file(action, writes=True)
        if not self._can_write:
            if self._memory is None:
                self._memory = sqlite3.connect(":memory:", check_same_thread=False)
                self._memory.executescript(SCHEMA)
            with self._memory:
                action(self._memory)

    def _in_file(self, action: Callable[[sqlite3.Connection], Answer], *, writes: bool = False) -> Answer | None:
        """Do something in one transaction of the file; a corrupt one is set aside once, an unusable one given up."""
        for is_last in (False, True):
            if not (self._can_write if writes else self._can_read):
                return None
            try:
                file = self._open()
                with file:
                    return action(file)
            except (OSError, sqlite3.Error) as error:
                self.close()
                if is_last or not (_is_corrupt(error) and self._set_aside()):
                    self._give_up(error, writes)
                    return None
        return None

    def _open(self) -> sqlite3.Connection:
        """Open the file and make its tables where it has none."""
        if self._file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = sqlite3.connect(self.path, timeout=WAIT, check_same_thread=False)
            self._file = file  # kept before its first use, so that a corrupt one is closed before it is renamed
            self._file_identity = _identity(self.path)
            for pragma in PRAGMAS:
                file.execute(f"PRAGMA {pragma}").fetchall()
            file.executescript(SCHEMA)
        return self._file

    def _set_aside(self) -> bool:
        """Rename the corrupt file and say so; False where it cannot be renamed, True too where another process has."""
        if _identity(self.path) != self._file_identity:
            return True
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.corrupt-{number}")).exists():
            number += 1
        try:
            self.path.rename(aside)
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError:
            return False
        self.notices.append(
            f"The vector cache was damaged. It was set aside as {aside} and begun anew; delete it freely."
        )
        return True

    def _give_up(self, error: Exception, writes: bool) -> None:
        """Go on without the file, at least without writing it, and say so once."""
        if self._can_write:
            self.notices.append(
                f"The cache in {self.folder} cannot be used ({error}). New vectors last until the program ends."
                f" Make the folder writable, or set {FOLDER_VARIABLE} to another one."
            )
        self._can_write = False
        self._can_read = self._can_read and writes


def _identity(path: Path) -> tuple[int, int]:
    """Tell a file from another of the same name; (0, 0) where there is none."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _is_corrupt(error: Exception) -> bool:
    """Tell a damaged file from one that is locked, full or forbidden; other tables than ours count as damage."""
    if isinstance(error, sqlite3.OperationalError):
        return "no such column" in str(error) or "no such table" in str(error)
    return isinstance(error, sqlite3.DatabaseError)


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


def _stamp(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Write that these rows were used now."""
    now = int(time.time())
    connection.executemany("UPDATE vectors SET used = ? WHERE rowid = ?", [(now, row) for row in rows])


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


def _used_bytes(connection: sqlite3.Connection) -> int:
    """Give the bytes of the file's pages that hold something."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _prune(connection: sqlite3.Connection, largest: int) -> int:
    """Delete the least recently used share of the vectors that brings the file under its size."""
    used = _used_bytes(connection)
    if used <= largest:
        return 0
    count = int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])
    surplus = min(count, int(count * (1.0 - KEPT_SHARE * largest / used)) + 1)
    connection.execute(
        "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used, rowid LIMIT ?)",
        (surplus,),
    )
    connection.execute("PRAGMA incremental_vacuum").fetchall()
    return surplus
