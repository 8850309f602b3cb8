"""The folder of everything that is safe to delete."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER_VARIABLE = "CHUNK_INSPECTOR_CACHE"


def cache_folder() -> Path:
    """Give the cache's folder: what CHUNK_INSPECTOR_CACHE names, else the user's own; it may not exist yet."""
    from platformdirs import user_cache_path

    stated = os.environ.get(FOLDER_VARIABLE)
    return Path(stated) if stated else user_cache_path("chunk-inspector", appauthor=False)
