"""From the map keeper's facts to the map view, and back from what is done there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from inspector.embedding.cache import StoredLayout
from inspector.embedding.projection import FEWEST_FOR_UMAP, Layout, MapFit
from inspector.embedding.trust import near_duplicates
from inspector.export.records import chunk_record
from inspector.export.tables import write_records
from inspector.reading import ReadDocument
from inspector.ui.answers_presenter import AnswersPresenter
from inspector.ui.map_data import date_of, tags_of
from inspector.ui.map_history import LayoutChange
from inspector.ui.map_keeper import MapKeeper, Point
from inspector.ui.map_view import MapPoint, MapView
from inspector.ui.question_panel import QuestionPanel
from inspector.ui.session import Session
from inspector.ui.steps import AT_ONCE, Steps

METHODS = {"pca": "PCA", "umap": "UMAP", "line": "too few for a map"}
POINTS_A_STEP = 200
EXPORTS = "JSON lines (*.jsonl);;CSV (*.csv)"


class MapPresenter(QObject):
    """Keeps the map on screen in step with the session."""

    status_changed = Signal(str)

    def __init__(self, session: Session, view: MapView, questions: QuestionPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._view = view
        self._questions = questions
        self.answers = AnswersPresenter(session, view, questions, self)
        self._stage = ""
        self._shown: tuple[object, ...] = ()
        self._steps = Steps(self)
        keeper = session.map
        keeper.map_changed.connect(self.show_map)
        keeper.surveyed.connect(self._on_surveyed)
        keeper.stage_changed.connect(self._on_stage)
        keeper.progressed.connect(self._on_progressed)
        keeper.failed.connect(self._on_failed)
        keeper.engine_changed.connect(self._show_note)
        view.point_chosen.connect(lambda document, chunk: session.select_chunk(chunk, document))
        view.point_hovered.connect(self._on_hovered)
        view.neighbours_wanted.connect(self._on_neighbours_wanted)
        view.duplicates_wanted.connect(self._on_duplicates_wanted)
        view.export_requested.connect(self.ask_export)
        view.fit_chosen.connect(self._on_fit_chosen)
        view.relayout_requested.connect(keeper.relayout)
        keeper.relaid.connect(self._on_relaid)
        view.embed_requested.connect(session.embed_now)
        view.cancel_requested.connect(keeper.cancel)
        view.choose_model_requested.connect(session.use_bundled_map_model)

    @property
    def _keeper(self) -> MapKeeper:
        return self._session.map

    def select(self, document: str | None, chunk: int | None) -> None:
        """Mark the selected chunk on the map and among the answers, and list its nearest."""
        trust = None
        if document is not None and chunk is not None:
            row = self._keeper.row_of(Point(document, chunk))
            trust = self._keeper.layouts.trust_of(row) if row is not None and self._is_in_step else None
        self._view.select(document, chunk, trust)
        self.answers.show_nearest()
        self._questions.select(document, chunk)

    @property
    def _is_in_step(self) -> bool:
        """Whether the map is of the chunks as they are, and all have vectors."""
        keeper = self._keeper
        return keeper.is_complete and keeper.layout is not None and keeper.layout_points == keeper.points

    def show_map(self) -> None:
        """Show the map as it is, or why there is none."""
        keeper = self._keeper
        points = keeper.layout_points
        if keeper.layout is None or not points:
            count = (keeper.missing_count or len(keeper.points)) if keeper.points else 0
            self._view.show_empty(count, keeper.embedder.estimate(count) if count else None)
            self._shown = ()
            self._steps.stop()
        elif self._is_new((keeper.layout, points, self._session.totals)):
            self._steps.run(self._showing(keeper.layout, points), at_once=len(points) <= AT_ONCE)
        self.show_status()

    def _showing(self, layout: Layout, points: Sequence[Point]) -> Iterator[None]:
        """Make the points, some at a time, and show them once all are made."""
        documents = dict(self._session.documents)
        known: dict[str, tuple[str, tuple[str, ...]]] = {}
        for name, read in documents.items():
            metadata = read.chunking.document.metadata
            known[name] = date_of(metadata), tags_of(metadata)
            yield
        is_new = self._keeper.layouts.is_new.tolist()
        yield
        made: list[MapPoint] = []
        shown: list[int] = []
        for index, point in enumerate(points):
            document = documents.get(point.document)
            if document is not None and point.chunk < len(document.chunking.chunks):
                shown.append(index)
                made.append(_map_point(document, point, is_new[index], *known[point.document]))
            if index % POINTS_A_STEP == 0:
                yield
        yield from self._view.showing_points(made, layout.coordinates[shown])
        yield
        self._show_method()
        self._show_note()
        yield
        session = self._session
        self.select(session.open_name or None, session.selected_chunk)
        self.show_status()

    def _is_new(self, shown: tuple[object, ...]) -> bool:
        """Whether other points are to be shown than last time; told so several times while one map is made."""
        is_same = len(self._shown) == len(shown) and all(a is b for a, b in zip(self._shown, shown, strict=True))
        self._shown = shown
        return not is_same

    def _show_method(self) -> None:
        """Say how the map was made, and its trust once that is known."""
        keeper = self._keeper
        layout, survey, fit = keeper.layout, keeper.layouts.survey, keeper.layouts.fit
        self._view.show_fit(fit.neighbours, fit.min_dist)
        if layout is None:
            return
        words = METHODS[layout.method]
        hint = ""
        if layout.method == "umap":
            hint = f"UMAP by cosine distance, {fit.neighbours} neighbours, minimum distance {fit.min_dist:g}."
        elif layout.method == "pca" and len(keeper.layout_points) < FEWEST_FOR_UMAP:
            hint = layout.note
        if survey is not None and layout.method != "line" and len(keeper.layout_points) > 1:
            words += f" · trust {survey.mean:.2f}"
            hint += " Trust: the share of a chunk's ten nearest that are also near it on the map, on average"
            hint += "." if len(survey.rows) == len(keeper.layout_points) else f" of {len(survey.rows):,}."
        self._view.show_method(words, hint.strip())

    def _on_surveyed(self) -> None:
        self._show_method()
        if self._is_in_step:
            session = self._session
            self.select(session.open_name or None, session.selected_chunk)

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
        words = f"{name} reads {model.token_limit:,} tokens{more}"
        if layout is not None and layout.method != "umap" and len(self._keeper.layout_points) < FEWEST_FOR_UMAP:
            words = f"PCA: under {FEWEST_FOR_UMAP} chunks · {words}"
        elif layout is not None and layout.note:
            words += f" · {layout.note}"
        self._view.show_note(words, how)

    # Neighbours and choices

    def _on_hovered(self, document: str, chunk: int) -> None:
        if document:
            self._show_neighbours(Point(document, chunk), keep=False)

    def _on_neighbours_wanted(self) -> None:
        """Draw the selected point's lines for good, and list its nearest; once more takes the lines away."""
        if self._view.plot.keeps_lines:
            self._view.plot.drop_lines()
            return
        session = self._session
        if session.selected_chunk is not None:
            self._show_neighbours(Point(session.open_name, session.selected_chunk), keep=True)
            self._questions.show_tab(1)

    def _show_neighbours(self, point: Point, *, keep: bool) -> None:
        keeper = self._keeper
        row = keeper.row_of(point) if self._is_in_step else None
        if row is None:
            return
        rows, _ = keeper.layouts.nearest(row)
        trust = keeper.layouts.trust_of(row) or 0.0
        others = [tuple(keeper.points[other]) for other in rows.tolist()]
        self._view.show_neighbours((point.document, point.chunk), others, round(trust * len(others)), keep=keep)

    def _on_fit_chosen(self, neighbours: int, distance: float) -> None:
        settings = self._session.settings
        self._session.change_settings(replace(settings, map_fit=MapFit(neighbours, distance)))

    def _on_relaid(self, before: StoredLayout, after: StoredLayout) -> None:
        self._session.undo_stack.push(LayoutChange(before, after, self._keeper.restore_layout))

    def _on_duplicates_wanted(self) -> None:
        survey = self._keeper.layouts.survey
        if survey is not None and self._is_in_step:
            self._view.choose_chunks([tuple(self._keeper.points[row]) for row in near_duplicates(survey).tolist()])

    def ask_export(self, keys: tuple[tuple[str, int], ...]) -> None:
        """Ask where to write chunks, and write them as the command line does."""
        name, _ = QFileDialog.getSaveFileName(self._view, "Export the chosen chunks", "chunks.jsonl", EXPORTS)
        if name:
            self.export(keys, Path(name))

    def export(self, keys: tuple[tuple[str, int], ...], path: Path) -> None:
        """Write chunks as JSON lines, or as CSV where the path says so; what goes wrong is told."""
        settings = self._session.settings
        model = settings.target()
        records: list[dict[str, Any]] = []
        for name, index in keys:
            document = self._session.documents[name]
            chunk = document.chunking.chunks[index]
            reading = document.readings[index]
            records.append(chunk_record(document.chunking, chunk, reading, model, settings.context))
        try:
            write_records(records, path)
        except OSError as error:
            self._keeper.noticed.emit(f"Can't write {path}: {(error.strerror or str(error)).lower()}.")

    # What is going on

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
        if self._stage:
            words += f" · {self._stage}"
        elif self._is_in_step:
            changed = keeper.layouts.new_count
            words += f" · map: {changed:,} changed" if changed else " · map up to date"
        self.status_changed.emit(words)

    def _on_failed(self, message: str) -> None:
        if self._keeper.layout is None:
            self._view.show_error(message)


def _map_point(document: ReadDocument, point: Point, is_new: bool, date: str, tags: tuple[str, ...]) -> MapPoint:
    chunk = document.chunking.chunks[point.chunk]
    reading = document.readings[point.chunk] if point.chunk < len(document.readings) else None
    return MapPoint(
        point.document,
        point.chunk,
        chunk.trail,
        chunk.text,
        chunk.characters,
        reading.count.tokens if reading is not None else None,
        str(chunk.starts_at),
        reading is not None and reading.count.is_truncated,
        is_new,
        date,
        tags,
    )
