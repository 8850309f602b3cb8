"""The command `cache`: where everything is that costs nothing but time to delete, how much it is, and deleting it."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from inspector.folders import cache_folder

Clear = Annotated[bool, typer.Option("--clear", help="Delete what is in it.")]

OURS = (
    (r"vectors-\d+\.sqlite", "vectors and maps"),
    (r"documents-\d+\.sqlite", "posts as they were read last"),
    (r"rates\.json", "speeds measured on this machine"),
    (r"chunk-inspector\.log", "the log"),
    (r"engines$", "the fast engines' files"),
    (r"last-run$", "what compare --last compares with"),
    (r"numba$", "compiled code"),
)
"""What the program writes there, by how its name begins; nothing else is deleted, whatever folder is named."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or folder of ours in the cache, what it is, and its size in bytes."""

    path: Path
    words: str
    size: int


def cache(clear: Clear = False) -> None:
    """Print the cache's folder and what is in it; with --clear delete that. Settings are kept elsewhere."""
    folder = cache_folder()
    entries = list_entries(folder)
    print(folder)
    for entry in entries:
        print(f"{in_words(entry.size):>10}  {entry.path.name} ({entry.words})")
    print(f"{in_words(sum(entry.size for entry in entries)):>10}  in all")
    if not clear:
        return
    left = [path for entry in entries for path in delete(entry.path)]
    for path in left:
        print(f"{path} could not be deleted: is the program still running?")
    if left:
        raise typer.Exit(1)
    with suppress(OSError):  # what others keep there stays
        folder.rmdir()
    print("Deleted." if entries else "Nothing to delete.")


def list_entries(folder: Path) -> list[Entry]:
    """List what of ours lies in the cache's folder, by name; empty where there is none."""
    if not folder.is_dir():
        return []
    known = ((path, words_for(path.name)) for path in sorted(folder.iterdir()))
    return [Entry(path, words, size_of(path)) for path, words in known if words]


def words_for(name: str) -> str:
    """Say what an entry of the cache is, "" for one that is not ours."""
    return next((words for pattern, words in OURS if re.match(pattern, name)), "")


def size_of(path: Path) -> int:
    """Add up the bytes of a file, or of all files below a folder; links are not followed."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum((Path(root) / name).lstat().st_size for root, _, names in os.walk(path) for name in names)


def delete(path: Path) -> list[Path]:
    """Delete a file or folder and return what could not be deleted; what a link points to is left alone."""
    left: list[Path] = []
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        left.append(path)
    return left


def in_words(size: int) -> str:
    """Write bytes for people, in units of 1,000."""
    amount, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 1_000:
            break
        amount, unit = amount / 1_000, larger
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
