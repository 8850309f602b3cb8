"""The map and the questions put to it: has every chunk embedded, laid out, and asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from inspector import vector_tasks
from inspector.embedding.cache import StoredLayout, input_digest
from inspector.embedding.encoder import BFLOAT16, ENGINE
from inspector.embedding.models import ANY_ENGINE, EngineChoice, Model
from inspector.embedding.projection import FEWEST_FOR_UMAP, Layout, MapFit
from inspector.ui.embedding_job import Embedder
from inspector.ui.map_layout import LayoutKeeper
from inspector.ui.map_questions import Answers, Asked, Asker, Point, asked_of
from inspector.ui.runner import Failure, Landing, Lane, Runner

__all__ = ["Answers", "MapKeeper", "Point"]

QUESTION, EXPORT, LOAD, FORESIGHT, WARM_UP = "question", "export", "load", "foresight", "warm up"
AUTOMATIC_SECONDS = 20.0
"""Embedding begins by itself when it is estimated to take less."""

FORESEEN = 32
"""Chunks of a folder that are looked up before it is read to its end, to tell whether the model will be needed."""
EXPORT_MILLISECONDS = 20_000
"""After the last vector, or an answer, the file of the fast engine is made, when nothing else goes on."""
EXPORTABLE = frozenset({ENGINE, BFLOAT16})
"""Engines that import torch at each start, where that file would not."""

Vectors = NDArray[np.float32]


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
    surveyed = Signal()  # how far the map can be trusted is known
    relaid = Signal(object, object)  # StoredLayout before and after a re-layout that was asked for

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self.embedder = Embedder(runner, parent=self)
        self._model: Model | None = None
        self._folder = ""
        self.points: tuple[Point, ...] = ()
        self._rows: dict[Point, int] = {}
        self._texts: tuple[str, ...] = ()
        self.layouts = LayoutKeeper(runner, self)
        self.asker = Asker(self)
        self.layout_points: tuple[Point, ...] = ()
        self._laid_out: tuple[Point, ...] = ()  # the points that were given to be laid out
        self._pending_question = ""
        self._asked = ""
        self._loaded: Model | None = None
        self._is_map_warm = False
        self.engine = ""  # that computed the last vector, "" while none was
        self._exported: Model | None = None
        self._foreseen: tuple[str, ...] = ()
        self._export_soon = QTimer(self)
        self._export_soon.setSingleShot(True)
        self._export_soon.setInterval(EXPORT_MILLISECONDS)
        self._export_soon.timeout.connect(self._export_when_idle)
        self._noticed: set[str] = set()
        self._is_wanted = False
        self.is_postponed = False
        self.estimate = 0.0
        embedder = self.embedder
        embedder.finished.connect(self._on_embedded)
        embedder.postponed.connect(self._on_postponed)
        embedder.progressed.connect(self._on_progressed)
        embedder.failed.connect(self._on_failed_text)
        embedder.noticed.connect(self._notice)
        layouts = self.layouts
        layouts.changed.connect(self._on_layout)
        layouts.surveyed.connect(self.surveyed)
        layouts.stage_changed.connect(self.stage_changed)
        layouts.failed.connect(self.failed)
        layouts.relaid.connect(self.relaid)
        self.asker.changed.connect(self.answers_changed)
        runner.landed.connect(self._on_landed)
        runner.failed.connect(self._on_failed)

    @property
    def model(self) -> Model | None:
        """The model that draws the map."""
        return self._model

    @property
    def is_complete(self) -> bool:
        """Whether every chunk has a vector."""
        return bool(self.points) and self.layouts.matrix is not None

    @property
    def layout(self) -> Layout | None:
        """Where the layout's points stand, None while there is no map."""
        return self.layouts.layout

    @property
    def answers(self) -> Answers:
        """What was asked last, with its hits."""
        return self.asker.answers

    @property
    def missing_count(self) -> int:
        """How many chunks have no vector yet."""
        return self.embedder.missing_count if self._model is not None else len(self.points)

    def choose_engine(self, choice: EngineChoice) -> None:
        """Say which engine may serve from now on."""
        self.embedder.engine_choice = choice

    def choose_fit(self, fit: MapFit) -> None:
        """Say how UMAP fits from now on."""
        self.layouts.choose_fit(fit)

    def relayout(self) -> bool:
        """Fit the map anew from where its points stand; `relaid` tells the maps before and after."""
        return self.layouts.relayout()

    def restore_layout(self, stored: StoredLayout) -> None:
        """Bring a map back that `relaid` told of."""
        self.layouts.restore_layout(stored)

    def foresee(self, model: Model, texts: Sequence[str]) -> None:
        """While a folder is read: have the model loaded already if one of its first chunks has no vector."""
        self._foreseen = tuple(map(input_digest, texts[:FORESEEN]))
        request = vector_tasks.CachedVectorsRequest(model, self._foreseen)
        self._runner.submit(Lane.CACHE, vector_tasks.run_cached_vectors, request, FORESIGHT)

    def _on_foreseen(self, result: vector_tasks.CachedVectorsResult) -> None:
        for notice in result.notices:
            self._notice(notice)
        if not set(self._foreseen) <= set(result.digests):
            self._load_model(result.model)

    def show(self, model: Model, folder: str, points: Sequence[Point], texts: Sequence[str], *, now: bool) -> None:
        """Get vectors and a map for these chunks; without `now` only when that is estimated to be quick."""
        if folder != self._folder:
            self.leave_folder()
        self._model, self._folder = model, folder
        self.points, self._texts = tuple(points), tuple(texts)
        self._rows = {point: row for row, point in enumerate(self.points)}
        self.is_postponed = False
        self._is_wanted = self._is_wanted or now
        self.layouts.forget_vectors()
        self.asker.show(self.points, None)
        self.map_changed.emit()
        if not self.points:
            self.embedder.cancel()
            self.layouts.clear()
            self.stage_changed.emit("")
            self.map_changed.emit()
            return
        self.stage_changed.emit("looking for vectors")
        self.embedder.start(model, self._texts, within=None if self._is_wanted else AUTOMATIC_SECONDS)

    def leave_folder(self) -> None:
        """Let go of a folder: nothing of it is shown any more, its finished vectors stay in the cache."""
        self.embedder.cancel()
        self._runner.cancel(Lane.SEARCH, QUESTION)
        self._folder = ""
        self._is_wanted = False
        self.points, self._texts, self._rows = (), (), {}
        self._pending_question, self._asked = "", ""
        self.layouts.leave()
        self.asker.show((), None)
        self.asker.forget()
        self.is_postponed = False
        self.stage_changed.emit("")
        self.map_changed.emit()

    def _take_engine(self, engine: str) -> None:
        """Note which engine serves, and have the file made that starts without torch, where it is another."""
        if engine and engine != self.engine:
            self.engine = engine
            self.engine_changed.emit()
        if engine in EXPORTABLE and self.embedder.engine_choice == ANY_ENGINE and self._exported != self._model:
            self._export_soon.start()

    def _export_when_idle(self) -> None:
        """Make the fast engine's file, unless something is under way; once for each model.

        A process of its own does it: it takes ten seconds, and a question is not to wait for it.
        """
        is_busy = any(map(self._runner.is_busy, (Lane.EMBED, Lane.PROJECT, Lane.CHUNK, Lane.CACHE, Lane.SEARCH)))
        if self._model is None or self.embedder.engine_choice != ANY_ENGINE:
            return
        if is_busy or self.embedder.is_running:
            self._export_soon.start()
        elif self._exported != self._model:
            self._exported = self._model
            self._runner.submit(Lane.EXPORT, vector_tasks.run_export, vector_tasks.ExportRequest(self._model), EXPORT)

    def _load_model(self, model: Model) -> None:
        """Have the model worker load a model with the engine that may serve now."""
        request = vector_tasks.LoadModelRequest(model, engine=self.embedder.engine_choice)
        self._runner.submit(Lane.EMBED, vector_tasks.run_load_model, request, LOAD)

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
        self.layouts.cancel()
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
            self.asker.forget()
            return
        if self.layouts.matrix is None:
            self._pending_question = question
            if not self.embedder.is_running:
                self.embed_now()
            return
        self._pending_question = ""
        request = vector_tasks.EncodeQuestionRequest(self._model, question, engine=self.embedder.engine_choice)
        self._runner.submit(Lane.SEARCH, vector_tasks.run_encode_question, request, QUESTION)

    def row_of(self, point: Point) -> int | None:
        """Give a chunk's row among the points, None where it is not one of them."""
        return self._rows.get(point)

    def ask_like(self, point: Point) -> None:
        """Rank the other chunks by their similarity to one of them; needs no model."""
        matrix, row = self.layouts.matrix, self.row_of(point)
        if matrix is None or row is None:
            return
        self._pending_question = self._asked = ""
        self._runner.cancel(Lane.SEARCH, QUESTION)
        self.asker.ask(Asked("", matrix[row], like=point))

    @property
    def is_live(self) -> bool:
        """Whether a question is answered at once: every chunk has its vector, and the model is loaded."""
        return self.layouts.matrix is not None and self._loaded == self._model

    def expect_question(self) -> None:
        """Have the model loaded, because a question is being typed."""
        if self.layouts.matrix is not None and self._loaded != self._model and self._model is not None:
            if not self._runner.is_busy(Lane.EMBED, LOAD):
                self._load_model(self._model)

    def close(self) -> None:
        """Let the thread that scores end, and plan nothing more."""
        self._export_soon.stop()
        self.embedder.close()
        self.asker.close()

    def _warm_up(self) -> None:
        """Let the map worker import and compile while the model embeds."""
        if not self._is_map_warm and len(self.points) >= FEWEST_FOR_UMAP:
            self._is_map_warm = True
            self._runner.submit(Lane.PROJECT, vector_tasks.run_warm_up, vector_tasks.WarmUpRequest(), WARM_UP)

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
        if self.embedder.engine:
            self._loaded = self._model
        self._take_engine(self.embedder.engine)
        self._is_wanted = False
        assert self._model is not None
        self._laid_out = self.points
        self.asker.show(self.points, matrix)
        self.stage_changed.emit("")
        self.layouts.show(self._model, self._folder, self.embedder.digests, matrix)
        if self._pending_question or self._asked:
            self.ask(self._pending_question or self._asked)
        elif self.asker.asked is not None:
            self.asker.ask(self.asker.asked)

    def _on_layout(self) -> None:
        self.layout_points = self._laid_out if self.layout is not None else ()
        self.asker.show_layout(self.layout if self.layout_points == self.points else None)
        self.map_changed.emit()

    def _on_landed(self, landing: Landing) -> None:
        if landing.lane is Lane.SEARCH and landing.key == QUESTION:
            self._on_answered(landing.result)
            if landing.result.model == self._model and landing.result.question == self._asked:
                self.asker.ask(asked_of(landing.result))
        elif landing.lane is Lane.EMBED and landing.key == LOAD:
            self._on_answered(landing.result)
        elif (
            landing.lane is Lane.EXPORT
            and landing.key == EXPORT
            and landing.result.is_ready
            and landing.result.model == self._model
        ):
            self._load_model(landing.result.model)
        elif landing.lane is Lane.CACHE and landing.key == FORESIGHT:
            self._on_foreseen(landing.result)

    def _on_answered(self, result: vector_tasks.EncodeQuestionResult | vector_tasks.LoadModelResult) -> None:
        for notice in result.notices:
            self._notice(notice)
        self._loaded = result.model
        if result.model == self._model:
            self._take_engine(result.engine)

    def _notice(self, notice: str) -> None:
        """Pass on what a worker has to say: several may find the same of one file."""
        if notice not in self._noticed:
            self._noticed.add(notice)
            self.noticed.emit(notice)

    def _on_failed_text(self, message: str) -> None:
        self.is_postponed = True
        self.estimate = self.embedder.estimate(self.missing_count)
        self.stage_changed.emit("")
        self.failed.emit(message)
        self.map_changed.emit()

    def _on_failed(self, failure: Failure) -> None:
        if failure.lane is Lane.SEARCH and failure.key == QUESTION:
            self.stage_changed.emit("")
            self.failed.emit(failure.message)
