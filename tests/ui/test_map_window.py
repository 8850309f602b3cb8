"""The map in the real window: what moves, what is marked, what is written, and what undo brings back."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from inspector.ui.answer_filter import AnswerFilter
from inspector.ui.map_data import ColorBy
from inspector.ui.theme import Theme
from tests.ui.real_window import RealWindow, copy_sample, wait_until

pytestmark = [pytest.mark.model, pytest.mark.timeout(150)]

POSTS = ("backfills.md", "queues-at-night.md", "search-index.md", "from-analyst.md")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, shared_theme: Theme) -> Iterator[RealWindow]:
    """Open the window once on some posts of the sample, embedded and mapped."""
    folder = tmp_path_factory.mktemp("map")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNK_INSPECTOR_CACHE", str(folder / "cache"))
        patch.setenv("CHUNK_INSPECTOR_CONFIG", str(folder / "config"))
        real = RealWindow(shared_theme)
        real.open(copy_sample(folder, *POSTS), "queues-at-night.md")
        real.wait_map()
        wait_until(lambda: real.session.map.layouts.survey is not None)
        yield real
        real.close()


def test_the_trust_is_beside_the_method(real: RealWindow) -> None:
    view = real.window.map_view
    trust = real.session.map.layouts.survey.mean  # type: ignore[union-attr]
    assert view.method.full_text == f"UMAP · trust {trust:.2f}"
    assert "cosine distance, 15 neighbours, minimum distance 0.1" in view.method.toolTip()


def test_a_selected_chunk_lists_its_nearest_and_shows_its_trust(real: RealWindow) -> None:
    real.session.select_chunk(1, "queues-at-night.md")
    questions, keeper = real.window.questions, real.session.map
    assert questions.nearest_model.rowCount() == 10
    assert questions.nearest_view.isVisible()
    row = keeper.points.index(("queues-at-night.md", 1))
    shares = keeper.layouts.survey.shares  # type: ignore[union-attr]
    assert real.window.map_view.plot.marks.trust == pytest.approx(float(shares[row]))
    first = questions.nearest_model.answer(0)
    matrix = keeper.layouts.matrix
    scores = matrix @ matrix[row]  # type: ignore[operator,index]
    scores[row] = -1
    assert keeper.points[int(np.argmax(scores))] == (first.document, first.chunk)
    real.click_item(questions.nearest_view, questions.nearest_model.index(0))
    real.assert_selected(first.document, first.chunk)


def test_n_draws_the_lines_of_the_selected_point(real: RealWindow) -> None:
    real.session.select_chunk(0, "queues-at-night.md")
    plot = real.window.map_view.plot
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_N)
    assert plot.marks.line_count == 10
    QTest.keyClick(plot, Qt.Key.Key_N)
    assert plot.marks.line_count == 0


def test_dates_and_tags_of_the_posts_colour_the_map(real: RealWindow) -> None:
    view = real.window.map_view
    view.set_color_by(ColorBy.DATE)
    assert {name for name, _ in view.legend.entries} == {"2024", "2025"}
    view.set_color_by(ColorBy.TAG)
    assert "pipelines" in {name for name, _ in view.legend.entries}
    view.set_color_by(ColorBy.DOCUMENT)


def test_answers_are_filtered_and_more_like_one_is_found(real: RealWindow) -> None:
    questions, keeper = real.window.questions, real.session.map
    questions.ask("who is woken at night?")
    wait_until(lambda: bool(keeper.answers.hits))
    assert questions.histogram.isVisible()
    assert real.window.map_view.star_note.isVisible()
    questions.filter_button.choose(AnswerFilter(document="backfills.md"))
    shown = {questions.model.answer(row).document for row in range(questions.model.rowCount())}
    assert shown == {"backfills.md"}
    questions.filter_button.choose(AnswerFilter(tag="queues"))
    shown = {questions.model.answer(row).document for row in range(questions.model.rowCount())}
    assert shown == {"queues-at-night.md"}
    questions.filter_button.choose(AnswerFilter())
    first = questions.model.answer(0)
    questions.view.setFocus()
    questions.select(first.document, first.chunk)
    QTest.keyClick(questions.view, Qt.Key.Key_M)
    assert questions.heading.full_text.startswith(f"More like #{first.chunk + 1} ")
    assert questions.model.row_of(first.document, first.chunk) == -1
    assert not real.window.map_view.star_note.isVisible()
    questions.focus_question()
    QTest.keyClick(questions.field, Qt.Key.Key_Escape)
    assert questions.model.rowCount() == 0


@pytest.mark.parametrize("name", ["chunks.jsonl", "chunks.csv"])
def test_chosen_chunks_are_exported(
    real: RealWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(path), ""))
    view = real.window.map_view
    view.choose_chunks([("backfills.md", 0), ("search-index.md", 2)])
    QTest.mouseClick(view.selection_bar.export_button, Qt.MouseButton.LeftButton)
    if name.endswith("csv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            records = list(csv.DictReader(file))
        assert [int(record["index"]) for record in records] == [0, 2]
    else:
        records = [json.loads(line) for line in path.read_text().splitlines()]
        assert [record["index"] for record in records] == [0, 2]
    assert [record["document"] for record in records] == ["backfills.md", "search-index.md"]
    chunk = real.session.documents["search-index.md"].chunking.chunks[2]
    assert records[1]["text"] == chunk.text
    view.choose_chunks(())
    real.window.map_presenter.export((("backfills.md", 0),), tmp_path / "no" / "chunks.csv")
    assert "Can't write" in real.words()[-1]


def test_near_duplicates_are_chosen(real: RealWindow) -> None:
    view = real.window.map_view
    view.actions_by_name["duplicates"].trigger()
    assert view.selected_keys == ()


def test_a_change_leaves_the_map_and_a_new_layout_can_be_undone(real: RealWindow) -> None:
    keeper, view = real.session.map, real.window.map_view
    before = dict(zip(keeper.layout_points, keeper.layout.coordinates.tolist(), strict=True))  # type: ignore[union-attr]
    post = real.session.folder / "queues-at-night.md"  # type: ignore[operator]
    post.write_text(post.read_text() + "\n\n## A new part\n\n" + "Something that was not said before. " * 20)
    real.session.reload()
    wait_until(lambda: keeper.is_complete and keeper.layouts.new_count == 1)
    placed = dict(zip(keeper.layout_points, keeper.layout.coordinates.tolist(), strict=True))  # type: ignore[union-attr]
    assert all(placed[point] == place for point, place in before.items())
    assert view.relayout_button.isVisible()
    assert view.relayout_button.text() == "1 chunk changed · Re-layout"
    assert "map: 1 changed" in real.window.status.vector_label.text()
    QTest.mouseClick(view.relayout_button, Qt.MouseButton.LeftButton)
    wait_until(lambda: keeper.layouts.new_count == 0 and not view.relayout_button.isVisible())
    relaid = dict(zip(keeper.layout_points, keeper.layout.coordinates.tolist(), strict=True))  # type: ignore[union-attr]
    assert relaid != placed
    stack = real.session.undo_stack
    assert stack.undoText() == "re-layout"
    stack.undo()
    assert dict(zip(keeper.layout_points, keeper.layout.coordinates.tolist(), strict=True)) == placed  # type: ignore[union-attr]
    assert view.relayout_button.isVisible()
    stack.redo()
    assert dict(zip(keeper.layout_points, keeper.layout.coordinates.tolist(), strict=True)) == relaid  # type: ignore[union-attr]


def test_another_way_to_fit_is_chosen_in_the_menu_and_undone(real: RealWindow) -> None:
    keeper, view = real.session.map, real.window.map_view
    assert view.fit_actions["neighbours", 15].isChecked()
    assert keeper.layout is not None
    before = keeper.layout.coordinates.copy()
    view.fit_actions["neighbours", 5].trigger()
    wait_until(lambda: keeper.layouts.fit.neighbours == 5 and not np.array_equal(keeper.layout.coordinates, before))
    wait_until(lambda: keeper.layouts.is_up_to_date and keeper.layouts.survey is not None)
    assert real.session.settings.map_fit.neighbours == 5
    assert "5 neighbours" in view.method.toolTip()
    assert view.fit_actions["neighbours", 5].isChecked() and not view.fit_actions["neighbours", 15].isChecked()
    real.session.undo_stack.undo()
    wait_until(lambda: np.array_equal(keeper.layout.coordinates, before))  # the map of that way was kept
