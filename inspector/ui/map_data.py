"""The map's points as plain values, and how they fall into categories; no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Coordinates = NDArray[np.float32]

DOCUMENT_SLOTS = 7
OTHER = "other"
SYMBOLS = ("o", "t1", "s", "d", "t", "p", "h")
OTHER_SYMBOL = "+"
RUNGS = ("document", "section", "paragraph", "sentence", "line", "word", "character")
SIZES = ((400, "under 400"), (800, "400 to 799"), (1200, "800 to 1,199"))


class ColorBy(StrEnum):
    """What the colours of the map tell apart."""

    DOCUMENT = "document"
    DEPTH = "depth"
    SIZE = "size"
    RUNG = "rung"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class MapPoint:
    """One chunk on the map. `is_new` ones were placed by their neighbours and are drawn hollow."""

    document: str
    chunk: int
    trail: tuple[str, ...]
    text: str
    characters: int
    tokens: int | None = None
    rung: str = "section"
    is_truncated: bool = False
    is_new: bool = False


@dataclass(frozen=True, eq=False)
class Category:
    """Points with one colour and one shape: `token` names the colour in the theme, `members` the points."""

    name: str
    token: str
    symbol: str
    members: NDArray[np.int64]


class DocumentSlots:
    """Which documents have a colour of their own: the largest, each keeping its colour while it is one of them."""

    def __init__(self) -> None:
        self._slots: dict[str, int] = {}

    def assign(self, names: Sequence[str]) -> dict[str, int]:
        """Return a slot for each of the largest documents."""
        counts = Counter(names)
        largest = sorted(counts, key=lambda name: (-counts[name], name))[:DOCUMENT_SLOTS]
        kept = {name: slot for name, slot in self._slots.items() if name in largest}
        free = [slot for slot in range(DOCUMENT_SLOTS) if slot not in kept.values()]
        for name in largest:
            if name not in kept:
                kept[name] = free.pop(0)
        self._slots = kept
        return kept


def categorise(points: Sequence[MapPoint], by: ColorBy, slots: DocumentSlots) -> list[Category]:
    """Divide points into categories, in the order of the legend; empty ones are left out."""
    if by is ColorBy.DOCUMENT:
        return _by_document(points, slots)
    if by is ColorBy.DEPTH:
        names = ["no heading" if not point.trail else f"depth {min(len(point.trail), 5)}" for point in points]
        order = ["no heading", *(f"depth {depth}" for depth in range(1, 6))]
    elif by is ColorBy.SIZE:
        names = [size_name(point.characters) for point in points]
        order = [*(name for _, name in SIZES), "1,200 and more"]
    elif by is ColorBy.RUNG:
        names = [point.rung for point in points]
        order = list(RUNGS)
    else:
        names = ["truncated" if point.is_truncated else "read whole" for point in points]
        return _grouped(names, [("read whole", "category_1", "o"), ("truncated", "category_4", "t1")])
    return _grouped(names, [(name, f"category_{at + 1}", SYMBOLS[at]) for at, name in enumerate(order[:7])])


def _by_document(points: Sequence[MapPoint], slots: DocumentSlots) -> list[Category]:
    chosen = slots.assign([point.document for point in points])
    names = [point.document if point.document in chosen else OTHER for point in points]
    counts = Counter(names)
    order = sorted(chosen, key=lambda name: (-counts[name], name))
    wanted = [(name, f"category_{chosen[name] + 1}", SYMBOLS[chosen[name]]) for name in order]
    return _grouped(names, [*wanted, (OTHER, "other", OTHER_SYMBOL)])


def _grouped(names: Sequence[str], wanted: Sequence[tuple[str, str, str]]) -> list[Category]:
    of_name = np.array(names, dtype=object)
    found = ((name, token, symbol, np.flatnonzero(of_name == name)) for name, token, symbol in wanted)
    return [Category(name, token, symbol, members) for name, token, symbol, members in found if len(members)]


def size_name(characters: int) -> str:
    """Return the class of sizes a chunk belongs to."""
    return next((name for limit, name in SIZES if characters < limit), "1,200 and more")


def short_name(document: str) -> str:
    """Return a document's name as the legend has room for."""
    name = document.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def nearest(coordinates: Coordinates, x: float, y: float, reach_x: float, reach_y: float) -> int | None:
    """Return the point nearest to a place, None when it is out of reach; distances are in units of the reach."""
    if not len(coordinates):
        return None
    gaps = ((coordinates[:, 0] - x) / reach_x) ** 2 + ((coordinates[:, 1] - y) / reach_y) ** 2
    best = int(np.argmin(gaps))
    return best if gaps[best] <= 1.0 else None


def next_towards(coordinates: Coordinates, start: int, dx: int, dy: int) -> int:
    """Return the nearest point in a direction (within 45 degrees), the same one when there is none."""
    gaps = coordinates - coordinates[start]
    along = gaps[:, 0] * dx + gaps[:, 1] * dy
    across = np.abs(gaps[:, 0] * dy) + np.abs(gaps[:, 1] * dx)
    ahead = np.flatnonzero((along > 0) & (across <= along))
    if not len(ahead):
        return start
    return int(ahead[np.argmin(np.hypot(gaps[ahead, 0], gaps[ahead, 1]))])
