"""A new layout of the map, as a change that can be taken back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from inspector.embedding.cache import StoredLayout


class LayoutChange(QUndoCommand):
    """One re-layout; it has been done already when it is pushed."""

    def __init__(self, before: StoredLayout, after: StoredLayout, restore: Callable[[StoredLayout], None]) -> None:
        """Keep both maps; `restore` brings one back."""
        super().__init__("re-layout")
        self._before = before
        self._after = after
        self._restore = restore
        self._is_done = True

    def redo(self) -> None:
        """Bring the later map back; nothing the first time."""
        if not self._is_done:
            self._restore(self._after)
        self._is_done = True

    def undo(self) -> None:
        """Bring the earlier map back."""
        self._is_done = False
        self._restore(self._before)
