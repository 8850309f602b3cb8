"""Many points are chosen by box, lasso, legend and table; what is chosen is copied, exported and pictured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from inspector.ui import map_layers, map_plot
from inspector.ui.map_data import ColorBy, MapPoint, Slots, categorise, date_of, tags_of
from inspector.ui.map_grid import PointGrid, inside, next_towards
from inspector.ui.map_layers import layers_of
from inspector.ui.map_tools import Tool
from inspector.ui.map_view import MapView
from inspector.ui.steps import do_all
from inspector.ui.theme import DARK, LIGHT, Theme, ThemeMode
from tests.ui.real_window import move_mouse

Keys = Qt.KeyboardModifier


def points_of(count: int = 20, **more: object) -> list[MapPoint]:
    return [
        MapPoint(f"posts/p{n % 4}.md", n, ("Part", f"Sub {n}"), f"Words of {n}.", 100 * n + 50, 40, **more)  # type: ignore[arg-type]
        for n in range(count)
    ]


def grid(count: int) -> np.ndarray:
    return np.array([(number % 5, number // 5) for number in range(count)], dtype=np.float32)


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> MapView:
    view = MapView(theme)
    qtbot.addWidget(view)
    view.resize(440, 600)
    view.show()
    qtbot.waitExposed(view)
    view.show_points(points_of(), grid(20), "UMAP")
    QApplication.processEvents()
    return view


def at(view: MapView, x: float, y: float) -> QPoint:
    """Return where a place between the points is in the widget."""
    first, last = view.plot.place_of(0), view.plot.place_of(19)
    return QPointF(first.x() + (last.x() - first.x()) * x / 4, first.y() + (last.y() - first.y()) * y / 3).toPoint()


def draw(view: MapView, *corners: tuple[float, float], keys: Qt.KeyboardModifier = Keys.NoModifier) -> None:
    viewport = view.plot.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, keys, at(view, *corners[0]))
    for corner in corners[1:]:
        move_mouse(viewport, at(view, *corner), Qt.MouseButton.LeftButton)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, keys, at(view, *corners[-1]))


def chosen(view: MapView) -> list[int]:
    return [chunk for _, chunk in view.selected_keys]


def test_a_box_chooses_and_stays_armed_until_escape(view: MapView) -> None:
    QTest.mouseClick(view.tool_buttons[Tool.BOX], Qt.MouseButton.LeftButton)
    assert view.plot.tool is Tool.BOX
    draw(view, (-0.5, -0.5), (1.5, 1.5))
    assert chosen(view) == [0, 1, 5, 6]
    assert view.plot.tool is Tool.BOX
    draw(view, (2.5, -0.5), (3.5, 0.5), keys=Keys.ShiftModifier)
    assert chosen(view) == [0, 1, 3, 5, 6]
    draw(view, (-0.5, 0.5), (1.5, 1.5), keys=Keys.AltModifier)
    assert chosen(view) == [0, 1, 3]
    draw(view, (3.5, 1.5), (4.5, 3.5))
    assert chosen(view) == [14, 19]
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Escape)
    assert view.plot.tool is Tool.PAN
    assert not view.tool_buttons[Tool.BOX].isChecked()
    assert chosen(view) == [14, 19]
    QTest.keyClick(view.plot, Qt.Key.Key_Escape)
    assert chosen(view) == []
    assert not view.selection_bar.isVisible()


def test_a_lasso_chooses_what_it_surrounds(view: MapView) -> None:
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_L)
    assert view.tool_buttons[Tool.LASSO].isChecked()
    draw(view, (-0.4, -0.4), (4.4, -0.4), (-0.4, 3.2))
    assert chosen(view) == [0, 1, 2, 3, 5, 6, 7, 10, 11, 15][: len(chosen(view))]
    assert {0, 1, 5} <= set(chosen(view))
    assert 19 not in chosen(view)
    for key, tool in ((Qt.Key.Key_V, Tool.PAN), (Qt.Key.Key_B, Tool.BOX)):
        QTest.keyClick(view.plot, key)
        assert view.plot.tool is tool


def test_a_click_with_an_armed_tool_still_selects_a_point(view: MapView, qtbot: QtBot) -> None:
    view.plot.choose_tool(Tool.LASSO)
    with qtbot.waitSignal(view.point_chosen) as told:
        QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=at(view, 2, 1))
    assert told.args == ["posts/p3.md", 7]


def test_escape_leaves_a_shape_that_is_being_drawn(view: MapView) -> None:
    view.plot.choose_tool(Tool.BOX)
    viewport = view.plot.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Keys.NoModifier, at(view, -0.5, -0.5))
    move_mouse(viewport, at(view, 3.5, 3.5), Qt.MouseButton.LeftButton)
    view.grab()
    QTest.keyClick(view.plot, Qt.Key.Key_Escape)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Keys.NoModifier, at(view, 3.5, 3.5))
    assert chosen(view) == []


def test_the_bar_adds_up_and_copies(view: MapView, qtbot: QtBot) -> None:
    view.choose_chunks([("posts/p1.md", 1), ("posts/p2.md", 2), ("gone.md", 0)])
    bar = view.selection_bar
    assert bar.isVisible()
    assert bar.words.full_text == "2 chunks of 2 posts"
    assert bar.sizes.full_text == "400 characters"
    QTest.mouseClick(bar.copy_button, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == (
        "<!-- posts/p1.md › Part › Sub 1 #2 -->\nWords of 1.\n\n<!-- posts/p2.md › Part › Sub 2 #3 -->\nWords of 2."
    )
    with qtbot.waitSignal(view.export_requested) as told:
        QTest.mouseClick(bar.export_button, Qt.MouseButton.LeftButton)
    assert told.args == [(("posts/p1.md", 1), ("posts/p2.md", 2))]
    QTest.mouseClick(bar.clear_button, Qt.MouseButton.LeftButton)
    assert chosen(view) == []


def test_the_table_sorts_and_selects(view: MapView, qtbot: QtBot) -> None:
    view.choose_all()
    QTest.mouseClick(view.selection_bar.table_button, Qt.MouseButton.LeftButton)
    table = view.table
    assert table is not None and table.isVisible()
    assert table.sorted.rowCount() == 20
    table.view.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    assert table.sorted.index(0, 1).data() == "20"
    with qtbot.waitSignal(view.point_chosen) as told:
        place = table.view.visualRect(table.sorted.index(1, 0)).center()
        QTest.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told.args == ["posts/p2.md", 18]
    QTest.keyClick(table.view, Qt.Key.Key_C, Keys.ControlModifier)
    assert "Words of 18." in QApplication.clipboard().text()
    view.choose_chunks([("posts/p1.md", 1)])
    assert table.sorted.rowCount() == 1
    table.close()


def test_chosen_chunks_stay_chosen_under_other_numbers(view: MapView) -> None:
    view.choose_chunks([("posts/p1.md", 1), ("posts/p2.md", 2)])
    view.show_points(points_of()[2:], grid(18), "UMAP")
    assert view.selected_keys == (("posts/p2.md", 2),)


def test_a_click_in_the_legend_shows_one_category(view: MapView) -> None:
    button = view.legend.buttons[1]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.legend.pressed == "posts/p1.md"
    assert sum(layer.is_pale for layer in view.plot.layers._layers) == 3
    assert {b.category.token for b in view.legend.buttons} == {f"category_{n}" for n in range(1, 5)}  # type: ignore[union-attr]
    view.choose_all()
    assert {document for document, _ in view.selected_keys} == {"posts/p1.md"}
    QTest.keyClick(button, Qt.Key.Key_Return)
    assert view.legend.pressed == ""
    view.choose_chunks(())
    assert not any(layer.is_pale for layer in view.plot.layers._layers)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    view.set_color_by(ColorBy.SIZE)
    assert view.legend.pressed == ""


def test_lines_go_to_the_neighbours_of_a_hovered_point(view: MapView, qtbot: QtBot) -> None:
    others = [("posts/p1.md", 1), ("posts/p1.md", 5)]
    view.point_hovered.connect(
        lambda document, chunk: view.show_neighbours((document, chunk), others, 1) if document else None
    )
    QTest.mouseMove(view.plot.viewport(), at(view, 0, 0))
    qtbot.waitUntil(lambda: view.plot.marks.line_count == 2)
    assert "1 of its 2 nearest are near on the map" in view.plot.card.words
    QTest.mouseMove(view.plot.viewport(), at(view, 0.5, 0.5))
    assert view.plot.marks.line_count == 0
    view.select("posts/p0.md", 0)
    view.show_neighbours(("posts/p0.md", 0), others, 1, keep=True)
    assert view.plot.marks.line_count == 2
    view.select("posts/p1.md", 1)
    assert view.plot.marks.line_count == 0


def test_the_selected_points_trust_is_an_arc(view: MapView, theme: Theme) -> None:
    view.select("posts/p3.md", 7, 0.5)
    assert view.plot.marks.trust == 0.5
    image = view.plot.grab().toImage()
    middle = at(view, 2, 1)
    right = {image.pixelColor(middle.x() + dx, middle.y()).name().upper() for dx in range(14, 19)}
    left = {image.pixelColor(middle.x() - dx, middle.y()).name().upper() for dx in range(14, 19)}
    assert LIGHT.ok in right  # the first half of the ring, clockwise from the top
    assert LIGHT.ok not in left


def test_points_move_to_new_places_unless_motion_is_reduced(view: MapView, qtbot: QtBot, theme: Theme) -> None:
    moved = grid(20)[::-1].copy()
    theme.set_still(True)
    view.show_points(points_of(), moved, "UMAP")
    assert not view.plot.is_moving
    theme.set_still(False)
    view.show_points(points_of(), grid(20), "UMAP")
    assert view.plot.is_moving
    assert np.array_equal(view.plot.coordinates, grid(20))
    qtbot.waitUntil(lambda: not view.plot.is_moving)
    assert np.array_equal(view.plot._shown, grid(20))


@pytest.mark.parametrize("count", [1, 5, 40])
def test_other_points_than_before_move_too(view: MapView, qtbot: QtBot, theme: Theme, count: int) -> None:
    theme.set_still(False)
    for number, places in ((20, grid(20)[::-1]), (count, grid(40)[::-1][:count])):
        view.show_points(points_of(number), places.copy(), "UMAP")
        assert view.plot.is_moving
        qtbot.waitUntil(lambda: not view.plot.is_moving)
    drawn = sum(len(item.data) for item in view.plot.layers._items)
    assert drawn == len(view.plot._shown) == count


def test_what_is_chosen_while_the_layers_are_filled_stays(view: MapView, theme: Theme) -> None:
    theme.set_still(True)
    categories = view.categories
    work = view.plot.showing_points(points_of(), grid(20), categories)
    next(work)
    view.plot.choose(np.array([0, 1]))
    before = [(len(layer.members), layer.is_pale) for layer in view.plot.layers._layers]
    do_all(work)
    assert [(len(layer.members), layer.is_pale) for layer in view.plot.layers._layers] == before
    assert sum(count for count, is_pale in before if not is_pale) == 2


@pytest.mark.parametrize("name", ["map.png", "map.svg"])
@pytest.mark.parametrize("is_light", [True, False])
def test_a_picture_has_points_legend_and_page(
    view: MapView, theme: Theme, tmp_path: Path, name: str, is_light: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme.set_mode(ThemeMode.DARK)
    view.show_hits([("posts/p1.md", 1)], (2.0, 1.5))
    path = tmp_path / name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(path), ""))
    view.ask_picture(is_light=is_light)
    colors = LIGHT if is_light else DARK
    if name.endswith(".svg"):
        text = path.read_text()
        assert colors.page.lower() in text.lower()
        assert colors.category_1.lower() in text.lower()
        assert "p0" in text
        return
    image = QImage(str(path))
    assert (image.width(), image.height()) == (2400, 1800)
    assert image.pixelColor(3, 3).name().upper() == colors.page
    seen = {image.pixelColor(x, y).name().upper() for x in range(0, 2400, 7) for y in range(0, 1800, 7)}
    assert {colors.category_1, colors.category_2} <= seen


def test_a_picture_that_cannot_be_written_says_so(view: MapView, tmp_path: Path) -> None:
    assert not view.save_picture(tmp_path / "nowhere" / "map.png")
    view.show_empty(3, None)
    assert not view.save_picture(tmp_path / "map.png")


def test_many_points_are_a_density_until_few_are_in_sight(
    view: MapView, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    for module, name, value in ((map_plot, "DENSE", 100), (map_plot, "MANY", 30), (map_layers, "MANY", 30)):
        monkeypatch.setattr(module, name, value)
    places = np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32)
    view.show_points([MapPoint("a.md", n, (), "x", 10) for n in range(300)], places, "UMAP")
    assert view.plot.layers._density.isVisible()
    view.plot.getPlotItem().getViewBox().setRange(xRange=(1.5, 2), yRange=(1.5, 2))
    qtbot.waitUntil(lambda: not view.plot.layers._density.isVisible())
    view.plot.fit()
    qtbot.waitUntil(lambda: view.plot.layers._density.isVisible())
    QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=view.plot.place_of(5).toPoint())


def test_the_grid_finds_what_a_search_through_all_finds() -> None:
    random = np.random.default_rng(4)
    places = random.normal(size=(700, 2)).astype(np.float32)
    places[10:20] = places[10]
    found = PointGrid(places)
    for x, y in random.normal(size=(60, 2)):
        gaps = ((places[:, 0] - x) / 0.2) ** 2 + ((places[:, 1] - y) / 0.1) ** 2
        best = int(np.argmin(gaps))
        assert found.nearest(x, y, 0.2, 0.1) == (best if gaps[best] <= 1 else None)
    for places in (grid(0), grid(1), np.ones((5, 2), np.float32)):
        assert PointGrid(places).nearest(1.0, 1.0, 0.5, 0.5) in (None, 0)


def test_the_inside_of_a_shape_is_even_odd() -> None:
    ring = np.array([(-0.5, -0.5), (3.5, -0.5), (3.5, 2.5), (0.5, 2.5), (0.5, 0.5), (1.5, 0.5), (1.5, 3), (-0.5, 3)])
    assert inside(ring, grid(20)).tolist() == [0, 1, 2, 3, 5, 7, 8, 10, 12, 13]
    assert inside(np.zeros((3, 2)), grid(20)).tolist() == []


def test_the_next_point_in_a_direction() -> None:
    coordinates = grid(20)
    assert next_towards(coordinates, 6, 1, 0) == 7
    assert next_towards(coordinates, 6, 0, 1) == 11
    assert next_towards(coordinates, 0, -1, 0) == 0


def test_layers_put_pale_points_below() -> None:
    categories = categorise(points_of(), ColorBy.DOCUMENT, Slots())
    is_new, is_vivid = np.zeros(20, bool), np.ones(20, bool)
    is_new[0], is_vivid[:8] = True, False
    layers = layers_of(categories, is_new, is_vivid)
    assert sum(len(layer.members) for layer in layers) == 20
    pale = [layer.is_pale for layer in layers]
    assert pale == sorted(pale, reverse=True)
    assert sum(layer.is_hollow for layer in layers) == 1


def test_dates_and_tags_come_from_the_front_matter() -> None:
    assert date_of({"date": "2024-09-29T10:00:00"}) == "2024-09-29"
    assert date_of({"pubDate": 2021}) == "2021"
    assert date_of({"date": "2023/01/02"}) == "2023-01-02"
    assert date_of({"date": "last week"}) == date_of({}) == date_of({"date": None}) == ""
    assert tags_of({"tags": ["a", "b", "a", " "]}) == ("a", "b")
    assert tags_of({"tags": "a, b"}) == ("a", "b")
    assert tags_of({"taxonomies": {"tags": ["zola"]}}) == ("zola",)
    assert tags_of({"tags": None, "categories": ["c", 7]}) == ("c", "7")
    assert tags_of({"extra": 3}) == ()


def test_points_are_coloured_by_year_or_month_and_by_their_commonest_tag() -> None:
    def named(points: list[MapPoint], by: ColorBy) -> dict[str, int]:
        return {category.name: len(category.members) for category in categorise(points, by, Slots())}

    of_years = [*points_of(3, date="2024-02-01"), *points_of(2, date="2023-11-05"), *points_of(1)]
    assert list(named(of_years, ColorBy.DATE).items()) == [("2023", 2), ("2024", 3), ("no date", 1)]
    assert named(of_years[:3], ColorBy.DATE) == {"2024-02": 3}
    of_tags = [*points_of(3, tags=("x", "common")), *points_of(2, tags=("common",)), *points_of(1)]
    assert named(of_tags, ColorBy.TAG) == {"common": 5, "no tag": 1}
    many = [point for n in range(12) for point in points_of(1 + n, tags=(f"t{n:02}",))]
    assert list(named(many, ColorBy.TAG)) == [f"t{n:02}" for n in range(11, 4, -1)] + ["other"]


def test_names_are_never_taken_for_markup(view: MapView) -> None:
    point = MapPoint("posts/<b>bold</b>.md", 0, ("<i>x</i>",), "<u>text</u>", 90)
    view.show_points([point, *points_of(4)], grid(5), "UMAP")
    entry = next(button for button in view.legend.buttons if "bold" in button.toolTip())
    assert "&lt;b&gt;" in entry.toolTip()
    view.choose_all()
    view.show_table()
    assert view.table is not None
    assert "&lt;u&gt;" in view.table.sorted.index(0, 8).data(Qt.ItemDataRole.ToolTipRole)
    assert view.table.sorted.index(0, 8).data() == "<u>text</u>"
    view.table.close()


def test_the_hint_of_the_method_outlives_another_width(view: MapView) -> None:
    view.show_method("UMAP · trust 0.87", "How far the map can be trusted")
    view.resize(500, 500)
    QApplication.processEvents()
    assert view.method.toolTip() == "How far the map can be trusted"
