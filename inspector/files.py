"""Writing the program's own files so that a reader never sees half of one."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a file as UTF-8 with line ends as they are, in place of the one before or not at all; makes its folder.

    The file keeps its permissions, and a link to it stays a link. Raises OSError.
    """
    data = text.encode("utf-8")
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
        if path.exists():
            shutil.copymode(path, part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
