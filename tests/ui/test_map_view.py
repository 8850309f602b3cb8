"""The map, driven by mouse and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.ui.map_data import ColorBy, Coordinates, MapPoint, Slots, categorise
from inspector.ui.map_state import NO_CHUNKS, NO_VECTORS, duration
from inspector.ui.map_view import MapView
from inspector.ui.theme import LIGHT, Theme, ThemeMode


def points_of(documents: int, each: int) -> list[MapPoint]:
    return [
        MapPoint(f"folder/post-{document}.md", chunk, ("Part", f"Sub {chunk}"), "Some words. " * 40, 300 + 150 * chunk,
                 120, "section" if chunk else "sentence", is_truncated=chunk == 2)
        for document in range(documents) for chunk in range(each + (documents - document) % 3)
    ]  # fmt: skip


def grid(count: int) -> Coordinates:
    return np.array([(number % 7, number // 7) for number in range(count)], dtype=np.float32)


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> MapView:
    view = MapView(theme)
    qtbot.addWidget(view)
    view.resize(420, 600)
    view.show()
    qtbot.waitExposed(view)
    return view


def fill(view: MapView, documents: int = 4, each: int = 5) -> list[MapPoint]:
    points = points_of(documents, each)
    view.show_points(points, grid(len(points)), "UMAP")
    QApplication.processEvents()
    return points


def place(view: MapView, number: int) -> QPointF:
    return view.plot.place_of(number)


def test_without_vectors_it_offers_to_make_them(qtbot: QtBot, view: MapView) -> None:
    assert view.message.text() == NO_CHUNKS
    assert not view.embed_button.isVisible()
    view.show_empty(104, 6.2)
    assert view.message.text() == NO_VECTORS == "No vectors yet; chunking works without them."
    assert view.embed_button.text() == "Embed 104 chunks, about 6 s"
    with qtbot.waitSignal(view.embed_requested):
        QTest.mouseClick(view.embed_button, Qt.MouseButton.LeftButton)


def test_stages_are_named_and_can_be_cancelled(qtbot: QtBot, view: MapView) -> None:
    view.show_empty(104, None)
    view.show_progress("64 of 104", 64, 104)
    assert view.stage.full_text == "64 of 104"
    assert (view.bar.value(), view.bar.maximum()) == (64, 104)
    with qtbot.waitSignal(view.cancel_requested):
        QTest.mouseClick(view.cancel_button, Qt.MouseButton.LeftButton)
    view.show_progress(None)
    assert not view.progress.isVisible()


def test_an_error_offers_another_model(qtbot: QtBot, view: MapView) -> None:
    view.show_error("No model at X. Choose a folder, or use the bundled one.")
    with qtbot.waitSignal(view.choose_model_requested):
        QTest.mouseClick(view.choose_button, Qt.MouseButton.LeftButton)


def test_a_click_chooses_a_chunk(qtbot: QtBot, view: MapView) -> None:
    points = fill(view)
    with qtbot.waitSignal(view.point_chosen) as told:
        QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=place(view, 9).toPoint())
    assert told.args == [points[9].document, points[9].chunk]


def test_a_click_beside_the_points_chooses_nothing(qtbot: QtBot, view: MapView) -> None:
    fill(view)
    beside = (place(view, 0) + place(view, 8)) / 2
    with qtbot.assertNotEmitted(view.point_chosen):
        QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=beside.toPoint())


def test_a_point_under_the_mouse_shows_its_card(qtbot: QtBot, view: MapView) -> None:
    points = fill(view)
    QTest.mouseMove(view.plot.viewport(), place(view, 4).toPoint())
    qtbot.waitUntil(lambda: view.plot.card.isVisible())
    assert "post-0 › Part › Sub 4" in view.plot.card.words
    assert f"{points[4].characters:,} characters · 120 tokens" in view.plot.card.words
    QTest.mouseMove(view.plot.viewport(), ((place(view, 0) + place(view, 8)) / 2).toPoint())
    assert not view.plot.card.isVisible()


def test_keys_walk_from_point_to_point(qtbot: QtBot, view: MapView) -> None:
    points = fill(view)
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    QTest.keyClick(view.plot, Qt.Key.Key_Up)
    with qtbot.waitSignal(view.point_chosen) as told:
        QTest.keyClick(view.plot, Qt.Key.Key_Return)
    assert told.args == [points[8].document, points[8].chunk]


def test_one_item_a_category(view: MapView) -> None:
    fill(view, documents=12, each=3)
    assert view.plot.scatter_count == 8
    assert view.legend.entries[-1][0] == "other"
    assert sum(count for _, count in view.legend.entries) == len(view._points)
    view.set_color_by(ColorBy.TRUNCATED)
    assert view.plot.scatter_count == 2
    assert [name for name, _ in view.legend.entries] == ["read whole", "truncated"]


@pytest.mark.parametrize("by", list(ColorBy))
def test_every_colouring_covers_every_point(view: MapView, by: ColorBy) -> None:
    points = fill(view, documents=12, each=3)
    view.set_color_by(by)
    members = np.concatenate([category.members for category in view.categories])
    assert sorted(members) == list(range(len(points)))
    view.grab()


def test_a_document_keeps_its_colour() -> None:
    slots = Slots()
    points = points_of(9, 4)
    before = {category.name: category.token for category in categorise(points, ColorBy.DOCUMENT, slots)}
    after = {category.name: category.token for category in categorise(points[8:], ColorBy.DOCUMENT, slots)}
    kept = (before.keys() & after.keys()) - {"other"}
    assert kept
    assert all(before[name] == after[name] for name in kept)


def test_the_selected_point_is_ringed_in_the_accent(view: MapView) -> None:
    points = fill(view)
    view.select(points[9].document, points[9].chunk)
    QApplication.processEvents()
    image = view.plot.grab().toImage()
    middle = place(view, 9).toPoint()
    ring = {image.pixelColor(middle.x() + dx, middle.y()).name().upper() for dx in range(9, 15)}
    assert LIGHT.accent in ring
    view.select(None, None)


def test_hits_are_ringed_and_the_question_is_a_star(view: MapView) -> None:
    points = fill(view)
    view.show_hits([(point.document, point.chunk) for point in points[:3]], (2.5, 1.5))
    assert view.plot.marks.label_words == ["1", "2", "3"]
    assert view.star_note.isVisible()
    view.grab()
    view.show_hits(())
    assert view.plot.marks.label_words == []
    assert not view.star_note.isVisible()


def test_the_view_stays_where_it_was_moved(view: MapView) -> None:
    points = fill(view)
    box = view.plot.getPlotItem().getViewBox()
    box.setRange(xRange=(0, 2), yRange=(0, 2))
    view.plot._on_range_changed()
    before = box.viewRange()
    view.show_points(points, grid(len(points)), "UMAP")
    assert box.viewRange() == before
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Home)
    assert box.viewRange() != before


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_points_never_fail(view: MapView, count: int) -> None:
    points = points_of(1, 3)[:count]
    view.show_points(points, grid(len(points)), "PCA: fewer than 15 chunks")
    view.grab()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Home):
        QTest.keyClick(view.plot, key)


def test_changed_chunks_are_counted_and_drawn_hollow(view: MapView) -> None:
    points = [MapPoint("a.md", number, (), "x", 10, is_new=number == 0) for number in range(5)]
    view.show_points(points, grid(5), "UMAP")
    assert view.relayout_button.isVisible()
    assert view.relayout_button.text() == "1 chunk changed · Re-layout"
    image = view.plot.grab().toImage()
    middle, full = place(view, 0).toPoint(), place(view, 1).toPoint()
    assert image.pixelColor(middle).name().upper() == LIGHT.page
    assert image.pixelColor(full).name().upper() == LIGHT.category_1
    view.show_points([MapPoint("a.md", number, (), "x", 10) for number in range(5)], grid(5), "UMAP")
    assert not view.relayout_button.isVisible()


def test_the_theme_switches(view: MapView, theme: Theme) -> None:
    fill(view)
    theme.set_mode(ThemeMode.DARK)
    QApplication.processEvents()
    image = view.plot.grab().toImage()
    assert image.pixelColor(2, 2).name().upper() == theme.colors.page


def test_durations_are_words() -> None:
    assert [duration(seconds) for seconds in (0.2, 6.4, 89, 130)] == ["1 s", "6 s", "89 s", "2 min"]
