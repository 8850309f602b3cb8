"""A sweep: what a range of caps would make of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.settings import Settings

SWEEP_CAPS = range(400, 2_401, 100)


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """What one cap makes of a folder: chunks, truncated ones, those that begin in mid-sentence."""

    chunks: int = 0
    truncated: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Sweep:
    """What each cap would make of a folder, all else as in `settings`."""

    settings: Settings
    points: Mapping[int, SweepPoint]
