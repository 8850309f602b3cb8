"""Histograms of lengths, painted by hand: bars, an overflow bar, ticks, the state before as an outline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.ui.theme import SMALL_PIXELS, TINY_PIXELS, Theme, ui_font

TITLE_HEIGHT = 18
AXIS_HEIGHT = 17
BAR_PITCH = 9.0
LABEL_ROW = 15


@dataclass(frozen=True, slots=True)
class Bins:
    """Counts of lengths: `counts[i]` of those from `i * step` on, `overflow` of those past the last bin."""

    counts: tuple[int, ...]
    step: float
    overflow: int

    @property
    def upper(self) -> float:
        """Where the axis ends."""
        return self.step * len(self.counts)

    @property
    def highest(self) -> int:
        """The largest count."""
        return max((*self.counts, self.overflow), default=0)


def count_bins(lengths: NDArray[np.int64], upper: float, number: int) -> Bins:
    """Count lengths in `number` bins up to `upper`."""
    number = max(1, number)
    step = max(1.0, upper) / number
    places = (lengths / step).astype(np.int64)
    inside = places[places < number]
    counts = np.bincount(inside, minlength=number)[:number]
    return Bins(tuple(int(count) for count in counts), step, int(len(places) - len(inside)))


def nearest_rank(values: NDArray[Any], share: float) -> float:
    """Return the least of some values that at least this share of them does not exceed; 0 of none.

    Not by `np.percentile`, whose first call imports for 30 ms in the window's thread.
    """
    if not len(values):
        return 0.0
    rank = max(0, math.ceil(share * len(values)) - 1)
    return float(np.partition(values, rank)[rank])


def axis_upper(lengths: NDArray[np.int64], mark: int) -> float:
    """Return where an axis ends: past the mark, and past nearly all lengths unless a few are far out."""
    if not len(lengths):
        return mark * 1.25
    most = nearest_rank(lengths, 0.98) * 1.1
    return max(mark * 1.25, min(most, mark * 3.0))


def ticks(upper: float, room: float) -> list[int]:
    """Return round numbers along an axis, at least 60 pixels apart."""
    wanted = max(1.0, room / 90)
    rough = upper / wanted
    power = 10.0 ** np.floor(np.log10(max(rough, 1)))
    step = next((int(power * factor) for factor in (1, 2, 5, 10) if power * factor >= rough), int(power * 10))
    return list(range(0, int(upper) + 1, max(1, step)))


class Histogram(QWidget):
    """A title, bars and an axis; children of the class paint lines over them."""

    def __init__(self, theme: Theme, title: str, unit: str) -> None:
        super().__init__()
        self._theme = theme
        self._title = title
        self._unit = unit
        self._lengths: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._upper = 1000.0
        self._bins = Bins((), 1.0, 0)
        self._ghost: Bins | None = None
        self._bars: QPixmap | None = None  # drawn once for a state: while a line is dragged only the line moves
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 90)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else what lies behind is painted at every move
        theme.changed.connect(self._redraw)

    def _redraw(self) -> None:
        self._bars = None
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for some room."""
        return QSize(320, 104)

    @property
    def bins(self) -> Bins:
        """The counts that are drawn."""
        return self._bins

    @property
    def ghost(self) -> Bins | None:
        """The counts before a change, drawn as an outline."""
        return self._ghost

    def set_lengths(self, lengths: Sequence[int] | NDArray[np.int64], upper: float) -> None:
        """Show other lengths on an axis up to `upper`."""
        self._lengths = np.asarray(lengths, dtype=np.int64)
        self._upper = upper
        self._count()

    def keep_ghost(self, is_kept: bool) -> None:
        """Keep the present state as an outline, or forget the one kept."""
        self._ghost = self._bins if is_kept else None
        self._redraw()

    def _count(self) -> None:
        number = int(max(8, (self.plot().width() - BAR_PITCH) // BAR_PITCH))
        self._upper = self._upper_for(number)
        bins = count_bins(self._lengths, self._upper, number)
        if bins != self._bins:  # of a drag only one histogram changes
            self._bins = bins
            self._redraw()
        if self._ghost is not None and len(self._ghost.counts) != number:
            self._ghost = None
            self._redraw()

    def _upper_for(self, number: int) -> float:
        """Return where the axis ends with so many bars."""
        return self._upper

    def plot(self) -> QRectF:
        """Return the place of the bars."""
        return QRectF(0, TITLE_HEIGHT, self.width(), max(10, self.height() - TITLE_HEIGHT - AXIS_HEIGHT))

    def x_of(self, value: float) -> float:
        """Return the x of a length."""
        plot = self.plot()
        return plot.left() + value / max(1.0, self._upper) * (plot.width() - BAR_PITCH)

    def value_at(self, x: float) -> int:
        """Return the length at an x."""
        plot = self.plot()
        return round((x - plot.left()) / max(1.0, plot.width() - BAR_PITCH) * self._upper)

    def resizeEvent(self, event: QEvent) -> None:
        """Count anew, as the number of bars follows the width."""
        self._count()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, zones, bars, outline of the state before, axis and lines."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("page"))
        self._paint_zones(painter)
        painter.drawPixmap(0, 0, self._drawn_bars())
        self._paint_lines(painter)

    def _drawn_bars(self) -> QPixmap:
        """Return all but zones and lines, as a picture."""
        ratio = self.devicePixelRatioF()
        size = (self.size().toSizeF() * ratio).toSize()
        if self._bars is None or self._bars.size() != size:
            self._bars = QPixmap(size)
            self._bars.setDevicePixelRatio(ratio)
            self._bars.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._bars)
            self._paint_title(painter)
            self._paint_bars(painter)
            self._paint_ghost(painter)
            self._paint_axis(painter)
            painter.end()
        return self._bars

    def _paint_title(self, painter: QPainter) -> None:
        painter.setFont(ui_font(SMALL_PIXELS))
        painter.setPen(self._theme.color("dim"))
        place = QRectF(0, 0, self.width(), TITLE_HEIGHT - 2)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self._title)

    def _paint_zones(self, painter: QPainter) -> None:
        pass

    def _paint_lines(self, painter: QPainter) -> None:
        pass

    def _bar_color(self, start: float) -> QColor:
        return self._theme.color("bar")

    def _bar(self, number: int, count: int, highest: int) -> QRectF:
        plot = self.plot()
        if number == len(self._bins.counts):
            left, width = plot.right() - BAR_PITCH + 1, BAR_PITCH - 1
        else:
            left = self.x_of(number * self._bins.step)
            width = self.x_of((number + 1) * self._bins.step) - left
        room = plot.height() - LABEL_ROW
        height = max(2.0, count / highest * room) if count else 0.0
        return QRectF(left + 0.5, plot.bottom() - height, max(1.0, width - 1.5), height)

    def _heights(self) -> int:
        """Return the count that fills the height: the larger of now and before, so that both can be compared."""
        return max(1, self._bins.highest, self._ghost.highest if self._ghost is not None else 0)

    def _paint_bars(self, painter: QPainter) -> None:
        highest = self._heights()
        bars = (*self._bins.counts, self._bins.overflow)
        for number, count in enumerate(bars):
            if count:
                painter.fillRect(self._bar(number, count, highest), self._bar_color(number * self._bins.step))
        if self._bins.overflow:
            painter.setFont(ui_font(TINY_PIXELS))
            painter.setPen(self._theme.color("dim"))
            words = f"> {round(self._bins.upper):,}: {self._bins.overflow:,}"
            width = QFontMetricsF(ui_font(TINY_PIXELS)).horizontalAdvance(words)
            place = QRectF(self.width() - BAR_PITCH - 6 - width, self.plot().bottom() - 16, width, 14)
            ground = self._theme.color("page")
            ground.setAlphaF(0.8)  # the label is to be read over bars as well
            painter.fillRect(place.adjusted(-3, 0, 3, 0), ground)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_ghost(self, painter: QPainter) -> None:
        if self._ghost is None or self._ghost == self._bins:
            return
        highest = self._heights()
        painter.setPen(QPen(self._theme.color("edge"), 1, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number, count in enumerate((*self._ghost.counts, self._ghost.overflow)):
            if count:
                painter.drawRect(self._bar(number, count, highest))

    def _paint_axis(self, painter: QPainter) -> None:
        plot = self.plot()
        painter.setPen(QPen(self._theme.color("track"), 1))
        painter.drawLine(QPointF(plot.left(), plot.bottom() + 0.5), QPointF(plot.right(), plot.bottom() + 0.5))
        painter.setFont(ui_font(TINY_PIXELS))
        painter.setPen(self._theme.color("dim"))
        for value in ticks(self._upper, plot.width()):
            x = self.x_of(value)
            place = QRectF(x - 40, plot.bottom() + 2, 80, AXIS_HEIGHT - 2)
            align = Qt.AlignmentFlag.AlignHCenter
            if value == 0:
                place, align = QRectF(x, place.top(), 40, place.height()), Qt.AlignmentFlag.AlignLeft
            elif place.right() > plot.right():
                continue
            painter.drawText(place, align | Qt.AlignmentFlag.AlignVCenter, f"{value:,}")

    def words_at(self, x: float) -> str:
        """Return what the bar at an x counts, in words."""
        if not self._bins.counts:
            return ""
        number = int(self.value_at(x) / self._bins.step)
        if number >= len(self._bins.counts):
            return f"{self._bins.overflow:,} over {round(self._bins.upper):,} {self._unit}"
        first, last = round(number * self._bins.step), round((number + 1) * self._bins.step) - 1
        return f"{self._bins.counts[max(0, number)]:,} of {first:,} to {last:,} {self._unit}"

    def event(self, event: QEvent) -> bool:
        """Say in a tooltip what a bar counts."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(event.pos().x()), self, QRect())
            return True
        return super().event(event)


class TokenHistogram(Histogram):
    """Chunks by tokens, with what the target model reads as a fixed line."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "chunks out, tokens", "tokens")
        self._limit = 0
        self._is_counted = False

    def show_tokens(self, tokens: Sequence[int] | NDArray[np.int64] | None, limit: int) -> None:
        """Show token counts against a limit; None while they are being counted."""
        if (limit, tokens is not None) != (self._limit, self._is_counted):
            self._limit, self._is_counted = limit, tokens is not None
            self._redraw()
        lengths = np.asarray(tokens if tokens is not None else (), dtype=np.int64)
        most = float(lengths.max()) * 1.05 if len(lengths) else 0.0
        self.set_lengths(lengths, max(limit * 1.2, min(most, limit * 1.6)))

    def _upper_for(self, number: int) -> float:
        """Return an end by which no bar stands on both sides of the limit."""
        if not self._limit:
            return self._upper
        below = max(1, round(self._limit / max(1.0, self._upper) * number))
        return self._limit / below * number

    def _bar_color(self, start: float) -> QColor:
        return self._theme.color("truncation" if start > self._limit - 1 else "bar")

    def _paint_lines(self, painter: QPainter) -> None:
        plot = self.plot()
        if not self._is_counted:
            painter.setPen(self._theme.color("dim"))
            painter.drawText(plot, Qt.AlignmentFlag.AlignCenter, "counting tokens …")
        if not self._limit:
            return
        color = self._theme.color("truncation")
        x = round(self.x_of(self._limit)) + 0.5
        painter.setPen(QPen(color, 2, Qt.PenStyle.CustomDashLine))
        pen = painter.pen()
        pen.setDashPattern([1.5, 1.5])
        painter.setPen(pen)
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.setPen(color)
        painter.setFont(ui_font(SMALL_PIXELS, QFont.Weight.DemiBold))
        place = QRectF(0, plot.top() - 1, x - 5, LABEL_ROW)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, right, f"model reads {self._limit:,}")
