"""The window: lays out the panes, their docks and the actions, and connects them to the session."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QTimer, QUrl
from PySide6.QtGui import QCloseEvent, QDesktopServices, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.core.dialects import DIALECTS
from inspector.core.problems.problem import Severity
from inspector.embedding.models import ANY_ENGINE, EngineChoice
from inspector.reading import ReadDocument
from inspector.settings import FILE_NAME, NONE, PRESETS, preset_of
from inspector.ui import presenter
from inspector.ui.actions import Actions
from inspector.ui.chunk_list import ChunkList
from inspector.ui.compare_panel import ComparePanel
from inspector.ui.controls import set_tab_order
from inspector.ui.dialogs import Dialogs
from inspector.ui.docks import Docks
from inspector.ui.folder_find import FolderFind
from inspector.ui.log_file import log_path
from inspector.ui.map_presenter import MapPresenter
from inspector.ui.map_view import MapView
from inspector.ui.menus import Menus
from inspector.ui.message_bar import MessageBar
from inspector.ui.outline import Outline
from inspector.ui.outline_tree import OutlineRow
from inspector.ui.picture import Lens
from inspector.ui.presenter import Soon
from inspector.ui.problems_panel import ProblemsPanel
from inspector.ui.question_panel import QuestionPanel
from inspector.ui.reloaded import Reloaded
from inspector.ui.session import Message, Session
from inspector.ui.source_view import SourceView
from inspector.ui.state_file import State, load_state, save_state
from inspector.ui.status_bar import StatusBar
from inspector.ui.strip import Strip
from inspector.ui.theme import Theme, ThemeMode
from inspector.ui.toolbar import Toolbar
from inspector.ui.watcher import Watcher
from inspector.ui.welcome import Recent, Welcome

CHUNK_FILES = frozenset({".jsonl", ".ndjson", ".json", ".csv"})
READING_MILLISECONDS = 1_000
"""How often all problems are listed anew while a folder is being read."""
MANY_DOCUMENTS = 200
"""Documents from which marking the selected chunk in the outline and on the map is a step by itself."""
CARDS_AT_ONCE = 60
"""Cards that are made anew at every move of a drag; more follow a moment later."""
PAINTED_AT_ONCE = 20_000
"""Characters of a source that is painted, with its cards, in the turn of the event loop in which it was opened."""
SLOW_ENGINE: EngineChoice = "sentence-transformers"


class MainWindow(QMainWindow):
    """One window on one folder. Holds no state but what Qt holds."""

    def __init__(self, session: Session, theme: Theme, state: State | None = None) -> None:
        super().__init__()
        self.session = session
        self.theme = theme
        self._state, fault = load_state() if state is None else (state, "")
        self._is_laid_out = False
        self._is_sized = False
        self.setWindowTitle("Chunk Inspector")
        self.setAcceptDrops(True)
        self.toolbar = Toolbar(theme)
        self.message_bar = MessageBar(theme)
        self.strip = Strip(theme)
        self.source = SourceView(theme)
        self.welcome = Welcome(theme)
        self.outline = Outline(theme)
        self.chunk_list = ChunkList(theme)
        self.map_view = MapView(theme)
        self.questions = QuestionPanel(theme)
        self.questions.set_middle(self.map_view)
        self.problems = ProblemsPanel(theme)
        self.folder_find = FolderFind(theme)
        self.compare = ComparePanel(theme)
        self.status = StatusBar()
        self.watcher = Watcher(self)
        self._cards = presenter.CardMaker()
        self._problem_rows = presenter.ProblemRows()
        self._rows_owed: set[str] = set()  # documents whose rows in the outline are to be shown anew
        self._message_action: Callable[[], None] | None = None
        self._lay_out()
        panes: dict[str, tuple[str, QWidget]] = {
            "outline": ("Outline", self.outline),
            "chunks": ("Chunks as embedded", self.chunk_list),
            "map": ("Map", self.questions),
            "problems": ("Problems", self.problems),
            "find": ("Find in all posts", self.folder_find),
            "compare": ("Compare", self.compare),
        }
        self.docks = Docks(self, panes)
        self.commands = Actions(self)
        toggles = [dock.toggleViewAction() for dock in self.docks.by_name.values()]
        self.menus = Menus(self.commands, toggles, self)
        self.toolbar.set_menu(self.menus.main)
        self.dialogs = Dialogs(self, session, theme, self.commands)
        self.dialogs.editor_command = self._state.editor
        self.questions.field.set_history(self._state.questions)
        self._connect_actions()
        self.map_presenter = MapPresenter(session, self.map_view, self.questions, self)
        self._connect_views()
        self._connect_session()
        self._restore_geometry()
        set_tab_order([self.toolbar, self.message_bar, self.strip, *self.panes(), self.status])
        session.tell_all()
        if fault:
            self._show_message(Message(fault))

    def _lay_out(self) -> None:
        top = QWidget()
        top.setObjectName("page")
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.toolbar, self.message_bar, self.strip):
            column.addWidget(widget)
        self.setMenuWidget(top)
        self.center = QStackedWidget()
        self.center.addWidget(self.welcome)
        self.center.addWidget(self.source)
        self.setCentralWidget(self.center)
        self.setStatusBar(self.status)

    # Actions

    def _connect_actions(self) -> None:
        """Say what each action does; the menus' choices are connected with the views."""
        session, source, problems, dialogs = self.session, self.source, self.problems, self.dialogs
        self.commands.call(
            {
                "open": dialogs.choose_folder,
                "sample": session.open_sample,
                "reload": session.reload,
                "edit": dialogs.edit,
                "choose_editor": dialogs.choose_editor,
                "quit": self.close,
                "go_to": dialogs.go_to,
                "palette": dialogs.show_palette,
                "find": source.open_find_bar,
                "find_folder": self.find_in_folder,
                "next_chunk": lambda: session.step_chunk(1),
                "previous_chunk": lambda: session.step_chunk(-1),
                "next_problem": problems.next_problem,
                "previous_problem": problems.previous_problem,
                "compare": lambda: self.docks.bring_up("compare"),
                "next_difference": lambda: self.step_difference(1),
                "previous_difference": lambda: self.step_difference(-1),
                "back": lambda: session.go_through_places(-1),
                "forward": lambda: session.go_through_places(1),
                "next_pane": lambda: self.step_pane(1),
                "previous_pane": lambda: self.step_pane(-1),
                "lens": lambda: source.set_lens(source.lens.next),
                "zoom_in": lambda: source.text.zoom(1),
                "zoom_out": lambda: source.text.zoom(-1),
                "zoom_reset": source.text.reset_zoom,
                "layout_write": lambda: self.arrange("write"),
                "layout_debug": lambda: self.arrange("debug"),
                "layout_ask": lambda: self.arrange("ask"),
                "reset_layout": self.reset_layout,
                "high_contrast": self._toggle_contrast,
                "reduced_motion": self._toggle_motion,
                "copy_source": self.copy_source,
                "copy_input": self.copy_input,
                "minimal_example": source.ask_for_example,
                "embed": session.embed_now,
                "ask": self._focus_question,
                "fast_engine": self._toggle_engine,
                "undo": session.undo_stack.undo,
                "redo": session.undo_stack.redo,
                "options": dialogs.show_options,
                "save": dialogs.save_settings,
                "revert": session.revert,
                "drafts": self._toggle_drafts,
                "shortcuts": dialogs.show_keys,
                "log": self._show_log,
                "about": dialogs.show_about,
            }
        )
        self._connect_undo()

    def _connect_undo(self) -> None:
        """Let Undo and Redo say what they would do."""
        stack = self.session.undo_stack
        stack.indexChanged.connect(self._name_undo)
        stack.cleanChanged.connect(self._name_undo)
        self._name_undo()

    def _name_undo(self) -> None:
        stack = self.session.undo_stack
        for name, can, words in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            self.commands[name].setEnabled(can)
            self.commands[name].setText(f"{name.capitalize()} {words}".strip())

    def _choose_dialect(self, name: str, is_checked: bool) -> None:
        """Take `auto` or `none`, or one more or less of those that are read now."""
        settings = self.session.settings
        choice = name
        if name in DIALECTS:
            wanted = settings.options.dialects | {name} if is_checked else settings.options.dialects - {name}
            choice = ",".join(n for n in DIALECTS if n in wanted) or NONE
        self.session.change_settings(replace(settings, dialect=choice))
        self._show_dialects()

    def _show_dialects(self) -> None:
        settings = self.session.settings
        for name, action in self.menus.dialects.items():
            action.setChecked(name == settings.dialect or name in settings.options.dialects)
        self.status.show_dialect(*presenter.dialect_words(self.session))

    # Connections

    def _connect_views(self) -> None:
        session, dialogs, menus = self.session, self.dialogs, self.menus
        self.toolbar.open_requested.connect(dialogs.choose_folder)
        self.toolbar.model_chosen.connect(self._on_model_chosen)
        self.toolbar.other_limit_requested.connect(dialogs.ask_limit)
        self.toolbar.model_folder_requested.connect(dialogs.ask_model_folder)
        self.toolbar.strategy_chosen.connect(session.choose_strategy)
        self.toolbar.options_requested.connect(dialogs.show_options)
        self.toolbar.preset_chosen.connect(lambda name: session.set_options(PRESETS[name]))
        self.toolbar.save_requested.connect(dialogs.save_settings)
        self.toolbar.revert_requested.connect(session.revert)
        self.strip.thresholds_dragged.connect(lambda d, f, c: session.drag(drop=d, fold=f, cap=c))
        self.strip.thresholds_committed.connect(lambda d, f, c: session.commit(drop=d, fold=f, cap=c))
        self.strip.drag_ended.connect(session.end_drag)
        self.outline.document_chosen.connect(session.choose_document)
        self.outline.place_chosen.connect(session.select)
        self.source.offset_chosen.connect(lambda offset: session.select(session.open_name, offset))
        self.source.visible_offset_changed.connect(self._on_source_scrolled)
        self.chunk_list.explain_with(lambda index: presenter.explanation(session, index))
        self.chunk_list.chunk_chosen.connect(session.select_chunk)
        self.chunk_list.visible_chunk_changed.connect(self._on_cards_scrolled)
        self.problems.problem_chosen.connect(self._on_place_chosen)
        self.problems.rule_hidden.connect(self._on_rule_hidden)
        self.problems.rule_shown.connect(self._on_rule_shown)
        self.welcome.open_requested.connect(dialogs.choose_folder)
        self.welcome.sample_requested.connect(session.open_sample)
        self.welcome.recent_chosen.connect(lambda path: session.open_folder(Path(path)))
        self.message_bar.action_chosen.connect(self._on_message_action)
        self.status.cancelled.connect(self._on_cancel)
        self.source.encoding_chosen.connect(session.reopen_as)
        self.source.example_wanted.connect(self._copy_example)
        self.source.lens_changed.connect(self._show_lens)
        self.docks["compare"].visibilityChanged.connect(self._on_compare_shown)
        self.compare.strategy_chosen.connect(session.compare.choose)
        self.compare.options_requested.connect(dialogs.show_other_options)
        self.compare.place_chosen.connect(lambda offset: self._on_place_chosen(session.open_name, offset, offset))
        self.folder_find.place_chosen.connect(self._on_place_chosen)
        menus.theme_chosen.connect(self._choose_theme)
        menus.lens_chosen.connect(lambda name: self.source.set_lens(Lens(name)))
        menus.context_chosen.connect(lambda name: session.change_settings(replace(session.settings, context=name)))
        menus.preset_chosen.connect(lambda name: session.set_options(PRESETS[name]))
        menus.dialect_chosen.connect(self._choose_dialect)
        menus.folder_chosen.connect(lambda path: session.open_folder(Path(path)))
        menus.recents.aboutToShow.connect(lambda: menus.show_recents(self._state.recents))
        menus.themes[self.theme.mode.value].setChecked(True)
        menus.lenses[Lens.OFF].setChecked(True)
        self.commands["high_contrast"].setChecked(self.theme.has_contrast)
        self.commands["reduced_motion"].setChecked(self.theme.is_still)

    def _connect_session(self) -> None:
        session = self.session
        self._problems_soon = Soon(self._show_problems, self, 200, busy=READING_MILLISECONDS)
        self._counts_soon = Soon(self._show_counts, self, busy=READING_MILLISECONDS // 2)
        self._show_listing_soon = Soon(self._show_listing, self, 0)
        self._paint_soon = Soon(lambda: self.source.setUpdatesEnabled(True), self, 0)
        self._cards_soon = Soon(self._show_cards, self, 60, at_rest=True)
        self._new_cards_soon = Soon(self._show_new_cards, self, 0, turns=1)
        self._outline_soon = Soon(self._show_open_in_outline, self, 120, at_rest=True)
        self._marks_soon = Soon(self._mark_in_lists, self, 0, turns=2)
        session.folder_changed.connect(self._show_folder)
        session.listing_changed.connect(self._show_listing)
        session.documents_changed.connect(self._on_documents_changed)
        session.reading_progressed.connect(self.status.show_reading)
        session.reading_finished.connect(self._on_reading_finished)
        session.opened.connect(self._on_opened)
        session.chunking_changed.connect(self._show_open)
        session.selection_changed.connect(self._show_selection)
        session.selection_kept.connect(self._mark_selection)
        session.settings_changed.connect(self._show_settings)
        session.totals_changed.connect(self._on_totals_changed)
        session.counted.connect(lambda result: self.strip.show_counts(presenter.dragged_counts(session, result)))
        session.swept.connect(self.strip.sweep.show_points)
        session.option_refused.connect(lambda _name, words: self._show_message(Message(words)))
        session.told.connect(self._show_message)
        session.reloaded.connect(self._on_reloaded)
        session.compare.changed.connect(self._show_compare)
        session.likeness.changed.connect(self._problems_soon.wish)
        session.reader.example_found.connect(self._on_example_found)
        session.reading_finished.connect(self._give_documents)
        session.reading_finished.connect(self._feed_compare)
        session.opened.connect(self._feed_compare)
        self.watcher.stirred.connect(session.look_for_changes)
        self.map_presenter.status_changed.connect(self.status.show_map)

    # What the session tells

    def _show_folder(self) -> None:
        session = self.session
        folder = session.folder
        is_open = folder is not None
        self.setWindowTitle(f"{folder.name} · Chunk Inspector" if folder is not None else "Chunk Inspector")
        self.toolbar.show_folder(folder.name if folder is not None else "", 0, str(folder or ""))
        self.strip.setVisible(is_open)
        self.docks.show_all(is_open)
        self.center.setCurrentWidget(self.source if is_open else self.welcome)
        self.statusBar().setVisible(is_open)
        self.outline.show_documents([])
        self._show_settings()
        if folder is not None:
            self._state = self._state.with_recent(folder)
            self.source.clear()
            self.chunk_list.show_chunks([])
            self.problems.show_problems([], None)
            self.status.show_reading(0, 1)
            self.outline.tree.setFocus()
            if not self._is_sized and not self._state.docks:
                self._is_sized = True
                QTimer.singleShot(0, self.docks.size)
        self._fill_welcome()

    def _show_listing(self) -> None:
        session = self.session
        if session.listing is None or session.folder is None:
            return
        left_out = session.library.names_left_out()
        names = [name for name in session.listing.names if name not in left_out]
        known = session.documents
        if names != self.outline.names():
            self.outline.show_documents(
                [presenter.outline_row(known[n]) if n in known else OutlineRow(n, None, None) for n in names]
            )
        self.toolbar.show_folder(session.folder.name, len(names), str(session.folder))
        self.watcher.watch(session.folder, session.listing.names)
        self._show_left_out()
        if not names:
            self.source.clear("All posts here are left out" if session.listing.names else "No markdown in this folder")
            self.status.show_reading(0, 0)

    def _show_left_out(self) -> None:
        reasons, names = presenter.left_out_counts(self.session)
        self.outline.show_left_out(reasons, names)

    def _on_documents_changed(self, names: tuple[str, ...]) -> None:
        session = self.session
        for soon in (self._problems_soon, self._counts_soon):
            soon.is_busy = session.reader.is_reading
        for name in names:
            document = session.documents.get(name)
            if name == session.open_name:
                self._rows_owed.add(name)  # with its cards and its source it would be much for one turn
                self._outline_soon.wish()
            elif document is not None:
                self.outline.update_document(presenter.outline_row(document))
        self._problems_soon.wish()

    def _on_reading_finished(self) -> None:
        self.status.show_reading(0, 0)
        for soon in (self._problems_soon, self._counts_soon):
            soon.is_busy = False
            soon.wish()
        self._show_listing_soon.wish()
        self._mark_selection()

    def _on_opened(self) -> None:
        session = self.session
        document = session.open
        if document is None:
            self.source.clear()
            self.chunk_list.show_chunks([])
            self.watcher.watch_file(None)
            return
        if session.folder is not None:
            self.watcher.watch_file(session.folder / document.name)
        if self._is_much(document):  # taking the text in is enough for one turn
            self.source.setUpdatesEnabled(False)
            self._paint_soon.wish()
        self._show_open(is_new=True)
        self._problems_soon.wish()

    def _show_open(self, *, is_new: bool = False) -> None:
        """Show the open document's chunks; where it `is_new` and long, its cards come once the source is painted."""
        session = self.session
        document = session.open
        if document is None:
            return
        marks = presenter.token_marks(document, session)
        self.source.show_document(document.chunking.document, document.chunking, marks)
        is_long = len(document.chunking.chunks) > CARDS_AT_ONCE
        if is_new and (is_long or self._is_much(document)):
            self.chunk_list.show_chunks([])
            self._new_cards_soon.wish()
        elif is_long:
            self._cards_soon.wish()
        else:
            self._show_cards()
        self._outline_soon.wish()
        if not session.is_dragging:
            self._problems_soon.wish()
            self._counts_soon.wish()

    @staticmethod
    def _is_much(document: ReadDocument) -> bool:
        """Whether opening a document is too much for one turn of the event loop."""
        return document.chunking.document.characters > PAINTED_AT_ONCE

    def _show_cards(self) -> None:
        """The open document's cards; while a line is dragged those of a long post wait until the hand rests."""
        session = self.session
        if session.open is not None:
            self.chunk_list.show_chunks(self._cards.cards(session.open, session))
            self.chunk_list.select_chunk(session.selected_chunk)

    def _show_new_cards(self) -> None:
        """The cards of a document that was opened a moment ago, level with its source."""
        self._show_cards()
        self._mark_cards()

    def _mark_cards(self) -> None:
        chunk = self.session.selected_chunk
        self.chunk_list.select_chunk(chunk, level=self.source.text.level_of(chunk) if chunk is not None else 0)

    def _show_open_in_outline(self) -> None:
        """The open document's rows, when the hand rests."""
        session = self.session
        if session.open is not None:
            options = session.settings.options
            self.outline.show_thresholds(options.fold, options.cap)
            for name in {*self._rows_owed, session.open_name} & session.documents.keys():
                self.outline.update_document(presenter.outline_row(session.documents[name]))
            self._rows_owed.clear()
            self.outline.select(session.open_name, session.selected_chunk)

    def _show_selection(self) -> None:
        """Bring the selected place into sight, and mark it in every view."""
        session = self.session
        self.source.select_chunk(session.selected_chunk)
        if session.selection.offset >= 0 and not (session.is_dragging or self.source.text.hasFocus()):
            self.source.scroll_to(session.selection.offset)
        self._mark_selection()

    def _mark_selection(self) -> None:
        """Mark the selected chunk in every view."""
        session = self.session
        chunk = session.selected_chunk
        self.source.select_chunk(chunk)
        if session.is_dragging:
            return
        self._mark_cards()
        if len(session.documents) > MANY_DOCUMENTS:
            self._marks_soon.wish()
        else:
            self._mark_in_lists()

    def _mark_in_lists(self) -> None:
        """Mark the selected chunk in the outline and on the map."""
        session = self.session
        self.outline.select(session.open_name, session.selected_chunk)
        self.map_presenter.select(session.open_name or None, session.selected_chunk)

    def _show_settings(self) -> None:
        session = self.session
        options = session.settings.options
        if self.strip.thresholds != (options.drop, options.fold, options.cap):
            self.strip.set_thresholds(options.drop, options.fold, options.cap)
        if session.is_dragging:  # only the line that is held has moved
            return
        self.strip.show_summary(presenter.strategy_words(session))
        self.outline.show_thresholds(options.fold, options.cap)
        self.toolbar.show_settings(
            session.settings,
            session.target,
            differs=session.differs_from_saved,
            has_file=session.settings_path is not None and session.settings_path.name == FILE_NAME,
        )
        commands = self.commands
        commands["save"].setEnabled(session.differs_from_saved)
        commands["revert"].setEnabled(session.differs_from_saved)
        commands["drafts"].setChecked(session.settings.selection.drafts)
        commands["fast_engine"].setChecked(session.settings.engine == ANY_ENGINE)
        self.menus.contexts[session.settings.context].setChecked(True)
        preset = preset_of(options)
        for name, action in self.menus.presets.items():
            action.setChecked(name == preset)
        self._show_dialects()
        self.problems.show_rules(session.settings.rules)

    def _on_totals_changed(self) -> None:
        self._counts_soon.wish()

    def _show_counts(self) -> None:
        session = self.session
        if session.is_dragging:
            return
        self.strip.show_counts(presenter.strip_counts(session, session.fit_cap))
        self.status.show_shares(presenter.ledger_words(session.totals))
        self.map_presenter.show_status()

    def _show_problems(self) -> None:
        session = self.session
        rows = self._problem_rows.rows(session)
        self.problems.show_problems(rows, session.open_name or None)

    def _on_reloaded(self, change: Reloaded) -> None:
        """Say what a change on disk did, and dot what is new; a change of nothing takes that away again."""
        self.strip.show_change(change.words)
        fresh = change.fresh.get(self.session.open_name, frozenset())
        self.source.show_fresh(fresh)
        self.chunk_list.show_fresh(fresh)
        if change.names:
            shown = change.names[0] if len(change.names) == 1 else f"{len(change.names):,} files"
            self.status.tell(f"Reloaded {shown}" + (f": {change.words}" if change.words else ""))

    # What the views ask for

    def _on_source_scrolled(self, offset: int) -> None:
        """Let the cards follow the source, chunk by chunk: the top one's card level with its first line."""
        document = self.session.open
        if document is not None and not self.session.is_dragging:
            index = document.chunking.chunk_at(offset)
            if index is not None:
                self.chunk_list.scroll_to_chunk(index, self.source.text.level_of(index))

    def _on_cards_scrolled(self, chunk: int) -> None:
        """Let the source follow the cards."""
        document = self.session.open
        if document is not None and chunk < len(document.chunking.chunks):
            self.source.scroll_to_top(document.chunking.chunks[chunk].span.start)

    def _on_place_chosen(self, name: str, start: int, end: int) -> None:
        """Go to a place, its first line selected: a fence that is never closed is the rest of the post."""
        self.session.select(name, start)
        self.source.scroll_to(start)
        document = self.session.open
        if document is not None and end > start:
            lines = document.chunking.document.lines
            self.source.select_source(start, max(start + 1, min(end, lines.span_of(lines.line_of(start)).end)))

    def _on_rule_hidden(self, code: str) -> None:
        settings = self.session.settings
        self.session.change_settings(replace(settings, rules=settings.rules.without(code)))
        self._problems_soon.wish()

    def _on_rule_shown(self, code: str) -> None:
        settings = self.session.settings
        self.session.change_settings(replace(settings, rules=settings.rules.including(code)))

    def _on_model_chosen(self, name: str) -> None:
        self.session.change_settings(replace(self.session.settings, target_model=name, token_limit=0))

    def _show_lens(self, name: str) -> None:
        self.menus.lenses[name].setChecked(True)
        self.commands["minimal_example"].setEnabled(name == Lens.GHOST)

    def _copy_example(self, offset: int) -> None:
        """Copy a few lines that show the naive splitter's fault at a line; they are found in the chunk worker."""
        if self.session.open is not None and offset >= 0:
            self.session.reader.find_example(self.session.open_name, self.session.settings, offset)
        else:
            self.status.tell("A naive splitter does this post no harm")

    def _on_example_found(self, example: str) -> None:
        if example:
            QApplication.clipboard().setText(example)
            count = len(example.splitlines())
            self.status.tell(f"Copied {count} line{'' if count == 1 else 's'} with the same fault")
        else:
            self.status.tell("No 20 lines alone show this fault")

    def copy_source(self) -> None:
        """Copy the selected chunk's source, from its first to its last character, as it is in the file."""
        document, chunk = self.session.open, self.session.selected_chunk
        if document is not None and chunk is not None:
            span = document.chunking.chunks[chunk].span
            QApplication.clipboard().setText(document.chunking.document.source[span.start : span.end])
            self.status.tell(f"Copied the source of chunk #{chunk + 1}")

    def copy_input(self) -> None:
        """Copy what the model is given of the selected chunk."""
        document, chunk = self.session.open, self.session.selected_chunk
        if document is not None and chunk is not None and chunk < len(document.readings):
            QApplication.clipboard().setText(document.readings[chunk].text)
            self.status.tell(f"Copied chunk #{chunk + 1} as embedded")

    def find_in_folder(self) -> None:
        """Find words in all posts, beginning with what is selected."""
        self._give_documents()
        self.docks.bring_up("find")
        self.folder_find.open(self.source.selected_source())

    def _give_documents(self) -> None:
        documents = self.session.documents
        self.folder_find.set_documents({name: read.chunking.document for name, read in documents.items()})

    def arrange(self, name: str) -> None:
        """Lay the panes out for one kind of work."""
        if self.session.folder is None:
            return
        arrangement = self.docks.arrange(name)
        if arrangement.lens is not None:
            self.source.set_lens(Lens(arrangement.lens))
        if name == "ask":
            self._focus_question()
        else:
            self.source.text.setFocus()

    def _on_compare_shown(self, is_shown: bool) -> None:
        """Compare while its pane is in sight."""
        self.session.compare.switch(is_shown)
        self._feed_compare()

    def _feed_compare(self) -> None:
        session = self.session
        if session.compare.is_on and not session.is_dragging and not session.reader.is_reading:
            document = session.open
            chunking = document.chunking if document is not None else None
            session.compare.show(str(session.folder or ""), session.settings, chunking)

    def _show_compare(self) -> None:
        keeper = self.session.compare
        left, right = presenter.compare_sides(self.session)
        self.compare.show_sides(left, keeper.strategy, right)
        rows = presenter.metric_rows(keeper.result)
        self.compare.show_metrics(rows, "comparing …" if keeper.is_counting and not rows else "")
        agreed = sum(boundary.agrees for boundary in keeper.boundaries)
        self.compare.show_places(presenter.disagreements(self.session), agreed)
        self.source.show_other(keeper.other, keeper.boundaries)

    def step_difference(self, by: int) -> None:
        """Go to the next or previous place where the strategies differ; compares first where that is not done yet."""
        self.docks.bring_up("compare")
        self.compare.step(by, self.session.selection.offset)

    def panes(self) -> list[QWidget]:
        """Return the panes in reading order."""
        bottom = [self.problems, self.folder_find, self.compare]
        return [self.outline, self.source, self.chunk_list, self.questions, *bottom]

    def step_pane(self, by: int) -> None:
        """Move the focus to the next pane that is in sight, round and round."""
        panes = [self.strip, *self.panes()]
        panes = [pane for pane in panes if pane.isVisible() and not pane.visibleRegion().isEmpty()]
        focused = QApplication.focusWidget()
        here = next((n for n, pane in enumerate(panes) if focused is not None and pane.isAncestorOf(focused)), -by)
        if panes:
            pane = panes[(here + by) % len(panes)]
            (pane.focusProxy() or pane).setFocus(Qt.FocusReason.TabFocusReason)

    def _toggle_contrast(self) -> None:
        self.theme.set_contrast(self.commands["high_contrast"].isChecked())

    def _toggle_motion(self) -> None:
        self.theme.set_still(self.commands["reduced_motion"].isChecked())

    def _toggle_drafts(self) -> None:
        settings = self.session.settings
        selection = replace(settings.selection, drafts=not settings.selection.drafts)
        self.session.change_settings(replace(settings, selection=selection))

    def _toggle_engine(self) -> None:
        settings = self.session.settings
        choice: EngineChoice = SLOW_ENGINE if settings.engine == ANY_ENGINE else ANY_ENGINE
        self.session.change_settings(replace(settings, engine=choice))

    def _focus_question(self) -> None:
        self.docks.bring_up("map")
        self.questions.focus_question()

    def _choose_theme(self, name: str) -> None:
        self.theme.set_mode(ThemeMode(name))

    def _show_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_path())))

    def _on_cancel(self) -> None:
        self.session.reader.stop()
        self._on_reading_finished()

    # Messages

    def _show_message(self, message: Message) -> None:
        self._message_action = self.dialogs.choose_folder if message.offers_folder else message.act
        self.message_bar.show_message(
            message.text,
            Severity.ERROR if message.is_error else Severity.NOTE,
            details=message.details,
            action="Choose" if message.offers_folder else message.offer,
        )

    def _on_message_action(self) -> None:
        if self._message_action is not None:
            self._message_action()

    def _fill_welcome(self) -> None:
        self.welcome.show_recents([Recent(path, Path(path).is_dir()) for path in self._state.recents])

    # The window itself

    def reset_layout(self) -> None:
        """Put the panes where they were at first."""
        self.docks.show_all(self.session.folder is not None)
        self.docks.place()

    def _restore_geometry(self) -> None:
        self.resize(1600, 1000)
        if self._state.geometry:
            self.restoreGeometry(QByteArray(_bytes(self._state.geometry)))

    def showEvent(self, event: QShowEvent) -> None:
        """Place the docks once the window's size is known."""
        super().showEvent(event)
        if not self._is_laid_out:
            self._is_laid_out = True
            self.docks.place()
            if self._state.docks and not self.docks.restore(_bytes(self._state.docks)):
                self.docks.place()
            if self.session.folder is None:
                QTimer.singleShot(0, self._hide_docks)

    def _hide_docks(self) -> None:
        if self.session.folder is None:
            self.docks.show_all(False)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take folders and files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what is dropped; a file of another program's chunks is placed onto the posts that are open."""
        for url in event.mimeData().urls():
            if url.isLocalFile():
                event.acceptProposedAction()
                path = Path(url.toLocalFile())
                if path.suffix.lower() in CHUNK_FILES and self.session.folder is not None:
                    self.session.import_chunks(path)
                else:
                    self.session.open_path(path)
                return

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the place, and end the workers."""
        session = self.session
        docks = self.docks.state()
        state = replace(
            self._state,
            document=session.open_name,
            offset=session.selection.offset,
            geometry=base64.b64encode(bytes(self.saveGeometry().data())).decode(),
            theme=self.theme.mode.value,
            has_contrast=self.theme.has_contrast,
            is_still=self.theme.is_still,
            editor=self.dialogs.editor_command,
            questions=tuple(self.questions.field.history),
            docks=base64.b64encode(docks).decode() if session.folder is not None else self._state.docks,
        )
        save_state(state)
        self.watcher.stop()
        session.close()
        event.accept()


def _bytes(text: str) -> bytes:
    """Decode base64; nonsense gives nothing, which Qt then refuses."""
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""
