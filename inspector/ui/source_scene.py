"""What of the source is in sight: visual lines, the pills beside them, and where a chunk begins and ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextBlock, QTextLine

from inspector.ui.offsets import OffsetMap
from inspector.ui.picture import Picture, PillText, Run
from inspector.ui.pill import GAP, pill_width


@dataclass(frozen=True, slots=True)
class VisualLine:
    """One line as wrapped on the screen: where it is, and the source offsets of its text."""

    block: int
    block_position: int
    line: QTextLine
    left: float
    top: float
    height: float
    start: int
    end: int
    is_first: bool
    is_last: bool

    @property
    def bottom(self) -> float:
        """The y just below the line."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class PlacedPill:
    """A pill with its place: `left` is None when there is no room and the gutter shows a mark instead."""

    pill: PillText
    row: VisualLine
    left: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What is in sight: visual lines and the pills beside them."""

    rows: tuple[VisualLine, ...]
    pills: tuple[PlacedPill, ...]


def lines_of(block: QTextBlock, origin: QPointF, height: int, offsets: OffsetMap) -> Iterator[VisualLine]:
    """Yield the lines of a block at `origin` that are in sight."""
    layout, position = block.layout(), block.position()
    count = layout.lineCount()
    for number in range(count):
        line = layout.lineAt(number)
        top = origin.y() + line.y()
        if top + line.height() < 0 or top > height:
            continue
        start = offsets.offset(position + line.textStart())
        end = offsets.offset(position + line.textStart() + line.textLength())
        yield VisualLine(
            block.blockNumber(),
            position,
            line,
            origin.x(),
            top,
            line.height(),
            start,
            end,
            number == 0,
            number == count - 1,
        )


def place_pills(rows: tuple[VisualLine, ...], picture: Picture, width: int) -> Iterator[PlacedPill]:
    """Yield the pills of the lines in sight, each where it has room."""
    right_edge = width - GAP
    last_of = {row.block: row for row in rows}
    used: dict[int, float] = {}
    for row in rows:
        end = row.end if row.is_last else max(row.start, row.end - 1)
        for pill in picture.pills_at(row.start, end):
            for place in dict.fromkeys((row, last_of[row.block])):
                key = id(place)
                left = used.get(key, place.left + place.line.naturalTextRect().right() + GAP + 4)
                text = next((t for t in (pill.text, pill.short) if left + pill_width(t) <= right_edge), None)
                if text is not None:
                    used[key] = left + pill_width(text) + GAP
                    yield PlacedPill(pill, place, left, text)
                    break
            else:
                yield PlacedPill(pill, row, None, pill.text)


def x_of(row: VisualLine, offset: int, offsets: OffsetMap) -> float:
    """Return the x in the viewport of a source offset on a visual line."""
    position = offsets.position(offset) - row.block_position
    x: Any = row.line.cursorToX(position)  # (x, position) in PySide6, whatever its stubs say
    return row.left + float(x[0] if isinstance(x, tuple) else x)


def extent_of(runs: tuple[Run, ...], rows: tuple[VisualLine, ...], height: int) -> tuple[float, float] | None:
    """Return top and bottom of the part of some runs that is in sight, beyond the edges where they go on."""
    if not runs:
        return None
    start, end = runs[0].start, max(run.end for run in runs)
    inside = [row for row in rows if row.start <= end and row.end >= start]
    if len(inside) > 1 and inside[0].end == start and not inside[0].is_last:
        inside = inside[1:]
    if not inside:
        return None
    top = -10.0 if inside[0].start > start else inside[0].top
    bottom = inside[-1].bottom if inside[-1].end >= end else height + 10.0
    return top, bottom


def covers(run: Run, row: VisualLine) -> bool:
    """Say whether a run has something of a visual line; a run that only touches a soft wrap has not."""
    if row.start == row.end:
        return run.start <= row.start <= run.end
    return run.start < row.end and run.end > row.start
