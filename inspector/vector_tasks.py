"""Use cases of the model and map workers; importing this loads nothing heavy.

A frozen request -> run_x(request) -> a frozen result.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from inspector.embedding import onnx_engine
from inspector.embedding.cache import StoredLayout, VectorCache, input_digest
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.engines import Engines
from inspector.embedding.likeness import nearest_before
from inspector.embedding.models import ANY_ENGINE, EngineChoice, Model, model_revision
from inspector.embedding.projection import (
    USUAL_FIT,
    Layout,
    MapFit,
    Method,
    align,
    pca,
    place_newcomers,
    umap_layout,
    warm_up,
)
from inspector.embedding.search import Neighbours, check_question, nearest
from inspector.embedding.tokens import TokenCount, TokenCounter
from inspector.embedding.trust import Survey, survey

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EncodeRequest:
    """Embedding inputs to encode with one model; `cache_path` is the cache's folder, None for the user's own.

    `ahead` counts the texts that are to follow, for which another engine may be made ready.
    """

    model: Model
    texts: tuple[str, ...]
    cache_path: str | None = None
    allow_download: bool = False
    engine: EngineChoice = ANY_ENGINE
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class EncodeResult:
    """Vectors (n, d) float32 read-only in the order of the texts; `seconds` is encoding alone, of `encoded` texts."""

    model: Model
    revision: str
    digests: tuple[str, ...]
    vectors: Vectors
    seconds: float = 0.0
    encoded: int = 0
    notices: tuple[str, ...] = ()
    engine: str = ""


@dataclass(frozen=True, slots=True)
class CachedVectorsRequest:
    """Which of these digests have a vector on disk; answered without loading a model."""

    model: Model
    digests: tuple[str, ...]
    cache_path: str | None = None


@dataclass(frozen=True, slots=True)
class CachedVectorsResult:
    """The digests that were found, in the order asked for, and their vectors (n, d) float32 read-only."""

    model: Model
    revision: str
    digests: tuple[str, ...]
    vectors: Vectors
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadModelRequest:
    """Load a model now, so that the next encoding need not."""

    model: Model
    allow_download: bool = False
    engine: EngineChoice = ANY_ENGINE


@dataclass(frozen=True, slots=True)
class LoadModelResult:
    """A model that is loaded, what it took in seconds, and the library that computes."""

    model: Model
    revision: str
    seconds: float
    engine: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Make the fast engine's file of a model, unless it is here or was found not to agree."""

    model: Model


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Whether the fast engine's file is here and agrees, its least cosine, and what it took in seconds."""

    model: Model
    is_ready: bool
    least_cosine: float
    seconds: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EncodeQuestionRequest:
    """A question for one model, as typed; the model's query prefix is put before it."""

    model: Model
    question: str
    allow_download: bool = False
    engine: EngineChoice = ANY_ENGINE


@dataclass(frozen=True, slots=True)
class EncodeQuestionResult:
    """The question's unit vector (d,) float32 read-only, and how the model reads it, its prefix included."""

    model: Model
    question: str
    vector: Vectors
    count: TokenCount
    engine: str = ""
    notices: tuple[str, ...] = ()

    @property
    def is_truncated(self) -> bool:
        """Whether the model leaves some of the question unread."""
        return self.count.is_truncated


@dataclass(frozen=True, slots=True)
class LayoutKey:
    """Where a map is kept: one for each model, folder and way to fit, of these embedding inputs in this order."""

    model: Model
    folder: str
    digests: tuple[str, ...]
    cache_path: str | None = None
    fit: MapFit = USUAL_FIT

    @property
    def place(self) -> str:
        """The folder, with the way to fit where that is not the usual one: another way is another map."""
        return self.folder if self.fit == USUAL_FIT else f"{self.folder}\n{self.fit.neighbours} {self.fit.min_dist:g}"


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """Vectors (n, d) float32 to lay out; a `key` reads and writes the kept map, `start` (n, 2) warms a new one.

    `known` are the rows' nearest others, where they have been found already.
    """

    matrix: Vectors
    method: Method = "umap"
    fit: MapFit = USUAL_FIT
    seed: int = 42
    start: Vectors | None = None
    key: LayoutKey | None = None
    renew: bool = False
    known: Neighbours | None = None


@dataclass(frozen=True, slots=True)
class KeepLayoutRequest:
    """A map to be kept on disk as the last one."""

    key: LayoutKey
    layout: Layout


@dataclass(frozen=True, slots=True)
class PlaceRequest:
    """Vectors (m, d) to place on a map of others (n, d), whose points are at `coordinates` (n, 2)."""

    newcomers: Vectors
    matrix: Vectors
    coordinates: Vectors


@dataclass(frozen=True, slots=True)
class WarmUpRequest:
    """Nothing: import and compile what a map needs."""


@dataclass(frozen=True, slots=True)
class WarmUpResult:
    """How long that took."""

    seconds: float


@dataclass(frozen=True, slots=True)
class NearestBeforeRequest:
    """Vectors (n, d) float32 and the numbers of their documents (n,) int64."""

    matrix: Vectors
    groups: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NearestBeforeResult:
    """Of each row the most similar one before it of another document, -1 for none, and the cosines (n,) float32."""

    rows: NDArray[np.int64]
    scores: Vectors


@dataclass(frozen=True, slots=True)
class NeighboursRequest:
    """The `count` nearest others of each row (n, d)."""

    matrix: Vectors
    count: int


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """A map (n, 2) of vectors (n, d) whose trust is asked; `known` are the rows' neighbours, where found already."""

    matrix: Vectors
    coordinates: Vectors
    known: Neighbours | None = None


@dataclass(slots=True)
class _Loaded:
    """What a worker process keeps between jobs: one model's encoder, counters, and the caches by folder."""

    engines: Engines = field(default_factory=Engines)
    counters: dict[Model, TokenCounter] = field(default_factory=dict)
    caches: dict[str | None, VectorCache] = field(default_factory=dict)


_loaded = _Loaded()


def run_load_model(request: LoadModelRequest) -> LoadModelResult:
    """Load a model into this process, in place of the one before."""
    begun = time.perf_counter()
    revision = model_revision(request.model)
    engines = _loaded.engines
    encoder = engines.get(request.model, revision, request.engine, allow_download=request.allow_download)
    return LoadModelResult(
        request.model, revision, time.perf_counter() - begun, encoder.engine, _taken(engines.notices)
    )


def run_export(request: ExportRequest) -> ExportResult:
    """Make the fast engine's file, in a process of its own: it takes ten seconds, and a question is not to wait."""
    begun = time.perf_counter()
    model = request.model
    if model.path is None or not onnx_engine.can_export():
        return ExportResult(model, False, 0.0, 0.0, "onnxruntime, onnx and onnxscript are not installed")
    if onnx_engine.is_ready(model_revision(model)):
        return ExportResult(model, True, 1.0, 0.0)
    verdict = onnx_engine.export(SentenceTransformerEncoder(model))
    return ExportResult(model, verdict.is_good, verdict.least_cosine, time.perf_counter() - begun, verdict.reason)


def run_encode(request: EncodeRequest) -> EncodeResult:
    """Give the vectors of texts: from the cache, else encoded, and written there before the answer."""
    model, revision = request.model, model_revision(request.model)
    digests = tuple(map(input_digest, request.texts))
    cache = _cache(request.cache_path)
    found = cache.get_many(model.name, revision, digests)
    missing = {name: text for name, text in zip(digests, request.texts, strict=True) if name not in found}
    seconds, engine = 0.0, ""
    if missing:
        encoder = _loaded.engines.get(
            model, revision, request.engine, allow_download=request.allow_download, to_come=request.ahead
        )
        engine = encoder.engine
        begun = time.perf_counter()
        fresh = dict(zip(missing, encoder.encode(list(missing.values())), strict=True))
        seconds = time.perf_counter() - begun
        cache.put_many(model.name, revision, fresh)
        found |= fresh
    vectors = _stack([found[name] for name in digests], model)
    notices = (*_taken(_loaded.engines.notices), *_taken(cache.notices))
    return EncodeResult(model, revision, digests, vectors, seconds, len(missing), notices, engine)


def run_cached_vectors(request: CachedVectorsRequest) -> CachedVectorsResult:
    """Look up which vectors are on disk already."""
    model, revision = request.model, model_revision(request.model)
    cache = _cache(request.cache_path)
    found = cache.get_many(model.name, revision, request.digests)
    digests = tuple(digest for digest in dict.fromkeys(request.digests) if digest in found)
    return CachedVectorsResult(
        model, revision, digests, _stack([found[digest] for digest in digests], model), _taken(cache.notices)
    )


def run_encode_question(request: EncodeQuestionRequest) -> EncodeQuestionResult:
    """Encode a question; a blank one is a ValueError. Questions are not kept in the cache."""
    model, question = request.model, check_question(request.question)
    text = model.query_prefix + question
    engines = _loaded.engines
    encoder = engines.get(model, model_revision(model), request.engine, allow_download=request.allow_download)
    vector = encoder.encode([text])[0]
    if model not in _loaded.counters:
        _loaded.counters[model] = TokenCounter(model)
    count = _loaded.counters[model].count([text])[0]
    return EncodeQuestionResult(model, question, vector, count, encoder.engine, _taken(engines.notices))


def run_project(request: ProjectRequest) -> Layout:
    """Lay vectors out; the kept map of the same inputs is given back unless a new one is asked for."""
    key = request.key
    if key is None:
        return _project(request)
    if len(key.digests) != len(request.matrix):
        raise ValueError(f"{len(key.digests)} digests, but {len(request.matrix)} vectors")
    cache, place = (
        _cache(key.cache_path),
        (key.model.name, model_revision(key.model), key.place, key.digests),
    )
    kept = None if request.renew else cache.get_layout(*place)
    if kept is not None and kept.method == request.method:
        return kept
    layout = _project(request)
    cache.put_layout(*place, layout)
    return layout


def run_kept_layout(request: LayoutKey) -> StoredLayout | None:
    """Look up a folder's last map, whatever has changed since; its digests say which points it holds."""
    return _cache(request.cache_path).last_layout(request.model.name, model_revision(request.model), request.place)


def run_keep_layout(request: KeepLayoutRequest) -> None:
    """Write a folder's map in place of the last one."""
    key = request.key
    _cache(key.cache_path).put_layout(key.model.name, model_revision(key.model), key.place, key.digests, request.layout)


def run_place(request: PlaceRequest) -> Vectors:
    """Place vectors on a map of others: (m, 2)."""
    return place_newcomers(request.newcomers, request.matrix, request.coordinates)


def run_warm_up(request: WarmUpRequest) -> WarmUpResult:
    """Fit a few random points, so that the first real map does not wait for the compiler."""
    begun = time.perf_counter()
    warm_up()
    return WarmUpResult(time.perf_counter() - begun)


def run_nearest_before(request: NearestBeforeRequest) -> NearestBeforeResult:
    """Find what each chunk says nearly the same as, in an earlier document."""
    return NearestBeforeResult(*nearest_before(request.matrix, request.groups))


def run_neighbours(request: NeighboursRequest) -> Neighbours:
    """Find each row's nearest others, once for the map, the lists and the trust."""
    return nearest(request.matrix, request.count)


def run_survey(request: SurveyRequest) -> Survey:
    """Find how far a map can be trusted."""
    return survey(request.matrix, request.coordinates, request.known)


def _project(request: ProjectRequest) -> Layout:
    """Lay vectors out by the method asked for."""
    fit = request.fit
    if request.method == "umap":
        return umap_layout(request.matrix, fit.neighbours, fit.min_dist, request.seed, request.start, request.known)
    found = pca(request.matrix)
    return found if request.start is None else replace(found, coordinates=align(found.coordinates, request.start))


def _cache(folder: str | None) -> VectorCache:
    """Give this process's open cache of a folder."""
    if folder not in _loaded.caches:
        _loaded.caches[folder] = VectorCache(folder)
    return _loaded.caches[folder]


def _taken(notices: list[str]) -> tuple[str, ...]:
    """Take what there is to say, each once."""
    taken = tuple(notices)
    notices.clear()
    return taken


def _stack(rows: Sequence[Vectors], model: Model) -> Vectors:
    """Put rows (d,) together as one read-only matrix (n, d)."""
    matrix = np.stack(rows) if rows else np.zeros((0, model.dimensions), np.float32)
    matrix.setflags(write=False)
    return matrix
