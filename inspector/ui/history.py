"""What can be taken back: changes of settings, and the places that were selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from PySide6.QtGui import QUndoCommand

from inspector.settings import Settings

MOST_PLACES = 200
_THRESHOLDS = ("drop", "fold", "cap")


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected: a place in a document's source; the chunk is looked up."""

    document: str = ""
    offset: int = -1


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


class Places:
    """The places that were selected one after the other, to go back and forward through."""

    def __init__(self) -> None:
        """Begin nowhere."""
        self._places: list[Selection] = []
        self._at = -1

    def clear(self) -> None:
        """Forget all places."""
        self._places, self._at = [], -1

    def visit(self, place: Selection) -> None:
        """Note a place; those that were ahead are forgotten."""
        if self._at >= 0 and self._places[self._at] == place:
            return
        self._places = [*self._places[: self._at + 1], place][-MOST_PLACES:]
        self._at = len(self._places) - 1

    def step(self, by: int) -> Selection | None:
        """Go back (-1) or forward (1); None where there is nothing."""
        if not 0 <= self._at + by < len(self._places):
            return None
        self._at += by
        return self._places[self._at]
