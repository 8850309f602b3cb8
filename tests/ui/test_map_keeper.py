"""Questions are answered from one matrix, stale answers are dropped, and the fast engine is made when there is time."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from inspector import vector_tasks
from inspector.embedding.projection import FEWEST_FOR_UMAP, Layout
from inspector.ui import map_questions
from inspector.ui.map_keeper import MapKeeper, Point
from inspector.ui.map_questions import Asked
from inspector.ui.runner import Lane
from tests.fakes import HASH_MODEL, HashEncoder, InstantRunner, use_hash_encoder

TEXTS = ["bread is baked in an oven", "the engine drives the train", "a river flows by the garden"]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> HashEncoder:
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    return use_hash_encoder(monkeypatch)


@pytest.fixture
def runner(qtbot: QtBot) -> InstantRunner:
    return InstantRunner()


@pytest.fixture
def keeper(runner: InstantRunner, encoder: HashEncoder) -> MapKeeper:
    made = MapKeeper(runner)
    made.show(HASH_MODEL, "/posts", [Point("a.md", row) for row in range(3)], TEXTS, now=True)
    return made


def test_a_question_is_ranked_and_placed(keeper: MapKeeper) -> None:
    assert keeper.is_live
    keeper.ask(" the train engine ")
    assert keeper.answers.question == "the train engine"
    assert keeper.answers.hits[0].point == Point("a.md", 1)
    assert keeper.answers.scores.shape == (3,)
    assert keeper.answers.place is not None


def test_many_rows_are_scored_in_another_thread(
    keeper: MapKeeper, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_questions, "MANY_ROWS", 2)
    scorers: list[str] = []
    score = map_questions.score
    monkeypatch.setattr(
        map_questions, "score", lambda *given: scorers.append(threading.current_thread().name) or score(*given)
    )
    keeper.ask("the train engine")
    qtbot.waitUntil(lambda: bool(keeper.answers.hits))
    assert keeper.answers.hits[0].row == 1
    assert scorers and "MainThread" not in scorers
    keeper.ask("an oven")
    keeper.ask("")  # the answer that is under way is not shown
    qtbot.wait(50)
    assert keeper.answers.question == ""
    keeper.close()


def test_an_answer_to_an_older_question_or_of_older_chunks_is_dropped(keeper: MapKeeper, runner: InstantRunner) -> None:
    runner.gate.shut()
    keeper.ask("the train engine")
    keeper.ask("")
    runner.gate.open()
    assert keeper.answers.question == ""
    keeper.ask("an oven")
    before = keeper.answers
    assert before.question == "an oven"
    other = np.eye(3, 32, dtype=np.float32)  # the vectors of chunks that have changed since
    keeper.asker._on_scored(map_questions.score(Asked("an oven", other[0]), other))
    assert keeper.answers is before


def test_the_model_is_loaded_while_a_question_is_typed(
    runner: InstantRunner, encoder: HashEncoder, keeper: MapKeeper
) -> None:
    other = MapKeeper(runner)  # a second start: every vector is in the cache
    other.show(HASH_MODEL, "/posts", keeper.points, TEXTS, now=True)
    assert other.is_complete
    assert not other.is_live
    other.expect_question()
    assert other.is_live
    count = len(runner.jobs)
    other.expect_question()
    assert len(runner.jobs) == count


def test_the_fast_engine_is_made_when_nothing_else_goes_on(
    keeper: MapKeeper, runner: InstantRunner, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    made = vector_tasks.ExportResult(HASH_MODEL, True, 1.0, 9.0)
    monkeypatch.setattr(vector_tasks, "run_export", lambda request: made)
    keeper._export_soon.setInterval(1)
    runner.jobs.clear()
    keeper._take_engine("onnxruntime")
    assert not keeper._export_soon.isActive()
    keeper.choose_engine("sentence-transformers")
    keeper._take_engine("sentence-transformers")
    assert not keeper._export_soon.isActive()
    keeper.choose_engine("auto")
    keeper._take_engine("sentence-transformers")
    qtbot.waitUntil(lambda: bool(runner.jobs))
    assert [lane for lane, _, _ in runner.jobs] == [Lane.EXPORT, Lane.EMBED]  # made, then loaded
    keeper._take_engine("sentence-transformers")
    assert not keeper._export_soon.isActive()


def test_a_layout_of_other_points_places_no_question(keeper: MapKeeper) -> None:
    keeper.ask("an oven")
    assert keeper.answers.place is not None
    keeper.asker.show_layout(Layout(np.zeros((2, 2), np.float32), "pca"))
    assert keeper.answers.place is None


def test_more_like_a_chunk_leaves_the_chunk_itself_out(keeper: MapKeeper, runner: InstantRunner) -> None:
    runner.jobs.clear()
    keeper.ask_like(Point("a.md", 1))
    assert keeper.answers.like == Point("a.md", 1)
    assert {hit.row for hit in keeper.answers.hits} == {0, 2}
    assert keeper.answers.place is None
    assert runner.jobs == []  # no model is needed
    keeper.ask_like(Point("gone.md", 0))
    assert keeper.answers.like == Point("a.md", 1)
    keeper.ask("")
    assert keeper.answers.hits == ()


def test_answers_come_from_the_documents_that_were_chosen(runner: InstantRunner, encoder: HashEncoder) -> None:
    keeper = MapKeeper(runner)
    points = [Point(name, 0) for name in ("a.md", "b.md", "c.md")]
    keeper.show(HASH_MODEL, "/posts", points, TEXTS, now=True)
    keeper.ask("the train engine")
    keeper.asker.choose_documents(frozenset({"a.md", "c.md"}))
    assert {hit.point.document for hit in keeper.answers.hits} == {"a.md", "c.md"}
    assert keeper.answers.scores.shape == (3,)  # the histogram is of all
    keeper.asker.choose_documents(frozenset())
    assert keeper.answers.hits == ()
    keeper.asker.choose_documents(None)
    assert len(keeper.answers.hits) == 3


def test_a_map_that_was_cancelled_while_it_was_made_is_made_when_it_is_wanted_again(
    runner: InstantRunner, encoder: HashEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def project(request: vector_tasks.ProjectRequest) -> Layout:
        if request.method == "umap":
            keeper.cancel()  # the result then arrives as one that nobody waits for
        return Layout(np.zeros((len(request.matrix), 2), np.float32), request.method)

    texts = [f"chunk {number}" for number in range(FEWEST_FOR_UMAP)]
    points = [Point("a.md", row) for row in range(len(texts))]
    keeper = MapKeeper(runner)
    monkeypatch.setattr(vector_tasks, "run_project", project)
    keeper.show(HASH_MODEL, "/posts", points, texts, now=True)
    assert keeper.layout is not None and keeper.layout.method == "pca"
    monkeypatch.setattr(
        vector_tasks,
        "run_project",
        lambda request: Layout(np.zeros((len(request.matrix), 2), np.float32), request.method),
    )
    keeper.embed_now()
    assert keeper.layout.method == "umap"
