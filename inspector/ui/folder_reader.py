"""Reading a folder in the chunk worker: its list, its documents batch by batch, sizes while dragging, changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from inspector import document_tasks
from inspector.corpus import FileStamp, Listing
from inspector.settings import Settings
from inspector.ui.runner import READY, Failure, Landing, Lane, Runner
from inspector.ui.sweep import SWEEP_CAPS, Sweep, SweepPoint

LIST, COUNT, WARM, CHANGES, FIT = "list", "count", "warm", "changes", "fit"
SWEEP, EXAMPLE = "sweep", "example"
BATCHES = ("batch 0", "batch 1")  # two under way, so that the worker never waits for the window
BATCH_SECONDS = 0.1
FIRST_BATCH, LARGEST_BATCH = 4, 12  # what lands is unpickled while the window waits


class FolderReader(QObject):
    """Sends what concerns files to the chunk worker and tells what came of it; holds no documents."""

    listed = Signal(object)  # Listing
    landed = Signal(object)  # document_tasks.ChunkResult
    progressed = Signal(int, int)  # documents done, of all in this pass
    finished = Signal()  # a pass over the documents is complete
    counted = Signal(object)  # document_tasks.CountResult
    warmed = Signal(object)  # document_tasks.WarmResult
    changes_found = Signal(object)  # document_tasks.ChangesResult
    fitted = Signal(object)  # document_tasks.FitResult
    swept = Signal(object)  # Sweep, complete
    example_found = Signal(str)
    failed = Signal(object)  # Failure

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._folder = ""
        self._settings: Settings | None = None
        self._waiting: deque[str] = deque()
        self._flying: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._again = False
        self.codecs: dict[str, str] = {}  # encodings that the author has said, by name
        self._done = self._total = 0
        self._size = FIRST_BATCH
        self._next_count: Settings | None = None
        self._caps: list[int] = []  # still to be swept, last first
        self._points: dict[int, SweepPoint] = {}
        runner.landed.connect(self._on_landed)
        runner.failed.connect(self._on_failed)

    @property
    def is_reading(self) -> bool:
        """Whether a pass over the documents is under way."""
        return bool(self._waiting or self._flying)

    @property
    def is_listing(self) -> bool:
        """Whether a folder's list is under way."""
        return self._runner.is_busy(Lane.CHUNK, LIST)

    def list_folder(self, folder: Path, settings: Settings) -> None:
        """List a folder; what was under way for the one before is given up."""
        self.stop()
        self._folder = str(folder)
        self._settings = settings
        request = document_tasks.ListRequest(self._folder, settings.selection)
        self._runner.submit(Lane.CHUNK, document_tasks.run_list, request, LIST)

    def read(
        self, names: tuple[str, ...], settings: Settings, *, again: bool, known: Mapping[str, int] | None = None
    ) -> None:
        """Read documents from disk, or (again) chunk those that were read before under other settings.

        `known` has the fingerprint of what is held of a name; what is still the same does not land.
        """
        self._known = dict(known or {})
        self._settings = settings
        self._again = again
        self._waiting = deque(names)
        self._flying.clear()
        self._done, self._total = 0, len(names)
        self._next_count = None
        self.stop_working_out()
        for key in BATCHES:
            self._send(key)
        if not names:
            self.finished.emit()

    def count(self, settings: Settings) -> None:
        """Ask for the folder's sizes under other thresholds; only the latest of several wishes is served."""
        if self._runner.is_busy(Lane.CHUNK, COUNT):
            self._next_count = settings
            return
        self._next_count = None
        self._runner.submit(
            Lane.CHUNK, document_tasks.run_count, document_tasks.CountRequest(self._folder, settings), COUNT
        )

    def warm(self, name: str, settings: Settings) -> None:
        """Ask for what the window needs to chunk one document by itself."""
        self._runner.submit(
            Lane.CHUNK, document_tasks.run_warm, document_tasks.WarmRequest(self._folder, name, settings), WARM
        )

    def fit(self, settings: Settings) -> None:
        """Ask for the largest cap with nothing unread."""
        self._runner.submit(Lane.CHUNK, document_tasks.run_fit, document_tasks.FitRequest(self._folder, settings), FIT)

    def sweep(self, settings: Settings) -> None:
        """Ask what other caps would make of the folder; told once all are counted, a slice at a time."""
        self._points = {}
        self._caps = [cap for cap in reversed(SWEEP_CAPS) if cap >= settings.options.fold]
        self._sweep_on(settings, None)

    def _sweep_on(self, settings: Settings, result: document_tasks.SweepResult | None) -> None:
        first: int | None = None
        if result is not None:
            before = self._points.get(result.cap, SweepPoint())
            self._points[result.cap] = SweepPoint(
                before.chunks + result.chunks, before.truncated + result.truncated, before.cut + result.cut
            )
            first = result.next
        if first is None:
            if not self._caps:
                self.swept.emit(Sweep(settings, dict(self._points)))
                return
            cap, first = self._caps.pop(), 0
        else:
            assert result is not None
            cap = result.cap
        request = document_tasks.SweepRequest(self._folder, settings, cap, first)
        self._runner.submit(Lane.CHUNK, document_tasks.run_sweep, request, SWEEP)

    @property
    def is_working_out(self) -> bool:
        """Whether a sweep, or a cap that fits, is under way."""
        return bool(self._caps) or any(self._runner.is_busy(Lane.CHUNK, key) for key in (SWEEP, FIT))

    def stop_working_out(self) -> None:
        """Ask for no more of a sweep, nor for a cap that fits."""
        self._caps = []
        for key in (SWEEP, FIT):
            self._runner.cancel(Lane.CHUNK, key)

    def find_example(self, name: str, settings: Settings, offset: int) -> None:
        """Ask for a few lines that show the naive splitter's fault at a place."""
        request = document_tasks.ExampleRequest(self._folder, name, settings, offset)
        self._runner.submit(Lane.CHUNK, document_tasks.run_example, request, EXAMPLE)

    def look_for_changes(self, settings: Settings, stamps: tuple[tuple[str, FileStamp | None], ...]) -> None:
        """Compare the folder on disk with what was read of it."""
        if not self._runner.is_busy(Lane.CHUNK, CHANGES):
            request = document_tasks.ChangesRequest(self._folder, settings.selection, stamps)
            self._runner.submit(Lane.CHUNK, document_tasks.run_changes, request, CHANGES)

    def stop(self) -> None:
        """Send no more batches; what is under way will not be told."""
        self._waiting.clear()
        self._flying.clear()
        self._next_count = None
        for key in (*BATCHES, LIST, COUNT, WARM, CHANGES, FIT, SWEEP, EXAMPLE):
            self._runner.cancel(Lane.CHUNK, key)

    def _send(self, key: str) -> None:
        names = tuple(self._waiting.popleft() for _ in range(min(self._size, len(self._waiting))))
        if not names or self._settings is None:
            return
        self._flying[key] = len(names)
        known = tuple(self._known.get(name, 0) for name in names)
        codecs = tuple((name, self.codecs[name]) for name in names if name in self.codecs)
        request = document_tasks.ChunkRequest(self._folder, names, self._settings, self._again, known, codecs)
        self._runner.submit(Lane.CHUNK, document_tasks.run_chunk, request, key)

    def _on_landed(self, landing: Landing) -> None:
        if landing.lane is not Lane.CHUNK:
            return
        result = landing.result
        if landing.key in BATCHES:
            self._on_batch(landing.key, result)
        elif landing.key == COUNT:
            self.counted.emit(result)
            if self._next_count is not None:
                self.count(self._next_count)
        elif landing.key == WARM:
            self.warmed.emit(result)
        elif landing.key == FIT and result.is_done:
            self.fitted.emit(result)
        elif landing.key == FIT:
            self.fit(result.settings)
        elif landing.key == SWEEP:
            self._sweep_on(result.settings, result)
        elif landing.key == EXAMPLE:
            self.example_found.emit(result)
        elif landing.key == CHANGES:
            self.changes_found.emit(result)
        elif landing.key == LIST and isinstance(result, Listing):
            self.listed.emit(result)

    def _on_batch(self, key: str, result: document_tasks.ChunkResult) -> None:
        count = self._flying.pop(key, 0)
        self._done += count
        if result.seconds > 0 and count:
            wanted = count * BATCH_SECONDS / result.seconds
            self._size = int(max(1, min(LARGEST_BATCH, wanted, 2 * self._size)))
        self._send(key)
        self.landed.emit(result)
        self.progressed.emit(self._done, self._total)
        if not self.is_reading:
            self.finished.emit()

    def _on_failed(self, failure: Failure) -> None:
        if failure.lane is not Lane.CHUNK or failure.key == READY:  # nobody asked for that; what fails, fails again
            return
        if failure.key in BATCHES:
            self._waiting.clear()
            self._flying.clear()
        self.failed.emit(failure)
