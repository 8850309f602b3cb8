"""The other way to chunk that the one in force is compared with: its chunks of the open post, and both in numbers."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from inspector import comparison, document_tasks
from inspector.compare.boundaries import Boundary, match_boundaries
from inspector.comparison import CompareResult
from inspector.core.chunk import Chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Choices
from inspector.settings import Settings
from inspector.ui.runner import Failure, Landing, Lane, Runner

TABLE, OTHER = "compare", "other chunks"


class CompareKeeper(QObject):
    """Compares in worker processes while it is switched on. `strategy` and `options` are the other side's."""

    changed = Signal()  # another strategy, numbers, or chunks of the open post
    failed = Signal(str)

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._left = Settings()
        self._right = Settings().choosing(Settings().options_of("window"))
        self._folder = ""
        self._opened: Chunking | None = None
        self.is_on = False
        self.result: CompareResult | None = None
        self.other: Chunking | None = None
        self.boundaries: tuple[Boundary, ...] = ()
        runner.landed.connect(self._on_landed)
        runner.failed.connect(self._on_failed)

    @property
    def is_counting(self) -> bool:
        """Whether the numbers are on their way."""
        return self._runner.is_busy(Lane.EXPORT, TABLE)

    @property
    def strategy(self) -> str:
        """The other side's strategy."""
        return self._right.strategy

    @property
    def options(self) -> Options | Choices:
        """The other side's options."""
        return self._right.own or self._right.options

    def choose(self, strategy: str) -> None:
        """Compare with another strategy, with its options as they were set last."""
        self._right = self._right.choosing(self._right.options_of(strategy))
        self._restart()

    def set_options(self, options: Options | Choices) -> None:
        """Compare with other options of the other side's strategy."""
        if isinstance(options, Options):
            self._right = replace(self._right, options=options)
        else:
            self._right = self._right.choosing(options)
        self._restart()

    def switch(self, is_on: bool) -> None:
        """Begin to compare, or end."""
        if is_on != self.is_on:
            self.is_on = is_on
            self._restart()

    def show(self, folder: str, settings: Settings, opened: Chunking | None) -> None:
        """Compare with these settings, and show the other side's chunks of this post."""
        is_same = (folder, settings) == (self._folder, self._left)
        self._folder, self._left, self._opened = folder, settings, opened
        if not is_same:
            self._restart()
        elif self.is_on:
            self._ask_for_chunks()

    @property
    def _compared_with(self) -> Settings:
        """The other side: its strategy, all else as in force."""
        strategy, options, others = self._right.strategy, self._right.options, self._right.others
        dialects = self._left.options.dialects
        return replace(self._left, strategy=strategy, options=replace(options, dialects=dialects), others=others)

    def _restart(self) -> None:
        self._runner.cancel(Lane.EXPORT, TABLE)
        self.result = None
        if self.is_on and self._folder:
            request = comparison.CompareRequest(self._folder, self._left, self._compared_with)
            self._runner.submit(Lane.EXPORT, comparison.run_compare, request, TABLE)
            self._ask_for_chunks()
        else:
            self.other, self.boundaries = None, ()
        self.changed.emit()

    def _ask_for_chunks(self) -> None:
        if self._opened is None:
            self.other, self.boundaries = None, ()
            self.changed.emit()
            return
        request = document_tasks.OtherChunksRequest(self._folder, self._opened.document.name, self._compared_with)
        self._runner.submit(Lane.CHUNK, document_tasks.run_other_chunks, request, OTHER)

    def _on_landed(self, landing: Landing) -> None:
        if landing.lane is Lane.EXPORT and landing.key == TABLE:
            self.result = landing.result
        elif landing.lane is Lane.CHUNK and landing.key == OTHER and self.is_on:
            self.other, self.boundaries = landing.result, ()
            if self.other is not None and self._opened is not None:
                if self.other.document.source == self._opened.document.source:
                    self.boundaries = match_boundaries(self._opened, self.other)
                else:
                    self.other = None
        else:
            return
        self.changed.emit()

    def _on_failed(self, failure: Failure) -> None:
        if (failure.lane, failure.key) in ((Lane.EXPORT, TABLE), (Lane.CHUNK, OTHER)):
            self.other, self.boundaries = None, ()
            self.failed.emit(failure.message)
            self.changed.emit()
