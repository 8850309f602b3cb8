"""The map and the questions put to it: vectors of all chunks, their layout, the hits of a question."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from inspector import tasks
from inspector.embedding.cache import StoredLayout, input_digest
from inspector.embedding.encoder import ENGINE
from inspector.embedding.models import ANY_ENGINE, EngineChoice, Model
from inspector.embedding.projection import FEWEST_FOR_UMAP, Layout, place_by, place_newcomers
from inspector.embedding.search import Hits, score_all
from inspector.ui.embedding_job import Embedder
from inspector.ui.runner import Failure, Landing, Lane, Runner

PCA, UMAP, KEPT, QUESTION, WARM_UP = "pca", "umap", "kept", "question", "warm up"
EXPORT, LOAD, FORESIGHT = "export", "load", "foresight"
ANSWERS = 20
MANY_ROWS = 5_000
"""Chunks up to which a question is scored in the window's own thread: a millisecond."""
AUTOMATIC_SECONDS = 20.0
"""Embedding begins by itself when it is estimated to take less."""

FORESEEN = 32
"""Chunks of a folder that are looked up before it is read to its end, to tell whether the model will be needed."""
EXPORT_MILLISECONDS = 20_000
"""After the last vector, or an answer, the file of the fast engine is made, when nothing else goes on."""

Vectors = NDArray[np.float32]


class Point(NamedTuple):
    """A chunk on the map."""

    document: str
    chunk: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit of a question: which point, its cosine similarity."""

    point: Point
    row: int
    score: float


@dataclass(frozen=True, slots=True)
class Answers:
    """A question with its hits, best first, all scores by row, and where it stands on the map (or None)."""

    question: str
    hits: tuple[Answer, ...] = ()
    scores: Vectors = field(default_factory=lambda: np.zeros(0, np.float32))
    place: tuple[float, float] | None = None
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Ranking:
    """A question's scores of all rows of a matrix, and the best of them."""

    result: tasks.EncodeQuestionResult
    matrix: Vectors
    scores: Vectors
    hits: Hits


def _score(result: tasks.EncodeQuestionResult, matrix: Vectors) -> _Ranking:
    """Score a question."""
    return _Ranking(result, matrix, *score_all(result.vector, matrix, ANSWERS))


class MapKeeper(QObject):
    """Keeps vectors, layout and answers in step with the chunks; all work is done in worker processes."""

    map_changed = Signal()
    answers_changed = Signal()
    stage_changed = Signal(str)  # what is under way, in words; "" when nothing is
    engine_changed = Signal()
    progressed = Signal(int, int, float, str)
    postponed = Signal(int, float)  # chunks without a vector, estimated seconds
    failed = Signal(str)
    noticed = Signal(str)
    _scored = Signal(object)  # _Ranking, from the thread that scores

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self.embedder = Embedder(runner, parent=self)
        self._model: Model | None = None
        self._folder = ""
        self.points: tuple[Point, ...] = ()
        self._texts: tuple[str, ...] = ()
        self.layout: Layout | None = None
        self.layout_points: tuple[Point, ...] = ()
        self._layout_digests: tuple[str, ...] = ()
        self.answers = Answers("")
        self._pending_question = ""
        self._matrix: Vectors | None = None
        self._asked = ""
        self._hits: Hits | None = None
        self._scorer: ThreadPoolExecutor | None = None
        self._loaded: Model | None = None
        self._is_warm = False
        self.engine = ""  # that computed the last vector, "" while none was
        self._exported: Model | None = None
        self._foreseen: tuple[str, ...] = ()
        self._export_soon = QTimer(self)
        self._export_soon.setSingleShot(True)
        self._export_soon.setInterval(EXPORT_MILLISECONDS)
        self._export_soon.timeout.connect(self._export_when_idle)
        self._is_wanted = False
        self.is_postponed = False
        self.estimate = 0.0
        embedder = self.embedder
        embedder.finished.connect(self._on_embedded)
        embedder.postponed.connect(self._on_postponed)
        embedder.progressed.connect(self._on_progressed)
        embedder.failed.connect(self._on_failed_text)
        embedder.noticed.connect(self.noticed)
        self._scored.connect(self._on_scored)
        runner.landed.connect(self._on_landed)
        runner.failed.connect(self._on_failed)

    @property
    def model(self) -> Model | None:
        """The model that draws the map."""
        return self._model

    @property
    def is_complete(self) -> bool:
        """Whether every chunk has a vector."""
        return bool(self.points) and self._matrix is not None

    @property
    def missing_count(self) -> int:
        """How many chunks have no vector yet."""
        return self.embedder.missing_count if self._model is not None else len(self.points)

    def choose_engine(self, choice: EngineChoice) -> None:
        """Say which engine may serve from now on."""
        self.embedder.engine_choice = choice

    def foresee(self, model: Model, texts: Sequence[str]) -> None:
        """While a folder is read: have the model loaded already if one of its first chunks has no vector."""
        self._foreseen = tuple(map(input_digest, texts[:FORESEEN]))
        request = tasks.CachedVectorsRequest(model, self._foreseen)
        self._runner.submit(Lane.EMBED, tasks.run_cached_vectors, request, FORESIGHT)

    def _on_foreseen(self, result: tasks.CachedVectorsResult) -> None:
        for notice in result.notices:
            self.noticed.emit(notice)
        if not set(self._foreseen) <= set(result.digests):
            self._load_model(result.model)

    def show(self, model: Model, folder: str, points: Sequence[Point], texts: Sequence[str], *, now: bool) -> None:
        """Get vectors and a map for these chunks; without `now` only when that is estimated to be quick."""
        if folder != self._folder:
            self.leave_folder()
        self._model, self._folder = model, folder
        self.points, self._texts = tuple(points), tuple(texts)
        self._matrix = None
        self.is_postponed = False
        self._is_wanted = self._is_wanted or now
        self._runner.cancel(Lane.CHUNK, PCA)
        self._runner.cancel(Lane.CHUNK, KEPT)
        self._runner.cancel(Lane.PROJECT, UMAP)
        self.map_changed.emit()
        if not self.points:
            self.embedder.cancel()
            self.layout, self.layout_points = None, ()
            self.stage_changed.emit("")
            self.map_changed.emit()
            return
        self.stage_changed.emit("looking for vectors")
        self.embedder.start(model, self._texts, within=None if self._is_wanted else AUTOMATIC_SECONDS)

    def leave_folder(self) -> None:
        """Let go of a folder: nothing of it is shown any more, its finished vectors stay in the cache."""
        self.embedder.cancel()
        for lane, key in ((Lane.CHUNK, PCA), (Lane.CHUNK, KEPT), (Lane.PROJECT, UMAP), (Lane.SEARCH, QUESTION)):
            self._runner.cancel(lane, key)
        self._folder = ""
        self._is_wanted = False
        self.points, self._texts, self._matrix = (), (), None
        self.layout, self.layout_points, self._layout_digests = None, (), ()
        self.answers, self._pending_question, self._asked = Answers(""), "", ""
        self.is_postponed = False
        self.stage_changed.emit("")
        self.answers_changed.emit()
        self.map_changed.emit()

    def _warm_up(self) -> None:
        """Let the map worker import and compile while the model embeds."""
        if not self._is_warm and len(self.points) >= FEWEST_FOR_UMAP:
            self._is_warm = True
            self._runner.submit(Lane.PROJECT, tasks.run_warm_up, tasks.WarmUpRequest(), WARM_UP)

    def _take_engine(self, engine: str) -> None:
        """Note which engine serves, and have the faster one made where it is the slower."""
        if engine and engine != self.engine:
            self.engine = engine
            self.engine_changed.emit()
        if engine == ENGINE and self.embedder.engine_choice == ANY_ENGINE and self._exported != self._model:
            self._export_soon.start()

    def _export_when_idle(self) -> None:
        """Make the fast engine's file, unless something is under way; once for each model.

        A process of its own does it: it takes ten seconds, and a question is not to wait for it.
        """
        is_busy = any(map(self._runner.is_busy, (Lane.EMBED, Lane.PROJECT, Lane.CHUNK, Lane.SEARCH)))
        if self._model is None or self.embedder.engine_choice != ANY_ENGINE:
            return
        if is_busy or self.embedder.is_running:
            self._export_soon.start()
        elif self._exported != self._model:
            self._exported = self._model
            self._runner.submit(Lane.EXPORT, tasks.run_export, tasks.ExportRequest(self._model), EXPORT)

    def _load_model(self, model: Model) -> None:
        """Have the model worker load a model with the engine that may serve now."""
        request = tasks.LoadModelRequest(model, engine=self.embedder.engine_choice)
        self._runner.submit(Lane.EMBED, tasks.run_load_model, request, LOAD)

    def embed_now(self) -> None:
        """Embed what is missing, however long it takes, also what changes meanwhile."""
        self._is_wanted = True
        if self._model is not None and self.points:
            self.is_postponed = False
            self.stage_changed.emit("looking for vectors")
            self.embedder.start(self._model, self._texts)

    def cancel(self) -> None:
        """Stop embedding; finished vectors stay."""
        self._is_wanted = False
        self.embedder.cancel()
        self._runner.cancel(Lane.PROJECT, UMAP)
        self.is_postponed = self.missing_count > 0
        self.estimate = self.embedder.estimate(self.missing_count)
        self.stage_changed.emit("")
        self.map_changed.emit()

    def ask(self, question: str) -> None:
        """Rank all chunks by their similarity to a question; a blank one takes the answers away."""
        question = question.strip()
        self._asked = question
        if not question or self._model is None:
            self._pending_question = ""
            self.answers = Answers("")
            self.answers_changed.emit()
            return
        if self._matrix is None:
            self._pending_question = question
            if not self.embedder.is_running:
                self.embed_now()
            return
        self._pending_question = ""
        request = tasks.EncodeQuestionRequest(self._model, question, engine=self.embedder.engine_choice)
        self._runner.submit(Lane.SEARCH, tasks.run_encode_question, request, QUESTION)

    @property
    def is_live(self) -> bool:
        """Whether a question is answered at once: every chunk has its vector, and the model is loaded."""
        return self._matrix is not None and self._loaded == self._model

    def expect_question(self) -> None:
        """Have the model loaded, because a question is being typed."""
        if self._matrix is not None and self._loaded != self._model and self._model is not None:
            if not self._runner.is_busy(Lane.EMBED, LOAD):
                self._load_model(self._model)

    def close(self) -> None:
        """Let the thread that scores end, and plan nothing more."""
        self._export_soon.stop()
        if self._scorer is not None:
            self._scorer.shutdown(cancel_futures=True)
            self._scorer = None

    def _on_progressed(self, done: int, total: int, rate: float, stage: str) -> None:
        if done < total:
            self._warm_up()
        self.stage_changed.emit(stage)
        self.progressed.emit(done, total, rate, stage)

    def _on_postponed(self, count: int, seconds: float) -> None:
        self.is_postponed = True
        self.estimate = seconds
        self.stage_changed.emit("")
        self.postponed.emit(count, seconds)
        self.map_changed.emit()

    def _on_embedded(self) -> None:
        matrix, has_vector = self.embedder.matrix()
        if not has_vector.all() or len(matrix) != len(self.points):
            return
        self._matrix = matrix
        if self.embedder.engine:
            self._loaded = self._model
        self._take_engine(self.embedder.engine)
        self._is_wanted = False
        digests = self.embedder.digests
        if self._is_final and self._layout_digests == digests and self.layout_points == self.points:
            self.stage_changed.emit("")
            self.map_changed.emit()
        else:
            # in the chunk worker, which needs no more than the cache's file: the map worker may be compiling
            assert self._model is not None
            key = tasks.LayoutKey(self._model, self._folder, digests)
            self._runner.submit(Lane.CHUNK, tasks.run_kept_layout, key, KEPT)
        if self._pending_question:
            self.ask(self._pending_question)
        elif self._asked:
            self.ask(self._asked)

    @property
    def _is_final(self) -> bool:
        """Whether the map shown is not the first, quick one of chunks that are enough for UMAP."""
        return self.layout is not None and (self.layout.method == "umap" or len(self.points) < FEWEST_FOR_UMAP)

    def _on_kept(self, kept: StoredLayout | None) -> None:
        """Show the map of the last start where it is of the same chunks, else make one."""
        digests = self.embedder.digests
        if self._matrix is None or len(digests) != len(self.points):
            return
        if kept is None or kept.digests != digests:
            self._project(self._matrix, digests)
            return
        self._take_layout(kept.layout)
        self.stage_changed.emit("")

    def _take_layout(self, layout: Layout) -> None:
        self.layout, self.layout_points = layout, self.points
        self._layout_digests = self.embedder.digests
        self._place_question()
        self.map_changed.emit()

    def _project(self, matrix: Vectors, digests: tuple[str, ...]) -> None:
        """PCA at once, UMAP when ready."""
        assert self._model is not None
        key = tasks.LayoutKey(self._model, self._folder, digests)
        start = self._start_from(digests)
        if start is None:
            self._runner.submit(Lane.CHUNK, tasks.run_project, tasks.ProjectRequest(matrix, "pca"), PCA)
        if len(matrix) >= FEWEST_FOR_UMAP:
            request = tasks.ProjectRequest(matrix, "umap", key=key, start=start)
            self._runner.submit(Lane.PROJECT, tasks.run_project, request, UMAP)
            self.stage_changed.emit("UMAP running")
        else:
            self.stage_changed.emit("")

    def _start_from(self, digests: tuple[str, ...]) -> Vectors | None:
        """Where the last map's chunks stand, when most of them are still here, so that the map hardly moves."""
        if self.layout is None or self.layout.method != "umap" or self._matrix is None:
            return None
        known = dict(zip(self._layout_digests, self.layout.coordinates, strict=True))
        stays = np.array([digest in known for digest in digests])
        if stays.mean() < 0.5:
            return None
        start = np.zeros((len(digests), 2), np.float32)
        old = np.array([known[digest] for digest in digests if digest in known], np.float32)
        start[stays] = old
        start[~stays] = place_newcomers(self._matrix[~stays], self._matrix[stays], old)
        return start

    def _on_landed(self, landing: Landing) -> None:
        if landing.key in (PCA, UMAP):
            if self._matrix is None or len(landing.result.coordinates) != len(self.points):
                return
            if landing.key == UMAP:
                self.stage_changed.emit("")
            self._take_layout(landing.result)
        elif landing.key == KEPT and landing.lane is Lane.CHUNK:
            self._on_kept(landing.result)
        elif landing.lane is Lane.SEARCH and landing.key == QUESTION:
            self._on_answered(landing.result)
            self._rank(landing.result)
        elif landing.lane is Lane.EMBED and landing.key == LOAD:
            self._on_answered(landing.result)
        elif landing.lane is Lane.EXPORT and landing.result.is_ready and landing.result.model == self._model:
            self._load_model(landing.result.model)
        elif landing.lane is Lane.EMBED and landing.key == FORESIGHT:
            self._on_foreseen(landing.result)

    def _on_answered(self, result: tasks.EncodeQuestionResult | tasks.LoadModelResult) -> None:
        for notice in result.notices:
            self.noticed.emit(notice)
        self._loaded = result.model
        if result.model == self._model:
            self._take_engine(result.engine)

    def _rank(self, result: tasks.EncodeQuestionResult) -> None:
        if self._matrix is None or result.model != self._model:
            return
        if len(self._matrix) <= MANY_ROWS:
            self._on_scored(_score(result, self._matrix))
            return
        if self._scorer is None:
            self._scorer = ThreadPoolExecutor(1, thread_name_prefix="score")
        self._scorer.submit(_score, result, self._matrix).add_done_callback(self._deliver)

    def _deliver(self, future: Future[_Ranking]) -> None:
        """Bring scores from the thread that made them to the window's."""
        if not future.cancelled():
            self._scored.emit(future.result())

    def _on_scored(self, ranking: _Ranking) -> None:
        """Show the answers, unless another question was asked, or the chunks have changed meanwhile."""
        result, hits = ranking.result, ranking.hits
        if ranking.matrix is not self._matrix or result.question != self._asked:
            return
        answers = tuple(
            Answer(self.points[row], int(row), float(score))
            for row, score in zip(hits.indices, hits.scores, strict=True)
        )
        self._hits = hits
        self.answers = Answers(result.question, answers, ranking.scores, None, result.is_truncated)
        self._place_question()
        self.answers_changed.emit()

    def _place_question(self) -> None:
        """Put the question where its nearest chunks are on the map that is shown."""
        answers = self.answers
        if not answers.hits or self._hits is None or self.layout is None or self.layout_points != self.points:
            return
        if len(answers.scores) != len(self.points):  # of the chunks before; asked again once all have vectors
            return
        x, y = place_by(self._hits, self.layout.coordinates)
        self.answers = Answers(
            answers.question, answers.hits, answers.scores, (float(x), float(y)), answers.is_truncated
        )
        self.answers_changed.emit()

    def _on_failed_text(self, message: str) -> None:
        self.is_postponed = True
        self.estimate = self.embedder.estimate(self.missing_count)
        self.stage_changed.emit("")
        self.failed.emit(message)
        self.map_changed.emit()

    def _on_failed(self, failure: Failure) -> None:
        if failure.key in (PCA, UMAP, QUESTION):
            self.stage_changed.emit("")
            self.failed.emit(failure.message)
