"""The application object: it is told what the system wants opened in a program that runs already (macOS)."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Turns open events into a signal; a filter would see, and slow, every event of every widget."""

    asked_to_open = Signal(str)
    """The path of a file or folder on this machine."""

    def event(self, event: QEvent) -> bool:
        """Take the open events; Qt sees to all others."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.asked_to_open.emit(event.file())
            return True
        return super().event(event)
