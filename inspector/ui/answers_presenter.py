"""From what is asked of the map to the answers that are shown, and back from clicks on them."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QObject

from inspector.ui.answer_filter import AnswerFilter, Choices
from inspector.ui.map_data import date_of, short_name, tags_of
from inspector.ui.map_keeper import MapKeeper, Point
from inspector.ui.map_view import RINGED, MapView
from inspector.ui.question_panel import Answer, QuestionPanel
from inspector.ui.session import Session

TRUNCATED_QUESTION = "The question is longer than the model reads: its end is unread."


class AnswersPresenter(QObject):
    """Keeps answers, the nearest of the selected chunk and the marks of both in step with the session."""

    def __init__(self, session: Session, view: MapView, questions: QuestionPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._view = view
        self._questions = questions
        keeper = session.map
        keeper.answers_changed.connect(self._show_answers)
        questions.filter_button.offer(self._choices)
        view.like_requested.connect(self._ask_like)
        questions.question_asked.connect(keeper.ask)
        questions.question_cleared.connect(lambda: keeper.ask(""))
        questions.typing_started.connect(self._on_typing)
        questions.answer_chosen.connect(lambda document, chunk: session.select_chunk(chunk, document))
        questions.like_requested.connect(self._ask_like)
        questions.filter_changed.connect(self._on_filter)

    @property
    def _keeper(self) -> MapKeeper:
        return self._session.map

    def show_nearest(self) -> None:
        """List the true neighbours of the selected chunk."""
        session, keeper = self._session, self._keeper
        name, chunk = session.open_name, session.selected_chunk
        self._questions.filter_button.set_open_document(name)
        found: list[Answer] = []
        words = ""
        if chunk is not None and keeper.is_complete:
            row = keeper.row_of(Point(name, chunk))
            if row is not None:
                rows, scores = keeper.layouts.nearest(row)
                pairs = zip(rows.tolist(), scores.tolist(), strict=True)
                for rank, (other, score) in enumerate(pairs, start=1):
                    answer = self._answer(rank, score, keeper.points[other])
                    if answer is not None:
                        found.append(answer)
                words = self._words(Point(name, chunk))
        self._questions.show_nearest(found, words)

    def _answer(self, rank: int, score: float, point: Point) -> Answer | None:
        """Say what a chunk is, None where it is gone."""
        document = self._session.documents.get(point.document)
        if document is None or point.chunk >= len(document.chunking.chunks):
            return None
        chunk = document.chunking.chunks[point.chunk]
        is_truncated = bool(document.readings) and document.readings[point.chunk].count.is_truncated
        return Answer(rank, score, point.document, chunk.index, chunk.trail, chunk.text, is_truncated)

    def _words(self, point: Point) -> str:
        answer = self._answer(0, 0.0, point)
        trail = answer.trail if answer is not None else ()
        return " › ".join((f"#{point.chunk + 1} {short_name(point.document)}", *trail))

    def _show_answers(self) -> None:
        answers = self._keeper.answers
        found = (self._answer(rank, hit.score, hit.point) for rank, hit in enumerate(answers.hits, start=1))
        shown = [answer for answer in found if answer is not None]
        like = self._words(answers.like) if answers.like is not None else ""
        self._questions.show_answers(shown, answers.question, like)
        self._questions.show_scores(answers.scores, [answer.score for answer in shown])
        self._view.show_hits([(answer.document, answer.chunk) for answer in shown[:RINGED]], answers.place)
        self._questions.select(self._session.open_name or None, self._session.selected_chunk, scroll=False)
        if answers.is_truncated:
            self._questions.show_state(TRUNCATED_QUESTION)

    def _ask_like(self, document: str, chunk: int) -> None:
        self._keeper.ask_like(Point(document, chunk))

    def _on_typing(self) -> None:
        self._keeper.expect_question()
        self._questions.set_live(self._keeper.is_live)

    def _on_filter(self, wanted: AnswerFilter) -> None:
        names: frozenset[str] | None = None
        if wanted != AnswerFilter():
            names = frozenset(
                name
                for name, document in self._session.documents.items()
                for metadata in (document.chunking.document.metadata,)
                if wanted.allows(name, tags_of(metadata), date_of(metadata))
            )
        self._keeper.asker.choose_documents(names)

    def _choices(self) -> Choices:
        """Give the posts, tags and years there are, those with most chunks first."""
        documents: Counter[str] = Counter()
        tags: Counter[str] = Counter()
        years: set[str] = set()
        for name, document in self._session.documents.items():
            count = len(document.chunking.chunks)
            metadata = document.chunking.document.metadata
            documents[name] = count
            for tag in tags_of(metadata):
                tags[tag] += count
            years.add(date_of(metadata)[:4])
        return Choices(
            [name for name, _ in documents.most_common()],
            [tag for tag, _ in tags.most_common()],
            sorted(years - {""}, reverse=True),
        )
