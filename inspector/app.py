"""The composition root: makes the application and its parts, in the order that shows something soonest."""

from __future__ import annotations

import sys
from pathlib import Path

USAGE = 2
WINDOW_COMMANDS = frozenset({"open", "screenshot", "selftest"})
"""Commands that need a window; a path alone is opened."""


def open_window(path: str | None = None, *, reset: bool = False) -> int:
    """Open a folder, or a file in one, in the window; without one the last folder. Gives the exit code.

    `reset` forgets the window's layout and recents.
    """
    fault = check_qt()
    if fault:
        print(f"chunk-inspector: {fault}", file=sys.stderr)
        return USAGE
    if path is not None and not Path(path).exists():
        print(f"chunk-inspector: {path}: no such file or folder", file=sys.stderr)
        return USAGE
    from inspector.ui.log_file import start_log

    start_log()
    from inspector.ui.runner import started_runner
    from inspector.ui.state_file import State, load_state

    state = State() if reset else load_state()[0]
    asked = Path(path or state.folder).resolve() if path or state.folder else None
    runner = started_runner(asked)  # first: what follows imports for as long as the worker does
    from inspector.ui.application import Application
    from inspector.ui.errors import show_bugs
    from inspector.ui.session import Message, Session

    application = Application(sys.argv[:1])
    application.setApplicationName("Chunk Inspector")
    application.setDesktopFileName("chunk-inspector")
    show_bugs(application)
    session = Session(runner)
    application.asked_to_open.connect(lambda name: session.open_path(Path(name)))
    told: list[Message] = []
    session.told.connect(told.append)
    if path is not None:
        session.open_path(Path(path))
    elif asked is not None and asked.is_dir():
        session.open_folder(asked, state.document, state.offset)
    from inspector.ui.main_window import MainWindow  # while the worker lists the folder
    from inspector.ui.theme import Theme, ThemeMode, app_icon

    application.processEvents()  # so that it reads while the window is made
    application.setWindowIcon(app_icon())
    mode = ThemeMode(state.theme) if state.theme in {mode.value for mode in ThemeMode} else ThemeMode.SYSTEM
    theme = Theme(mode, has_contrast=state.has_contrast, is_still=state.is_still)
    theme.style_application(application)
    theme.changed.connect(lambda: theme.style_application(application))
    window = MainWindow(session, theme, state if reset else None)
    session.told.disconnect(told.append)
    for message in told:
        session.told.emit(message)
    window.show()
    code = application.exec()
    session.close()
    return code


def check_qt() -> str:
    """Return what is wrong with this Qt and Python, "" when nothing is."""
    from PySide6 import __version_info__

    version = tuple(__version_info__[:3])
    if version >= (6, 12) and sys.version_info < (3, 12):
        return "PySide6 6.12 aborts on Python 3.11: install PySide6-Essentials<6.12, or use Python 3.12."
    if version in ((6, 9, 1), (6, 9, 2)):
        return "PySide6 6.9.1 and 6.9.2 do not work with pyqtgraph: install another version."
    return ""
