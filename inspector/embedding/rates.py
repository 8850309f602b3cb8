"""How many texts a second each model has encoded on this machine, remembered between starts; safe to delete."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path

from inspector.files import write_atomically
from inspector.folders import cache_folder

FILE_NAME = "rates.json"

log = logging.getLogger(__name__)


def read_rate(model: str, folder: str | None = None) -> float:
    """Give a model's rate in texts a second; 0 where none is known, whatever the file holds."""
    rate = _read(_file(folder)).get(model, 0.0)
    return rate if math.isfinite(rate) and rate > 0 else 0.0


def write_rate(model: str, rate: float, folder: str | None = None) -> None:
    """Remember a model's rate in texts a second, those of other models kept; a folder that is read-only is no fault."""
    file = _file(folder)
    rates = _read(file) | {model: round(rate, 3)}
    try:
        write_atomically(file, json.dumps(rates, indent=1))
    except OSError as error:
        log.info("the rate cannot be remembered: %s", error)


def _file(folder: str | None) -> Path:
    """Give where the rates lie."""
    return (Path(folder) if folder is not None else cache_folder()) / FILE_NAME


def _read(file: Path) -> dict[str, float]:
    """Read the rates that are numbers; none from a file that is missing or broken."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {name: float(rate) for name, rate in value.items() if isinstance(rate, int | float)}
