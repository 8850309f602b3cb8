"""The window: lays out the panes, their docks and the actions, and connects them to the session."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QMainWindow,
    QMenu,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from inspector.core.dialects import DIALECTS
from inspector.core.problems.problem import Severity
from inspector.embedding.context import CONTEXTS
from inspector.embedding.models import ANY_ENGINE, EngineChoice
from inspector.resources import resource_path
from inspector.settings import AUTO, FILE_NAME, NONE, PRESETS
from inspector.ui import presenter
from inspector.ui.chunk_list import ChunkList
from inspector.ui.controls import dim_label
from inspector.ui.log_file import log_path
from inspector.ui.map_presenter import MapPresenter
from inspector.ui.map_view import MapView
from inspector.ui.message_bar import MessageBar
from inspector.ui.outline import Outline
from inspector.ui.outline_tree import OutlineRow
from inspector.ui.presenter import Soon
from inspector.ui.problems_panel import ProblemsPanel
from inspector.ui.question_panel import QuestionPanel
from inspector.ui.session import Message, Session
from inspector.ui.source_view import SourceView
from inspector.ui.state_file import State, load_state, save_state
from inspector.ui.strip import Strip
from inspector.ui.theme import NEAR, WIDE, Theme, ThemeMode
from inspector.ui.toolbar import Toolbar
from inspector.ui.watcher import Watcher
from inspector.ui.welcome import Recent, Welcome

LAYOUT_VERSION = 1
WIDE_ENOUGH = 1400
"""Pixels from which chunks and map stand side by side; narrower windows tab them."""
MANY_FILES = 5_000
CARDS_AT_ONCE = 60
"""Cards that are made anew at every move of a drag; more follow a frame or two later."""
SLOW_ENGINE: EngineChoice = "sentence-transformers"
SAMPLE_POST = "from-analyst.md"
"""The post of the sample that shows most marks."""


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
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks)
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
        self.watcher = Watcher(self)
        self._message_action: Callable[[], None] | None = None
        self._lay_out_top()
        self._lay_out_center()
        self._lay_out_docks()
        self._lay_out_status()
        self._make_actions()
        self.map_presenter = MapPresenter(session, self.map_view, self.questions, self)
        self._connect_views()
        self._connect_session()
        self._restore_geometry()
        self._show_folder()
        if fault:
            self._show_message(Message(fault))

    # Layout

    def _lay_out_top(self) -> None:
        top = QWidget()
        top.setObjectName("page")
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.toolbar, self.message_bar, self.strip):
            column.addWidget(widget)
        self.setMenuWidget(top)

    def _lay_out_center(self) -> None:
        self.center = QStackedWidget()
        self.center.addWidget(self.welcome)
        self.center.addWidget(self.source)
        self.setCentralWidget(self.center)

    def _lay_out_docks(self) -> None:
        area = Qt.DockWidgetArea
        self.docks = {
            "outline": self._dock("outline", "Outline", self.outline),
            "chunks": self._dock("chunks", "Chunks as embedded", self.chunk_list),
            "map": self._dock("map", "Map", self.questions),
            "problems": self._dock("problems", "Problems", self.problems),
        }
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.BottomDockWidgetArea)
        self._place_docks()

    def _dock(self, name: str, title: str, view: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"dock_{name}")
        dock.setTitleBarWidget(QWidget())  # each pane has a header of its own
        dock.setWidget(view)
        dock.topLevelChanged.connect(lambda is_floating, d=dock: self._on_floating(d, is_floating))
        return dock

    @staticmethod
    def _on_floating(dock: QDockWidget, is_floating: bool) -> None:
        """A floating pane gets the system's title bar, to be moved and closed by."""
        dock.setTitleBarWidget(None if is_floating else QWidget())  # type: ignore[arg-type]

    def _place_docks(self) -> None:
        """The default layout for the window's width."""
        area = Qt.DockWidgetArea
        docks = self.docks
        for dock in docks.values():
            dock.setFloating(False)
        self.addDockWidget(area.LeftDockWidgetArea, docks["outline"])
        self.addDockWidget(area.RightDockWidgetArea, docks["chunks"])
        self.addDockWidget(area.RightDockWidgetArea, docks["map"])
        self.addDockWidget(area.BottomDockWidgetArea, docks["problems"])
        if self.width() >= WIDE_ENOUGH:
            self.splitDockWidget(docks["chunks"], docks["map"], Qt.Orientation.Horizontal)
        else:
            self.tabifyDockWidget(docks["chunks"], docks["map"])
            docks["chunks"].raise_()
        for bar in self.findChildren(QTabBar):
            bar.setDrawBase(False)
        self._size_docks()

    def _size_docks(self) -> None:
        """Give the panes their widths; Qt only listens once they are visible."""
        docks, width = self.docks, self.width()
        if width >= WIDE_ENOUGH:
            sizes = [width * 300 // 1600, width * 306 // 1600, width * 430 // 1600]
            self.resizeDocks([docks[n] for n in ("outline", "chunks", "map")], sizes, Qt.Orientation.Horizontal)
        else:
            sizes = [width * 250 // 1280, width * 420 // 1280]
            self.resizeDocks([docks["outline"], docks["chunks"]], sizes, Qt.Orientation.Horizontal)
        self.resizeDocks([docks["problems"]], [max(120, self.height() * 153 // 1000)], Qt.Orientation.Vertical)

    def _lay_out_status(self) -> None:
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        left = QWidget()
        row = QHBoxLayout(left)
        row.setContentsMargins(WIDE - 4, 0, 0, 0)
        row.setSpacing(WIDE + NEAR)
        self.ledger_labels = [dim_label() for _ in range(4)]
        self.dialect_label = dim_label()
        for label in (*self.ledger_labels, self.dialect_label):
            row.addWidget(label)
        bar.addWidget(left)
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 0, WIDE - 4, 0)
        row.setSpacing(NEAR)
        self.progress_label = dim_label()
        self.progress_bar = QProgressBar()
        self.progress_bar.setTextVisible(False)
        self.progress_bar.setFixedWidth(120)
        self.progress_bar.setAccessibleName("Progress")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setProperty("chip", True)
        self.vector_label = dim_label()
        for widget in (self.progress_label, self.progress_bar, self.cancel_button, self.vector_label):
            row.addWidget(widget)
        bar.addPermanentWidget(right)
        self._show_reading(0, 0)

    # Actions

    def _make_actions(self) -> None:
        standard = QKeySequence.StandardKey
        menu = QMenu(self)
        self.actions_by_name: dict[str, QAction] = {}

        def add(to: QMenu, name: str, words: str, slot: Callable[[], object], keys: object = None) -> QAction:
            action = QAction(words, self)
            if keys is not None:
                action.setShortcuts(keys if isinstance(keys, list) else [QKeySequence(keys)])  # type: ignore[call-overload]
            action.triggered.connect(lambda _checked=False: slot())
            to.addAction(action)
            self.addAction(action)
            self.actions_by_name[name] = action
            return action

        session = self.session
        add(menu, "open", "Open folder…", self.choose_folder, standard.Open)
        add(menu, "sample", "Open the sample", self.open_sample)
        self.recent_menu = menu.addMenu("Recent folders")
        self.recent_menu.aboutToShow.connect(self._fill_recents)
        add(menu, "reload", "Reload", session.reload, standard.Refresh)
        menu.addSeparator()
        add(menu, "save", "Save settings", self.save_settings, standard.Save)
        add(menu, "revert", "Revert settings", session.revert)
        self._add_context_menu(menu)
        self._add_dialect_menu(menu)
        drafts = add(menu, "drafts", "Include drafts", self._toggle_drafts)
        drafts.setCheckable(True)
        add(menu, "fast_engine", "Fast engine", self._toggle_engine).setCheckable(True)
        menu.addSeparator()
        add(menu, "embed", "Embed now", session.embed_now, "Ctrl+Return")
        add(menu, "ask", "Ask a question", self._focus_question, "Ctrl+L")
        add(menu, "next_chunk", "Next chunk", lambda: session.step_chunk(1), "Alt+Down")
        add(menu, "previous_chunk", "Previous chunk", lambda: session.step_chunk(-1), "Alt+Up")
        add(menu, "next_problem", "Next problem", self.problems.next_problem, "F8")
        add(menu, "previous_problem", "Previous problem", self.problems.previous_problem, "Shift+F8")
        menu.addSeparator()
        view = menu.addMenu("View")
        for name, dock in self.docks.items():
            toggle = dock.toggleViewAction()
            view.addAction(toggle)
            self.actions_by_name[f"show_{name}"] = toggle
        view.addSeparator()
        add(view, "reset_layout", "Reset the layout", self.reset_layout)
        self._add_theme_menu(menu)
        menu.addSeparator()
        add(menu, "log", "Show the log file", self._show_log)
        add(menu, "quit", "Quit", self.close, standard.Quit)
        self.toolbar.set_menu(menu)

    def _add_theme_menu(self, menu: QMenu) -> None:
        themes = menu.addMenu("Theme")
        group = QActionGroup(self)
        for mode in ThemeMode:
            action = QAction(mode.value.capitalize(), self, checkable=True)
            action.setChecked(mode is self.theme.mode)
            action.triggered.connect(lambda _checked, m=mode: self._choose_theme(m))
            group.addAction(action)
            themes.addAction(action)

    def _add_dialect_menu(self, menu: QMenu) -> None:
        dialects = menu.addMenu("Site dialect")
        self.dialect_actions: dict[str, QAction] = {}
        for name, words in ((AUTO, "As detected"), (NONE, "None"), *((n, d.label) for n, d in DIALECTS.items())):
            action = QAction(words, self, checkable=True)
            action.triggered.connect(lambda is_checked, n=name: self._choose_dialect(n, is_checked))
            dialects.addAction(action)
            self.dialect_actions[name] = action
            if name == NONE:
                dialects.addSeparator()

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
        for name, action in self.dialect_actions.items():
            action.setChecked(name == settings.dialect or name in settings.options.dialects)
        words, in_full = presenter.dialect_words(self.session)
        self.dialect_label.setText(words)
        self.dialect_label.setToolTip(in_full)

    def _add_context_menu(self, menu: QMenu) -> None:
        contexts = menu.addMenu("Before each chunk")
        group = QActionGroup(self)
        self.context_actions: dict[str, QAction] = {}
        words = {"none": "Nothing", "title": "The title", "title+trail": "The title and the heading trail"}
        for context in CONTEXTS:
            action = QAction(words[context], self, checkable=True)
            action.triggered.connect(
                lambda _checked, c=context: self.session.change_settings(replace(self.session.settings, context=c))
            )
            group.addAction(action)
            contexts.addAction(action)
            self.context_actions[context] = action

    # Connections

    def _connect_views(self) -> None:
        session = self.session
        self.toolbar.open_requested.connect(self.choose_folder)
        self.toolbar.model_chosen.connect(self._on_model_chosen)
        self.toolbar.other_limit_requested.connect(self._ask_limit)
        self.toolbar.model_folder_requested.connect(self._ask_model_folder)
        self.toolbar.preset_chosen.connect(lambda name: session.set_options(PRESETS[name]))
        self.toolbar.save_requested.connect(self.save_settings)
        self.toolbar.revert_requested.connect(session.revert)
        self.strip.thresholds_dragged.connect(lambda d, f, c: session.drag(drop=d, fold=f, cap=c))
        self.strip.thresholds_committed.connect(lambda d, f, c: session.commit(drop=d, fold=f, cap=c))
        self.strip.drag_ended.connect(session.end_drag)
        self.outline.document_chosen.connect(session.choose_document)
        self.outline.place_chosen.connect(session.select)
        self.source.offset_chosen.connect(lambda offset: session.select(session.open_name, offset))
        self.source.visible_offset_changed.connect(self._on_source_scrolled)
        self.chunk_list.chunk_chosen.connect(session.select_chunk)
        self.problems.problem_chosen.connect(self._on_problem_chosen)
        self.welcome.open_requested.connect(self.choose_folder)
        self.welcome.sample_requested.connect(self.open_sample)
        self.welcome.recent_chosen.connect(lambda path: session.open_folder(Path(path)))
        self.message_bar.action_chosen.connect(self._on_message_action)
        self.cancel_button.clicked.connect(self._on_cancel)

    def _connect_session(self) -> None:
        session = self.session
        self._problems_soon = Soon(self._show_problems, self, 200)
        self._counts_soon = Soon(self._show_counts, self)
        self._cards_soon = Soon(self._show_cards, self, 50)
        self._outline_soon = Soon(self._show_open_in_outline, self, 120)
        session.folder_changed.connect(self._show_folder)
        session.listing_changed.connect(self._show_listing)
        session.documents_changed.connect(self._on_documents_changed)
        session.reading_progressed.connect(self._show_reading)
        session.reading_finished.connect(self._on_reading_finished)
        session.opened.connect(self._on_opened)
        session.chunking_changed.connect(self._show_open)
        session.selection_changed.connect(self._show_selection)
        session.settings_changed.connect(self._show_settings)
        session.totals_changed.connect(self._on_totals_changed)
        session.counted.connect(lambda result: self.strip.show_counts(presenter.dragged_counts(session, result)))
        session.option_refused.connect(lambda _name, words: self._show_message(Message(words)))
        session.told.connect(self._show_message)
        session.reloaded.connect(self._on_reloaded)
        self.watcher.stirred.connect(session.look_for_changes)
        self.map_presenter.status_changed.connect(self._show_map_status)

    # What the session tells

    def _show_folder(self) -> None:
        session = self.session
        folder = session.folder
        is_open = folder is not None
        self.setWindowTitle(f"{folder.name} · Chunk Inspector" if folder is not None else "Chunk Inspector")
        self.toolbar.show_folder(folder.name if folder is not None else "", 0, str(folder or ""))
        self.strip.setVisible(is_open)
        for dock in self.docks.values():
            dock.setVisible(is_open)
        self.center.setCurrentWidget(self.source if is_open else self.welcome)
        self.statusBar().setVisible(is_open)
        self.outline.show_documents([])
        self._show_settings()
        if folder is not None:
            self._state = self._state.with_recent(folder)
            self.source.clear()
            self.chunk_list.show_chunks([])
            self.problems.show_problems([], None)
            self._show_reading(0, 1)
            self.outline.tree.setFocus()
            if not self._is_sized and not self._state.docks:
                self._is_sized = True
                QTimer.singleShot(0, self._size_docks)
        self._fill_welcome()

    def _show_listing(self) -> None:
        session = self.session
        if session.listing is None or session.folder is None:
            return
        left_out = session.drafts.keys() | session.unreadable.keys()
        names = [name for name in session.listing.names if name not in left_out]
        known = session.documents
        self.outline.show_documents(
            [presenter.outline_row(known[n]) if n in known else OutlineRow(n, None, None) for n in names]
        )
        self.toolbar.show_folder(session.folder.name, len(names), str(session.folder))
        self.watcher.watch(session.folder, session.listing.names)
        self._show_left_out()
        if not names:
            self.source.clear("All posts here are left out" if session.listing.names else "No markdown in this folder")
            self._show_reading(0, 0)
        if len(names) > MANY_FILES:
            self._show_message(
                Message(f"{len(names):,} files: reading them takes a while. Cancel stops it.", is_error=False)
            )

    def _show_left_out(self) -> None:
        reasons, names = presenter.left_out_counts(self.session)
        self.outline.show_left_out(reasons, names)

    def _on_documents_changed(self, names: tuple[str, ...]) -> None:
        session = self.session
        for name in names:
            document = session.documents.get(name)
            if document is not None:
                self.outline.update_document(presenter.outline_row(document))
        self._problems_soon.wish()

    def _on_reading_finished(self) -> None:
        self._show_reading(0, 0)
        self._show_listing()
        self._show_problems()
        self._show_counts()
        self._show_selection()

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
        self._show_open()
        self._problems_soon.wish()

    def _show_open(self) -> None:
        session = self.session
        document = session.open
        if document is None:
            return
        marks = presenter.token_marks(document, session)
        self.source.show_document(document.chunking.document, document.chunking, marks)
        if session.is_dragging and len(document.chunking.chunks) > CARDS_AT_ONCE:
            self._cards_soon.wish()
        else:
            self._show_cards()
        self._outline_soon.wish()
        if not session.is_dragging:
            self._problems_soon.wish()
            self._counts_soon.wish()

    def _show_cards(self) -> None:
        """The open document's cards; while a line is dragged they may lag a frame or two behind the source."""
        session = self.session
        if session.open is not None:
            self.chunk_list.show_chunks(presenter.cards(session.open, session))
            self.chunk_list.select_chunk(session.selected_chunk)

    def _show_open_in_outline(self) -> None:
        """The open document's rows, a few times a second while a line is dragged."""
        session = self.session
        if session.open is not None:
            self.outline.update_document(presenter.outline_row(session.open))
            self.outline.select(session.open_name, session.selected_chunk)

    def _show_selection(self) -> None:
        session = self.session
        chunk = session.selected_chunk
        self.source.select_chunk(chunk)
        if session.is_dragging:
            return
        self.chunk_list.select_chunk(chunk)
        self.outline.select(session.open_name, chunk)
        self.map_presenter.select(session.open_name or None, chunk)
        if session.selection.offset >= 0 and not self.source.text.hasFocus():
            self.source.scroll_to(session.selection.offset)

    def _show_settings(self) -> None:
        session = self.session
        options = session.settings.options
        if self.strip.thresholds != (options.drop, options.fold, options.cap):
            self.strip.set_thresholds(options.drop, options.fold, options.cap)
        if not session.is_dragging:
            self.toolbar.show_settings(
                session.settings,
                session.target,
                differs=session.differs_from_saved,
                has_file=session.settings_path is not None and session.settings_path.name == FILE_NAME,
            )
        self.actions_by_name["save"].setEnabled(session.differs_from_saved)
        self.actions_by_name["revert"].setEnabled(session.differs_from_saved)
        self.actions_by_name["drafts"].setChecked(session.settings.selection.drafts)
        self.actions_by_name["fast_engine"].setChecked(session.settings.engine == ANY_ENGINE)
        self.context_actions[session.settings.context].setChecked(True)
        self._show_dialects()

    def _on_totals_changed(self) -> None:
        self._counts_soon.wish()

    def _show_counts(self) -> None:
        session = self.session
        if session.is_dragging:
            return
        self.strip.show_counts(presenter.strip_counts(session, session.fit_cap))
        words = presenter.ledger_words(session.totals)
        for label, text in zip(self.ledger_labels, [*words, "", "", "", ""], strict=False):
            label.setText(text)
        self.map_presenter.show_status()

    def _show_problems(self) -> None:
        session = self.session
        rows = presenter.problem_rows(list(session.documents.values()))
        self.problems.show_problems(rows, session.open_name or None)

    def _show_reading(self, done: int, total: int) -> None:
        is_reading = total > 0 and done < total
        known = total > 1
        self.progress_label.setText(f"{done:,} of {total:,} files" if known else "Looking for files")
        self.progress_bar.setRange(0, total if known else 0)
        self.progress_bar.setValue(done)
        for widget in (self.progress_label, self.progress_bar, self.cancel_button):
            widget.setVisible(is_reading)
        self.vector_label.setVisible(not is_reading)

    def _show_map_status(self, words: str) -> None:
        self.vector_label.setText(words)

    def _on_reloaded(self, names: tuple[str, ...]) -> None:
        shown = names[0] if len(names) == 1 else f"{len(names):,} files"
        self.statusBar().showMessage(f"Reloaded {shown}", 4_000)

    # What the views ask for

    def _on_source_scrolled(self, offset: int) -> None:
        """Let the cards follow the source, chunk by chunk."""
        document = self.session.open
        if document is not None and not self.session.is_dragging:
            index = document.chunking.chunk_at(offset)
            if index is not None:
                self.chunk_list.scroll_to_chunk(index)

    def _on_problem_chosen(self, name: str, start: int, end: int) -> None:
        self.session.select(name, start)
        self.source.scroll_to(start)
        if end > start:
            self.source.select_source(start, end)

    def _on_model_chosen(self, name: str) -> None:
        self.session.change_settings(replace(self.session.settings, target_model=name, token_limit=0))

    def _ask_limit(self) -> None:
        limit, is_ok = QInputDialog.getInt(self, "Other model", "Tokens that the model reads:", 1024, 8, 1_000_000)
        settings = self.session.settings
        if is_ok:
            settings = replace(settings, target_model=type(settings)().target_model, token_limit=limit)
            self.session.change_settings(settings)
        else:
            self._show_settings()

    def _ask_model_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "The model's folder")
        if folder:
            self._on_model_chosen(folder)
        else:
            self._show_settings()

    def choose_folder(self) -> None:
        """Ask for a folder and open it."""
        start = str(self.session.folder or Path.home())
        folder = QFileDialog.getExistingDirectory(self, "Open a folder of markdown", start)
        if folder:
            self.session.open_folder(Path(folder))

    def open_sample(self) -> None:
        """Open the sample that comes with the program."""
        self.session.open_folder(resource_path("sample"), SAMPLE_POST)

    def save_settings(self) -> None:
        """Save the settings: into the folder's file; a first one there is asked for."""
        session = self.session
        path = session.save_path
        if session.folder is not None and not (session.folder / FILE_NAME).exists():
            box = QMessageBox(self)
            box.setWindowTitle("Save settings")
            box.setText(f"Write {FILE_NAME} into {session.folder.name}?")
            box.setInformativeText("The settings then travel with the posts. Your posts are never written.")
            here = box.addButton("Write it there", QMessageBox.ButtonRole.AcceptRole)
            own = box.addButton("Keep as my defaults", QMessageBox.ButtonRole.NoRole)
            box.addButton(QMessageBox.StandardButton.Cancel)
            box.exec()
            if box.clickedButton() is here:
                path = session.folder / FILE_NAME
            elif box.clickedButton() is not own:
                return
        session.save(path)

    def _toggle_drafts(self) -> None:
        settings = self.session.settings
        selection = replace(settings.selection, drafts=not settings.selection.drafts)
        self.session.change_settings(replace(settings, selection=selection))

    def _toggle_engine(self) -> None:
        settings = self.session.settings
        choice: EngineChoice = SLOW_ENGINE if settings.engine == ANY_ENGINE else ANY_ENGINE
        self.session.change_settings(replace(settings, engine=choice))

    def _focus_question(self) -> None:
        self.docks["map"].show()
        self.docks["map"].raise_()
        self.questions.focus_question()

    def _choose_theme(self, mode: ThemeMode) -> None:
        self.theme.set_mode(mode)
        self._state = replace(self._state, theme=mode.value)

    def _show_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_path())))

    def _on_cancel(self) -> None:
        self.session.reader.stop()
        self._on_reading_finished()

    # Messages

    def _show_message(self, message: Message) -> None:
        self._message_action = self.choose_folder if message.offers_folder else None
        self.message_bar.show_message(
            message.text,
            Severity.ERROR if message.is_error else Severity.NOTE,
            details=message.details,
            action="Choose" if message.offers_folder else "",
        )

    def _on_message_action(self) -> None:
        if self._message_action is not None:
            self._message_action()

    def _fill_welcome(self) -> None:
        self.welcome.show_recents([Recent(path, Path(path).is_dir()) for path in self._state.recents])

    def _fill_recents(self) -> None:
        self.recent_menu.clear()
        for path in self._state.recents:
            action = self.recent_menu.addAction(path)
            action.setEnabled(Path(path).is_dir())
            action.triggered.connect(lambda _checked, p=path: self.session.open_folder(Path(p)))

    # The window itself

    def reset_layout(self) -> None:
        """Put the panes where they were at first."""
        for dock in self.docks.values():
            dock.setVisible(self.session.folder is not None)
        self._place_docks()

    def _restore_geometry(self) -> None:
        self.resize(1600, 1000)
        if self._state.geometry:
            self.restoreGeometry(_bytes(self._state.geometry))

    def showEvent(self, event: QShowEvent) -> None:
        """Place the docks once the window's size is known."""
        super().showEvent(event)
        if not self._is_laid_out:
            self._is_laid_out = True
            self._place_docks()
            if self._state.docks:
                if not self.restoreState(_bytes(self._state.docks), LAYOUT_VERSION):
                    self._place_docks()
            QTimer.singleShot(0, self._show_docks)

    def _show_docks(self) -> None:
        if self.session.folder is None:
            for dock in self.docks.values():
                dock.hide()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take folders and files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what is dropped."""
        for url in event.mimeData().urls():
            if url.isLocalFile():
                event.acceptProposedAction()
                self.session.open_path(Path(url.toLocalFile()))
                return

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the place, and end the workers."""
        session = self.session
        docks = bytes(self.saveState(LAYOUT_VERSION).data())
        state = replace(
            self._state,
            document=session.open_name,
            offset=session.selection.offset,
            geometry=base64.b64encode(bytes(self.saveGeometry().data())).decode(),
            docks=base64.b64encode(docks).decode() if session.folder is not None else self._state.docks,
        )
        save_state(state)
        self.watcher.stop()
        session.close()
        event.accept()


def _bytes(text: str) -> QByteArray:
    """Decode base64; nonsense gives nothing, which Qt then refuses."""
    try:
        return QByteArray(base64.b64decode(text))
    except ValueError:
        return QByteArray()
