"""What the window remembers between starts: recents, the last place, its geometry; one JSON file."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from inspector.files import write_atomically
from inspector.folders import config_folder

log = logging.getLogger(__name__)

FILE_NAME = "state.json"
VERSION = 1
MOST_RECENTS = 10


@dataclass(frozen=True, slots=True)
class State:
    """`geometry` and `docks` are Qt's bytes in base64; `theme` is `system`, `light` or `dark`, `editor` a command
    with `{file}` and `{line}`, `is_still` that nothing is animated.
    """

    version: int = VERSION
    recents: tuple[str, ...] = ()
    folder: str = ""
    document: str = ""
    offset: int = -1
    geometry: str = ""
    docks: str = ""
    theme: str = "system"
    has_contrast: bool = False
    is_still: bool = False
    editor: str = ""
    questions: tuple[str, ...] = ()

    def with_recent(self, folder: Path) -> State:
        """Return the state with a folder as the most recent one."""
        name = str(folder)
        return replace(self, folder=name, recents=(name, *(r for r in self.recents if r != name))[:MOST_RECENTS])


def load_state() -> tuple[State, str]:
    """Read the state, and a fault in words ("" for none); a file that makes no sense is set aside."""
    path = config_folder() / FILE_NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise ValueError("another version")
        known = {field.name: field.default for field in fields(State)}
        values = {name: value for name, value in data.items() if name in known}
        for name in ("recents", "questions"):
            values[name] = tuple(str(entry) for entry in values.get(name, ()))
        for name, default in known.items():
            if name in values and type(values[name]) is not type(default):
                del values[name]
        return State(**values), ""
    except FileNotFoundError:
        return State(), ""
    except (OSError, ValueError, TypeError) as error:
        aside = path.with_name(FILE_NAME + ".unreadable")
        try:
            path.replace(aside)
        except OSError:
            return State(), f"{path} cannot be read ({error})."
        return State(), f"What the window remembered made no sense ({error}); it was set aside as {aside}."


def save_state(state: State) -> None:
    """Write the state; a folder that cannot be written is logged, and costs nothing else."""
    try:
        write_atomically(config_folder() / FILE_NAME, json.dumps(asdict(state), indent=1))
    except OSError as error:
        log.warning("the window's state was not saved: %s", error)
