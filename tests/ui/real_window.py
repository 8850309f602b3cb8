"""The real window on real workers, and ways to wait for it: shared by the tests of session, window and bad input."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# Compiling for UMAP takes 15 seconds; a cache that outlives the run saves most of them.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "chunk-inspector-numba"))

import pytest
from PySide6.QtCore import QEventLoop, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from inspector.embedding.cache import input_digest
from inspector.embedding.projection import FEWEST_FOR_UMAP
from inspector.ui.main_window import MainWindow
from inspector.ui.runner import Runner
from inspector.ui.session import Message, Session
from inspector.ui.state_file import State
from inspector.ui.theme import Theme
from inspector.ui.threshold_histogram import CAP

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "resources" / "sample"
CASES = ROOT / "tests" / "data" / "cases"
PATIENCE = 60.0  # seconds


def copy_sample(folder: Path, *names: str) -> Path:
    """Copy the sample, or some posts of it, so that a test may write in it."""
    site = folder / "site"
    if not names:
        return Path(shutil.copytree(SAMPLE, site))
    site.mkdir()
    for name in names:
        shutil.copy(SAMPLE / name, site)
    return site


def wait_until(is_true: Callable[[], object], limit: float = PATIENCE, what: str = "") -> None:
    """Run the event loop until something holds."""
    deadline = time.monotonic() + limit
    loop = QEventLoop()
    tick = QTimer()
    tick.setInterval(5)
    tick.timeout.connect(lambda: loop.quit() if is_true() or time.monotonic() > deadline else None)
    if not is_true():
        tick.start()
        loop.exec()
        tick.stop()  # a test that fails here keeps it alive
    assert is_true(), what or f"waited {limit:.0f} s in vain"


def let_pass(milliseconds: int) -> None:
    """Run the event loop for a while: only to see that something does not happen."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


class RealWindow:
    """A window as the program makes it, with its own workers; `told` has every message, `stirs` what was reloaded."""

    def __init__(self, theme: Theme, state: State | None = None, size: tuple[int, int] = (1600, 1000)) -> None:
        self.session = Session(Runner())
        self.told: list[Message] = []
        self.session.told.connect(self.told.append)
        self.window = MainWindow(self.session, theme, State() if state is None else state)
        self.window.resize(*size)
        self.window.show()
        self.is_closed = False

    def close(self) -> None:
        """Close the window and let Qt delete it."""
        if not self.is_closed:
            self.is_closed = True
            self.window.close()
            self.window.deleteLater()
            self.session.deleteLater()
            QApplication.processEvents()

    def drop(self, path: Path) -> None:
        """Drag a path over the window and drop it."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        how = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, *how)
        QApplication.sendEvent(self.window, enter)
        assert enter.isAccepted()
        QApplication.sendEvent(self.window, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, *how))

    # Waiting

    def open(self, folder: Path, name: str = "") -> None:
        """Open a folder and wait until all of it is read and shown."""
        self.session.open_folder(folder, name)
        self.wait_read()

    def is_idle(self) -> bool:
        """Whether nothing is being read and the views have caught up."""
        session, window = self.session, self.window
        return (
            session.listing is not None
            and not session.reader.is_reading
            and not session.is_dragging
            and all(document.readings or not document.chunking.chunks for document in session.documents.values())
            and not any(
                soon.is_waiting
                for soon in (
                    window._counts_soon,
                    window._problems_soon,
                    window._outline_soon,
                    window._show_listing_soon,
                    window._marks_soon,
                    window._new_cards_soon,
                )
            )
        )

    def wait_read(self) -> None:
        """Wait until everything is read and shown."""
        wait_until(self.is_idle, what=f"still reading; told {self.words()}")

    def is_mapped(self) -> bool:
        """Whether the map that stays is shown."""
        keeper = self.session.map
        if not self.session.totals.chunks:
            return not keeper.points
        readings = [
            (name, index, input_digest(reading.text))
            for name, document in self.session.documents.items()
            for index, reading in enumerate(document.readings)
        ]
        return (
            keeper.points == tuple((name, index) for name, index, _ in readings)
            and keeper.embedder.digests == tuple(digest for *_, digest in readings)
            and keeper.is_complete
            and keeper.layout is not None
            and keeper.layout_points == keeper.points
            and keeper.layouts.digests == keeper.embedder.digests
            and (keeper.layout.method == "umap" or len(keeper.points) < FEWEST_FOR_UMAP)
        )

    def wait_map(self, limit: float = PATIENCE) -> None:
        """Wait until every chunk is embedded and on the map."""
        self.wait_read()
        wait_until(self.is_mapped, limit, what=f"no map; told {self.words()}")

    def words(self) -> list[str]:
        """Return the messages told so far."""
        return [message.text for message in self.told]

    # What is shown

    @property
    def bar(self) -> str:
        """The words of the message bar, "" while it is hidden."""
        return self.window.message_bar.words.text() if self.window.message_bar.isVisible() else ""

    def selected_everywhere(self) -> dict[str, tuple[str, int | None]]:
        """Return (document, chunk) as each view shows it selected."""
        window, session = self.window, self.session
        name = session.open_name
        tree, model = window.outline.tree, window.outline.model
        index = tree.currentIndex()
        node = model.node(index) if index.isValid() else None
        plot = window.map_view.plot
        point = plot._points[plot._selected] if plot._selected is not None else None
        return {
            "session": (name, session.selected_chunk),
            "source": (window.source._document.name if window.source._document else "", window.source.text.selected),
            "cards": (name, window.chunk_list.selected()),
            "outline": (model.rows[node.document].name, node.chunk) if node is not None else ("", None),
            "map": (point.document, point.chunk) if point is not None else ("", None),
        }

    def assert_selected(self, name: str, chunk: int | None, *, with_map: bool = True) -> None:
        """Check that all views show one chunk selected, and the source and the cards have it in sight."""
        wait_until(lambda: self.session.selected_chunk == chunk and self.session.open_name == name, 5)
        shown = self.selected_everywhere()
        if not with_map:
            shown.pop("map")
        assert set(shown.values()) == {(name, chunk)}, shown

    def is_in_sight(self, offset: int) -> bool:
        """Whether a place of the source is in the visible part of its pane."""
        text = self.window.source.text
        height = text.viewport().height()
        return any(
            row.start <= offset <= row.end and row.top >= 0 and row.bottom <= height for row in text.scene().rows
        )

    # What an author does

    def click_source(self, offset: int) -> None:
        """Click into the source with the mouse, at a place that is scrolled into sight first."""
        text = self.window.source.text
        self.window.source.scroll_to(offset)
        row = next(row for row in text.scene().rows if row.start <= offset <= row.end)
        point = QPoint(round(text.x_of(row, offset)) + 2, round(row.top + row.height / 2))
        QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=point)

    def click_item(self, view: QWidget, index: object) -> None:
        """Click on a row of a list or tree with the mouse."""
        view.scrollTo(index)  # type: ignore[attr-defined]
        place = view.visualRect(index)  # type: ignore[attr-defined]
        point = QPoint(place.left() + min(60, place.width() // 2), place.top() + 12)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)  # type: ignore[attr-defined]

    def hold_line(self, line: int = CAP) -> None:
        """Press the mouse on a threshold's line."""
        sections = self.window.strip.sections
        self._point = QPoint(round(sections.x_of(sections.values[line])), 40)
        QTest.mousePress(sections, Qt.MouseButton.LeftButton, pos=self._point)
        assert sections.is_dragging

    def move_line(self, value: int) -> None:
        """Move the held line to a value with the mouse."""
        sections = self.window.strip.sections
        self._point = QPoint(round(sections.x_of(value)), 40)
        move_mouse(sections, self._point, Qt.MouseButton.LeftButton)

    def release_line(self) -> None:
        """Let the line go."""
        QTest.mouseRelease(self.window.strip.sections, Qt.MouseButton.LeftButton, pos=self._point)

    def drag_line(self, *values: int, line: int = CAP) -> None:
        """Drag a threshold over values and release it at the last."""
        self.hold_line(line)
        for value in values:
            self.move_line(value)
        self.release_line()


def move_mouse(widget: QWidget, point: QPoint, buttons: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """Send a mouse move (QTest's own carries no buttons)."""
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(point),
        QPointF(widget.mapToGlobal(point)),
        Qt.MouseButton.NoButton,
        buttons,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


@contextmanager
def own_window(theme: Theme, folder: Path, *, embeds: bool = True) -> Iterator[RealWindow]:
    """Open a window, no folder open, whose cache and config are in a folder; one that embeds nothing loads no model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNK_INSPECTOR_CACHE", str(folder / "cache"))
        patch.setenv("CHUNK_INSPECTOR_CONFIG", str(folder / "config"))
        real = RealWindow(theme)
        if not embeds:
            patch.setattr(real.session.map.embedder, "start", lambda *_a, **_k: None)
        yield real
        real.close()
