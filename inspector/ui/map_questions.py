"""What is asked of the map: a question or "more like this", scored against every chunk, filtered by document."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from inspector import vector_tasks
from inspector.embedding.projection import Layout, place_by
from inspector.embedding.search import Hits, score_all

Vectors = NDArray[np.float32]

ANSWERS = 20
MANY_ROWS = 5_000
"""Chunks up to which a question is scored in the window's own thread: a millisecond."""


class Point(NamedTuple):
    """A chunk on the map."""

    document: str
    chunk: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit of a question: which point, its row, its cosine similarity."""

    point: Point
    row: int
    score: float


@dataclass(frozen=True, eq=False)
class Answers:
    """What was asked, with its hits, best first, all scores by row, and where it stands on the map (or None).

    `like` is the chunk whose likes were asked for, in place of a question.
    """

    question: str
    hits: tuple[Answer, ...] = ()
    scores: Vectors = field(default_factory=lambda: np.zeros(0, np.float32))
    place: tuple[float, float] | None = None
    is_truncated: bool = False
    like: Point | None = None


@dataclass(frozen=True, eq=False)
class Asked:
    """A question's unit vector (d,) float32 with its words, or that of a chunk whose likes are asked for."""

    question: str
    vector: Vectors
    is_truncated: bool = False
    like: Point | None = None


@dataclass(frozen=True, eq=False)
class Ranking:
    """The scores of all rows of a matrix, and the best of those that were allowed."""

    asked: Asked
    matrix: Vectors
    scores: Vectors
    hits: Hits
    allowed: NDArray[np.bool_] | None = None


def score(asked: Asked, matrix: Vectors, allowed: NDArray[np.bool_] | None = None) -> Ranking:
    """Score what was asked against rows of length 1 (n, d); the chunk it is like, at its own place, is no answer."""
    wanted = ANSWERS if asked.like is None else ANSWERS + 1
    scores, hits = score_all(asked.vector, matrix, wanted, allowed)
    if asked.like is not None:
        own = next((row for row in hits.indices if np.array_equal(matrix[row], asked.vector)), -1)
        others = hits.indices != own
        hits = Hits(hits.indices[others][:ANSWERS], hits.scores[others][:ANSWERS])
    return Ranking(asked, matrix, scores, hits, allowed)


class Asker(QObject):
    """Scores what is asked, in a thread of its own where there is much; an answer to something older is dropped."""

    changed = Signal()
    _scored = Signal(object)  # Ranking, from the thread that scores

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.answers = Answers("")
        self._asked: Asked | None = None
        self._points: tuple[Point, ...] = ()
        self._matrix: Vectors | None = None
        self._documents: frozenset[str] | None = None
        self._allowed: NDArray[np.bool_] | None = None
        self._hits: Hits | None = None
        self._layout: Layout | None = None
        self._scorer: ThreadPoolExecutor | None = None
        self._scored.connect(self._on_scored)

    @property
    def asked(self) -> Asked | None:
        """What was asked last, None for nothing."""
        return self._asked

    def show(self, points: Sequence[Point], matrix: Vectors | None) -> None:
        """Answer from other chunks, whose vectors are the rows of a matrix (None: not all are here yet)."""
        self._points, self._matrix = tuple(points), matrix
        self._layout = None  # of the chunks before
        self._allow()

    def show_layout(self, layout: Layout | None) -> None:
        """Say where the chunks stand now."""
        self._layout = layout
        place = self._place_of(self.answers)
        if place != self.answers.place:
            self.answers = replace(self.answers, place=place)
            self.changed.emit()

    def ask(self, asked: Asked) -> None:
        """Answer from the chunks there are."""
        self._asked = asked
        self._rank()

    def forget(self) -> None:
        """Take the answers away."""
        self._asked = self._hits = None
        self.answers = Answers("")
        self.changed.emit()

    def choose_documents(self, documents: frozenset[str] | None) -> None:
        """Answer from these documents only; None for all."""
        if documents != self._documents:
            self._documents = documents
            self._allow()
            self._rank()

    def close(self) -> None:
        """Let the thread that scores end."""
        if self._scorer is not None:
            self._scorer.shutdown(cancel_futures=True)
            self._scorer = None

    def _allow(self) -> None:
        names = self._documents
        self._allowed = None
        if names is not None:
            self._allowed = np.fromiter((point.document in names for point in self._points), np.bool_)

    def _rank(self) -> None:
        if self._matrix is None or self._asked is None:
            return
        if len(self._matrix) <= MANY_ROWS:
            self._on_scored(score(self._asked, self._matrix, self._allowed))
            return
        if self._scorer is None:
            self._scorer = ThreadPoolExecutor(1, thread_name_prefix="score")
        self._scorer.submit(score, self._asked, self._matrix, self._allowed).add_done_callback(self._deliver)

    def _deliver(self, future: Future[Ranking]) -> None:
        """Bring scores from the thread that made them to the window's."""
        if not future.cancelled():
            self._scored.emit(future.result())

    def _on_scored(self, ranking: Ranking) -> None:
        """Show the answers, unless something else was asked, or the chunks have changed meanwhile."""
        asked = ranking.asked
        if ranking.matrix is not self._matrix or asked is not self._asked or ranking.allowed is not self._allowed:
            return
        hits = tuple(
            Answer(self._points[row], int(row), float(value))
            for row, value in zip(ranking.hits.indices, ranking.hits.scores, strict=True)
        )
        self._hits = ranking.hits
        answers = Answers(asked.question, hits, ranking.scores, None, asked.is_truncated, asked.like)
        self.answers = replace(answers, place=self._place_of(answers))
        self.changed.emit()

    def _place_of(self, answers: Answers) -> tuple[float, float] | None:
        """Say where a question's nearest chunks are on the map that is shown."""
        layout = self._layout
        if not answers.hits or self._hits is None or layout is None or answers.like is not None:
            return None
        if len(answers.scores) != len(layout.coordinates):
            return None
        x, y = place_by(self._hits, layout.coordinates)
        return float(x), float(y)


def asked_of(result: vector_tasks.EncodeQuestionResult) -> Asked:
    """Give a question that was encoded as what is asked."""
    return Asked(result.question, result.vector, result.is_truncated)
