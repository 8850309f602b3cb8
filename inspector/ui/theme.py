"""All colours, fonts and icons of the window, for a light and a dark page, switched while it is open."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from string import Template

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QGuiApplication,
    QIcon,
    QPainter,
    QPaintEvent,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from inspector.resources import resource_path
from inspector.ui.stylesheet import STYLESHEET

UI_FAMILY = "Inter"
CODE_FAMILY = "JetBrains Mono"
UI_PIXELS = 13
SMALL_PIXELS = 12
TINY_PIXELS = 11
CODE_PIXELS = 13
SMALLEST_CODE_PIXELS, LARGEST_CODE_PIXELS = 8, 32

# The grid of distances.
TIGHT, NEAR, WIDE, FAR = 4, 8, 12, 16
ROW_HEIGHT = 24
HEADER_HEIGHT = 36


class ThemeMode(StrEnum):
    """Which page the author wants."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colors:
    """The colours of one theme, as `#RRGGBB`; a name says what a colour means, never what it looks like."""

    page: str
    text: str
    dim: str
    tint_a: str
    tint_b: str
    band_a: str
    band_b: str
    truncation: str
    cut: str
    fault: str
    ok: str
    accent: str
    accent_fill: str
    hairline: str
    edge: str
    hover: str
    zone_near: str
    zone_far: str
    bar: str
    track: str
    on_mark: str
    match: str
    other: str
    category_1: str
    category_2: str
    category_3: str
    category_4: str
    category_5: str
    category_6: str
    category_7: str

    @property
    def categories(self) -> tuple[str, ...]:
        """The seven colours of documents on the map, in order; `other` is for the rest."""
        return (
            self.category_1,
            self.category_2,
            self.category_3,
            self.category_4,
            self.category_5,
            self.category_6,
            self.category_7,
        )

    def band(self, parity: int) -> QColor:
        """Return the strong colour of chunks with this parity."""
        return QColor(self.band_b if parity % 2 else self.band_a)

    def tint(self, parity: int) -> QColor:
        """Return the pale colour under chunks with this parity."""
        return QColor(self.tint_b if parity % 2 else self.tint_a)


LIGHT = Colors(
    page="#FFFFFF",
    text="#1B1B1B",
    dim="#595959",
    tint_a="#DCEBF7",
    tint_b="#FBE9D0",
    band_a="#0072B2",
    band_b="#B35900",
    truncation="#A3006D",
    cut="#7A4E00",
    fault="#B00020",
    ok="#006D4E",
    accent="#5B3FD1",
    accent_fill="#EFEBFD",
    hairline="#DDE1E7",
    edge="#848C99",
    hover="#F5F6F8",
    zone_near="#F5F6F8",
    zone_far="#EAECEF",
    bar="#6E7886",
    track="#C9CED6",
    on_mark="#FFFFFF",
    match="#FFF1B8",
    other="#595959",
    category_1="#0072B2",
    category_2="#B35900",
    category_3="#006D4E",
    category_4="#A3006D",
    category_5="#7A4E00",
    category_6="#007C89",
    category_7="#9B2C2C",
)
DARK = Colors(
    page="#1B1E22",
    text="#ECECEC",
    dim="#B5B5B5",
    tint_a="#17324A",
    tint_b="#4A3413",
    band_a="#56B4E9",
    band_b="#E69F00",
    truncation="#FF9BD2",
    cut="#F2C14E",
    fault="#FF8A80",
    ok="#5FD3A8",
    accent="#B9A6FF",
    accent_fill="#2B2640",
    hairline="#33383F",
    edge="#78818E",
    hover="#24272C",
    zone_near="#202428",
    zone_far="#282B31",
    bar="#7E8998",
    track="#3A4049",
    on_mark="#1B1B1B",
    match="#54460F",
    other="#B5B5B5",
    category_1="#56B4E9",
    category_2="#E69F00",
    category_3="#5FD3A8",
    category_4="#FF9BD2",
    category_5="#F2C14E",
    category_6="#4FD0DE",
    category_7="#FF8A80",
)
LIGHT_CONTRAST = replace(
    LIGHT, text="#000000", dim="#333333", tint_a="#FFFFFF", tint_b="#FFFFFF", hairline="#6B6B6B", edge="#4A4A4A",
    bar="#3D4450", zone_near="#FFFFFF", zone_far="#F0F0F0", track="#8A8A8A",
)  # fmt: skip
DARK_CONTRAST = replace(
    DARK, page="#000000", text="#FFFFFF", dim="#DADADA", tint_a="#000000", tint_b="#000000", hairline="#8A8A8A",
    edge="#B0B0B0", bar="#C0C8D2", zone_near="#000000", zone_far="#1A1A1A", track="#6A6A6A", on_mark="#000000",
)  # fmt: skip
"""High contrast: no tints; rules, bands and numbers carry what they carried."""


def contrast_ratio(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the bundled fonts once and return their families; needs a QGuiApplication."""
    families: set[str] = set()
    for file in sorted(resource_path("fonts").glob("*.ttf")):
        number = QFontDatabase.addApplicationFont(str(file))
        families.update(QFontDatabase.applicationFontFamilies(number))
    return tuple(sorted(families))


@cache
def ui_font(pixels: int = UI_PIXELS, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the font of labels and buttons, with digits of one width; shared, not to be changed."""
    font = QFont(UI_FAMILY)
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@lru_cache(4_096)
def elided(
    text: str,
    width: int,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    weight: QFont.Weight = QFont.Weight.Normal,
) -> str:
    """Return as much of a text as fits into so many pixels; rows that are painted again and again are measured once."""
    return QFontMetrics(ui_font(weight=weight)).elidedText(text, mode, width)


@cache
def code_font(pixels: int = CODE_PIXELS) -> QFont:
    """Return the font of the source: one width, no ligature that would hide a character; shared, not to be changed."""
    font = QFont(CODE_FAMILY)
    font.setPixelSize(pixels)
    font.setStyleHint(QFont.StyleHint.Monospace)
    for tag in ("calt", "liga", "clig"):
        font.setFeature(QFont.Tag(tag), 0)
    return font


class Theme(QObject):
    """The theme in force: its colours, its icons and the style of the whole application."""

    changed = Signal()

    def __init__(
        self,
        mode: ThemeMode = ThemeMode.SYSTEM,
        parent: QObject | None = None,
        *,
        has_contrast: bool = False,
        is_still: bool = False,
    ) -> None:
        """Begin with what the author chose last time; what the system asks for is heeded too."""
        super().__init__(parent)
        load_fonts()
        self._mode = mode
        self._has_contrast = has_contrast
        self._is_still = is_still
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="chunk-inspector-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        self._system_is_dark = self._ask_system()
        self._colors = self._chosen()

    @property
    def mode(self) -> ThemeMode:
        """What the author chose."""
        return self._mode

    @property
    def is_dark(self) -> bool:
        """Whether the dark page is shown."""
        return self._colors in (DARK, DARK_CONTRAST)

    @property
    def has_contrast(self) -> bool:
        """Whether colours are of high contrast."""
        return self._has_contrast

    @property
    def is_still(self) -> bool:
        """Whether nothing is to be animated."""
        return self._is_still

    def set_contrast(self, has_contrast: bool) -> None:
        """Choose high contrast or the usual colours."""
        self._has_contrast = has_contrast
        self._update()

    def set_still(self, is_still: bool) -> None:
        """Choose whether nothing is animated from now on."""
        self._is_still = is_still

    @property
    def colors(self) -> Colors:
        """The colours in force."""
        return self._colors

    def color(self, token: str) -> QColor:
        """Return a colour by its name."""
        return QColor(getattr(self._colors, token))

    def paint_ground(self, widget: QWidget, event: QPaintEvent) -> None:
        """Fill what is to be painted of a widget that paints itself whole (`WA_OpaquePaintEvent`)."""
        painter = QPainter(widget)
        painter.fillRect(event.rect(), self.color("page"))
        painter.end()

    def set_mode(self, mode: ThemeMode) -> None:
        """Choose light, dark or what the system says; all that listens repaints."""
        self._mode = mode
        self._update()

    def style_application(self, app: QApplication) -> None:
        """Give the application its style, font, palette and style sheet, now and after every change."""
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.setPalette(self.palette())
        app.setStyleSheet(self.style_sheet())

    def palette(self) -> QPalette:
        """Return a palette for what the style sheet does not reach."""
        role = QPalette.ColorRole
        tokens = {
            role.Window: "page",
            role.Base: "page",
            role.AlternateBase: "hover",
            role.Button: "page",
            role.WindowText: "text",
            role.Text: "text",
            role.ButtonText: "text",
            role.BrightText: "fault",
            role.PlaceholderText: "dim",
            role.ToolTipBase: "page",
            role.ToolTipText: "text",
            role.Highlight: "accent_fill",
            role.HighlightedText: "text",
            role.Accent: "accent",
            role.Link: "accent",
            role.LinkVisited: "accent",
            role.Mid: "hairline",
            role.Midlight: "hairline",
            role.Light: "page",
            role.Dark: "edge",
            role.Shadow: "hairline",
        }
        palette = QPalette()
        for where, token in tokens.items():
            palette.setColor(where, self.color(token))
        for where in (role.Text, role.WindowText, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, where, self.color("edge"))
        return palette

    def style_sheet(self) -> str:
        """Return the style sheet of the whole application in the colours in force."""
        names = {
            "chevron_down": ("chevron-down", "dim"),
            "chevron_up": ("chevron-up", "dim"),
            "chevron_right": ("chevron-right", "dim"),
            "close_icon": ("x", "dim"),
            "check_icon": ("check", "on_mark"),
        }
        images = {key: self._icon_file(name, token) for key, (name, token) in names.items()}
        return Template(STYLESHEET).substitute(asdict(self._colors), **images, ui_pixels=f"{UI_PIXELS}px")

    def icon(self, name: str, token: str = "text") -> QIcon:
        """Return an icon of the set in one of the theme's colours."""
        key = (name, getattr(self._colors, token))
        if key not in self._icons:
            renderer = QSvgRenderer(QByteArray(_svg(name, key[1]).encode()))
            icon = QIcon()
            for ratio in (1, 2, 3):
                pixmap = QPixmap(16 * ratio, 16 * ratio)
                pixmap.fill(Qt.GlobalColor.transparent)
                painter = QPainter(pixmap)
                renderer.render(painter, QRectF(pixmap.rect()))
                painter.end()
                pixmap.setDevicePixelRatio(ratio)
                icon.addPixmap(pixmap)
            self._icons[key] = icon
        return self._icons[key]

    def _icon_file(self, name: str, token: str) -> str:
        """Write a recoloured icon where the style sheet can read it, and return its path."""
        color = getattr(self._colors, token)
        file = self._folder / f"{name}-{color[1:]}.svg"
        if not file.exists():
            file.write_text(_svg(name, color), encoding="utf-8")
        return file.as_posix()

    def _ask_system(self) -> bool:
        scheme = QGuiApplication.styleHints().colorScheme()
        if scheme is Qt.ColorScheme.Unknown:  # the offscreen platform and old desktops
            return QPalette().color(QPalette.ColorRole.Window).lightness() < 128
        return scheme is Qt.ColorScheme.Dark

    def _chosen(self) -> Colors:
        is_dark = self._mode is ThemeMode.DARK or (self._mode is ThemeMode.SYSTEM and self._system_is_dark)
        if self._has_contrast:
            return DARK_CONTRAST if is_dark else LIGHT_CONTRAST
        return DARK if is_dark else LIGHT

    def _on_system_changed(self, scheme: Qt.ColorScheme) -> None:
        if scheme is not Qt.ColorScheme.Unknown:
            self._system_is_dark = scheme is Qt.ColorScheme.Dark
            self._update()

    def _update(self) -> None:
        colors = self._chosen()
        if colors is self._colors:
            return
        self._colors = colors
        app = QApplication.instance()
        if isinstance(app, QApplication):
            self.style_application(app)
        self.changed.emit()


def app_icon() -> QIcon:
    """Return the program's own icon."""
    return QIcon(str(resource_path("icons", "chunk-inspector.svg")))


@cache
def _svg(name: str, color: str) -> str:
    text = resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")
    return re.sub("currentColor", color, text)
