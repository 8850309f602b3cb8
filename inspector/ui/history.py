"""What can be undone: changes of settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from PySide6.QtGui import QUndoCommand

from inspector.settings import Settings

_THRESHOLDS = ("drop", "fold", "cap")


class SettingsChange(QUndoCommand):
    """One change of settings, as the author made it: a whole drag is one."""

    def __init__(self, before: Settings, after: Settings, take: Callable[[Settings], None]) -> None:
        """Keep both; `take` puts settings in force, now and whenever it is undone or done again."""
        super().__init__(change_words(before, after))
        self._before = before
        self._after = after
        self._take = take

    def redo(self) -> None:
        """Put the later settings in force."""
        self._take(self._after)

    def undo(self) -> None:
        """Put the earlier settings in force."""
        self._take(self._before)


def change_words(before: Settings, after: Settings) -> str:
    """Return in a few words what differs: `cap 1,400 → 1,240`, `target model`, `preset`."""
    old, new = before.options, after.options
    moved = [name for name in _THRESHOLDS if getattr(old, name) != getattr(new, name)]
    if len(moved) == 1:
        name = moved[0]
        return f"{name} {getattr(old, name):,} → {getattr(new, name):,}"
    if old != new:
        return "thresholds" if moved else "cleaning"
    changed = [field.name for field in fields(before) if getattr(before, field.name) != getattr(after, field.name)]
    return changed[0].replace("_", " ") if changed else "settings"
