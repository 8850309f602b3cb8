"""A folder of documents: which files count, in which order, and what is left out and why."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pathspec

from inspector.core.dialects.detect import CONFIGS, detect_dialects
from inspector.core.document import Document, read_document
from inspector.errors import FolderError

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"})
PLAIN_TEXT = frozenset({".txt"})

DEPENDENCIES = frozenset({"node_modules", "bower_components", "site-packages", "__pycache__"})
BUILD_OUTPUTS = frozenset({"_site", "_book", "dist"})
PERHAPS_OUTPUTS = frozenset({"build", "out", "public", "target"})
"""Folder names that are a build's output when a page stands at their top."""

SAMPLE = 40
"""Documents that are looked into for their dialect."""
SAMPLE_BYTES = 40_000

_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of a folder count: globs as in .gitignore, drafts, plain text files."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    drafts: bool = False
    plain_text: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file or folder that does not count, relative to the folder opened, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of a folder in a stable order, and what was left out. Names are relative, with `/`.

    `dialects` are those that `find_dialects` found, where it was asked.
    """

    folder: Path
    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    dialects: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What tells whether a file changed: its size, and when its text and its permissions did, in nanoseconds."""

    size: int
    modified: int
    changed: int


def natural_key(name: str) -> tuple[object, ...]:
    """Sort by path, numbers by their value, independent of the disk and of the case of letters."""
    parts: list[object] = []
    for part in name.split("/"):
        pieces = _NUMBER.split(part.casefold())
        parts.append([(1, int(p), "") if i % 2 else (0, 0, p) for i, p in enumerate(pieces)])
    return (*parts, name)


def list_folder(folder: Path, selection: Selection | None = None) -> Listing:
    """List the documents below a folder. Raises FolderError when it cannot be read."""
    selection = selection or Selection()
    folder = folder.resolve()
    if not folder.is_dir():
        why = "it is not a folder" if folder.exists() else "there is no such folder"
        raise FolderError(f"Can't read {folder}: {why}. Choose another folder.", subject=str(folder))
    walk = _Walk(folder, selection)
    names = sorted(walk.documents(), key=natural_key)
    return Listing(folder, tuple(names), tuple(sorted(walk.left_out, key=lambda entry: natural_key(entry.name))))


def stamp(path: Path) -> FileStamp | None:
    """Return a file's stamp, None when it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return FileStamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def is_draft(document: Document) -> bool:
    """Whether front matter says that a document is not published."""
    return document.metadata.get("draft") is True or document.metadata.get("published") is False


def find_dialects(listing: Listing) -> frozenset[str]:
    """Return the dialects a folder is written in: by its config files, else by a sample of its documents.

    Config files count in the folder and above it up to the repository's root.
    """
    names = {name for folder in _site_folders(listing.folder) for name in _config_names(folder)}
    if any(name.lower().endswith(".mdx") for name in listing.names):
        names.add("*.mdx")
    step = max(1, -(-len(listing.names) // SAMPLE))
    texts = []
    for name in listing.names[::step]:
        try:
            with (listing.folder / name).open("rb") as file:
                texts.append(read_document(name, file.read(SAMPLE_BYTES)).source)
        except OSError:
            continue
    return detect_dialects(names, texts)


def _site_folders(folder: Path) -> Iterator[Path]:
    """Yield the folder and, in a repository, those above it up to its root."""
    chain = [folder]
    while not (chain[-1] / ".git").exists():
        if chain[-1].parent == chain[-1]:
            chain = [folder]
            break
        chain.append(chain[-1].parent)
    yield from chain


def _config_names(folder: Path) -> Iterator[str]:
    for name in CONFIGS:
        try:
            if name.endswith("/"):
                is_there = (folder / name).is_dir()
            else:
                is_there = ":" not in name and "*" not in name and (folder / name).is_file()
        except OSError:
            is_there = False
        if is_there:
            yield name
    yield from _dependencies(folder / "package.json")


def _dependencies(path: Path) -> Iterator[str]:
    """Yield `package.json:NAME` for each dependency of a JavaScript project."""
    try:
        data = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return
    if not isinstance(data, dict):
        return
    for key in ("dependencies", "devDependencies"):
        group = data.get(key)
        if isinstance(group, dict):
            yield from (f"{path.name}:{name}" for name in group)


class _Walk:
    """One walk over a folder."""

    def __init__(self, folder: Path, selection: Selection) -> None:
        self._folder = folder
        self._suffixes = MARKDOWN | (PLAIN_TEXT if selection.plain_text else frozenset())
        self._include = pathspec.GitIgnoreSpec.from_lines(selection.include) if selection.include else None
        self._exclude = pathspec.GitIgnoreSpec.from_lines(selection.exclude) if selection.exclude else None
        self._seen: set[tuple[int, int]] = set()
        self._links: deque[tuple[os.DirEntry[str], str, Sequence[_Rules]]] = deque()
        self.left_out: list[LeftOut] = []

    def documents(self) -> Iterator[str]:
        """Yield the names of documents, in the disk's order."""
        try:
            os.scandir(self._folder).close()
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise FolderError(
                f"Can't read {self._folder}: {why}. Choose another folder or change its permissions.",
                subject=str(self._folder),
            ) from error
        root = self._folder.stat()
        self._seen.add((root.st_dev, root.st_ino))
        yield from self._below(self._folder, "", self._rules_above())
        while self._links:  # last, so that a file goes by its own name rather than by a link's
            yield from self._entry(*self._links.popleft())

    def _below(self, folder: Path, prefix: str, rules: Sequence[_Rules]) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.left_out.append(LeftOut(prefix.rstrip("/") or ".", f"unreadable: {error.strerror}"))
            return
        rules = [*rules, *_read_rules(folder, prefix)]
        for entry in found:
            if entry.is_symlink():
                self._links.append((entry, prefix, rules))
            else:
                yield from self._entry(entry, prefix, rules)

    def _entry(self, entry: os.DirEntry[str], prefix: str, rules: Sequence[_Rules]) -> Iterator[str]:
        """Yield the documents that an entry of a folder is or holds."""
        name = prefix + entry.name
        try:
            is_folder = entry.is_dir()
        except OSError:
            return
        if not is_folder and Path(entry.name).suffix.lower() not in self._suffixes:
            return
        reason = self._reason(Path(entry.path), entry, name, is_folder, rules)
        if reason == "":
            if is_folder:
                yield from self._below(Path(entry.path), name + "/", rules)
            else:
                yield name
        elif reason is not None:
            self.left_out.append(LeftOut(name + ("/" if is_folder else ""), reason))

    def _reason(
        self, path: Path, entry: os.DirEntry[str], name: str, is_folder: bool, rules: Sequence[_Rules]
    ) -> str | None:
        """Why an entry is left out, "" when it counts, None when it is not worth a word."""
        shown = name + ("/" if is_folder else "")
        included = self._include is not None and self._include.match_file(shown)
        if entry.is_symlink():
            try:
                target = path.resolve(strict=True)
            except (OSError, RuntimeError):
                return "broken link"
            if not target.is_relative_to(self._folder):
                return "link out of the folder"
        try:
            status = path.stat()
        except OSError as error:
            return f"unreadable: {error.strerror}"
        if not is_folder and not stat.S_ISREG(status.st_mode):
            return "not a file"
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen and (is_folder or entry.is_symlink()):
            return None
        if not included:
            reason = self._rule_out(path, entry.name, shown, is_folder, rules)
            if reason:
                return reason
        self._seen.add(identity)
        return ""

    def _rule_out(self, path: Path, base: str, shown: str, is_folder: bool, rules: Sequence[_Rules]) -> str:
        if base.startswith("."):
            return "hidden"
        if is_folder and base in DEPENDENCIES:
            return "dependencies"
        if is_folder and (path / "pyvenv.cfg").exists():
            return "virtual environment"
        if is_folder and (base in BUILD_OUTPUTS or (base in PERHAPS_OUTPUTS and (path / "index.html").exists())):
            return "build output"
        if self._exclude is not None and self._exclude.match_file(shown):
            return "excluded"
        if _is_ignored(shown, rules):
            return "ignored"
        return ""

    def _rules_above(self) -> list[_Rules]:
        """The .gitignore files between the repository's root and the folder opened.

        Where they ignore that folder itself, none counts: who opens a folder of built pages wants to see them.
        """
        rules: list[_Rules] = []
        parts: list[str] = []
        folder = self._folder
        chain: list[tuple[Path, str]] = []
        while not (folder / ".git").exists():
            if folder.parent == folder:
                return []
            parts.insert(0, folder.name)
            folder = folder.parent
            chain.append((folder, "/".join(parts) + "/"))
        for above, inside in reversed(chain):
            rules.extend(_read_rules(above, "", inside))
        return [] if _is_ignored("", rules) else rules


@dataclass(frozen=True, slots=True)
class _Rules:
    """One .gitignore: the folder it stands in, relative to the one opened, or the path down from it."""

    prefix: str
    inside: str
    spec: pathspec.GitIgnoreSpec = field(repr=False)

    def decides(self, name: str) -> bool | None:
        """Whether the file is ignored (True), taken back (False), or not mentioned (None)."""
        return self.spec.check_file(self.inside + name[len(self.prefix) :]).include


def _read_rules(folder: Path, prefix: str, inside: str = "") -> list[_Rules]:
    try:
        text = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    try:
        return [_Rules(prefix, inside, pathspec.GitIgnoreSpec.from_lines(text.splitlines()))]
    except ValueError:
        return []


def _is_ignored(name: str, rules: Sequence[_Rules]) -> bool:
    for rule in reversed(rules):
        decision = rule.decides(name)
        if decision is not None:
            return decision
    return False
