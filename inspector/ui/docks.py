"""Where the panes are: docks round the source, three layouts for three kinds of work, and what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QByteArray, QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget

VERSION = 3
"""Of the layout that is kept; another one is not restored."""
WIDE_ENOUGH = 1400
"""Pixels from which chunks and map stand side by side; narrower windows tab them."""

ASKED_FOR = ("find", "compare")
"""Panes that are shown when they are asked for."""

LOWEST = 250
"""Pixels a pane at the bottom has at least once it was asked for."""

Area = Qt.DockWidgetArea


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A layout for one kind of work: which panes are shown, and the lens it puts on (None leaves it)."""

    panes: frozenset[str]
    lens: str | None = None


ARRANGEMENTS: Mapping[str, Arrangement] = MappingProxyType(
    {
        "write": Arrangement(frozenset({"outline", "chunks"}), "off"),
        "debug": Arrangement(frozenset({"outline", "problems"}), "ghost"),
        "ask": Arrangement(frozenset({"map"}), "off"),
    }
)


class Docks(QObject):
    """The panes round the central one of a window, by name."""

    def __init__(self, window: QMainWindow, panes: Mapping[str, tuple[str, QWidget]]) -> None:
        """Make a dock for each pane: name -> (title, view)."""
        super().__init__(window)
        self._window = window
        self.by_name = {name: self._dock(name, title, view) for name, (title, view) in panes.items()}
        window.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks)
        window.setCorner(Qt.Corner.BottomLeftCorner, Area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Area.BottomDockWidgetArea)
        self.place()

    def __getitem__(self, name: str) -> QDockWidget:
        """Return a pane's dock. Raises KeyError."""
        return self.by_name[name]

    def _dock(self, name: str, title: str, view: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(f"dock_{name}")
        dock.setTitleBarWidget(QWidget())  # each pane has a header of its own
        dock.setWidget(view)
        dock.topLevelChanged.connect(lambda is_floating, d=dock: self._on_floating(d, is_floating))
        if name in ASKED_FOR:
            dock.toggleViewAction().triggered.connect(lambda is_shown, n=name: self.bring_up(n) if is_shown else None)
        return dock

    @staticmethod
    def _on_floating(dock: QDockWidget, is_floating: bool) -> None:
        """A floating pane gets the system's title bar, to be moved and closed by."""
        dock.setTitleBarWidget(None if is_floating else QWidget())  # type: ignore[arg-type]

    @property
    def is_wide(self) -> bool:
        """Whether chunks and map have room side by side."""
        return self._window.width() >= WIDE_ENOUGH

    def place(self) -> None:
        """Put every pane where it is at first, for the window's width."""
        window, docks = self._window, self.by_name
        for dock in docks.values():
            dock.setFloating(False)
        window.addDockWidget(Area.LeftDockWidgetArea, docks["outline"])
        window.addDockWidget(Area.RightDockWidgetArea, docks["chunks"])
        window.addDockWidget(Area.RightDockWidgetArea, docks["map"])
        window.addDockWidget(Area.BottomDockWidgetArea, docks["problems"])
        for name in ASKED_FOR:
            docks[name].hide()
            window.addDockWidget(Area.BottomDockWidgetArea, docks[name])
        if self.is_wide:
            window.splitDockWidget(docks["chunks"], docks["map"], Qt.Orientation.Horizontal)
        else:
            window.tabifyDockWidget(docks["chunks"], docks["map"])
            docks["chunks"].raise_()
        self._style_tabs()
        self.size()

    def _style_tabs(self) -> None:
        for bar in self._window.findChildren(QTabBar):
            bar.setDrawBase(False)
            bar.setAccessibleName("Panes")

    def size(self) -> None:
        """Give the panes their usual sizes; Qt only listens once they are visible."""
        window, docks, width = self._window, self.by_name, self._window.width()
        if self.is_wide:
            sizes = {"outline": width * 300 // 1600, "chunks": width * 306 // 1600, "map": width * 430 // 1600}
        else:
            sizes = {"outline": width * 250 // 1280, "chunks": width * 420 // 1280}
        shown = [name for name in sizes if docks[name].isVisible()]
        window.resizeDocks([docks[name] for name in shown], [sizes[name] for name in shown], Qt.Orientation.Horizontal)
        height = max(120, window.height() * 153 // 1000)
        window.resizeDocks([docks["problems"]], [height], Qt.Orientation.Vertical)

    def arrange(self, name: str) -> Arrangement:
        """Show the panes of a layout and hide the others. Raises KeyError."""
        arrangement = ARRANGEMENTS[name]
        self.place()
        for pane, dock in self.by_name.items():
            dock.setVisible(pane in arrangement.panes)
        self.size()
        if name == "ask" and self.is_wide:
            self._window.resizeDocks([self.by_name["map"]], [self._window.width() * 9 // 16], Qt.Orientation.Horizontal)
        return arrangement

    def show_all(self, is_shown: bool) -> None:
        """Show every pane but those that are asked for, or none."""
        for name, dock in self.by_name.items():
            dock.setVisible(is_shown and name not in ASKED_FOR)

    def bring_up(self, name: str) -> None:
        """Show a pane, in front of those it is tabbed with, with room for some lines."""
        dock = self.by_name[name]
        dock.show()
        if name in ASKED_FOR and not dock.isFloating():  # not before: Qt shows the tabs of panes that are hidden
            self._window.tabifyDockWidget(self.by_name["problems"], dock)
            self._style_tabs()
        dock.raise_()
        if self._window.dockWidgetArea(dock) is Area.BottomDockWidgetArea and dock.height() < LOWEST:
            self._window.resizeDocks([dock], [LOWEST], Qt.Orientation.Vertical)

    def state(self) -> bytes:
        """Return where the panes are, for `restore`."""
        return bytes(self._window.saveState(VERSION).data())

    def restore(self, state: bytes) -> bool:
        """Put the panes where they were; False, and nothing moves, where that makes no sense."""
        return self._window.restoreState(QByteArray(state), VERSION)
