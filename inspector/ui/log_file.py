"""The log: a rotating file in the user's own folder."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from inspector.folders import cache_folder

LARGEST = 500_000
KEPT = 2


def log_path() -> Path:
    """Return where the log is written."""
    return cache_folder() / "chunk-inspector.log"


def start_log() -> None:
    """Write warnings and worse to the log; a folder that cannot be written costs nothing else."""
    path = log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True
        )
        path.open("a").close()
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
