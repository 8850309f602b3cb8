"""The problems that need vectors: chunks that say nearly the same, and chunks about several things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from inspector import vector_tasks
from inspector.core.chunk import Chunk, Chunking
from inspector.core.language import sentence_language
from inspector.core.problems.problem import Problem
from inspector.embedding.likeness import near_duplicates, sentences, several_topics
from inspector.embedding.models import EngineChoice, Model
from inspector.embedding.search import Vectors
from inspector.ui.runner import Landing, Lane, Runner
from inspector.ui.steps import AT_ONCE, Steps

ALIKE, TOPICS = "alike", "topics"
A_STEP = 500  # chunks
NEAR_DUPLICATE, SEVERAL_TOPICS = "near-duplicate", "several-topics"


class _Asked(NamedTuple):
    """The chunks a job was sent for, and of each how many sentences were."""

    chunks: tuple[tuple[Chunking, Chunk], ...]
    counts: tuple[int, ...] = ()


class LikenessKeeper(QObject):
    """Finds them in worker processes once all chunks have vectors; what was found of other chunks is forgotten."""

    changed = Signal()

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._duplicates: Mapping[str, Sequence[Problem]] = {}
        self._topics: Mapping[str, Sequence[Problem]] = {}
        self._compared = _Asked(())
        self._measured = _Asked(())
        self._steps = Steps(self)
        runner.landed.connect(self._on_landed)

    def of(self, name: str) -> Iterable[Problem]:
        """Return the problems of a document."""
        yield from self._duplicates.get(name, ())
        yield from self._topics.get(name, ())

    def forget(self) -> None:
        """Forget what was found: the chunks are others, or the folder is."""
        self._steps.stop()
        self._runner.cancel(Lane.PROJECT, ALIKE)
        self._runner.cancel(Lane.EVALUATE, TOPICS)
        if self._duplicates or self._topics:
            self._duplicates, self._topics = {}, {}
            self.changed.emit()

    def compare(self, chunks: Iterable[tuple[Chunking, Chunk]], matrix: Vectors) -> None:
        """Look for chunks that say nearly the same; `matrix` (n, d) has a row for each."""
        self._steps.run(self._comparing(chunks, matrix), at_once=len(matrix) <= AT_ONCE)

    def _comparing(self, chunks: Iterable[tuple[Chunking, Chunk]], matrix: Vectors) -> Iterator[None]:
        """Put together what the worker is asked, a little at a time."""
        numbers: dict[str, int] = {}
        groups: list[int] = []
        asked: list[tuple[Chunking, Chunk]] = []
        for chunking, chunk in chunks:
            asked.append((chunking, chunk))
            groups.append(numbers.setdefault(chunking.document.name, len(numbers)))
            if len(asked) % A_STEP == 0:
                yield
        if len(numbers) < 2 or len(asked) != len(matrix):
            return
        self._compared = _Asked(tuple(asked))
        request = vector_tasks.NearestBeforeRequest(matrix, np.array(groups, np.int64))
        self._runner.submit(Lane.PROJECT, vector_tasks.run_nearest_before, request, ALIKE)

    def measure(self, chunking: Chunking, model: Model, engine: EngineChoice) -> None:
        """Have the sentences of one document encoded, to tell which of its chunks are about several things."""
        language = sentence_language(chunking.document.metadata.get("lang"), chunking.options.lang)
        chunks = tuple((chunking, chunk) for chunk in chunking.chunks)
        texts = [sentences(chunk, language) for _, chunk in chunks]
        inputs = tuple(model.passage_prefix + sentence for cut in texts for sentence in cut)
        if inputs:
            self._measured = _Asked(chunks, tuple(map(len, texts)))
            request = vector_tasks.EncodeRequest(model, inputs, engine=engine)
            self._runner.submit(Lane.EVALUATE, vector_tasks.run_encode, request, TOPICS)

    def _on_landed(self, landing: Landing) -> None:
        if landing.lane is Lane.PROJECT and landing.key == ALIKE:
            self._duplicates = near_duplicates(self._compared.chunks, landing.result.rows, landing.result.scores)
            self.changed.emit()
        elif landing.lane is Lane.EVALUATE and landing.key == TOPICS:
            ends = np.cumsum(self._measured.counts)
            rows = np.split(landing.result.vectors, ends[:-1])
            found: dict[str, list[Problem]] = {}
            name = self._measured.chunks[0][0].document.name
            found[name] = list(several_topics(self._measured.chunks, dict(enumerate(rows))))
            self._topics = found
            self.changed.emit()
