"""A map is kept: newcomers are placed by it, and it is fitted anew only when it is asked for, or little is left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from inspector import vector_tasks
from inspector.embedding.cache import StoredLayout
from inspector.embedding.projection import FEWEST_FOR_UMAP, Layout, MapFit
from inspector.ui import map_layout
from inspector.ui.map_keeper import MapKeeper, Point
from inspector.ui.map_layout import NEIGHBOURS, PCA, PLACE, SURVEY, UMAP
from tests.fakes import HASH_MODEL, InstantRunner, use_hash_encoder

WORDS = ("river", "engine", "bread", "garden")
COUNT = 40


def texts(numbers: range) -> dict[Point, str]:
    return {Point("a.md", n): f"{WORDS[n % 4]} {WORDS[n % 4]} chunk {n}" for n in numbers}


@pytest.fixture
def runner(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> InstantRunner:
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    use_hash_encoder(monkeypatch)
    return InstantRunner()


@pytest.fixture
def keeper(runner: InstantRunner) -> MapKeeper:
    made = MapKeeper(runner)
    show(made, texts(range(COUNT)))
    runner.jobs.clear()
    return made


def show(keeper: MapKeeper, chunks: dict[Point, str], folder: str = "/posts") -> None:
    keeper.show(HASH_MODEL, folder, list(chunks), list(chunks.values()), now=True)


def keys(runner: InstantRunner) -> list[str]:
    return [key for _, key, _ in runner.jobs]


def places(keeper: MapKeeper) -> dict[Point, tuple[float, float]]:
    assert keeper.layout is not None
    return {
        point: tuple(place)
        for point, place in zip(keeper.layout_points, keeper.layout.coordinates.tolist(), strict=True)
    }


def test_the_first_map_finds_neighbours_once(runner: InstantRunner) -> None:
    keeper = MapKeeper(runner)
    show(keeper, texts(range(COUNT)))
    asked = keys(runner)
    assert [asked.count(key) for key in (PCA, NEIGHBOURS, UMAP, SURVEY)] == [1, 1, 1, 1]
    known = keeper.layouts._neighbours
    requests = {key: request for _, key, request in runner.jobs}
    assert requests[UMAP].known is known
    assert requests[SURVEY].known is known
    assert keeper.layouts.survey is not None
    assert 0 < keeper.layouts.survey.mean <= 1
    assert not keeper.layouts.is_new.any()


def test_a_few_changes_move_no_point_and_fit_nothing(keeper: MapKeeper, runner: InstantRunner) -> None:
    before = places(keeper)
    show(keeper, texts(range(4, COUNT + 3)))
    after = places(keeper)
    assert all(after[point] == before[point] for point in before.keys() & after.keys())
    assert len(before.keys() & after.keys()) == COUNT - 4
    assert keeper.layouts.new_count == 3
    assert keeper.layouts.is_new.tolist() == [False] * (COUNT - 4) + [True] * 3
    assert not {PCA, NEIGHBOURS, UMAP} & set(keys(runner))
    show(keeper, texts(range(COUNT)))  # what went comes back to its place
    assert places(keeper) == before
    assert keeper.layouts.new_count == 0


def test_under_half_of_the_points_a_map_is_made_unasked(keeper: MapKeeper, runner: InstantRunner) -> None:
    show(keeper, texts(range(COUNT // 2 + 1, COUNT)))
    assert UMAP in keys(runner)
    runner.jobs.clear()
    show(keeper, texts(range(COUNT // 2 + 1, 3 * COUNT)))  # most chunks are new
    assert UMAP in keys(runner)
    assert keeper.layouts.new_count == 0


def test_exactly_half_is_enough(keeper: MapKeeper, runner: InstantRunner) -> None:
    show(keeper, texts(range(COUNT // 2)))
    assert UMAP not in keys(runner)


def test_relayout_starts_warm_and_is_told_and_undone(keeper: MapKeeper, runner: InstantRunner, qtbot: QtBot) -> None:
    show(keeper, texts(range(COUNT + 6)))
    placed = places(keeper)
    told: list[tuple[StoredLayout, StoredLayout]] = []
    keeper.relaid.connect(lambda before, after: told.append((before, after)))
    assert keeper.relayout()
    assert UMAP in keys(runner)
    assert PCA not in keys(runner)
    assert keeper.layouts.new_count == 0
    ((before, after),) = told
    assert len(before.digests) == COUNT
    assert len(after.digests) == COUNT + 6
    keeper.restore_layout(before)
    assert places(keeper) == placed
    assert keeper.layouts.new_count == 6
    keeper.restore_layout(after)
    assert keeper.layouts.new_count == 0
    assert keeper.layout is not None
    assert np.array_equal(keeper.layout.coordinates, after.layout.coordinates)


def test_a_restored_map_is_the_one_that_is_kept(keeper: MapKeeper, runner: InstantRunner) -> None:
    first = keeper.layouts.stored
    assert first is not None
    keeper.relayout()
    keeper.restore_layout(first)
    again = MapKeeper(runner)
    runner.jobs.clear()
    show(again, texts(range(COUNT + 2)))
    assert again.layout is not None
    assert np.array_equal(again.layout.coordinates[:COUNT], first.layout.coordinates)
    assert again.layouts.new_count == 2
    assert UMAP not in keys(runner)


def test_relayout_is_not_possible_without_a_map(runner: InstantRunner) -> None:
    assert not MapKeeper(runner).relayout()


def test_many_newcomers_are_placed_by_a_worker(
    keeper: MapKeeper, runner: InstantRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(keeper, texts(range(COUNT + 9)))
    here = places(keeper)
    show(keeper, texts(range(COUNT)))
    monkeypatch.setattr(map_layout, "PAIRS_AT_ONCE", 10)
    runner.jobs.clear()
    show(keeper, texts(range(COUNT + 9)))
    assert PLACE in keys(runner)
    there = places(keeper)
    assert np.allclose([there[point] for point in here], list(here.values()), atol=1e-3)
    assert keeper.layouts.new_count == 9


def test_few_chunks_stay_too_and_grow_into_umap(runner: InstantRunner) -> None:
    keeper = MapKeeper(runner)
    show(keeper, texts(range(8)))
    before = places(keeper)
    show(keeper, texts(range(9)))
    assert all(places(keeper)[point] == place for point, place in before.items())
    assert keeper.layouts.new_count == 1
    assert keeper.relayout()
    assert keeper.layouts.new_count == 0
    show(keeper, texts(range(FEWEST_FOR_UMAP)))
    assert keeper.layout is not None
    assert keeper.layout.method == "umap"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_two_and_three_chunks_have_a_map(runner: InstantRunner, count: int) -> None:
    keeper = MapKeeper(runner)
    show(keeper, texts(range(count)))
    assert len(places(keeper)) == count
    assert keeper.layouts.trust_of(0) == 1.0
    show(keeper, texts(range(count + 1)))
    assert len(places(keeper)) == count + 1
    keeper.relayout()
    show(keeper, {})
    assert keeper.layout is None


def test_another_way_to_fit_is_another_map(keeper: MapKeeper, runner: InstantRunner) -> None:
    before = places(keeper)
    keeper.choose_fit(MapFit(5, 0.5))
    assert UMAP in keys(runner)
    assert places(keeper) != before
    runner.jobs.clear()
    keeper.choose_fit(MapFit())
    assert places(keeper) == before
    assert UMAP not in keys(runner)


def test_a_point_lists_its_ten_nearest(keeper: MapKeeper, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, scores = keeper.layouts.nearest(0)
    assert len(rows) == 10
    assert 0 not in rows
    assert (np.diff(scores) <= 1e-6).all()
    trust = keeper.layouts.trust_of(0)
    keeper.layouts.survey = None  # not found yet: asked for this point alone
    assert keeper.layouts.nearest(0)[0].tolist() == rows.tolist()
    assert keeper.layouts.trust_of(0) == pytest.approx(trust)


def test_a_failed_fit_is_told_and_leaves_what_is_shown(
    keeper: MapKeeper, runner: InstantRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(request: vector_tasks.ProjectRequest) -> Layout:
        raise ValueError("no room")

    before = places(keeper)
    told: list[str] = []
    keeper.failed.connect(told.append)
    monkeypatch.setattr(vector_tasks, "run_project", fail)
    assert keeper.relayout()
    assert told
    assert places(keeper) == before
