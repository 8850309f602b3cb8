"""Watching a folder: the system's notices where it gives them, a slow look besides."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

DEBOUNCE_MILLISECONDS = 250
SLOW_MILLISECONDS = 4_000
MOST_FOLDERS = 2_000
"""Folders watched; the system's limit is shared by all programs. Folders, not files: a file that is saved
atomically is another file, which would no longer be watched."""


class Watcher(QObject):
    """Emits `stirred` when something below the folder may have changed; who listens compares."""

    stirred = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._debounce = QTimer(self)
        self._debounce.setSingleShot(True)
        self._debounce.setInterval(DEBOUNCE_MILLISECONDS)
        self._debounce.timeout.connect(self.stirred)
        self._slow = QTimer(self)
        self._slow.setInterval(SLOW_MILLISECONDS)
        self._slow.timeout.connect(self.stirred)
        self._watcher.directoryChanged.connect(self._on_stirred)
        self._watcher.fileChanged.connect(self._on_stirred)
        self._open_file = ""

    def watch(self, folder: Path, names: Iterable[str]) -> None:
        """Watch the folders of these documents in place of what was watched before."""
        folders = {str(folder), *(str((folder / name).parent) for name in names)}
        wanted = set(sorted(folders)[:MOST_FOLDERS])
        present = set(self._watcher.directories())
        if present - wanted:
            self._watcher.removePaths(sorted(present - wanted))
        if wanted - present:
            self._watcher.addPaths(sorted(wanted - present))
        self._slow.start()

    def watch_file(self, path: Path | None) -> None:
        """Watch the open document itself, for editors that write in place."""
        files = self._watcher.files()
        if files:
            self._watcher.removePaths(files)
        self._open_file = str(path) if path is not None else ""
        if path is not None and path.exists():
            self._watcher.addPath(str(path))

    def stop(self) -> None:
        """Watch nothing."""
        paths = [*self._watcher.directories(), *self._watcher.files()]
        if paths:
            self._watcher.removePaths(paths)
        self._slow.stop()
        self._debounce.stop()

    def _on_stirred(self, _path: str) -> None:
        if self._open_file and self._open_file not in self._watcher.files() and Path(self._open_file).exists():
            self._watcher.addPath(self._open_file)
        self._debounce.start()
