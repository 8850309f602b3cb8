"""Use cases: a frozen request -> run_x(request) -> a frozen result; importing this loads nothing heavy."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inspector.chunking import chunk_by
from inspector.core.chunk import Chunking, Fate, Rung
from inspector.core.document import Document, read_document
from inspector.core.minimal import ghost_example
from inspector.core.problems import Problem
from inspector.core.strategies.headings import chunk_sizes, warm_state
from inspector.core.strategies.registry import HEADINGS
from inspector.corpus import FileStamp, Listing, Selection, find_dialects, is_draft, list_folder, stamp
from inspector.embedding import onnx_engine
from inspector.embedding.cache import StoredLayout, VectorCache, input_digest
from inspector.embedding.encoder import Encoder, SentenceTransformerEncoder
from inspector.embedding.likeness import nearest_before
from inspector.embedding.measure import Reading, read_chunks, total_unread
from inspector.embedding.models import ANY_ENGINE, EngineChoice, Model, find_model, model_revision
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
from inspector.errors import CacheError
from inspector.export.records import all_problems
from inspector.settings import Settings

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EncodeRequest:
    """Embedding inputs to encode with one model; `cache_path` is the cache's folder, None for the user's own."""

    model: Model
    texts: tuple[str, ...]
    cache_path: str | None = None
    allow_download: bool = False
    engine: EngineChoice = ANY_ENGINE


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
    """What a worker process keeps between jobs: one model, its counter, and the caches by folder.

    `is_fast` is whether the fast engine's file was to be used when the encoder was opened.
    """

    model: Model | None = None
    encoder: Encoder | None = None
    is_fast: bool = False
    notices: list[str] = field(default_factory=list)
    counters: dict[Model, TokenCounter] = field(default_factory=dict)
    caches: dict[str | None, VectorCache] = field(default_factory=dict)


_loaded = _Loaded()


def open_encoder(model: Model, allow_download: bool) -> Encoder:
    """Make the sentence-transformers encoder of a model; a ModelError says what to do."""
    return SentenceTransformerEncoder(model, allow_download=allow_download)


def run_load_model(request: LoadModelRequest) -> LoadModelResult:
    """Load a model into this process, in place of the one before."""
    begun = time.perf_counter()
    revision = model_revision(request.model)
    encoder = _encoder(request.model, request.allow_download, request.engine, revision)
    return LoadModelResult(
        request.model, revision, time.perf_counter() - begun, encoder.engine, _taken(_loaded.notices)
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
        encoder = _encoder(model, request.allow_download, request.engine, revision)
        engine = encoder.engine
        begun = time.perf_counter()
        fresh = dict(zip(missing, encoder.encode(list(missing.values())), strict=True))
        seconds = time.perf_counter() - begun
        cache.put_many(model.name, revision, fresh)
        found |= fresh
    vectors = _stack([found[name] for name in digests], model)
    notices = (*_taken(_loaded.notices), *_taken(cache.notices))
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
    encoder = _encoder(model, request.allow_download, request.engine, model_revision(model))
    vector = encoder.encode([text])[0]
    if model not in _loaded.counters:
        _loaded.counters[model] = TokenCounter(model)
    count = _loaded.counters[model].count([text])[0]
    return EncodeQuestionResult(model, question, vector, count, encoder.engine, _taken(_loaded.notices))


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


def _encoder(model: Model, allow_download: bool, engine: EngineChoice, revision: str) -> Encoder:
    """Give this process's encoder for a model, the fast one once its file is here; the one before is let go first."""
    is_fast = engine == ANY_ENGINE and onnx_engine.is_ready(revision)
    if _loaded.encoder is None or (_loaded.model, _loaded.is_fast) != (model, is_fast):
        _loaded.model = _loaded.encoder = None
        if is_fast:
            try:
                _loaded.encoder = onnx_engine.open_exported(model, revision)
            except CacheError as error:
                _loaded.notices.append(error.message)
                is_fast = onnx_engine.is_ready(revision)
        if _loaded.encoder is None:
            _loaded.encoder = open_encoder(model, allow_download)
        _loaded.model, _loaded.is_fast = model, is_fast
    return _loaded.encoder


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


# Chunking: the chunk worker holds the documents of the folders it has read.


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The documents below a folder."""

    folder: str
    selection: Selection


@dataclass(frozen=True, slots=True)
class ChunkRequest:
    """Documents of a folder to read (or, when `again` is set, to chunk as they were read last).

    `known` has the fingerprint of what the window holds of each name, 0 for nothing; `codecs` the encodings that the
    author has said, by name.
    """

    folder: str
    names: tuple[str, ...]
    settings: Settings
    again: bool = False
    known: tuple[int, ...] = ()
    codecs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentTotals:
    """A document's numbers, which the window adds up: counts of sections and chunks, tokens, characters by reason;
    `code` counts the characters of its fenced blocks.
    """

    chunks: int
    characters: int
    code: int
    kept: int
    dropped: int
    folded: int
    split: int
    truncated: int
    unread_tokens: int
    removed: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as read and chunked: how its model reads each chunk, its problems, and its numbers.

    `fingerprint` tells in the process that made it whether anything but the thresholds' values changed.
    """

    name: str
    stamp: FileStamp | None
    chunking: Chunking
    readings: tuple[Reading, ...]
    problems: tuple[Problem, ...]
    totals: DocumentTotals
    is_draft: bool
    fingerprint: int = 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be read, and why; its stamp tells when to try again."""

    name: str
    message: str
    stamp: FileStamp | None = None


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What became of each name asked for, in order; a name whose chunks are the same as last time is left out."""

    settings: Settings
    documents: tuple[ReadDocument | Unreadable, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class CountRequest:
    """The sizes of a folder's sections and chunks under other thresholds, without their texts."""

    folder: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class CountResult:
    """Lengths in code points of all sections and all chunks of a folder, int32, and the fates counted."""

    settings: Settings
    sections: NDArray[np.int32]
    chunks: NDArray[np.int32]
    dropped: int
    folded: int
    split: int


@dataclass(frozen=True, slots=True)
class FitRequest:
    """The largest cap with nothing unread in a folder."""

    folder: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class FitResult:
    """That cap in characters, None where there is none above the fold."""

    settings: Settings
    cap: int | None


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """One slice of a sweep: a folder's chunks under one cap, from a document's number on."""

    folder: str
    settings: Settings
    cap: int
    first: int = 0


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a slice has counted: chunks, truncated ones, those cut in mid-sentence; `next` is None at the end."""

    settings: Settings
    cap: int
    chunks: int
    truncated: int
    cut: int
    next: int | None


@dataclass(frozen=True, slots=True)
class ExampleRequest:
    """A few lines of a document with the naive splitter's fault that is on the line at a source offset."""

    folder: str
    name: str
    settings: Settings
    offset: int


@dataclass(frozen=True, slots=True)
class OtherChunksRequest:
    """A document's chunks under other settings, to be compared."""

    folder: str
    name: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class WarmRequest:
    """What the window needs to fold and pack one document by itself."""

    folder: str
    name: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class WarmResult:
    """The warm state of a document, for `adopt_warm_state`; None where it is no longer held."""

    name: str
    sha256: str
    settings: Settings
    state: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ChangesRequest:
    """Which documents of a folder differ from these stamps."""

    folder: str
    selection: Selection
    stamps: tuple[tuple[str, FileStamp | None], ...]


@dataclass(frozen=True, slots=True)
class ChangesResult:
    """The folder's listing now, and the names that are new or have changed on disk."""

    listing: Listing
    changed: tuple[str, ...]


SWEEP_SECONDS = 0.1
MID_SENTENCE = frozenset({Rung.LINE, Rung.WORD, Rung.CHARACTER})

_shelf: dict[tuple[str, str], Document] = {}
_counters: dict[tuple[str, int], TokenCounter] = {}


def run_list(request: ListRequest) -> Listing:
    """List a folder and tell its dialects. Raises FolderError."""
    listing = list_folder(Path(request.folder), request.selection)
    return replace(listing, dialects=find_dialects(listing))


def run_chunk(request: ChunkRequest) -> ChunkResult:
    """Read and chunk documents, and count their tokens; each stays on the shelf for the next threshold."""
    begun = time.perf_counter()
    counter = counter_of(request.settings)
    found: list[ReadDocument | Unreadable] = []
    known = request.known or (0,) * len(request.names)
    codecs = dict(request.codecs)
    for name, fingerprint in zip(request.names, known, strict=True):
        document = _shelf.get((request.folder, name)) if request.again else None
        path = Path(request.folder) / name
        file_stamp = stamp(path)
        if document is None:
            try:
                document = read_document(name, path.read_bytes(), codecs.get(name, ""))
            except OSError as error:
                found.append(Unreadable(name, (error.strerror or str(error)).lower(), file_stamp))
                _shelf.pop((request.folder, name), None)
                continue
            _shelf[request.folder, name] = document
        result = read_one(document, request.settings, counter, file_stamp)
        if result.fingerprint != fingerprint:
            found.append(result)
    return ChunkResult(request.settings, tuple(found), time.perf_counter() - begun)


def read_one(
    document: Document, settings: Settings, counter: TokenCounter, file_stamp: FileStamp | None
) -> ReadDocument:
    """Chunk one document and read its chunks as the target model does."""
    chunking = chunk_as_set(document, settings, counter)
    readings = read_chunks(chunking, counter, settings.context)
    problems = all_problems(chunking, readings, counter.model, settings.rules.codes)
    totals = totals_of(chunking, readings)
    texts = tuple(reading.text for reading in readings)
    spans = tuple(chunk.spans for chunk in chunking.chunks)
    fingerprint = hash((document.sha256, texts, spans, totals, problems, counter.model)) or 1
    return ReadDocument(
        document.name, file_stamp, chunking, readings, problems, totals, is_draft(document), fingerprint
    )


def chunk_as_set(document: Document, settings: Settings, counter: TokenCounter) -> Chunking:
    """Chunk a document by the strategy that the settings name. Raises InspectorError where it lacks what it needs."""
    return chunk_by(document, settings, counter, partial(sentence_distances, settings))


def sentence_distances(settings: Settings, sentences: Sequence[str]) -> list[float]:
    """Return the cosine distance of each sentence to the next, by the model that draws the map.

    Where the cache has all their vectors, no model is loaded.
    """
    if len(sentences) < 2:
        return []
    model = find_model(settings.map_model)
    texts = tuple(model.passage_prefix + sentence for sentence in sentences)
    vectors = run_encode(EncodeRequest(model, texts, engine=settings.engine)).vectors
    return [float(distance) for distance in 1 - np.sum(vectors[:-1] * vectors[1:], axis=1)]


def totals_of(chunking: Chunking, readings: Sequence[Reading]) -> DocumentTotals:
    """Count a document's sections, chunks, tokens and characters."""
    fates = [section.fate for section in chunking.sections]
    removed: dict[str, int] = {}
    for entry in chunking.removed:
        removed[entry.reason] = removed.get(entry.reason, 0) + entry.span.length
    truncated, unread = total_unread(readings)
    hosts: list[int] = []
    for section in chunking.sections:
        is_own = section.fate is not Fate.FOLDED
        hosts.append(section.index if is_own else hosts[-1])
    pieces = Counter(hosts[chunk.section] for chunk in chunking.chunks)
    split = sum(count > 1 for count in pieces.values())
    return DocumentTotals(
        len(chunking.chunks),
        chunking.document.characters,
        sum(fence.span.length for fence in chunking.document.fences),
        chunking.kept,
        fates.count(Fate.DROPPED),
        fates.count(Fate.FOLDED),
        split,
        truncated,
        unread,
        tuple(sorted(removed.items())),
    )


def counter_of(settings: Settings) -> TokenCounter:
    """Return this process's counter for the target model. Raises ModelError."""
    key = (settings.target_model, settings.token_limit)
    if key not in _counters:
        _counters[key] = TokenCounter(settings.target())
    return _counters[key]


def run_count(request: CountRequest) -> CountResult:
    """Fold and pack every document on the shelf again and return sizes only."""
    sections: list[int] = []
    chunks: list[int] = []
    dropped = folded = split = 0
    for document in _held(request.folder, request.settings):
        if request.settings.strategy != HEADINGS:
            chunking = chunk_as_set(document, request.settings, counter_of(request.settings))
            sections.extend(section.characters for section in chunking.sections)
            chunks.extend(chunk.characters for chunk in chunking.chunks)
            continue
        sizes = chunk_sizes(document, request.settings.options)
        sections.extend(sizes.sections)
        chunks.extend(sizes.chunks)
        dropped += sizes.dropped
        folded += sizes.folded
        split += sizes.split
    return CountResult(
        request.settings, np.array(sections, np.int32), np.array(chunks, np.int32), dropped, folded, split
    )


def run_fit(request: FitRequest) -> FitResult:
    """Search the largest cap, in steps of 10, with nothing unread.

    Only documents that are truncated now are tried: what is read whole is taken to be so under a smaller cap.
    """
    settings, counter = request.settings, counter_of(request.settings)
    options = settings.options
    if settings.strategy != HEADINGS:
        return FitResult(settings, None)
    truncated = [document for document in _held(request.folder, settings) if _unread(document, settings, counter)]
    step = 10
    low, high = options.least_cap // step + 1, (options.cap - 1) // step

    def is_read(cap: int) -> bool:
        trial = replace(settings, options=replace(options, cap=cap))
        return not any(_unread(document, trial, counter) for document in truncated)

    best: int | None = None
    while low <= high:
        middle = (low + high) // 2
        if is_read(middle * step):
            best, low = middle * step, middle + 1
        else:
            high = middle - 1
    return FitResult(settings, best)


def run_sweep(request: SweepRequest) -> SweepResult:
    """Chunk documents under another cap for a tenth of a second; the caller asks for the rest."""
    options = request.settings.options
    overlap = max(0, min(options.overlap, request.cap - options.least_cap + options.overlap))
    settings = replace(request.settings, options=replace(options, cap=request.cap, overlap=overlap))
    counter = counter_of(settings)
    documents = _held(request.folder, settings)
    chunks = truncated = cut = 0
    begun = time.perf_counter()
    at = request.first
    while at < len(documents) and time.perf_counter() - begun < SWEEP_SECONDS:
        chunking = chunk_as_set(documents[at], settings, counter)
        chunks += len(chunking.chunks)
        cut += sum(chunk.starts_at in MID_SENTENCE for chunk in chunking.chunks)
        truncated += total_unread(read_chunks(chunking, counter, settings.context))[0]
        at += 1
    return SweepResult(request.settings, request.cap, chunks, truncated, cut, at if at < len(documents) else None)


def run_other_chunks(request: OtherChunksRequest) -> Chunking | None:
    """Chunk one document of the shelf by other settings; None where it is no longer held."""
    document = _shelf.get((request.folder, request.name))
    if document is None:
        return None
    return chunk_as_set(document, request.settings, counter_of(request.settings))


def run_example(request: ExampleRequest) -> str:
    """Find at most 20 lines that show the naive splitter's fault at a place; "" where no few lines do."""
    document = _shelf.get((request.folder, request.name))
    if document is None:
        return ""
    return ghost_example(document.in_dialects(request.settings.options.dialects), request.offset)


def _held(folder: str, settings: Settings) -> list[Document]:
    """The documents of a folder on the shelf that count."""
    return [
        document
        for (of_folder, _name), document in _shelf.items()
        if of_folder == folder and (settings.selection.drafts or not is_draft(document))
    ]


def _unread(document: Document, settings: Settings, counter: TokenCounter) -> int:
    readings = read_chunks(chunk_as_set(document, settings, counter), counter, settings.context)
    return total_unread(readings)[1]


def run_warm(request: WarmRequest) -> WarmResult:
    """Return what the window needs to chunk a document under other thresholds without parsing it."""
    document = _shelf.get((request.folder, request.name))
    if document is None:
        return WarmResult(request.name, "", request.settings, None)
    return WarmResult(request.name, document.sha256, request.settings, warm_state(document, request.settings.options))


def run_changes(request: ChangesRequest) -> ChangesResult:
    """Compare a folder with what was read of it. Raises FolderError."""
    listing = list_folder(Path(request.folder), request.selection)
    known = dict(request.stamps)
    changed = tuple(
        name for name in listing.names if name not in known or known[name] != stamp(Path(request.folder) / name)
    )
    for key in [key for key in _shelf if key[0] == request.folder and key[1] not in set(listing.names)]:
        del _shelf[key]
    return ChangesResult(listing, changed)
