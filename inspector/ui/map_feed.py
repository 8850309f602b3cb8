"""What the map and the rules that need vectors are given of a folder's documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.embedding.models import Model, find_model
from inspector.errors import InspectorError
from inspector.reading import ReadDocument
from inspector.settings import Settings
from inspector.ui.likeness_keeper import NEAR_DUPLICATE, SEVERAL_TOPICS, LikenessKeeper
from inspector.ui.map_keeper import MapKeeper, Point
from inspector.ui.steps import AT_ONCE, Steps


@dataclass(frozen=True, slots=True)
class _Fed:
    """What was made of one document for one model."""

    document: ReadDocument
    model: Model
    points: tuple[Point, ...]
    texts: tuple[str, ...]


class MapFeed:
    """Gives a map its chunks; what is made of a document is kept until it is read or chunked anew."""

    def __init__(self, keeper: MapKeeper) -> None:
        """Feed this map."""
        self._keeper = keeper
        self._fed: dict[str, _Fed] = {}
        self._steps = Steps(keeper)

    def stop(self) -> None:
        """Give the map no more of what was being put together."""
        self._steps.stop()

    def clear(self) -> None:
        """Forget all documents."""
        self.stop()
        self._fed = {}

    def prepare(self, documents: Iterable[object], settings: Settings) -> None:
        """Work out what a map will ask of documents that have just been read: of all at once it takes too long."""
        try:
            model = find_model(settings.map_model)
        except InspectorError:
            return
        prefix = _target_prefix(settings)
        for document in documents:
            if isinstance(document, ReadDocument):
                self._keeper.embedder.prepare(self._feed(document, prefix, model).texts)

    def show(self, folder: str, documents: Mapping[str, ReadDocument], settings: Settings, *, now: bool) -> None:
        """Have vectors and a map made of all chunks; without `now` only where that is estimated to be quick."""
        keeper = self._keeper
        try:
            model = find_model(settings.map_model)
        except InspectorError as error:
            keeper.failed.emit(error.message)
            return
        keeper.choose_engine(settings.engine)
        keeper.choose_fit(settings.map_fit)
        count = sum(len(document.readings) for document in documents.values())
        work = self._showing(model, folder, tuple(documents.values()), settings, now=now)
        self._steps.run(work, at_once=count <= AT_ONCE)

    def _showing(
        self, model: Model, folder: str, documents: Sequence[ReadDocument], settings: Settings, *, now: bool
    ) -> Iterator[None]:
        """Put together what the map is given, some documents at a time."""
        points: list[Point] = []
        texts: list[str] = []
        prefix = _target_prefix(settings)
        for document in documents:
            fed = self._feed(document, prefix, model)
            points += fed.points
            texts += fed.texts
            yield
        self._keeper.show(model, folder, points, texts, now=now)

    def foresee(self, documents: Mapping[str, ReadDocument], settings: Settings) -> bool:
        """Once the first chunks of a folder are here: have the map's model loaded where it will be needed.

        Returns whether there were any; a model that is not here is told of when the map is to be made.
        """
        try:
            model = find_model(settings.map_model)
        except InspectorError:
            return False
        prefix = _target_prefix(settings)
        texts = [text for document in documents.values() for text in self._feed(document, prefix, model).texts]
        if texts:
            self._keeper.choose_engine(settings.engine)
            self._keeper.foresee(model, texts)
        return bool(texts)

    def _feed(self, document: ReadDocument, prefix: int, model: Model) -> _Fed:
        """Return a document's chunks and the inputs of the map's model: its own prefix in place of one so long."""
        fed = self._fed.get(document.name)
        if fed is None or fed.document is not document or fed.model != model:
            fed = self._fed[document.name] = _Fed(
                document,
                model,
                tuple(Point(document.name, index) for index in range(len(document.readings))),
                tuple(model.passage_prefix + reading.text[prefix:] for reading in document.readings),
            )
        return fed


def _target_prefix(settings: Settings) -> int:
    """Return how many characters of an embedding input are the target model's prefix; costs a look at the disk."""
    return len(settings.target().passage_prefix)


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
        pairs = ((chunkings[point.document], chunkings[point.document].chunks[point.chunk]) for point in keeper.points)
        likeness.compare(pairs, matrix)
    if SEVERAL_TOPICS in settings.rules.codes and opened is not None and keeper.model is not None:
        likeness.measure(opened.chunking, keeper.model, settings.engine)
