"""The one mutable state of a window: folder, settings, documents, selection. Methods are intents, signals facts."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from inspector import document_tasks
from inspector.core.chunk import Chunk, Chunking
from inspector.core.options import OptionError, Options
from inspector.core.strategies.choices import Choices, Imported
from inspector.core.strategies.headings import adopt_warm_state, chunk_document, is_warm, put_together
from inspector.core.strategies.registry import HEADINGS
from inspector.corpus import LeftOut, Listing
from inspector.embedding.measure import Reading, read_chunks
from inspector.embedding.models import BUNDLED, Model
from inspector.embedding.tokens import TokenCount
from inspector.errors import InspectorError
from inspector.folders import config_folder
from inspector.memory import settle_objects
from inspector.reading import ReadDocument, counter_of
from inspector.resources import resource_path
from inspector.settings import FILE_NAME, PRESETS, Settings, load_settings, save_settings
from inspector.ui.compare_keeper import CompareKeeper
from inspector.ui.folder_reader import BATCHES, CHANGES, LIST, FolderReader
from inspector.ui.history import SettingsChange
from inspector.ui.library import Library
from inspector.ui.likeness_keeper import LikenessKeeper
from inspector.ui.map_feed import MapFeed, look_for_likeness
from inspector.ui.map_keeper import MapKeeper
from inspector.ui.reloaded import SHOWN_MILLISECONDS, Reloaded, compare_chunks
from inspector.ui.runner import Failure, Runner
from inspector.ui.selection import Anchor, Places, Selection, chunk_near
from inspector.ui.steps import Steps
from inspector.ui.sweep import Sweep
from inspector.ui.totals import FolderTotals

log = logging.getLogger(__name__)

SAMPLE_POST = "from-analyst.md"
"""The post of the sample that shows most marks."""
SETTLE_MILLISECONDS = 500
WORK_OUT_MILLISECONDS = 300
"""After the map was asked for, what other caps would do is worked out: the map goes first."""
COUNT_TOKENS_MILLISECONDS = 80
MANY_FILES = 5_000
"""Files from which the author is asked before they are read."""
MUCH_CODE = 0.25
LARGEST_AT_ONCE = 300_000
"""Characters up to which the open document is packed again in the window's own process."""
TOKENIZER_MILLISECONDS = 1_000
"""After a folder was opened the tokenizer is loaded for the first drag: reading and the map go first."""
TEXTS_AT_ONCE = 24
"""Chunks whose tokens are counted within one frame of a drag."""
TEXTS_AT_REST = 80
"""Chunks whose tokens are counted in the window's own process when a drag rests."""


@dataclass(frozen=True, slots=True)
class Message:
    """Something to tell: `details` can be copied, `is_error` colours it; `offer` is what can be done about it, which
    `act` does, or the window where that asks for a folder.
    """

    text: str
    details: str = ""
    is_error: bool = True
    offers_folder: bool = False
    offer: str = ""
    act: Callable[[], None] | None = None


class Session(QObject):
    """Owns what a window shows. Setting an equal value emits nothing."""

    folder_changed = Signal()
    listing_changed = Signal()
    documents_changed = Signal(object)  # names whose chunks changed
    reading_progressed = Signal(int, int)
    reading_finished = Signal()
    opened = Signal()  # another document is open
    chunking_changed = Signal()  # the open document's chunks or token counts changed
    selection_changed = Signal()
    selection_kept = Signal()  # the place is the same, the chunks are others
    settings_changed = Signal()
    totals_changed = Signal()
    counted = Signal(object)  # document_tasks.CountResult, while dragging
    swept = Signal(object)  # SweepPoint by cap: what other caps would make of the folder
    option_refused = Signal(str, str)  # option, message
    told = Signal(object)  # Message
    reloaded = Signal(object)  # Reloaded: what changed on disk, and what that did to the chunks; nothing, 10 s later

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = runner
        self.reader = FolderReader(runner, self)
        self.map = MapKeeper(runner, self)
        self._feed = MapFeed(self.map)
        self.likeness = LikenessKeeper(runner, self)
        self.compare = CompareKeeper(runner, self)
        self.folder: Path | None = None
        self.settings = Settings()
        self.saved_settings = Settings()
        self.settings_path: Path | None = None
        self.listing: Listing | None = None
        self.library = Library()
        self.chunks_before = 0
        self.open_name = ""
        self.selection = Selection()
        self.is_dragging = False
        self.seconds: float | None = None
        self.fit_cap: int | None = None
        self._target_kept: tuple[tuple[str, int], Model] | None = None
        self._wanted: tuple[str, int] | None = None
        self._is_foreseen = False
        self._is_opening = False
        self._told_failure = ""
        self._anchor: Anchor | None = None
        self.undo_stack = QUndoStack(self)
        self.places = Places()
        self._before_drag: Settings | None = None
        self.change = Reloaded()
        self._agreed: set[Path] = set()
        self._offered: set[Path] = set()
        self._reloading: dict[str, ReadDocument | None] = {}
        self._truncated_before = 0
        self._change_timer = self._timer(SHOWN_MILLISECONDS, self._forget_change)
        self._settle = self._timer(SETTLE_MILLISECONDS, self._on_settled)
        self._work_out_timer = self._timer(WORK_OUT_MILLISECONDS, self._work_out)
        self._likeness_timer = self._timer(0, self._look_for_likeness)
        self._tokenizer_timer = self._timer(TOKENIZER_MILLISECONDS, self._load_tokenizer)
        self._known_counts: dict[str, TokenCount] = {}
        self._read_before: list[tuple[Chunk, Reading]] = []  # of the open document, for the chunks a drag leaves alone
        self._own_steps = Steps(self)
        self._count_timer = self._timer(COUNT_TOKENS_MILLISECONDS, self._count_open_tokens)
        reader = self.reader
        reader.listed.connect(self._on_listed)
        reader.landed.connect(self._on_chunked)
        reader.progressed.connect(self.reading_progressed)
        reader.finished.connect(self._on_read)
        reader.counted.connect(self._on_counted)
        reader.warmed.connect(self._on_warmed)
        reader.changes_found.connect(self._on_changes)
        reader.fitted.connect(self._on_fitted)
        reader.swept.connect(self._on_swept)
        reader.failed.connect(self._on_failed)
        self.map.embedder.finished.connect(self._likeness_timer.start)
        self.compare.failed.connect(self._tell)
        self.map.failed.connect(self._tell)
        self.map.noticed.connect(self._tell)

    def _timer(self, milliseconds: int, slot: Any) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    # The folder

    def open_path(self, path: Path) -> None:
        """Open a folder, or a file's folder with the file shown."""
        path = path.expanduser().absolute()
        if path.resolve() == resource_path("sample").resolve():
            self.open_sample()
        elif path.is_file():
            self.open_folder(path.parent, path.name)
        else:
            self.open_folder(path)

    def open_sample(self) -> None:
        """Open the sample that comes with the program."""
        self.open_folder(resource_path("sample"), SAMPLE_POST)

    def open_folder(self, folder: Path, name: str = "", offset: int = -1) -> None:
        """Open a folder; `name` and `offset` are selected once they are read."""
        folder = folder.resolve()
        if not folder.is_dir():
            why = "it is not a folder" if folder.exists() else "there is no such folder"
            self.told.emit(Message(f"Can't read {folder}: {why}. Choose another folder.", offers_folder=True))
            return
        loaded = load_settings(folder)
        settings, faults = loaded.usable()
        if faults:
            self._tell(" ".join(faults))
        before, self.folder = self.folder, folder
        self._rest()
        if folder != before:
            self.map.leave_folder()
            self._feed.clear()
            self.likeness.forget()
        self.settings, self.saved_settings = settings, loaded.settings
        self.settings_path = loaded.path
        self.listing = None
        self.library = Library()
        self.chunks_before = 0
        self.open_name, self.selection = "", Selection()
        self._is_foreseen = False
        self._is_opening = True
        self._before_drag = None
        self._reloading, self.change = {}, Reloaded()
        if folder != before:
            self.reader.codecs.clear()
            self.places.clear()
            self.undo_stack.clear()
        self._wanted = (name, offset) if name else None
        self._tokenizer_timer.start()
        self.folder_changed.emit()
        self.settings_changed.emit()
        self.opened.emit()
        self.totals_changed.emit()
        self.reader.list_folder(folder, self.settings)

    def tell_all(self) -> None:
        """Tell what a window that comes late has missed."""
        self.folder_changed.emit()
        if self.listing is None:
            if self.folder is not None and not self.reader.is_listing:
                self.reading_progressed.emit(0, 0)  # it could not be read
            return
        self.listing_changed.emit()
        if self.documents:
            self.documents_changed.emit(tuple(self.documents))
            self.totals_changed.emit()
            self.opened.emit()
            self.selection_changed.emit()
        if not self.reader.is_reading:
            self.reading_finished.emit()
        self.map.map_changed.emit()

    def reload(self) -> None:
        """Read the folder from disk again."""
        if self.folder is not None:
            self.open_folder(self.folder, self.open_name, self.selection.offset)

    def reopen_as(self, codec: str) -> None:
        """Read the open document again in another encoding."""
        if self.open is not None and not self.reader.is_reading:
            self.reader.codecs[self.open_name] = codec
            self.reader.read((self.open_name,), self.settings, again=False)

    def look_for_changes(self) -> None:
        """Compare what is shown with the disk."""
        if self.folder is not None and self.listing is not None and not self.reader.is_reading:
            self.reader.look_for_changes(self.settings, self.library.stamps())

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what does not count, with the reason: by the folder's rules, drafts, unreadable."""
        listed = self.listing.left_out if self.listing is not None else ()
        return (*listed, *self.library.left_out())

    @property
    def documents(self) -> Mapping[str, ReadDocument]:
        """The documents that count, by name."""
        return self.library.documents

    @property
    def unreadable(self) -> Mapping[str, document_tasks.Unreadable]:
        """The files that could not be read, by name."""
        return self.library.unreadable

    @property
    def totals(self) -> FolderTotals:
        """The folder's numbers."""
        return self.library.totals

    def _on_listed(self, listing: Listing) -> None:
        self.listing = listing
        self._take_dialects(listing.dialects)
        self.listing_changed.emit()
        count = len(listing.names)
        if count > MANY_FILES and self.folder not in self._agreed:
            words = f"{count:,} files are in this folder; reading them takes a while and some memory."
            self.told.emit(Message(words, is_error=False, offer="Read them all", act=self._agree))
            self.reading_progressed.emit(0, 0)
            return
        self.reader.read(listing.names, self.settings, again=False)

    def _agree(self) -> None:
        """Read a folder of many files, as the author has said."""
        if self.folder is not None and self.listing is not None:
            self._agreed.add(self.folder)
            self.reader.read(self.listing.names, self.settings, again=False)

    def _offer_docs(self) -> None:
        """Once a folder: where much of it is code, offer the preset that keeps all code."""
        totals, settings = self.totals, self.settings
        if self.folder is None or self.folder in self._offered or settings.options.code_lines == 0:
            return
        if self.settings_path is None and totals.code > totals.characters * MUCH_CODE:
            self._offered.add(self.folder)
            share = 100 * totals.code / totals.characters
            kept = settings.options.code_lines
            words = f"{share:.0f} % of this folder is code, and a block keeps only its first {kept} lines."
            self.told.emit(Message(words, is_error=False, offer="Keep all code", act=self._take_docs))

    def _take_docs(self) -> None:
        code_lines = PRESETS["Docs"].code_lines
        self.set_options(replace(self.settings.options, code_lines=code_lines))

    def _take_dialects(self, detected: frozenset[str]) -> None:
        """Let `auto` stand for what the folder is written in."""
        settings = self.settings.in_dialects(detected)
        self.saved_settings = self.saved_settings.in_dialects(detected)
        if settings is not self.settings:
            self.settings = settings
            self.settings_changed.emit()

    @property
    def detected_dialects(self) -> frozenset[str]:
        """What the folder is written in, as it was when it was opened."""
        return self.listing.dialects if self.listing is not None else frozenset()

    def _on_chunked(self, result: document_tasks.ChunkResult) -> None:
        if result.settings != self.settings:
            return
        self._enter(result.documents)
        self._feed.prepare(result.documents, self.settings)
        if not self._is_foreseen and not self.is_dragging:
            self._is_foreseen = self._feed.foresee(self.documents, self.settings)

    def _enter(self, results: Iterable[ReadDocument | document_tasks.Unreadable]) -> None:
        """Take documents in, and tell what changed."""
        names = []
        for result in results:
            names.append(result.name)
            if isinstance(result, document_tasks.Unreadable):
                self.told.emit(Message(f"Can't read {result.name}: {result.message}."))
            self.library.enter(result, with_drafts=self.settings.selection.drafts)
        if not names:
            return
        self.documents_changed.emit(tuple(names))
        self.totals_changed.emit()
        if self.open_name in names:
            self._on_open_entered()
        elif not self.open_name:
            self._open_first(names)

    def _open_first(self, names: list[str]) -> None:
        if self._wanted is not None:
            name, offset = self._wanted
            if name in self.documents:
                self._wanted = None
                self.choose_document(name, offset)
            elif name in names:
                self._wanted = None
            return
        first = next((name for name in names if name in self.documents), None)
        if first is not None:
            self.choose_document(first)

    def _on_read(self) -> None:
        if self._wanted is not None and not self.open_name and self.documents:
            self._wanted = None
            self._open_first(list(self.documents))
        if self.listing is not None:
            self.library.sort(self.listing.names)
        settle_objects()
        self._tell_change()
        self._offer_docs()
        self.reading_finished.emit()
        self._settle.start(0 if self._is_opening else SETTLE_MILLISECONDS)
        self._is_opening = False

    def _on_changes(self, result: document_tasks.ChangesResult) -> None:
        self._told_failure = ""
        before = self.listing.names if self.listing is not None else ()
        now = set(result.listing.names)
        self.listing = replace(result.listing, dialects=self.detected_dialects)
        gone = [name for name in before if name not in now]
        if gone:
            self.library.remove(gone)
            self.documents_changed.emit(tuple(gone))
            if self.open_name in gone:
                self.told.emit(Message(f"{self.open_name} is gone from the folder.", is_error=False))
                self.open_name, self.selection = "", Selection()
                self.opened.emit()
                if self.documents:
                    self._open_first(list(self.documents))
        if now != set(before):
            self.listing_changed.emit()
            self.totals_changed.emit()
        if result.changed:
            if self.open_name in result.changed:
                self._remember_anchor()
            self.chunks_before = self.totals.chunks
            self._truncated_before = self.totals.truncated
            self._reloading = {name: self.documents.get(name) for name in result.changed}
            self.likeness.forget()
            self.reader.read(result.changed, self.settings, again=False)
        elif gone:
            self._settle.start(SETTLE_MILLISECONDS)

    def _tell_change(self) -> None:
        """Once files that changed on disk are read: tell what that did to the chunks."""
        if not self._reloading:
            return
        fresh: dict[str, frozenset[int]] = {}
        gone = 0
        for name, before in self._reloading.items():
            after = self.documents.get(name)
            old = before.chunking.chunks if before is not None else ()
            fresh[name], lost = compare_chunks(old, after.chunking.chunks if after is not None else ())
            gone += lost
        added = sum(map(len, fresh.values()))
        names = tuple(self._reloading)
        self._reloading = {}
        self.change = Reloaded(names, fresh, added, gone, self._truncated_before, self.totals.truncated)
        self.reloaded.emit(self.change)
        self._change_timer.start()

    def _forget_change(self) -> None:
        self.change = Reloaded()
        self.reloaded.emit(self.change)

    def _on_failed(self, failure: Failure) -> None:
        if failure.key == CHANGES:  # looked for every few seconds: what is wrong is told once
            if failure.message == self._told_failure:
                return
            self._told_failure = failure.message
        elif failure.key in (LIST, *BATCHES):
            self.reading_progressed.emit(0, 0)
        self.told.emit(Message(failure.message, failure.traceback, offers_folder=failure.key == "list"))

    def _tell(self, text: str) -> None:
        self.told.emit(Message(text))

    # The open document and the selection

    @property
    def open(self) -> ReadDocument | None:
        """The open document, None when there is none."""
        return self.documents.get(self.open_name)

    def choose_document(self, name: str, offset: int = -1) -> None:
        """Open a document, with a place in it selected."""
        if name not in self.documents:
            return
        if name != self.open_name:
            self.open_name = name
            self.selection = Selection(name)
            self._anchor = None
            self._remember_counts()
            self.opened.emit()
            self.reader.warm(name, self.settings)
        if offset >= 0:
            self.select(name, offset)
        elif self.selection.offset < 0:
            chunks = self.documents[name].chunking.chunks
            if chunks:
                self.select(name, chunks[0].span.start)
            else:
                self.selection_changed.emit()

    def select(self, name: str, offset: int) -> None:
        """Select a place; its document is opened."""
        if name != self.open_name:
            self.choose_document(name, offset)
            return
        selection = Selection(name, offset)
        if selection != self.selection:
            self.selection = selection
            self.places.visit(selection)
            self._remember_anchor()
            self.selection_changed.emit()

    def go_through_places(self, by: int) -> None:
        """Select what was selected before (-1), or after that again (1)."""
        place = self.places.step(by)
        while place is not None and place.document not in self.documents:
            place = self.places.step(by)
        if place is not None:
            self.select(place.document, place.offset)

    def select_chunk(self, index: int, name: str = "") -> None:
        """Select a chunk by its number."""
        name = name or self.open_name
        document = self.documents.get(name)
        if document is not None and 0 <= index < len(document.chunking.chunks):
            self.select(name, document.chunking.chunks[index].span.start)

    def step_chunk(self, by: int) -> None:
        """Select the next or the previous chunk of the open document."""
        selected = self.selected_chunk
        if self.open is not None:
            last = len(self.open.chunking.chunks) - 1
            self.select_chunk(max(0, min(last, (selected if selected is not None else -by) + by)))

    @property
    def selected_chunk(self) -> int | None:
        """The index of the chunk that holds the selected place."""
        if self.open is None or self.selection.offset < 0:
            return None
        return chunk_near(self.open.chunking, self.selection.offset)

    def _remember_anchor(self) -> None:
        """Keep the words of the selected chunk, to find it again after the file has changed."""
        index = self.selected_chunk
        if self.open is not None and index is not None:
            self._anchor = Anchor.of(self.open.chunking.chunks[index])

    def _on_open_entered(self) -> None:
        """The open document was read or chunked anew in the worker."""
        document = self.open
        if document is None:
            self.open_name, self.selection = "", Selection()
            self.opened.emit()
            return
        self._remember_counts()
        if self._anchor is not None:
            offset = self._anchor.find(document.chunking, self.selection.offset)
            self.selection = Selection(self.open_name, offset)
        self.chunking_changed.emit()
        self.selection_kept.emit()
        if not is_warm(document.chunking.document, self.settings.options):
            self.reader.warm(self.open_name, self.settings)

    def _on_warmed(self, result: document_tasks.WarmResult) -> None:
        document = self.documents.get(result.name)
        if document is None or result.state is None:
            return
        if document.chunking.document.sha256 == result.sha256:
            adopt_warm_state(document.chunking.document, result.state)
            self._own_steps.run(self._knowing_own_chunks(document))
            if self.is_dragging and result.name == self.open_name:
                self._rechunk_open()

    # Settings

    @property
    def token_limit(self) -> int:
        """The target model's limit in tokens."""
        return self._target().token_limit

    @property
    def is_approximate(self) -> bool:
        """Whether the target model's tokens are counted with another's tokenizer."""
        return self._target().is_approximate

    @property
    def target(self) -> Model:
        """The target model."""
        return self._target()

    def _target(self) -> Model:
        key = (self.settings.target_model, self.settings.token_limit)
        if self._target_kept is None or self._target_kept[0] != key:
            self._target_kept = (key, self.settings.target())
        return self._target_kept[1]

    def drag(self, **thresholds: int) -> None:
        """Show other thresholds while a line is dragged: the open document at once, the folder's sizes live."""
        options = self._options(**thresholds)
        if options is None or options == self.settings.options or not self.has_thresholds:
            return
        if not self.is_dragging:
            self.is_dragging = True
            self._before_drag = self.settings
            self.chunks_before = self.totals.chunks
        self.settings = replace(self.settings, options=options)
        self._rest()
        self.reader.stop_working_out()
        self._rechunk_open()
        self.reader.count(self.settings)
        self.settings_changed.emit()

    def commit(self, **thresholds: int) -> None:
        """Take thresholds for good: every document is chunked again. A whole drag can be undone at once."""
        options = self._options(**thresholds)
        if options is None:
            return
        if self.is_dragging:
            self._commit_drag(replace(self.settings, options=options))
        elif options != self.settings.options:
            self._push(replace(self.settings, options=options))

    def _commit_drag(self, settings: Settings) -> None:
        """End a drag: with a change that can be undone, or where it was taken back with none."""
        self.is_dragging = False
        before, self._before_drag = self._before_drag or self.settings, None
        if settings == before:
            self.settings = settings
            self._rechunk_open()
            self._chunk_again()
            return
        self.undo_stack.push(SettingsChange(before, settings, self._take_settings))

    def _push(self, settings: Settings) -> None:
        """Put other settings in force, so that it can be undone."""
        self.undo_stack.push(SettingsChange(self.settings, settings, self._take_settings))

    def _take_settings(self, settings: Settings) -> None:
        """Put settings in force, as the undo stack asks."""
        if self.is_dragging:  # undone while a line is held: the drag is over
            self.is_dragging, self._before_drag = False, None
        settings = settings.in_dialects(self.detected_dialects)
        reread = settings.selection != self.settings.selection
        only_options = settings == replace(self.settings, options=settings.options)
        if settings != self.settings:
            self.chunks_before = self.totals.chunks
        self.settings = settings
        if reread and self.folder is not None:
            self.settings_changed.emit()
            self.reader.list_folder(self.folder, settings)
            return
        if only_options:
            self._rechunk_open()
        self._chunk_again()

    def end_drag(self) -> None:
        """Take what a drag has come to, where nothing was committed: it was taken back."""
        if self.is_dragging:
            self.commit()

    @property
    def has_thresholds(self) -> bool:
        """Whether the strategy is the one of headings, which drop, fold and cap decide."""
        return self.settings.strategy == HEADINGS

    def choose_strategy(self, name: str) -> None:
        """Chunk by another strategy, with its options as they were set last."""
        self.change_settings(self.settings.choosing(self.settings.options_of(name)))

    def import_chunks(self, path: Path) -> None:
        """Show the chunks that another program made of these posts."""
        own = self.settings.options_of(Imported.strategy)
        assert isinstance(own, Imported)
        self.change_settings(self.settings.choosing(replace(own, chunks=str(path))))

    def set_own_options(self, options: Options | Choices) -> None:
        """Take other options of the chosen strategy for good."""
        if isinstance(options, Options):
            self.set_options(options)
        else:
            self.change_settings(self.settings.choosing(options))

    def set_options(self, options: Options) -> None:
        """Take other options for good (a preset); the dialects stay."""
        options = replace(options, dialects=self.settings.options.dialects)
        if options != self.settings.options:
            self.change_settings(replace(self.settings, options=options))

    def change_settings(self, settings: Settings) -> None:
        """Take other settings for good; a model that is not here is refused with a message."""
        if settings == self.settings:
            return
        try:
            settings.target()
        except InspectorError as error:
            self._tell(error.message)
            self.settings_changed.emit()
            return
        self._push(settings.in_dialects(self.detected_dialects))

    def _chunk_again(self) -> None:
        self._known_counts, self._read_before = {}, []
        self.likeness.forget()
        self._rest()
        self.fit_cap = None
        self.settings_changed.emit()
        names = tuple(self.listing.names) if self.listing is not None else ()
        if self.open_name in names:
            names = (self.open_name, *(name for name in names if name != self.open_name))
        known = {name: document.fingerprint for name, document in self.documents.items()}
        self.reader.read(names, self.settings, again=True, known=known)

    def _options(self, **thresholds: int) -> Options | None:
        try:
            changes: dict[str, Any] = dict(thresholds)
            return replace(self.settings.options, **changes)
        except OptionError as error:
            self.option_refused.emit(error.field, str(error))
            return None

    def _rechunk_open(self) -> None:
        """Fold and pack the open document in this process, when that is quick."""
        document = self.open
        if document is None:
            return
        if not self._is_quick(document):
            return
        source = document.chunking.document
        options = self.settings.options
        begun = time.perf_counter()
        chunking = chunk_document(source, options)
        chunking.chunks  # noqa: B018  put together now, as part of what the author waits for
        self.seconds = time.perf_counter() - begun
        if chunking is document.chunking:
            return
        self._replace_open(document, chunking, TEXTS_AT_ONCE)

    def _is_quick(self, document: ReadDocument) -> bool:
        """Whether a document can be folded and packed within a frame."""
        source = document.chunking.document
        is_small = source.characters <= LARGEST_AT_ONCE
        return self.has_thresholds and is_small and is_warm(source, self.settings.options)

    def _replace_open(self, before: ReadDocument, chunking: Chunking, most: int) -> None:
        """Show other chunks of the open document, with their tokens where few are new.

        Its problems and totals stay as they were: the worker, which chunks it too, tells them on release.
        """
        counter = counter_of(self.settings)
        pairs = self._read_before
        readings = read_chunks(chunking, counter, self.settings.context, self._known_counts, most, pairs)
        if readings:
            self._read_before = list(zip(chunking.chunks, readings, strict=True))
            self._known_counts.update((reading.text, reading.count) for reading in readings)
        if not readings and chunking.chunks and most == TEXTS_AT_ONCE:
            self._count_timer.start()
        self.library.replace(replace(before, chunking=chunking, readings=readings, fingerprint=0))
        self.chunking_changed.emit()
        self.selection_kept.emit()

    def _remember_counts(self) -> None:
        """Keep the open document's token counts, by embedding input, for the chunks that a drag leaves alone."""
        document = self.open
        readings = document.readings if document is not None else ()
        self._known_counts = {reading.text: reading.count for reading in readings}
        chunks = document.chunking.chunks if document is not None and readings else ()
        self._read_before = list(zip(chunks, readings, strict=True))

    def _knowing_own_chunks(self, document: ReadDocument) -> Iterator[None]:
        """Take the worker's readings for the same chunks made here: a drag keeps the very ones it leaves alone."""
        if not self._is_quick(document):
            return
        source, options = document.chunking.document, self.settings.options
        yield from put_together(source, options)
        is_known = bool(self._read_before) and bool(document.readings)  # and of these settings
        if is_known and self.open is document and self.settings.options == options:
            chunks = chunk_document(source, options).chunks
            if len(chunks) == len(document.readings):
                self._read_before = list(zip(chunks, document.readings, strict=True))

    def _count_open_tokens(self) -> None:
        """Count what a drag that rests has left uncounted; of a long document the worker does, on release."""
        document = self.open
        if document is not None and not document.readings and document.chunking.chunks:
            self._replace_open(document, document.chunking, TEXTS_AT_REST)

    def _on_counted(self, result: document_tasks.CountResult) -> None:
        if self.is_dragging and result.settings.options == self.settings.options:
            self.counted.emit(result)

    # Saving

    @property
    def differs_from_saved(self) -> bool:
        """Whether the settings shown are other than those on disk."""
        return self.settings != self.saved_settings

    @property
    def save_path(self) -> Path:
        """Where Save writes: the folder's file where there is one, else the user's own."""
        if self.folder is not None and (self.folder / FILE_NAME).exists():
            return self.folder / FILE_NAME
        return config_folder() / FILE_NAME

    def save(self, path: Path) -> None:
        """Write the settings to a file; a failure is told."""
        try:
            save_settings(self.settings, path)
        except InspectorError as error:
            self._tell(error.message)
            return
        self.saved_settings, self.settings_path = self.settings, path
        self.settings_changed.emit()

    def revert(self) -> None:
        """Go back to the settings on disk."""
        self.change_settings(self.saved_settings)

    # Embedding

    def _on_settled(self) -> None:
        """Once a folder is read, or half a second after a change: get vectors and a map for the chunks as they are."""
        if self._is_at_rest():
            self._show_on_map(now=False)
            self._work_out_timer.start()

    def _work_out(self) -> None:
        """Find what other caps would make of the folder, and the largest one with nothing unread."""
        if self._is_at_rest() and self.has_thresholds:
            if self.totals.truncated:
                self.reader.fit(self.settings)
            self.reader.sweep(self.settings)

    @property
    def is_working_out(self) -> bool:
        """Whether figures of other caps are still to come."""
        return self._settle.isActive() or self._work_out_timer.isActive() or self.reader.is_working_out

    def _is_at_rest(self) -> bool:
        return not self.is_dragging and not self.reader.is_reading and self.listing is not None

    def _rest(self) -> None:
        """Give the map nothing of what is about to change."""
        self._settle.stop()
        self._work_out_timer.stop()
        self._feed.stop()

    def _on_swept(self, sweep: Sweep) -> None:
        if sweep.settings == self.settings and not self.is_dragging:
            self.swept.emit(sweep.points)

    def _on_fitted(self, result: document_tasks.FitResult) -> None:
        if result.settings == self.settings:
            self.fit_cap = result.cap
            self.totals_changed.emit()

    def _load_tokenizer(self) -> None:
        threading.Thread(target=_load_tokenizer, args=(self.settings,), daemon=True).start()

    def _look_for_likeness(self) -> None:
        look_for_likeness(self.likeness, self.map, self.documents, self.settings, self.open)

    def embed_now(self) -> None:
        """Embed what has no vector, however long it takes."""
        if not self.map.points:
            self._show_on_map(now=True)
        else:
            self.map.embed_now()

    def _show_on_map(self, *, now: bool) -> None:
        self._feed.show(str(self.folder), self.documents, self.settings, now=now)

    def use_bundled_map_model(self) -> None:
        """Draw the map with the model that comes with the program."""
        if self.settings.map_model == BUNDLED:
            self.embed_now()
            return
        self.settings = replace(self.settings, map_model=BUNDLED)
        self.settings_changed.emit()
        self._show_on_map(now=True)

    def close(self) -> None:
        """End all work; nothing outlives the window."""
        self.undo_stack.blockSignals(True)  # it clears itself when it goes, and the window may be gone before
        self._rest()
        self._own_steps.stop()
        self._count_timer.stop()
        self._change_timer.stop()
        self._likeness_timer.stop()
        self._tokenizer_timer.stop()
        self.map.close()
        self.runner.close()


def _load_tokenizer(settings: Settings) -> None:
    """Load the tokenizer before the first drag needs it."""
    try:
        counter_of(settings)
    except InspectorError as error:
        log.info("no tokenizer yet: %s", error)
