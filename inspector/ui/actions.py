"""Every action of the window in one table: its words, its keys, where it belongs; the palette and the sheet read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

Standard = QKeySequence.StandardKey

FILE, GO, VIEW, CHUNKS, MAP, SETTINGS, HELP = "File", "Go", "View", "Chunks", "Map", "Settings", "Help"
GROUPS = (FILE, GO, VIEW, CHUNKS, MAP, SETTINGS, HELP)


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. `keys` is Qt's own standard key where there is one; an ellipsis in `words` says that it asks."""

    name: str
    words: str
    group: str
    keys: Standard | str | None = None
    is_checkable: bool = False


SPECS: tuple[ActionSpec, ...] = (
    ActionSpec("open", "Open folder…", FILE, Standard.Open),
    ActionSpec("sample", "Open the sample", FILE),
    ActionSpec("reload", "Reload", FILE, Standard.Refresh),
    ActionSpec("edit", "Edit in your editor", FILE, "Ctrl+E"),
    ActionSpec("choose_editor", "Choose your editor…", FILE),
    ActionSpec("quit", "Quit", FILE, Standard.Quit),
    ActionSpec("go_to", "Go to post or heading…", GO, "Ctrl+P"),
    ActionSpec("palette", "Command palette…", GO, "Ctrl+Shift+P"),
    ActionSpec("find", "Find in this post", GO, Standard.Find),
    ActionSpec("find_folder", "Find in all posts", GO, "Ctrl+Shift+F"),
    ActionSpec("next_chunk", "Next chunk", GO, "Alt+Down"),
    ActionSpec("previous_chunk", "Previous chunk", GO, "Alt+Up"),
    ActionSpec("next_problem", "Next problem", GO, "F8"),
    ActionSpec("previous_problem", "Previous problem", GO, "Shift+F8"),
    ActionSpec("next_difference", "Next difference of strategies", GO, "F7"),
    ActionSpec("previous_difference", "Previous difference of strategies", GO, "Shift+F7"),
    ActionSpec("back", "Back in the selection's history", GO, "Alt+Left"),
    ActionSpec("forward", "Forward in the selection's history", GO, "Alt+Right"),
    ActionSpec("next_pane", "Next pane", GO, "F6"),
    ActionSpec("previous_pane", "Previous pane", GO, "Shift+F6"),
    ActionSpec("lens", "Next lens", VIEW, "F9"),
    ActionSpec("zoom_in", "Larger text", VIEW, Standard.ZoomIn),
    ActionSpec("zoom_out", "Smaller text", VIEW, Standard.ZoomOut),
    ActionSpec("zoom_reset", "Text at its usual size", VIEW, "Ctrl+0"),
    ActionSpec("compare", "Compare with another strategy", VIEW, "Ctrl+Shift+D"),
    ActionSpec("layout_write", "Lay out for writing", VIEW, "Alt+1"),
    ActionSpec("layout_debug", "Lay out for debugging", VIEW, "Alt+2"),
    ActionSpec("layout_ask", "Lay out for asking", VIEW, "Alt+3"),
    ActionSpec("reset_layout", "Reset the layout", VIEW),
    ActionSpec("high_contrast", "High contrast", VIEW, is_checkable=True),
    ActionSpec("reduced_motion", "Reduced motion", VIEW, is_checkable=True),
    ActionSpec("copy_source", "Copy the chunk's source", CHUNKS),
    ActionSpec("copy_input", "Copy the chunk as embedded", CHUNKS, "Ctrl+Shift+C"),
    ActionSpec("minimal_example", "Copy a minimal example of the fault", CHUNKS),
    ActionSpec("embed", "Embed now", MAP, "Ctrl+Return"),
    ActionSpec("ask", "Ask a question", MAP, "Ctrl+L"),
    ActionSpec("fast_engine", "Fast engine", MAP, is_checkable=True),
    ActionSpec("undo", "Undo", SETTINGS, Standard.Undo),
    ActionSpec("redo", "Redo", SETTINGS, Standard.Redo),
    ActionSpec("options", "Options of the strategy…", SETTINGS),
    ActionSpec("save", "Save settings", SETTINGS, Standard.Save),
    ActionSpec("revert", "Revert settings", SETTINGS),
    ActionSpec("drafts", "Include drafts", SETTINGS, is_checkable=True),
    ActionSpec("shortcuts", "Keys", HELP, "F1"),
    ActionSpec("log", "Show the log file", HELP),
    ActionSpec("about", "About Chunk Inspector", HELP),
)


class Actions(QObject):
    """The window's actions by name. Each is also the window's own, so that its keys work without a menu."""

    def __init__(self, window: QWidget) -> None:
        """Make all actions of the table."""
        super().__init__(window)
        self._window = window
        self._by_name: dict[str, QAction] = {}
        self._groups: dict[str, str] = {}
        self._menus: dict[str, str] = {}
        for spec in SPECS:
            action = QAction(spec.words, window)
            action.setCheckable(spec.is_checkable)
            if isinstance(spec.keys, Standard):
                action.setShortcuts(spec.keys)
            elif spec.keys is not None:
                action.setShortcut(QKeySequence(spec.keys))
            self.add(spec.name, spec.group, action)

    def add(self, name: str, group: str, action: QAction, menu: str = "") -> None:
        """Take in an action that was made elsewhere, a dock's or a theme's; `menu` says what it chooses from."""
        action.setObjectName(name)
        self._window.addAction(action)
        self._by_name[name] = action
        self._groups[name] = group
        self._menus[name] = menu

    def title(self, name: str) -> str:
        """Return an action's words, with what it chooses from where that is not said."""
        words, menu = self._by_name[name].text(), self._menus[name]
        return f"{menu}: {words}" if menu else words

    def __getitem__(self, name: str) -> QAction:
        """Return an action. Raises KeyError."""
        return self._by_name[name]

    @property
    def by_name(self) -> Mapping[str, QAction]:
        """All actions, in the order of the table."""
        return MappingProxyType(self._by_name)

    def group_of(self, name: str) -> str:
        """Return the heading an action stands under."""
        return self._groups[name]

    def call(self, slots: Mapping[str, Callable[[], object]]) -> None:
        """Have functions called without arguments, by the actions' names."""
        for name, slot in slots.items():
            self._by_name[name].triggered.connect(lambda _checked=False, call=slot: call())
