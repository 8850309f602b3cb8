"""The user's own folders: of everything that is safe to delete, and of settings."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "CHUNK_INSPECTOR_CACHE"
CONFIG_VARIABLE = "CHUNK_INSPECTOR_CONFIG"


def cache_folder() -> Path:
    """Give the cache's folder: what CHUNK_INSPECTOR_CACHE names, else the user's own; it may not exist yet."""
    from platformdirs import user_cache_path

    stated = os.environ.get(CACHE_VARIABLE)
    return Path(stated) if stated else user_cache_path("chunk-inspector", appauthor=False)


def config_folder() -> Path:
    """Give the folder of settings: what CHUNK_INSPECTOR_CONFIG names, else the user's own; it may not exist yet."""
    from platformdirs import user_config_path

    stated = os.environ.get(CONFIG_VARIABLE)
    return Path(stated) if stated else user_config_path("chunk-inspector", appauthor=False)
