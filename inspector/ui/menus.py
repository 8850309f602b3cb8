"""The window's one menu, made of the actions; submenus that are filled from tables and from what was open before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from inspector.core.dialects import DIALECTS
from inspector.embedding.context import CONTEXTS
from inspector.settings import AUTO, NONE, PRESETS
from inspector.ui.actions import SETTINGS, VIEW, Actions
from inspector.ui.lens import LENSES
from inspector.ui.theme import ThemeMode

CONTEXT_WORDS = {"none": "Nothing", "title": "The title", "title+trail": "The title and the heading trail"}
SEPARATOR = ""
FILE_MENU = ("open", "sample", "recents", "reload", "edit", SEPARATOR)
GO_MENU = (
    *("go_to", "palette", SEPARATOR, "find", "find_folder", SEPARATOR),
    *("next_chunk", "previous_chunk", "next_problem", "previous_problem"),
    *("next_difference", "previous_difference", SEPARATOR),
    *("back", "forward", SEPARATOR, "next_pane", "previous_pane"),
)
LAYOUT_MENU = ("compare", SEPARATOR, "layout_write", "layout_debug", "layout_ask", "reset_layout", SEPARATOR)
LOOK_MENU = ("zoom_in", "zoom_out", "zoom_reset", SEPARATOR, "high_contrast", "reduced_motion", SEPARATOR)
CHUNK_MENU = ("copy_source", "copy_input", "minimal_example")
WORK_MENU = (SEPARATOR, "embed", "ask", SEPARATOR, "undo", "redo", "options", "save", "revert")
LAST_MENU = ("drafts", "fast_engine", SEPARATOR, "choose_editor", "shortcuts", "log", "about", "quit")


class Menus(QObject):
    """Builds the menu; what its own submenus choose is told by signals."""

    theme_chosen = Signal(str)
    lens_chosen = Signal(str)
    context_chosen = Signal(str)
    preset_chosen = Signal(str)
    dialect_chosen = Signal(str, bool)
    folder_chosen = Signal(str)

    def __init__(self, actions: Actions, docks: Sequence[QAction], parent: QWidget) -> None:
        """Build the menu from the window's actions and the docks' own."""
        super().__init__(parent)
        self._actions = actions
        self.recents = QMenu("Recent folders", parent)
        self.main = QMenu(parent)
        self._fill(self.main, FILE_MENU)
        self._fill(self.main.addMenu("Go"), GO_MENU)
        view = self.main.addMenu("View")
        self._fill(view, LAYOUT_MENU)
        for toggle in docks:
            actions.add(f"show_{toggle.text().split()[0].lower()}", VIEW, toggle, "Pane")
            view.addAction(toggle)
        view.addSeparator()
        self._fill(view, LOOK_MENU)
        modes = [(mode.value, mode.value.capitalize()) for mode in ThemeMode]
        self.themes = self._add_choices(view.addMenu("Theme"), VIEW, modes, self.theme_chosen)
        menu = self.main.addMenu("Lens")
        self.lenses = self._add_choices(menu, VIEW, LENSES.items(), self.lens_chosen)
        self._fill(menu, (SEPARATOR, "lens"))
        self._fill(self.main.addMenu("Chunk"), CHUNK_MENU)
        self._fill(self.main, WORK_MENU)
        presets = [(name, name) for name in PRESETS]
        self.presets = self._add_choices(self.main.addMenu("Preset"), SETTINGS, presets, self.preset_chosen)
        contexts = [(context, CONTEXT_WORDS[context]) for context in CONTEXTS]
        menu = self.main.addMenu("Before each chunk")
        self.contexts = self._add_choices(menu, SETTINGS, contexts, self.context_chosen)
        self.dialects = self._add_dialects(self.main.addMenu("Site dialect"))
        self._fill(self.main, LAST_MENU)

    def _fill(self, menu: QMenu, names: Sequence[str]) -> None:
        for name in names:
            if name == SEPARATOR:
                menu.addSeparator()
            elif name == "recents":
                menu.addMenu(self.recents)
            else:
                menu.addAction(self._actions[name])

    def _add_choices(
        self, menu: QMenu, group: str, choices: Iterable[tuple[str, str]], chosen: SignalInstance
    ) -> dict[str, QAction]:
        """Add an action for each (name, words), of which one is on."""
        together = QActionGroup(self)
        together.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        made: dict[str, QAction] = {}
        for name, words in choices:
            made[name] = self._add_choice(menu, group, name, words)
            made[name].triggered.connect(lambda _checked=False, n=name: chosen.emit(n))
            together.addAction(made[name])
        return made

    def _add_dialects(self, menu: QMenu) -> dict[str, QAction]:
        """Add an action for each dialect, of which several may be on."""
        made: dict[str, QAction] = {}
        for name, words in ((AUTO, "As detected"), (NONE, "None"), *((n, d.label) for n, d in DIALECTS.items())):
            made[name] = self._add_choice(menu, SETTINGS, name, words)
            made[name].triggered.connect(lambda is_checked, n=name: self.dialect_chosen.emit(n, is_checked))
            if name == NONE:
                menu.addSeparator()
        return made

    def _add_choice(self, menu: QMenu, group: str, name: str, words: str) -> QAction:
        action = QAction(words, menu)
        action.setCheckable(True)
        self._actions.add(f"{menu.title()}: {name}", group, action, menu.title())
        menu.addAction(action)
        return action

    def show_recents(self, paths: Sequence[str]) -> None:
        """List the folders that were open before; those that are gone are grey."""
        self.recents.clear()
        for path in paths:
            action = self.recents.addAction(path)
            action.setEnabled(Path(path).is_dir())
            action.triggered.connect(lambda _checked=False, p=path: self.folder_chosen.emit(p))
