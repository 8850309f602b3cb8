"""From the map keeper's facts to the map view and the question panel."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from inspector.embedding.projection import FEWEST_FOR_UMAP
from inspector.ui.map_keeper import MapKeeper
from inspector.ui.map_view import MapPoint, MapView
from inspector.ui.question_panel import Answer, QuestionPanel
from inspector.ui.session import Session

METHODS = {"pca": "PCA", "umap": "UMAP", "line": "too few for a map"}


class MapPresenter(QObject):
    """Keeps the map and the answers on screen in step with the session."""

    status_changed = Signal(str)

    def __init__(self, session: Session, view: MapView, questions: QuestionPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._view = view
        self._questions = questions
        self._stage = ""
        self._shown: tuple[object, ...] = ()
        keeper = session.map
        keeper.map_changed.connect(self.show_map)
        keeper.answers_changed.connect(self._show_answers)
        keeper.stage_changed.connect(self._on_stage)
        keeper.progressed.connect(self._on_progressed)
        keeper.failed.connect(self._on_failed)
        keeper.engine_changed.connect(self._show_note)
        view.point_chosen.connect(self._on_point_chosen)
        view.embed_requested.connect(session.embed_now)
        view.cancel_requested.connect(keeper.cancel)
        view.choose_model_requested.connect(session.use_bundled_map_model)
        questions.question_asked.connect(keeper.ask)
        questions.typing_started.connect(self._on_typing)
        questions.question_cleared.connect(lambda: keeper.ask(""))
        questions.answer_chosen.connect(self._on_point_chosen)

    @property
    def _keeper(self) -> MapKeeper:
        return self._session.map

    def select(self, document: str | None, chunk: int | None) -> None:
        """Mark the selected chunk on the map and among the answers."""
        self._view.select(document, chunk)
        self._questions.select(document, chunk)

    def show_map(self) -> None:
        """Show the map as it is, or why there is none."""
        keeper = self._keeper
        points = keeper.layout_points
        if keeper.layout is None or not points:
            count = keeper.missing_count or len(keeper.points)
            self._view.show_empty(count, keeper.embedder.estimate(count) if count else None)
            self._shown = ()
        elif self._is_new((keeper.layout, points, self._session.totals)):
            documents = self._session.documents
            shown = [
                index
                for index, point in enumerate(points)
                if point.document in documents and point.chunk < len(documents[point.document].chunking.chunks)
            ]
            method = METHODS[keeper.layout.method]
            if keeper.layout.method == "pca" and len(points) < FEWEST_FOR_UMAP:
                method = f"PCA: under {FEWEST_FOR_UMAP} chunks"
            self._view.show_points(
                [self._point(points[index].document, points[index].chunk) for index in shown],
                keeper.layout.coordinates[shown],
                method,
            )
            self._show_note()
            session = self._session
            self._view.select(session.open_name or None, session.selected_chunk)
        self.show_status()

    def _is_new(self, shown: tuple[object, ...]) -> bool:
        """Whether other points are to be shown than last time; told so several times while one map is made."""
        is_same = len(self._shown) == len(shown) and all(a is b for a, b in zip(self._shown, shown, strict=True))
        self._shown = shown
        return not is_same

    def _point(self, name: str, index: int) -> MapPoint:
        document = self._session.documents[name]
        chunk = document.chunking.chunks[index]
        reading = document.readings[index] if index < len(document.readings) else None
        return MapPoint(
            name,
            index,
            chunk.trail,
            chunk.text,
            chunk.characters,
            reading.count.tokens if reading is not None else None,
            str(chunk.starts_at),
            reading is not None and reading.count.is_truncated,
        )

    def _show_note(self) -> None:
        model = self._keeper.model
        if model is None:
            return
        name = model.name.rpartition("/")[2]
        partly = sum(
            reading.count.tokens > model.token_limit
            for document in self._session.documents.values()
            for reading in document.readings
        )
        more = f": {partly:,} chunk{'s' if partly != 1 else ''} only in part" if partly else ": every chunk whole"
        engine = self._keeper.engine
        how = f"Vectors by {engine}" if engine else "Vectors from the cache"
        layout = self._keeper.layout
        made = f" · {layout.note}" if layout is not None and layout.note and layout.method == "umap" else ""
        self._view.show_note(f"{name} reads {model.token_limit:,} tokens{more}{made}", how)

    def _show_answers(self) -> None:
        keeper = self._keeper
        answers = keeper.answers
        documents = self._session.documents
        shown = []
        for rank, hit in enumerate(answers.hits, start=1):
            document = documents.get(hit.point.document)
            if document is None or hit.point.chunk >= len(document.chunking.chunks):
                continue
            chunk = document.chunking.chunks[hit.point.chunk]
            truncated = bool(document.readings) and document.readings[hit.point.chunk].count.is_truncated
            shown.append(Answer(rank, hit.score, hit.point.document, chunk.index, chunk.trail, chunk.text, truncated))
        self._questions.show_answers(shown, answers.question)
        self._view.show_hits([(a.document, a.chunk) for a in shown[:5]], answers.place)
        if answers.is_truncated:
            self._questions.show_state("The question is longer than the model reads: its end is unread.")

    def _on_typing(self) -> None:
        self._keeper.expect_question()
        self._questions.set_live(self._keeper.is_live)

    def _on_stage(self, stage: str) -> None:
        self._stage = stage
        self._view.show_progress(stage[:1].upper() + stage[1:] if stage else None)
        self.show_status()

    def _on_progressed(self, done: int, total: int, rate: float, stage: str) -> None:
        left = max(0, total - done) / rate if rate else 0
        words = f"{stage[:1].upper()}{stage[1:]}: {done:,} of {total:,}"
        if done < total and stage != "loading model":
            words += f" · {rate:.0f} a second · {left:.0f} s left"
        self._view.show_progress(words if done < total else None, done, total)
        self.show_status(done)

    def show_status(self, done: int | None = None) -> None:
        """Say how many chunks have vectors and whether the map is up to date."""
        keeper = self._keeper
        total = self._session.totals.chunks
        if not keeper.points:
            self.status_changed.emit("")
            return
        have = done if done is not None else len(keeper.points) - keeper.missing_count
        words = f"{have:,} of {total:,} embedded"
        if keeper.is_complete and keeper.layout_points == keeper.points and not self._stage:
            words += " · map up to date"
        elif self._stage:
            words += f" · {self._stage}"
        self.status_changed.emit(words)

    def _on_failed(self, message: str) -> None:
        if self._keeper.layout is None:
            self._view.show_error(message)

    def _on_point_chosen(self, document: str, chunk: int) -> None:
        self._session.select_chunk(chunk, document)
