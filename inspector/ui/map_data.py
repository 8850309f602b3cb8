"""The map's points as plain values, and how they fall into categories; no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Coordinates = NDArray[np.float32]
Numbers = NDArray[np.int64]

SLOTS = 7
OTHER = "other"
SYMBOLS = ("o", "t1", "s", "d", "t", "p", "h")
OTHER_SYMBOL = "+"
RUNGS = ("document", "section", "paragraph", "sentence", "line", "word", "character")
SIZES = ((400, "under 400"), (800, "400 to 799"), (1200, "800 to 1,199"))
LARGE = "1,200 and more"
DEPTHS = ("no heading", *(f"depth {depth}" for depth in range(1, 6)))
NO_DATE, NO_TAG = "no date", "no tag"
DATE_KEYS = ("date", "published", "pubDate", "publishDate", "created", "created_at")
TAG_KEYS = ("tags", "tag", "keywords", "categories", "category")


class ColorBy(StrEnum):
    """What the colours of the map tell apart."""

    DOCUMENT = "document"
    DEPTH = "depth"
    SIZE = "size"
    RUNG = "rung"
    TRUNCATED = "truncated"
    DATE = "date"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class MapPoint:
    """One chunk on the map. `is_new` ones were placed by their neighbours and are drawn hollow.

    `date` is ISO 8601 or "", `tags` are those of the document's front matter.
    """

    document: str
    chunk: int
    trail: tuple[str, ...]
    text: str
    characters: int
    tokens: int | None = None
    rung: str = "section"
    is_truncated: bool = False
    is_new: bool = False
    date: str = ""
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """The chunk: its document and index."""
        return self.document, self.chunk


@dataclass(frozen=True, eq=False)
class Category:
    """Points with one colour and one shape: `token` names the colour in the theme, `members` the points."""

    name: str
    token: str
    symbol: str
    members: Numbers


class Slots:
    """Which names have a colour of their own: the largest, each keeping its colour while it is one of them."""

    def __init__(self) -> None:
        self._slots: dict[ColorBy, dict[str, int]] = {}

    def assign(self, by: ColorBy, names: Sequence[str]) -> dict[str, int]:
        """Return a slot for each of the largest names."""
        counts = Counter(names)
        largest = sorted(counts, key=lambda name: (-counts[name], name))[:SLOTS]
        kept = {name: slot for name, slot in self._slots.get(by, {}).items() if name in largest}
        free = [slot for slot in range(SLOTS) if slot not in kept.values()]
        for name in largest:
            if name not in kept:
                kept[name] = free.pop(0)
        self._slots[by] = kept
        return kept


def categorise(points: Sequence[MapPoint], by: ColorBy, slots: Slots) -> list[Category]:
    """Divide points into categories, in the order of the legend; empty ones are left out."""
    if by is ColorBy.DOCUMENT:
        return _by_size(points, [point.document for point in points], by, slots)
    if by is ColorBy.TAG:
        return _by_size(points, _tags(points), by, slots)
    if by is ColorBy.DATE:
        return _in_order(_dates(points), by, slots)
    if by is ColorBy.DEPTH:
        return _fixed([DEPTHS[min(len(point.trail), len(DEPTHS) - 1)] for point in points], DEPTHS)
    if by is ColorBy.SIZE:
        return _fixed([size_name(point.characters) for point in points], [*(name for _, name in SIZES), LARGE])
    if by is ColorBy.RUNG:
        return _fixed([point.rung for point in points], RUNGS)
    names = ["truncated" if point.is_truncated else "read whole" for point in points]
    return _grouped(names, [("read whole", "category_1", "o"), ("truncated", "category_4", "t1")])


def _by_size(points: Sequence[MapPoint], names: Sequence[str], by: ColorBy, slots: Slots) -> list[Category]:
    """The largest names, most points first, then all others."""
    chosen = slots.assign(by, names)
    counts = Counter(names)
    order = sorted(chosen, key=lambda name: (-counts[name], name))
    return _slotted(names, order, chosen)


def _in_order(names: Sequence[str], by: ColorBy, slots: Slots) -> list[Category]:
    """The largest names, in the order of time, then all others."""
    chosen = slots.assign(by, names)
    return _slotted(names, sorted(chosen, key=lambda name: (name == NO_DATE, name)), chosen)


def _slotted(names: Sequence[str], order: Sequence[str], chosen: Mapping[str, int]) -> list[Category]:
    shown = [name if name in chosen else OTHER for name in names]
    wanted = [(name, f"category_{chosen[name] + 1}", SYMBOLS[chosen[name]]) for name in order]
    return _grouped(shown, [*wanted, (OTHER, "other", OTHER_SYMBOL)])


def _fixed(names: Sequence[str], order: Sequence[str]) -> list[Category]:
    return _grouped(names, [(name, f"category_{at + 1}", SYMBOLS[at]) for at, name in enumerate(order[:SLOTS])])


def _grouped(names: Sequence[str], wanted: Sequence[tuple[str, str, str]]) -> list[Category]:
    of_name = np.array(names, dtype=object)
    found = ((name, token, symbol, np.flatnonzero(of_name == name)) for name, token, symbol in wanted)
    return [Category(name, token, symbol, members) for name, token, symbol, members in found if len(members)]


def _tags(points: Sequence[MapPoint]) -> list[str]:
    """One tag a point: of those it has, the one that most points have."""
    counts = Counter(tag for point in points for tag in point.tags)
    return [min(point.tags, key=lambda tag: (-counts[tag], tag)) if point.tags else NO_TAG for point in points]


def _dates(points: Sequence[MapPoint]) -> list[str]:
    """A point's year, or its month where all are of one year."""
    years = {point.date[:4] for point in points if point.date}
    length = 4 if len(years) != 1 else 7
    return [point.date[:length] or NO_DATE for point in points]


def date_of(metadata: Mapping[str, Any]) -> str:
    """Return the day of a document's front matter as YYYY-MM-DD, "" where there is none."""
    for key in DATE_KEYS:
        value = metadata.get(key)
        words = str(value)[:10].replace("/", "-") if isinstance(value, str | int) else ""
        if len(words) >= 4 and words[:4].isdigit() and (len(words) == 4 or words[4] == "-"):
            return words
    return ""


def tags_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tags of a document's front matter: a list, or words with commas; nested under `extra` or not."""
    nested = (metadata.get("taxonomies"), metadata.get("extra"))
    for place in (metadata, *(part for part in nested if isinstance(part, Mapping))):
        for key in TAG_KEYS:
            value = place.get(key)
            names = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
            found = tuple(dict.fromkeys(str(name).strip() for name in names if str(name).strip()))
            if found:
                return found
    return ()


def size_name(characters: int) -> str:
    """Return the class of sizes a chunk belongs to."""
    return next((name for limit, name in SIZES if characters < limit), LARGE)


def short_name(document: str) -> str:
    """Return a document's name as the legend has room for."""
    name = document.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def label_of(point: MapPoint) -> str:
    """Return where a chunk is: `post › heading › sub-heading`."""
    return " › ".join((short_name(point.document), *point.trail))
