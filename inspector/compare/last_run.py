"""The chunking of a folder's last run, kept in the user's cache folder: one JSON file a folder, safe to delete."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from inspector.compare.changes import Mark
from inspector.errors import CacheError
from inspector.files import write_atomically
from inspector.folders import cache_folder

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class LastRun:
    """What was kept: how it was chunked, in words, and the marks of each document's chunks by its name."""

    how: str
    documents: Mapping[str, tuple[Mark, ...]]


def file_of(folder: Path) -> Path:
    """Return where a folder's last run is kept."""
    digest = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:24]
    return cache_folder() / "last-run" / f"{digest}.json"


def read_last_run(folder: Path) -> LastRun | None:
    """Return the last run of a folder, None where there is none or it cannot be used."""
    try:
        data = json.loads(file_of(folder).read_text(encoding="ascii"))
        if data["schema"] != SCHEMA:
            return None
        documents = {
            name: tuple(Mark(str(d), int(start), int(length), str(words)) for d, start, length, words in marks)
            for name, marks in data["documents"].items()
        }
        return LastRun(str(data["how"]), documents)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def keep_run(folder: Path, run: LastRun) -> None:
    """Keep a run in place of the one before. Raises CacheError."""
    path = file_of(folder)
    documents = {name: [astuple(mark) for mark in marks] for name, marks in run.documents.items()}
    text = json.dumps({"schema": SCHEMA, "how": run.how, "documents": documents})
    try:
        write_atomically(path, text)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise CacheError(f"The run cannot be kept in {path.parent}: {why}.", subject=str(path)) from error
