"""An SQLite file that is safe to delete and shared by processes: a broken one is set aside, an unusable one left."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

Answer = TypeVar("Answer")

KEPT_SHARE = 0.8  # of the largest size is left after pruning, so that it is rare
STAMP_GRAIN = 86_400  # seconds: a row's last use is written at most once a day
WAIT = 10.0  # seconds for another process to finish writing
PRAGMAS = ("auto_vacuum = INCREMENTAL", "journal_mode = WAL", "synchronous = NORMAL")


class CacheFile:
    """One file and its tables; never raises for the file's sake. `notices` says in plain words what went wrong."""

    def __init__(self, path: Path, schema: str, *, what: str, without: str, is_private: bool = False) -> None:
        """Keep where it is and its tables; nothing is opened before it is needed.

        `what` the file is, and what is to be expected `without` it, stand in the notices. A private file is for this
        user alone to read, and one that belongs to another user is not.
        """
        self.path = path
        self.notices: list[str] = []
        self.can_read = self.can_write = True
        self._schema = schema
        self._what = what
        self._without = without
        self._is_private = is_private
        self._file: sqlite3.Connection | None = None
        self._identity = (0, 0)

    def read(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer | None:
        """Read something, in one transaction; None where the file cannot be used."""
        return self._transact(action, writes=False)

    def write(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer | None:
        """Write something, all of it or nothing; None where the file cannot be used, and `can_write` is then false."""
        return self._transact(action, writes=True)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _transact(self, action: Callable[[sqlite3.Connection], Answer], *, writes: bool) -> Answer | None:
        """Do something in one transaction; a corrupt file is set aside once, an unusable one given up."""
        for is_last in (False, True):
            if not (self.can_write if writes else self.can_read):
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
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._is_private:
                _claim(self.path)
            file = sqlite3.connect(self.path, timeout=WAIT, check_same_thread=False)
            self._file = file  # kept before its first use, so that a corrupt one is closed before it is renamed
            self._identity = _identity(self.path)
            for pragma in PRAGMAS:
                file.execute(f"PRAGMA {pragma}").fetchall()
            file.executescript(self._schema)
        return self._file

    def _set_aside(self) -> bool:
        """Rename the corrupt file and say so; False where it cannot be renamed, True too where another process has."""
        if _identity(self.path) != self._identity:
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
            f"The {self._what} was damaged. It was set aside as {aside} and begun anew; delete it freely."
        )
        return True

    def _give_up(self, error: Exception, writes: bool) -> None:
        """Go on without the file, at least without writing it, and say so once."""
        if self.can_write:
            self.notices.append(f"The {self._what} in {self.path.parent} cannot be used ({error}). {self._without}")
        self.can_write = False
        self.can_read = self.can_read and writes


def used_bytes(connection: sqlite3.Connection) -> int:
    """Give the bytes of the file's pages that hold something."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def stamp(connection: sqlite3.Connection, table: str, rows: Sequence[int]) -> None:
    """Write that these rows of a table were `used` now."""
    now = int(time.time())
    connection.executemany(f"UPDATE {table} SET used = ? WHERE rowid = ?", [(now, row) for row in rows])


def prune(connection: sqlite3.Connection, table: str, largest: int) -> int:
    """Delete the least recently `used` rows of a table while the file is larger than allowed, in bytes.

    Gives how many went.
    """
    used = used_bytes(connection)
    if used <= largest:
        return 0
    count = int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    surplus = min(count, int(count * (1.0 - KEPT_SHARE * largest / used)) + 1)
    connection.execute(
        f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} ORDER BY used, rowid LIMIT ?)", (surplus,)
    )
    connection.execute("PRAGMA incremental_vacuum").fetchall()
    return surplus


def _claim(path: Path) -> None:
    """Make a file that nobody else can read, where there is none. Raises OSError where it is another user's."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if hasattr(os, "geteuid") and path.stat().st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")


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
