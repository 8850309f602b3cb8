"""Colours can be told apart and read, and the theme switches while the window is open."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from inspector.ui import theme as theme_module
from inspector.ui.theme import (
    DARK,
    DARK_CONTRAST,
    LIGHT,
    LIGHT_CONTRAST,
    Colors,
    Theme,
    ThemeMode,
    code_font,
    contrast_ratio,
    load_fonts,
    ui_font,
)

UI = Path(theme_module.__file__).parent
TEXTS = ("text", "dim", "truncation", "cut", "fault", "ok", "accent")
GROUNDS = ("page", "tint_a", "tint_b", "accent_fill", "hover", "zone_near", "zone_far")
MARKS = ("band_a", "band_b", "truncation", "cut", "fault", "ok", "accent", "bar", "edge", "other")
BOTH = pytest.mark.parametrize(
    "colors",
    [LIGHT, DARK, LIGHT_CONTRAST, DARK_CONTRAST],
    ids=["light", "dark", "light, high contrast", "dark, high contrast"],
)


@BOTH
def test_text_can_be_read_on_every_ground(colors: Colors) -> None:
    for text, ground in product(("text", "dim"), GROUNDS):
        assert contrast_ratio(getattr(colors, text), getattr(colors, ground)) >= 4.5, (text, ground)


@BOTH
def test_words_in_a_colour_can_be_read(colors: Colors) -> None:
    for text, ground in product(TEXTS, ("page", "tint_a", "tint_b")):
        assert contrast_ratio(getattr(colors, text), getattr(colors, ground)) >= 4.5, (text, ground)
    for parity in "ab":
        assert contrast_ratio(getattr(colors, f"band_{parity}"), getattr(colors, f"tint_{parity}")) >= 3.9
    for mark in ("truncation", "cut", "fault", "accent"):
        assert contrast_ratio(colors.on_mark, getattr(colors, mark)) >= 4.5, mark
    assert contrast_ratio(colors.text, colors.match) >= 4.5


@BOTH
def test_marks_can_be_seen_on_the_page(colors: Colors) -> None:
    for mark in (*MARKS, *(f"category_{number}" for number in range(1, 8))):
        assert contrast_ratio(getattr(colors, mark), colors.page) >= 3.0, mark


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast_ratio("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast_ratio("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_switching_restyles_what_is_open(qtbot: QtBot, theme: Theme, qapp: QApplication) -> None:
    button = QPushButton("A button")
    qtbot.addWidget(button)
    with qtbot.waitSignal(theme.changed):
        theme.set_mode(ThemeMode.DARK)
    assert theme.is_dark
    assert DARK.page in qapp.styleSheet()
    assert qapp.palette().window().color().name().upper() == DARK.page
    assert button.palette().buttonText().color().name().upper() == DARK.text


def test_choosing_the_same_again_says_nothing(qtbot: QtBot, theme: Theme) -> None:
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_mode(ThemeMode.LIGHT)


def test_the_system_decides_when_asked(qtbot: QtBot, theme: Theme) -> None:
    theme.set_mode(ThemeMode.SYSTEM)
    assert theme.mode is ThemeMode.SYSTEM
    assert isinstance(theme.is_dark, bool)


def test_the_bundled_fonts_are_used(qapp: QApplication) -> None:
    assert {"Inter", "JetBrains Mono"} <= set(load_fonts())
    assert ui_font().family() == "Inter"
    assert code_font(17).pixelSize() == 17


def test_icons_take_the_themes_colour(qtbot: QtBot, theme: Theme) -> None:
    image = theme.icon("folder-open", "accent").pixmap(16, 16).toImage()
    colors = {image.pixelColor(x, y).name().upper() for x in range(16) for y in range(16)
              if image.pixelColor(x, y).alpha() > 250}  # fmt: skip
    assert LIGHT.accent in colors


def test_no_colour_is_written_down_elsewhere() -> None:
    pattern = re.compile(r"""["'](#[0-9A-Fa-f]{3,8})["']|Qt\.GlobalColor\.(?!transparent)|Qt\.(red|black|white)\b""")
    found = {path.name: pattern.findall(path.read_text(encoding="utf-8")) for path in UI.glob("*.py")}
    assert {name: hits for name, hits in found.items() if hits and name != "theme.py"} == {}
