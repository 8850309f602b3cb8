"""What the map and the rules that need vectors are given of a folder's documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.embedding.models import Model, find_model
from inspector.errors import InspectorError
from inspector.settings import Settings
from inspector.tasks import ReadDocument
from inspector.ui.likeness_keeper import NEAR_DUPLICATE, SEVERAL_TOPICS, LikenessKeeper
from inspector.ui.map_keeper import MapKeeper, Point


def points_of(documents: Mapping[str, ReadDocument], settings: Settings, model: Model) -> tuple[list[Point], list[str]]:
    """Return all chunks and what the map's model is given of each: the embedding input, with that model's prefix."""
    points: list[Point] = []
    texts: list[str] = []
    target_prefix = len(settings.target().passage_prefix)
    for name, document in documents.items():
        for chunk, reading in zip(document.chunking.chunks, document.readings, strict=True):
            points.append(Point(name, chunk.index))
            texts.append(model.passage_prefix + reading.text[target_prefix:])
    return points, texts


def prepare(keeper: MapKeeper, documents: Iterable[object], settings: Settings) -> None:
    """Work out the digests of documents that have just been read."""
    try:
        model = find_model(settings.map_model)
    except InspectorError:
        return
    read = {document.name: document for document in documents if isinstance(document, ReadDocument)}
    keeper.embedder.prepare(points_of(read, settings, model)[1])


def show_on_map(
    keeper: MapKeeper, folder: str, documents: Mapping[str, ReadDocument], settings: Settings, *, now: bool
) -> None:
    """Have vectors and a map made of all chunks; without `now` only where that is estimated to be quick."""
    try:
        model = find_model(settings.map_model)
    except InspectorError as error:
        keeper.failed.emit(error.message)
        return
    points, texts = points_of(documents, settings, model)
    keeper.choose_engine(settings.engine)
    keeper.choose_fit(settings.map_fit)
    keeper.show(model, folder, points, texts, now=now)


def foresee(keeper: MapKeeper, documents: Mapping[str, ReadDocument], settings: Settings) -> bool:
    """Once the first chunks of a folder are here: have the map's model loaded where it will be needed.

    Returns whether there were any; a model that is not here is told of when the map is to be made.
    """
    try:
        model = find_model(settings.map_model)
    except InspectorError:
        return False
    _, texts = points_of(documents, settings, model)
    if texts:
        keeper.choose_engine(settings.engine)
        keeper.foresee(model, texts)
    return bool(texts)


def look_for_likeness(
    likeness: LikenessKeeper,
    keeper: MapKeeper,
    documents: Mapping[str, ReadDocument],
    settings: Settings,
    opened: ReadDocument | None,
) -> None:
    """Once every chunk has a vector: look for the problems that need vectors, where their rules are on."""
    matrix = keeper.layouts.matrix
    if matrix is None or any(point.document not in documents for point in keeper.points):
        return
    if NEAR_DUPLICATE in settings.rules.codes:
        chunkings = {name: document.chunking for name, document in documents.items()}
        pairs = [(chunkings[point.document], chunkings[point.document].chunks[point.chunk]) for point in keeper.points]
        likeness.compare(pairs, matrix)
    if SEVERAL_TOPICS in settings.rules.codes and opened is not None and keeper.model is not None:
        likeness.measure(opened.chunking, keeper.model, settings.engine)
