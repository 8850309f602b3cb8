"""From the session's facts to what the views show; the only place that knows both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields

import numpy as np
from PySide6.QtCore import QObject, QTimer

from inspector import document_tasks
from inspector.compare.metrics import LESS, MORE, metric_labels
from inspector.comparison import CompareResult
from inspector.core.chunk import Chunk
from inspector.core.dialects import DIALECTS
from inspector.core.explain import explain_chunk
from inspector.core.options import Options
from inspector.core.problems.problem import Problem
from inspector.core.problems.reading import unreadable
from inspector.core.strategies.choices import Choices
from inspector.embedding.context import embedding_input
from inspector.embedding.measure import Reading
from inspector.plugins import all_strategies
from inspector.reading import ReadDocument
from inspector.settings import AUTO, NONE
from inspector.ui.card import Card, card_for
from inspector.ui.chooser import Choice
from inspector.ui.compare_panel import Disagreement, MetricRow
from inspector.ui.histogram import nearest_rank
from inspector.ui.library import Lengths
from inspector.ui.outline_tree import OutlineRow
from inspector.ui.picture import TokenMark
from inspector.ui.problems_panel import ProblemRow
from inspector.ui.session import Session
from inspector.ui.strip import StripCounts
from inspector.ui.totals import FolderTotals

SOON_MILLISECONDS = 60


def outline_row(document: ReadDocument) -> OutlineRow:
    """Return a document as the outline shows it."""
    truncated = frozenset(index for index, reading in enumerate(document.readings) if reading.count.is_truncated)
    return OutlineRow(
        document.name,
        document.totals.chunks,
        sum(chunk.characters for chunk in document.chunking.chunks),
        document.chunking,
        truncated,
    )


def dialect_words(session: Session) -> tuple[str, str]:
    """Return which site dialect is read, in a few words and in full; nothing where none was found."""
    labels = [dialect.label for name, dialect in DIALECTS.items() if name in session.settings.options.dialects]
    choice = session.settings.dialect
    if not labels:
        return ("dialect: none", "Site syntax stays as it is") if choice == NONE else ("", "")
    how = " (detected)" if choice == AUTO else ""
    more = f" +{len(labels) - 1}" if len(labels) > 1 else ""
    return f"dialect: {labels[0]}{more}{how}", f"Site syntax that is taken out: {', '.join(labels)}"


def token_marks(document: ReadDocument, session: Session) -> tuple[TokenMark, ...]:
    """Return how the target model reads each chunk of a document; empty while it is not counted."""
    return tuple(
        TokenMark(
            reading.count.tokens,
            reading.count.limit,
            reading.count.unread_tokens,
            None if reading.stops_in_context else reading.unread_from,
            reading.context_tokens,
            session.is_approximate,
        )
        for reading in document.readings
    )


class CardMaker:
    """Makes the cards of a document, and keeps those whose chunk and reading are the same as last time."""

    def __init__(self) -> None:
        """Begin without cards."""
        self._made: dict[int, tuple[Chunk, Reading | None, Card]] = {}

    def cards(self, document: ReadDocument, session: Session) -> list[Card]:
        """Return a document's chunks as cards; without tokens while these are not counted."""
        chunks, readings = document.chunking.chunks, document.readings or (None,) * len(document.chunking.chunks)
        before, self._made = self._made, {}
        for chunk, reading in zip(chunks, readings, strict=True):
            kept = before.get(chunk.index)
            if kept is None or kept[0].pieces is not chunk.pieces or kept[1] is not reading:
                made = (
                    _card(chunk, reading, session) if reading is not None else _uncounted_card(chunk, document, session)
                )
                kept = (chunk, reading, made)
            self._made[chunk.index] = kept
        return [card for _, _, card in self._made.values()]


def _card(chunk: Chunk, reading: Reading, session: Session) -> Card:
    return card_for(
        chunk,
        reading.text,
        reading.input.prefix_length,
        tokens=reading.count.tokens,
        limit=reading.count.limit,
        unread_tokens=reading.count.unread_tokens,
        unread_at=reading.count.unread_from,
        is_approximate=session.is_approximate,
    )


def _uncounted_card(chunk: Chunk, document: ReadDocument, session: Session) -> Card:
    title, prefix = document.chunking.document.title, session.target.passage_prefix
    entry = embedding_input(chunk.text, title, chunk.trail, session.settings.context, prefix=prefix)
    return card_for(chunk, entry.text, entry.prefix_length)


def explanation(session: Session, index: int) -> str:
    """Return the rules that made a chunk of the open document, and what its model makes of it."""
    document = session.open
    if document is None or index >= len(document.chunking.chunks):
        return ""
    own = session.settings.own
    steps = list(explain_chunk(document.chunking, index)) if own is None else [", ".join(strategy_words(session))]
    if index < len(document.readings):
        reading = document.readings[index]
        if reading.input.prefix_length:
            steps.append(f"title +{reading.context_tokens:,}")
        about = "≈" if session.is_approximate else ""
        steps.append(f"{about}{reading.count.tokens:,} of {reading.count.limit:,} tokens")
    return " → ".join(steps)


def strategy_words(session: Session) -> list[str]:
    """Return the options of a strategy beside `headings`, a line each; none of `headings`, whose are the thresholds."""
    own = session.settings.own
    return [all_strategies()[own.strategy].label, *options_words(own)] if own is not None else []


def options_words(own: Options | Choices) -> list[str]:
    """Return options in words, one each: thresholds of `headings`, all of another strategy."""
    if isinstance(own, Options):
        return [f"drop {own.drop:,}", f"fold {own.fold:,}", f"cap {own.cap:,}"]
    words = []
    for option in fields(own):
        value = getattr(own, option.name)
        if option.name == "unit" or value is True:
            continue
        shown = f"{value:,}" if type(value) is int else str(value)
        if value is False:
            shown = "no"
        elif isinstance(value, tuple):
            shown = f"{len(value):,}"
        elif option.name == "chunks":
            shown = str(value).rpartition("/")[2] or "choose a file"
        unit = f" {getattr(own, 'unit', '')}" if option.name == "size" else ""
        words.append(f"{option.metadata['label'].lower()} {shown}{unit}")
    return words


def compare_sides(session: Session) -> tuple[str, str]:
    """Return in words what is compared: the strategy in force with its options, and the other one's options."""
    left = strategy_words(session)
    if not left:
        options = session.settings.options
        left = ["Headings", f"{options.drop:,} / {options.fold:,} / {options.cap:,}"]
    right = options_words(session.compare.options)
    return ", ".join(left), ", ".join(right)


def metric_rows(result: CompareResult | None) -> list[MetricRow]:
    """Return the table of a comparison, the agreement of boundaries last."""
    if result is None:
        return []
    rows = []
    for name, label in metric_labels().items():
        left, right = getattr(result.left, name), getattr(result.right, name)
        delta = right - left
        good = {LESS: -1, MORE: 1}.get(label["good"], 0)
        sign = good * ((delta > 0) - (delta < 0))
        mine, other, shown = (_metric_words(value, label["unit"]) for value in (left, right, delta))
        shown = f"+{shown}" if delta > 0 else shown.replace("-", "−") if delta else ""
        rows.append(MetricRow(label["label"], mine, other, shown, sign, label["good"]))
    agreed = result.agreement
    rows.append(MetricRow("Boundary agreement, F1", "", f"{agreed.f1:.2f}", "", 0, "1 where all boundaries agree"))
    words = "0 where all windows hold as many boundaries (Pevzner and Hearst, 2002)"
    rows.append(MetricRow("WindowDiff", "", f"{agreed.window_diff:.2f}", "", 0, words))
    return rows


def _metric_words(value: float, unit: str) -> str:
    if unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:.2f} s" if unit == "seconds" else f"{value:,}"


def disagreements(session: Session) -> list[Disagreement]:
    """Return where only one side cuts the open post."""
    document = session.open
    if document is None:
        return []
    source, lines = document.chunking.document.source, document.chunking.document.lines
    return [
        Disagreement(
            boundary.offset,
            lines.line_of(boundary.offset),
            "A" if boundary.left is not None else "B",
            " ".join(source[boundary.offset : boundary.offset + 80].split()),
        )
        for boundary in session.compare.boundaries
        if not boundary.agrees
    ]


def places(session: Session) -> list[Choice]:
    """Return all posts and their headings, as places to go to: (document, source offset)."""
    choices: list[Choice] = []
    for name, document in session.documents.items():
        choices.append(Choice(document.chunking.document.title, "", name, (name, -1)))
        choices += [
            Choice(section.trail[-1], " › ".join(section.trail[:-1]), name, (name, section.span.start))
            for section in document.chunking.sections
            if section.trail and section.heading is not None
        ]
    return choices


class ProblemRows:
    """The problems of a folder as rows; those of a document are made once."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._made: dict[str, tuple[tuple[Problem, ...], list[ProblemRow]]] = {}

    def rows(self, session: Session) -> list[ProblemRow]:
        """Return all problems: the files that cannot be read, then those of the documents, in order."""
        codes = session.settings.rules.codes
        found = [ProblemRow(name, unreadable(name, file.message)) for name, file in session.unreadable.items()]
        kept, self._made = self._made, {}
        for name, document in session.documents.items():
            made = kept.get(name)
            if made is None or made[0] is not document.problems:
                made = (document.problems, [ProblemRow(name, problem) for problem in document.problems])
            self._made[name] = made
            found += made[1]
            found += [ProblemRow(name, problem) for problem in session.likeness.of(name)]
        return [row for row in found if row.problem.code in codes]


def strip_counts(session: Session, fit_cap: int | None) -> StripCounts:
    """Return what the strip shows when nothing is dragged."""
    totals, sizes = session.totals, session.library.sizes()
    chunks = sizes.chunks
    return StripCounts(
        sizes.sections.astype(np.int64),
        totals.chunks,
        session.chunks_before or None,
        totals.dropped,
        totals.folded,
        totals.split,
        sizes.tokens.astype(np.int64) if sizes.tokens is not None else None,
        session.token_limit,
        totals.truncated,
        totals.unread_tokens,
        fit_cap if totals.truncated else None,
        median_of(chunks),
        int(chunks.max()) if len(chunks) else 0,
        int(chunks.min()) if len(chunks) else 0,
        session.seconds,
        session.is_approximate,
    )


def median_of(sizes: Lengths) -> int:
    """Return the middle size by nearest rank, as the comparison counts it; 0 of none."""
    return int(nearest_rank(sizes, 0.5))


def dragged_counts(session: Session, result: document_tasks.CountResult) -> StripCounts:
    """Return what the strip shows while a line is dragged: sizes without token counts."""
    chunks = result.chunks
    return StripCounts(
        result.sections.astype(np.int64),
        len(chunks),
        session.chunks_before or None,
        result.dropped,
        result.folded,
        result.split,
        None,
        session.token_limit,
        median=median_of(chunks),
        longest=int(chunks.max()) if len(chunks) else 0,
        shortest=int(chunks.min()) if len(chunks) else 0,
        seconds=session.seconds,
        is_approximate=session.is_approximate,
    )


def ledger_words(totals: FolderTotals) -> list[str]:
    """Return the ledger's shares as the status bar says them."""
    if not totals.characters:
        return []
    dropped = totals.removed.get("dropped", 0)
    cleaned = sum(totals.removed.values()) - dropped
    share = 100 / totals.characters
    return [
        f"{totals.characters:,} characters",
        f"in chunks {totals.kept * share:.1f} %",
        f"cleaned {cleaned * share:.1f} %",
        f"dropped {dropped * share:.1f} %",
    ]


def left_out_counts(session: Session) -> tuple[dict[str, int], list[str]]:
    """Return how many files are left out by reason, most first, and their names with the reason."""
    left_out = session.left_out()
    reasons = Counter(entry.reason.partition(":")[0] for entry in left_out)
    return dict(reasons.most_common()), [f"{entry.name}: {entry.reason}" for entry in left_out]


class Soon(QObject):
    """Calls a function a little later, once for many wishes."""

    def __init__(
        self,
        function: Callable[[], object],
        parent: QObject,
        milliseconds: int = SOON_MILLISECONDS,
        *,
        at_rest: bool = False,
        busy: int = 0,
        turns: int = 0,
    ) -> None:
        """With `at_rest` every wish puts the call off: it comes when no more are made. `busy` is the time to wait while
        `is_busy` is set, as there will be many more. `turns` of the event loop are let pass besides, in the first of
        which what has changed is painted: much to do in one of them would hold the window up.
        """
        super().__init__(parent)
        self._function = function
        self._turns = self._left = turns
        self._at_rest = at_rest
        self._milliseconds, self._busy = milliseconds, busy or milliseconds
        self.is_busy = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_time)

    @property
    def is_waiting(self) -> bool:
        """Whether a wish has not been met yet."""
        return self._timer.isActive()

    def wish(self) -> None:
        """Have it called soon."""
        wait = self._busy if self.is_busy else self._milliseconds
        if self._at_rest or not self._timer.isActive() or self._timer.remainingTime() > wait:
            self._left = self._turns
            self._timer.start(wait)

    def _on_time(self) -> None:
        if self._left:
            self._left -= 1
            self._timer.start(0)
        else:
            self._function()
