"""Bugs: shown in a dialog with versions and traceback to copy, written to the log, and the window goes on."""

from __future__ import annotations

import logging
import platform
import sys
import threading
import traceback
from types import TracebackType

from PySide6 import __version__ as qt_version
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMessageBox

from inspector import __version__

log = logging.getLogger(__name__)


class BugReporter(QObject):
    """Takes exceptions from any thread and shows them on the window's."""

    caught = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_showing = False
        self.caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log an exception and have it shown."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        log.error("a bug", exc_info=(kind, error, trace))
        self.caught.emit("".join(traceback.format_exception(kind, error, trace)))

    def _on_caught(self, details: str) -> None:
        if self._is_showing:
            return
        self._is_showing = True
        box = QMessageBox()
        box.setWindowTitle("Chunk Inspector")
        box.setText("Something went wrong in the program. Your posts are untouched.")
        box.setInformativeText("You can go on. To report it, copy the details.")
        versions = (
            f"Chunk Inspector {__version__}, Python {platform.python_version()}, Qt {qt_version}, {platform.platform()}"
        )
        box.setDetailedText(f"{versions}\n\n{details}")
        copy = box.addButton("Copy details", QMessageBox.ButtonRole.ActionRole)
        box.addButton("Go on", QMessageBox.ButtonRole.AcceptRole)
        box.exec()
        if box.clickedButton() is copy:
            QApplication.clipboard().setText(box.detailedText())
        self._is_showing = False


def show_bugs(application: QApplication) -> BugReporter:
    """Show what no one caught, in slots and in threads."""
    reporter = BugReporter(application)
    sys.excepthook = reporter.report

    def from_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            reporter.report(args.exc_type, args.exc_value, args.exc_traceback)

    threading.excepthook = from_thread
    return reporter
