"""What each part of a bundle weighs."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

SMALLEST_SHOWN = 3_000_000


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder; what links point to is counted once."""
    return sum(size for _, size in _files(folder))


def table(folder: Path) -> str:
    """List the parts of a bundle by weight, in MB of 10^6 bytes, and all of it."""
    weights: Counter[str] = Counter()
    count = 0
    for path, size in _files(folder):
        parts = path.relative_to(folder).parts
        inner = parts[1:] if parts[0] == "_internal" else parts
        if len(inner) > 1:
            weights[inner[0]] += size
        elif inner[0].startswith("lib") or ".so" in inner[0]:
            weights["libraries of the system and Python"] += size
        else:
            weights[inner[0]] += size
        count += 1
    shown = [(name, size) for name, size in weights.most_common() if size >= SMALLEST_SHOWN]
    rest = sum(weights.values()) - sum(size for _, size in shown)
    lines = [f"{size / 1e6:8.1f}  {name}" for name, size in [*shown, ("all else", rest)]]
    return "\n".join(["      MB  part", *lines, f"{sum(weights.values()) / 1e6:8.1f}  in all, {count} files"])


def _files(folder: Path) -> list[tuple[Path, int]]:
    found = []
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root) / name
            if not path.is_symlink():
                found.append((path, path.stat().st_size))
    return found
