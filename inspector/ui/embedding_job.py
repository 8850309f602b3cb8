"""Embedding what has no vector yet, slice by slice, so that a question or a cancel never waits long."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from inspector import vector_tasks
from inspector.embedding.cache import input_digest
from inspector.embedding.encoder import processor_count
from inspector.embedding.models import ANY_ENGINE, EngineChoice, Model
from inspector.embedding.rates import read_rate, write_rate
from inspector.ui.runner import Failure, Landing, Lane, Runner
from inspector.ui.steps import AT_ONCE, Steps

Vectors = NDArray[np.float32]

LOOK_UP, SLICE = "cached vectors", "slice"
JOBS = ((Lane.CACHE, LOOK_UP), (Lane.EMBED, SLICE))
SLICE_SECONDS = 0.25  # aimed at, so that few slices take more than 0.3 s
A_STEP = 500  # rows
FIRST_SLICE = 8  # texts, before anything was measured
LARGEST_SLICE = 64
PROCESSORS = processor_count()  # texts that are run side by side
READ_CHARACTERS = 1_200  # a text costs by its length up to about here, where a model of 256 tokens stops reading
DEFAULT_RATE = 25.0  # texts a second, before anything was measured
REMEMBERED_SECONDS = 2.0  # of encoding, from which the rate is good enough to be remembered
NEW_SHARE = 0.3  # of the last slice in the running rate
LOADING, EMBEDDING = "loading model", "embedding"


class Embedder(QObject):
    """Holds the vectors of one model by digest, and gets those that are missing: from the cache, then by encoding.

    What has been paid for always enters, though the inputs have changed meanwhile. `sent_texts` is the record of every
    text that was sent to be encoded.
    """

    progressed = Signal(int, int, float, str)  # inputs with a vector, all inputs, texts a second, stage
    postponed = Signal(int, float)  # texts without a vector, estimated seconds: more than `within`
    finished = Signal()  # every input has a vector
    failed = Signal(str)  # a message for the author; finished vectors stay
    noticed = Signal(str)  # what the cache has to say

    def __init__(
        self,
        runner: Runner,
        *,
        cache_path: str | None = None,
        allow_download: bool = False,
        parent: QObject | None = None,
    ) -> None:
        """Listen to the runner; `cache_path` is the cache's folder, None for the user's own."""
        super().__init__(parent)
        self._runner = runner
        self._cache_path = cache_path
        self._allow_download = allow_download
        self._model: Model | None = None
        self._vectors: dict[str, Vectors] = {}
        self._whole: tuple[tuple[str, ...], Vectors] | None = None  # the matrix of the inputs that all had vectors
        self._digests: tuple[str, ...] = ()
        self._inputs: dict[str, str] = {}  # digest -> text, in order, each once
        self._texts: tuple[str, ...] = ()
        self._known_digests: dict[str, str] = {}  # text -> digest
        self._times: Counter[str] = Counter()  # digest -> how many inputs are this text
        self._waiting: list[str] = []  # digests to encode, last first
        self._done = 0
        self._is_running = False
        self._is_looking = False
        self._steps = Steps(self)
        self._late = Steps(self)  # for what was looked up for the inputs before
        self._late_results: deque[vector_tasks.CachedVectorsResult] = deque()
        self._within: float | None = None
        self._text_rate = 0.0  # texts a second, 0 before it was measured
        self._character_rate = 0.0
        self._remembered_rate = 0.0  # texts a second of the last session
        self._encoding_seconds = 0.0
        self.sent_texts: list[str] = []
        self.engine_choice: EngineChoice = ANY_ENGINE
        self.engine = ""  # that encoded last, "" while none has
        runner.landed.connect(self._on_landed)
        runner.late.connect(self._on_landed)
        runner.failed.connect(self._on_failed)

    @property
    def vectors(self) -> Mapping[str, Vectors]:
        """The current model's vectors (d,) float32 by digest of the embedding input."""
        return MappingProxyType(self._vectors)

    @property
    def is_running(self) -> bool:
        """Whether vectors are being looked up or encoded."""
        return self._is_running

    @property
    def texts_per_second(self) -> float:
        """The measured rate, else the one of the last session, else what is assumed of an unknown machine."""
        return self._text_rate or self._remembered_rate or DEFAULT_RATE

    def estimate(self, count: int) -> float:
        """Give the seconds that encoding so many texts will take, the model once loaded."""
        return count / self.texts_per_second

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of the inputs given last, in their order."""
        return self._digests

    @property
    def missing_count(self) -> int:
        """How many different inputs have no vector."""
        if self._whole is not None and self._whole[0] is self._digests:
            return 0
        return len(self._inputs.keys() - self._vectors.keys())

    def matrix(self, digests: Sequence[str] | None = None) -> tuple[Vectors, NDArray[np.bool_]]:
        """Give the inputs' vectors (n, d) float32 read-only, and which have one (n,); rows of zeros have none."""
        wanted = self._digests if digests is None else tuple(digests)
        if self._whole is None or self._whole[0] != wanted:
            return self._rows_of(wanted)
        return self._whole[1], np.ones(len(wanted), np.bool_)

    def _rows_of(self, digests: Sequence[str]) -> tuple[Vectors, NDArray[np.bool_]]:
        """Copy the vectors of inputs, where they have one."""
        found = [self._vectors.get(digest) for digest in digests]
        rows = np.zeros((len(found), self._width), np.float32)
        for index, row in enumerate(found):
            if row is not None:
                rows[index] = row
        rows.setflags(write=False)
        return rows, np.array([row is not None for row in found], np.bool_)

    @property
    def _width(self) -> int:
        """How long the vectors are."""
        usual = self._model.dimensions if self._model is not None else 0
        return next((len(vector) for vector in self._vectors.values()), usual)

    def prepare(self, texts: Iterable[str]) -> None:
        """Work out the digests of texts that will be asked for: of a large folder all at once would take too long."""
        self._known_digests.update((text, input_digest(text)) for text in texts if text not in self._known_digests)

    def start(self, model: Model, inputs: Sequence[str], *, within: float | None = None) -> None:
        """Get a vector for each input, in place of the inputs before: looked up at once, then encoded in slices.

        Where encoding is estimated to take longer than `within` seconds, it is postponed: start again without a limit.
        """
        self._stop()
        if model != self._model:
            self._late.stop()
            self._late_results.clear()
            self._model, self._vectors, self._whole, self.engine = model, {}, None, ""
            self._text_rate = self._character_rate = self._encoding_seconds = 0.0
            self._remembered_rate = read_rate(model.name, self._cache_path)
        self._within = within
        self._is_running = self._is_looking = True
        self._steps.run(self._look_up(model, tuple(inputs)), at_once=len(inputs) <= AT_ONCE)

    def _look_up(self, model: Model, inputs: tuple[str, ...]) -> Iterator[None]:
        """Ask the cache for what has no vector, a little of the way there at a time."""
        yield from self._take_inputs(inputs)
        self._done = sum(self._times[digest] for digest in self._times if digest in self._vectors)
        yield
        unknown = tuple(digest for digest in self._inputs if digest not in self._vectors)
        if not unknown:
            self._end()
            return
        request = vector_tasks.CachedVectorsRequest(model, unknown, self._cache_path)
        self._runner.submit(Lane.CACHE, vector_tasks.run_cached_vectors, request, LOOK_UP)

    def _take_inputs(self, texts: tuple[str, ...]) -> Iterator[None]:
        """Know what is wanted; the same texts as last time need no second look."""
        if texts == self._texts:
            return
        known = self._known_digests
        digests: list[str] = []
        for first in range(0, len(texts), AT_ONCE):
            digests += [known.get(text) or input_digest(text) for text in texts[first : first + AT_ONCE]]
            yield
        times = Counter(digests)
        yield
        inputs = dict(zip(digests, texts, strict=True))
        yield
        self._known_digests = dict(zip(texts, digests, strict=True))
        self._texts, self._digests, self._times, self._inputs = texts, tuple(digests), times, inputs

    def cancel(self) -> None:
        """Send no more slices; what was finished stays, and what is under way enters if it lands."""
        if self._is_running:
            self._stop()
            for lane, key in JOBS:
                self._runner.cancel(lane, key)

    def close(self) -> None:
        """End all work."""
        self._stop()
        self._late.stop()

    def _stop(self) -> None:
        """Forget what was still to be sent, and remember how fast it went."""
        if self._model is not None and self._text_rate and self._encoding_seconds >= REMEMBERED_SECONDS:
            self._encoding_seconds = 0.0
            write_rate(self._model.name, self._text_rate, self._cache_path)
        self._is_running = self._is_looking = False
        self._waiting = []
        self._steps.stop()

    def _end(self) -> None:
        """Put the matrix together, some rows at a time, and say that every input has its vector."""
        self._steps.run(self._ending(), at_once=len(self._digests) <= AT_ONCE)

    def _ending(self) -> Iterator[None]:
        digests = self._digests
        matrix = np.empty((len(digests), self._width), np.float32)
        for first in range(0, len(digests), A_STEP):
            part = digests[first : first + A_STEP]
            matrix[first : first + A_STEP] = [self._vectors[digest] for digest in part]
            yield
        matrix.setflags(write=False)
        self._whole = (digests, matrix)
        self._stop()
        self.progressed.emit(self._done, self._times.total(), self.texts_per_second, EMBEDDING)
        self.finished.emit()

    def _on_landed(self, landing: Landing) -> None:
        """Take vectors in, of old generations too, and go on."""
        result = landing.result
        if (landing.lane, landing.key) not in JOBS:
            return
        for notice in result.notices:
            self.noticed.emit(notice)
        if result.model != self._model:
            return
        is_current = landing.generation == self._runner.generation(landing.lane, landing.key)
        goes_on = self._is_running and is_current and not self._steps.is_running
        if landing.key == LOOK_UP and goes_on:
            self._steps.run(self._taking(result), at_once=len(result.digests) <= AT_ONCE)
            return
        if landing.key == LOOK_UP:
            self._late_results.append(result)
            if not self._late.is_running:
                self._late.run(self._entering_late())
            return
        self._take(result)
        if goes_on and not self._is_looking:
            self._go_on()

    def _taking(self, result: vector_tasks.CachedVectorsResult) -> Iterator[None]:
        """Enter what the cache has, and plan the rest."""
        yield from self._entering(result)
        self._is_looking = False
        yield
        self._plan()

    def _entering_late(self) -> Iterator[None]:
        """Enter what was looked up for the inputs before, one result after the other."""
        while self._late_results:
            yield from self._entering(self._late_results.popleft())

    def _entering(self, result: vector_tasks.CachedVectorsResult) -> Iterator[None]:
        """Enter what the cache has, some rows at a time."""
        for first in range(0, len(result.digests), A_STEP):
            part = slice(first, first + A_STEP)
            self._enter(result.digests[part], result.vectors[part])
            yield

    def _enter(self, digests: Sequence[str], vectors: Vectors) -> None:
        for digest, row in zip(digests, vectors, strict=True):
            if digest not in self._vectors:
                self._done += self._times[digest]
            self._vectors[digest] = row

    def _take(self, result: vector_tasks.EncodeResult) -> None:
        """Enter vectors, and learn from the time they took."""
        self._enter(result.digests, result.vectors)
        if not result.seconds:
            return
        self.engine = result.engine
        self._encoding_seconds += result.seconds
        if result.encoded == len(result.digests) and self._inputs.keys() >= set(result.digests):
            characters = sum(_cost(self._inputs[digest]) for digest in result.digests)
            self._text_rate = _blend(self._text_rate, result.encoded / result.seconds)
            self._character_rate = _blend(self._character_rate, characters / result.seconds)

    def _plan(self) -> None:
        """After the look-up: end, postpone, or begin to encode what is missing."""
        if not self._is_running:
            return
        self._waiting = [digest for digest in reversed(self._inputs) if digest not in self._vectors]
        seconds = self.estimate(len(self._waiting))
        if self._within is not None and seconds > self._within:
            count = len(self._waiting)
            self._stop()
            self.postponed.emit(count, seconds)
            return
        self._go_on()

    def _go_on(self) -> None:
        """Say how far it is, and send the next slice."""
        digests = tuple(self._next_slice())
        if not digests:
            self._end()
            return
        stage = EMBEDDING if self._text_rate else LOADING
        self.progressed.emit(self._done, self._times.total(), self.texts_per_second, stage)
        if not self._is_running or self._model is None:  # a listener has cancelled or begun anew
            return
        texts = tuple(self._inputs[digest] for digest in digests)
        self.sent_texts.extend(texts)
        request = vector_tasks.EncodeRequest(
            self._model, texts, self._cache_path, self._allow_download, self.engine_choice, len(self._waiting)
        )
        self._runner.submit(Lane.EMBED, vector_tasks.run_encode, request, SLICE)

    def _next_slice(self) -> Iterator[str]:
        """Take the next texts off the list: as many as fit the time aimed at, at least one for each processor."""
        budget = self._character_rate * SLICE_SECONDS
        taken, most = 0, max(PROCESSORS, LARGEST_SLICE if self._character_rate else FIRST_SLICE)
        while self._waiting and taken < most:
            digest = self._waiting[-1]
            if digest in self._vectors:  # a late landing brought it
                self._waiting.pop()
                continue
            budget -= _cost(self._inputs[digest])
            if self._character_rate and taken >= PROCESSORS and budget < 0:
                return
            taken += 1
            self._waiting.pop()
            yield digest

    def _on_failed(self, failure: Failure) -> None:
        """Stop and say why."""
        job = JOBS[0] if self._is_looking else JOBS[1]  # while looking, a slice belongs to the inputs before
        if (failure.lane, failure.key) == job and self._is_running:
            self._stop()
            self.failed.emit(failure.message)


def _cost(text: str) -> int:
    """Give what a text costs to encode, in characters."""
    return min(len(text), READ_CHARACTERS) + 50  # 50: what even an empty text costs


def _blend(rate: float, measured: float) -> float:
    """Let a measurement move a running rate; the first one sets it."""
    return measured if not rate else (1 - NEW_SHARE) * rate + NEW_SHARE * measured
