"""The strip: the three thresholds, both histograms, and the numbers that are always in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from inspector.core.options import MINIMUM_CAP
from inspector.ui.controls import SteadyLabel, dim_label, set_state
from inspector.ui.histogram import TokenHistogram, axis_upper
from inspector.ui.sweep_view import SweepView
from inspector.ui.theme import FAR, NEAR, TIGHT, WIDE, Theme
from inspector.ui.threshold_histogram import CAP, DROP, FOLD, NAMES, ThresholdHistogram

HIGHEST = 200_000
HEIGHT = 146
DEFAULTS = (80, 320, 1400)
SUMMARY_LINES = 4


@dataclass(frozen=True)
class StripCounts:
    """What the strip shows of a folder. Lengths are code points of cleaned sections, `tokens` one number a chunk.

    `chunks_before` is the number before the last change, None when there was none; `fit_cap` the largest cap with
    nothing unread, None when it is not known.
    """

    section_lengths: Sequence[int] | NDArray[np.int64] = ()
    chunk_count: int = 0
    chunks_before: int | None = None
    dropped: int = 0
    folded: int = 0
    split: int = 0
    tokens: Sequence[int] | NDArray[np.int64] | None = None
    limit: int = 512
    truncated: int = 0
    unread_tokens: int = 0
    fit_cap: int | None = None
    median: int = 0
    longest: int = 0
    shortest: int = 0
    seconds: float | None = None
    is_approximate: bool = False


class ThresholdField(QSpinBox):
    """A spin box that keeps what was typed, sense or nonsense, until the strip has judged it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setRange(0, HIGHEST)
        self.setSingleStep(10)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(74)
        self.setAccessibleName(f"{name.capitalize()}, characters")
        self.lineEdit().setAccessibleName(f"{name.capitalize()}, characters")

    def stepBy(self, steps: int) -> None:
        """Step by 10, with Shift by 1."""
        is_fine = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
        self.setSingleStep(1 if is_fine else 10)
        super().stepBy(steps)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only with the focus, so that scrolling past changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take a half-typed value back with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.setValue(self.value())
            self.lineEdit().setText(self.textFromValue(self.value()))
            return
        super().keyPressEvent(event)


class Strip(QWidget):
    """Changes are told by `thresholds_dragged` (at every move) and `thresholds_committed` (when they count).

    `drag_ended` comes last, also where a drag was taken back.
    """

    thresholds_dragged = Signal(int, int, int)
    thresholds_committed = Signal(int, int, int)
    drag_ended = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts = StripCounts()
        self._good = DEFAULTS
        self._change = ""
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName("Thresholds and sizes")
        self.fields = tuple(ThresholdField(name) for name in NAMES)
        self._count_labels = tuple(SteadyLabel("dim", 66) for _ in NAMES)
        self._of_thresholds: list[QWidget] = []
        self._summary = tuple(dim_label() for _ in range(SUMMARY_LINES))
        self.sections = ThresholdHistogram(theme)
        self.sweep = SweepView(theme)
        self.tokens = TokenHistogram(theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(WIDE + 2, NEAR, WIDE + 2, TIGHT)
        row.setSpacing(FAR + NEAR)
        row.addLayout(self._fields_grid())
        row.addLayout(self._sections_column(), 21)
        row.addWidget(self.tokens, 10)
        row.addLayout(self._numbers_column())
        row.addLayout(self._sizes_column())
        for number, field in enumerate(self.fields):
            field.valueChanged.connect(self._on_field_changed)
            field.setObjectName(f"threshold_{NAMES[number]}")
        self.sections.dragged.connect(self._on_dragged)
        self.sections.committed.connect(self._on_committed)
        self.sections.drag_started.connect(self._on_drag_started)
        self.sections.drag_ended.connect(self._on_drag_ended)
        self.sweep.cap_chosen.connect(self._take_cap)
        self.fit_button.clicked.connect(self._on_fit)
        self.reset_button.clicked.connect(self._on_reset)
        self.set_thresholds(*DEFAULTS)
        self.show_counts(self._counts)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the hairline below."""
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.color("hairline"))

    def _fields_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(NEAR)
        grid.setVerticalSpacing(TIGHT)
        grid.setRowStretch(4 + SUMMARY_LINES, 1)
        for number, field in enumerate(self.fields):
            label = QLabel(f"&{NAMES[number].capitalize()}")
            label.setBuddy(field)
            grid.addWidget(label, number, 0)
            grid.addWidget(field, number, 1)
            grid.addWidget(self._count_labels[number], number, 2)
            self._of_thresholds += [label, field, self._count_labels[number]]
        for row, line in enumerate(self._summary):
            line.setMinimumWidth(190)
            line.hide()
            grid.addWidget(line, 4 + row, 0, 1, 3)
        return grid

    def _sections_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.sections)
        column.addWidget(self.sweep)
        return column

    def _numbers_column(self) -> QVBoxLayout:
        self.chunks_label = SteadyLabel("big")
        self.before_label = SteadyLabel("dim")
        self.unread_label = QLabel()
        self.fit_button = QPushButton("Fit cap")
        self.fit_button.setToolTip("The largest cap with nothing unread here")
        self.reset_button = QPushButton("Reset")
        top = QHBoxLayout()
        top.setSpacing(NEAR)
        top.addWidget(self.chunks_label)
        top.addWidget(self.before_label, 1, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
        buttons = QHBoxLayout()
        buttons.addWidget(self.fit_button)
        buttons.addWidget(self.reset_button)
        buttons.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self.unread_label)
        column.addLayout(buttons)
        column.addStretch(1)
        self.unread_label.setMinimumWidth(214)
        return column

    def _sizes_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(5)
        column.setContentsMargins(0, NEAR, 0, 0)
        self.size_labels = tuple(SteadyLabel("dim", 92) for _ in range(3))
        for label in self.size_labels:
            column.addWidget(label)
        column.addStretch(1)
        return column

    def show_summary(self, words: Sequence[str]) -> None:
        """Show another strategy's options in place of the thresholds, which it does not have; none shows these."""
        has_thresholds = not words
        for widget in self._of_thresholds:
            widget.setVisible(has_thresholds)
        for label, text in zip(self._summary, [*words, "", "", "", ""], strict=False):
            label.setText(text)
            label.setVisible(bool(text))
        self.sections.set_editable(has_thresholds)
        self.sweep.setVisible(has_thresholds)

    @property
    def thresholds(self) -> tuple[int, int, int]:
        """The last thresholds that made sense."""
        return self._good

    def set_thresholds(self, drop: int, fold: int, cap: int) -> None:
        """Show other thresholds, without a signal."""
        self._good = (drop, fold, cap)
        self._fill_fields()
        for field in self.fields:
            field.setToolTip("")
        self.sections.set_values(drop, fold, cap)

    def show_counts(self, counts: StripCounts) -> None:
        """Show a folder's sizes and counts."""
        self._counts = counts
        lengths = np.asarray(counts.section_lengths, dtype=np.int64)
        upper = self.sections.bins.upper if self.sections.is_dragging else axis_upper(lengths, self._good[CAP])
        self.sections.set_lengths(lengths, upper)
        self.tokens.show_tokens(counts.tokens, counts.limit)
        words = (("dropped", counts.dropped), ("folded", counts.folded), ("split", counts.split))
        for label, (word, number) in zip(self._count_labels, words, strict=True):
            label.setText(f"{number:,} {word}")
        self._show_numbers(counts)

    def show_change(self, words: str) -> None:
        """Show what a change on disk did to the chunks, in place of how many there were; "" takes it away."""
        self._change = words
        self._show_numbers(self._counts)

    def _show_numbers(self, counts: StripCounts) -> None:
        self.chunks_label.setText(f"{counts.chunk_count:,} chunk{'' if counts.chunk_count == 1 else 's'}")
        before = counts.chunks_before
        is_other = before is not None and before != counts.chunk_count
        self.before_label.setText(self._change or (f"was {before:,}" if is_other else ""))
        seconds = counts.seconds
        self.chunks_label.setToolTip("" if seconds is None else f"Chunked in {seconds * 1000:,.0f} ms")
        nothing = counts.chunk_count == 0 and len(counts.section_lengths) > 0
        self.reset_button.setVisible(nothing)
        about = "≈" if counts.is_approximate else ""
        if nothing:
            set_state(self.unread_label, "mark", "fault")
            self.unread_label.setText(f"No section survives cleaning at drop = {self._good[DROP]:,}")
        elif counts.tokens is None:
            set_state(self.unread_label, "mark", "")
            self.unread_label.setText("")
        elif counts.truncated:
            set_state(self.unread_label, "mark", "truncation")
            unread = f"{about}{counts.unread_tokens:,} tokens unread"
            self.unread_label.setText(f"{counts.truncated:,} truncated · {unread}")
        else:
            set_state(self.unread_label, "mark", "ok")
            self.unread_label.setText("nothing unread" if counts.chunk_count else "")
        fits = counts.fit_cap
        self.fit_button.setText(f"Fit cap: {fits:,}" if fits is not None else "Fit cap")
        self.fit_button.setVisible(fits is not None and not nothing)
        self.fit_button.setEnabled(fits is not None and fits != self._good[CAP])
        sizes = (("median", counts.median), ("longest", counts.longest), ("shortest", counts.shortest))
        for label, (word, number) in zip(self.size_labels, sizes, strict=True):
            label.setText(f"{word} {number:,}" if counts.chunk_count else "")

    def _on_dragged(self, drop: int, fold: int, cap: int) -> None:
        self._good = (drop, fold, cap)
        self._fill_fields()
        self.thresholds_dragged.emit(drop, fold, cap)

    def _on_committed(self, drop: int, fold: int, cap: int) -> None:
        self._good = (drop, fold, cap)
        self._fill_fields()
        self.thresholds_committed.emit(drop, fold, cap)

    def _fill_fields(self) -> None:
        self.sweep.show_cap(self._good[CAP])
        for field, value in zip(self.fields, self._good, strict=True):
            if field.value() != value or field.lineEdit().text() != field.textFromValue(value):
                with QSignalBlocker(field):
                    field.setValue(value)  # paints the field, whatever its value was
            set_state(field, "wrong", False)

    def _on_drag_started(self) -> None:
        self.tokens.keep_ghost(True)

    def _on_drag_ended(self) -> None:
        self.tokens.keep_ghost(False)
        self.drag_ended.emit()

    def _on_field_changed(self) -> None:
        """Judge what was typed: what makes no sense is marked, and the last good thresholds stay."""
        drop, fold, cap = (field.value() for field in self.fields)
        faults = judge(drop, fold, cap)
        changed = [number for number, field in enumerate(self.fields) if field.value() != self._good[number]]
        for number, field in enumerate(self.fields):
            is_wrong = bool(faults) and (number in faults and (number in changed or not set(faults) & set(changed)))
            set_state(field, "wrong", is_wrong)
            field.setToolTip(faults.get(number, "") if is_wrong else "")
        if not faults and (drop, fold, cap) != self._good:
            self._good = (drop, fold, cap)
            self.sections.set_values(drop, fold, cap)
            self.thresholds_committed.emit(drop, fold, cap)

    def _on_fit(self) -> None:
        if self._counts.fit_cap is not None:
            self._take_cap(self._counts.fit_cap)

    def _take_cap(self, cap: int) -> None:
        """Take a cap, with fold and drop below it."""
        drop, fold, _ = self._good
        fold = min(fold, cap)
        self.set_thresholds(min(drop, fold), fold, cap)
        self.thresholds_committed.emit(*self._good)

    def _on_reset(self) -> None:
        self.set_thresholds(*DEFAULTS)
        self.thresholds_committed.emit(*DEFAULTS)


def judge(drop: int, fold: int, cap: int) -> dict[int, str]:
    """Return what makes no sense about three thresholds, by field."""
    faults: dict[int, str] = {}
    if cap < MINIMUM_CAP:
        faults[CAP] = f"The cap is at least {MINIMUM_CAP}"
    if drop > fold:
        faults[DROP] = f"Drop is above the fold of {fold:,}"
        faults[FOLD] = f"Fold is below the drop of {drop:,}"
    if fold > cap:
        faults.setdefault(FOLD, f"Fold is above the cap of {cap:,}")
        faults.setdefault(CAP, f"The cap is below the fold of {fold:,}")
    return faults
