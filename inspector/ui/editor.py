"""The author's own editor, opened at a line. Nothing here writes a file."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QProcess

from inspector.errors import InspectorError

PRESETS: Mapping[str, str] = MappingProxyType(
    {
        "VS Code": "code --goto {file}:{line}",
        "Sublime Text": "subl {file}:{line}",
        "JetBrains": "idea --line {line} {file}",
        "Zed": "zed {file}:{line}",
        "Kate": "kate --line {line} {file}",
    }
)
VISUAL = "$VISUAL"
"""The preset that stands for what the environment names."""


class EditorError(InspectorError):
    """The editor could not be started; the message says what to do."""


def presets() -> dict[str, str]:
    """Return the commands by name, with the environment's own first where it names one."""
    own = os.environ.get("VISUAL", "")
    return ({VISUAL: f"{own} +{{line}} {{file}}"} if own else {}) | dict(PRESETS)


def words_of(command: str, file: Path, line: int) -> list[str]:
    """Return a command's words with `{file}` and `{line}` filled in. Raises EditorError."""
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise EditorError(f"The editor's command makes no sense: {error}.") from error
    if not words:
        raise EditorError("No editor is chosen.")
    if not any("{file}" in word for word in words):
        words.append("{file}")
    return [word.replace("{file}", str(file)).replace("{line}", str(line)) for word in words]


def open_in_editor(command: str, file: Path, line: int) -> None:
    """Start the author's editor on a file, at a line (1-based), and let it go. Raises EditorError."""
    program, *arguments = words_of(command, file, line)
    found = shutil.which(program)
    if found is None:
        raise EditorError(f"{program} is not on this machine. Choose another editor in the menu.")
    is_started, _ = QProcess.startDetached(found, arguments, str(file.parent))
    if not is_started:
        raise EditorError(f"{program} could not be started. Choose another editor in the menu.")
