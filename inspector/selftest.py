"""The self-test: a real window goes through a session and says how long each phase took, and where it stalled."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QFontInfo, QMouseEvent
from PySide6.QtWidgets import QApplication

from inspector import __version__
from inspector.screenshot import is_mapped, wait_until

TICK_MILLISECONDS = 5
DRAG_SECONDS = 3.0
FRAME_SECONDS = 1 / 60
HAND_SECONDS = 0.2
HOVERS = 60
"""Places the mouse is moved to in each view."""
QUESTIONS = ("how do I start?", "what went wrong at night?", "how long does it take?", "who is it for?")
LARGEST_MEASURED = 300_000
FONT = "Inter"
PROBE_STEP = 7  # pixels between those looked at
FEWEST_COLORS = 12


@dataclass(slots=True)
class Stalls:
    """The longest time between two ticks of a 5 ms timer in the window's thread, in ms, by phase."""

    longest: dict[str, float] = field(default_factory=dict)
    phase: str = "start"
    last: float = 0.0

    def tick(self) -> None:
        """Note how long the event loop was away."""
        now = time.perf_counter()
        if self.last:
            stall = (now - self.last) * 1000 - TICK_MILLISECONDS
            self.longest[self.phase] = max(self.longest.get(self.phase, 0.0), stall)
        self.last = now


def run_selftest(folder: Path, *, as_json: bool) -> int:
    """Run a session on a folder; prints figures; returns 0 when all of it worked, else 1."""
    begun = process_start()
    from inspector.ui.runner import started_runner

    runner = started_runner(folder.resolve())
    from inspector.ui.main_window import MainWindow
    from inspector.ui.session import Message, Session
    from inspector.ui.state_file import State
    from inspector.ui.theme import Theme, ThemeMode

    application = QApplication.instance() or QApplication(["chunk-inspector"])
    assert isinstance(application, QApplication)
    theme = Theme(ThemeMode.LIGHT)
    theme.style_application(application)
    session = Session(runner)
    told: list[Message] = []
    session.told.connect(told.append)
    window = MainWindow(session, theme, State())
    window.resize(1600, 1000)
    window.show()
    application.processEvents()
    stalls = Stalls()
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(stalls.tick)
    timer.start(TICK_MILLISECONDS)
    figures: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "folder": folder.name,
        "seconds_to_first_window": round(time.time() - begun, 3),
    }
    try:
        steps = _Session(window, session, stalls, figures, lambda: any(message.is_error for message in told))
        steps.run(folder)
        failed = [message.text for message in told if message.is_error] + steps.faults
    except TimeoutError as error:
        failed = [str(error)]
    timer.stop()
    figures["longest_stall_ms"] = {
        phase: round(value, 1) for phase, value in stalls.longest.items() if phase != "start"
    }
    figures["memory_mb"] = peak_memory()
    figures["failures"] = failed
    window.close()
    print(json.dumps(figures, indent=1) if as_json else "\n".join(f"{key}: {value}" for key, value in figures.items()))
    sys.stdout.flush()
    return 1 if failed else 0


class _Session:
    """The phases of the self-test."""

    def __init__(
        self,
        window: Any,
        session: Any,
        stalls: Stalls,
        figures: dict[str, Any],
        has_failed: Callable[[], bool],
    ) -> None:
        self._has_failed = has_failed
        self.faults: list[str] = []
        self._window = window
        self._session = session
        self._stalls = stalls
        self._figures = figures

    def run(self, folder: Path) -> None:
        """Open, drag, load the model, embed, map, ask, draw."""
        session, figures = self._session, self._figures
        self._phase("open")
        start = time.perf_counter()
        session.open_folder(folder)
        wait_until(lambda: bool(session.open_name) or self._has_failed() or _is_empty(session))
        if not session.open_name:
            self.faults.append(f"nothing to read in {folder}")
            return
        figures["seconds_to_first_chunks"] = round(time.perf_counter() - start, 3)
        wait_until(lambda: session.listing is not None and not session.reader.is_reading)
        figures["seconds_to_all_chunks"] = round(time.perf_counter() - start, 3)
        figures["documents"] = len(session.documents)
        figures["chunks"] = session.totals.chunks
        figures["characters"] = session.totals.characters
        self._settle(HAND_SECONDS)  # no hand clicks in the very turn in which the last file is read
        self._open_largest()
        self._settle(0.5)
        session.map.cancel()
        self._phase("drag")
        self._drag()
        self._filter()
        self._embed()
        self._hover()
        self._pan()
        self._ask()
        self._draw()
        self._phase("end")

    def _open_largest(self) -> None:
        """Open the largest document that the window packs by itself."""
        session = self._session
        sizes = {
            name: read.chunking.document.characters
            for name, read in session.documents.items()
            if read.chunking.document.characters <= LARGEST_MEASURED
        }
        if sizes:
            name = max(sizes, key=lambda key: sizes[key])
            session.choose_document(name)
            self._figures["open_document"] = {"name": name, "characters": sizes[name]}

    def _phase(self, name: str) -> None:
        self._stalls.phase = name
        self._stalls.last = 0.0

    def _settle(self, seconds: float) -> None:
        self._wait_for(time.perf_counter() + seconds)

    @staticmethod
    def _wait_for(due: float) -> None:
        wait_until(lambda: time.perf_counter() >= due)

    def _wait_for_answer(self, question: str) -> None:
        answers = self._session.map
        wait_until(lambda: answers.answers.question == question and bool(answers.answers.hits))

    def _drag(self) -> None:
        """Drag the cap's line there and back with mouse events at 60 Hz, as a hand would."""
        session, histogram = self._session, self._window.strip.sections
        seconds: list[float] = []
        session.chunking_changed.connect(lambda: seconds.append(session.seconds or 0.0))
        frames: list[float] = []
        cap = session.settings.options.cap
        middle = histogram.plot().center().y()
        start_x = histogram.x_of(cap)
        left = histogram.x_of(max(session.settings.options.fold + 40, cap // 2))
        _mouse(histogram, QEvent.Type.MouseButtonPress, QPointF(start_x, middle))
        begun = time.perf_counter()
        step = 0
        while (now := time.perf_counter() - begun) < DRAG_SECONDS:
            swing = 0.5 - 0.5 * np.cos(2 * np.pi * now / DRAG_SECONDS)
            frame = time.perf_counter()
            _mouse(histogram, QEvent.Type.MouseMove, QPointF(start_x + (left - start_x) * swing, middle))
            QApplication.processEvents()
            frames.append(time.perf_counter() - frame)
            step += 1
            self._wait_for(begun + step * FRAME_SECONDS)
        _mouse(histogram, QEvent.Type.MouseMove, QPointF(start_x, middle))  # where it was: nothing new to embed
        _mouse(histogram, QEvent.Type.MouseButtonRelease, QPointF(start_x, middle))
        wait_until(lambda: not session.reader.is_reading)
        for name, values in (("rechunk_ms", seconds), ("frame_ms", frames)):
            if values:
                p50, p99 = np.percentile(np.array(values) * 1000, [50, 99])
                self._figures[name] = {"p50": round(float(p50), 2), "p99": round(float(p99), 2), "count": len(values)}

    def _filter(self) -> None:
        """Type a filter into the outline, look at what is left, and take it away."""
        self._phase("filter")
        field = self._window.outline.field
        for words in ("is:truncated", "len>600", ""):
            field.setText(words)
            self._settle(0.4)

    def _hover(self) -> None:
        """Move the mouse down the source, the outline, the cards and across the map."""
        self._phase("hover")
        window = self._window
        for view in (window.source.text, window.outline.tree, window.chunk_list.view, window.map_view.plot):
            target = view.viewport()
            for step in range(HOVERS):
                share = (step + 0.5) / HOVERS
                at = QPointF(
                    target.width() * (0.5 if view is not window.map_view.plot else share), target.height() * share
                )
                _mouse(target, QEvent.Type.MouseMove, at, is_held=False)
                self._settle(FRAME_SECONDS)

    def _pan(self) -> None:
        """Drag the map to and fro, and turn the wheel over it."""
        self._phase("pan")
        target = self._window.map_view.plot.viewport()
        middle = QPointF(target.width() / 2, target.height() / 2)
        _mouse(target, QEvent.Type.MouseButtonPress, middle)
        for step in range(HOVERS):
            _mouse(target, QEvent.Type.MouseMove, middle + QPointF(80 * np.sin(step / 6), 40 * np.cos(step / 6)))
            self._settle(FRAME_SECONDS)
        _mouse(target, QEvent.Type.MouseButtonRelease, middle)

    def _embed(self) -> None:
        session, figures = self._session, self._figures
        keeper = session.map
        if not session.totals.chunks:
            return
        begun = time.perf_counter()
        first_vector: list[float] = []
        embedder = keeper.embedder

        def on_progress(done: int, _total: int, _rate: float, _stage: str) -> None:
            if done and not first_vector:
                first_vector.append(time.perf_counter())
                self._phase("embed")

        embedder.progressed.connect(on_progress)
        self._phase("model load")
        session.embed_now()
        wait_until(lambda: keeper.is_complete or self._has_failed(), limit=3_600)
        if not keeper.is_complete:
            self.faults.append("not every chunk was embedded")
            return
        took = time.perf_counter() - begun
        self._phase("map")
        figures["seconds_embedding"] = round(took, 2)
        figures["chunks_embedded_a_second"] = round(embedder.texts_per_second, 1)
        wait_until(lambda: is_mapped(session, "pca"))
        figures["seconds_to_first_map"] = round(time.perf_counter() - begun, 2)
        wait_until(lambda: is_mapped(session, "map") or self._has_failed(), limit=1_200)
        figures["seconds_to_last_map"] = round(time.perf_counter() - begun, 2)

    def _ask(self) -> None:
        keeper = self._session.map
        if not keeper.is_complete:
            return
        self._phase("question")
        took: list[float] = []
        for question in QUESTIONS:
            begun = time.perf_counter()
            keeper.ask(question)
            self._wait_for_answer(question)
            took.append((time.perf_counter() - begun) * 1000)
        self._figures["engine"] = keeper.engine
        self._figures["question_ms"] = {"first": round(took[0], 1), "median": round(float(np.median(took[1:])), 1)}

    def _draw(self) -> None:
        """Look at the window: a machine without fonts draws boxes, a broken plug-in nothing."""
        self._phase("draw")
        family = QFontInfo(self._window.font()).family()
        image = self._window.grab().toImage()
        steps = [(x, y) for x in range(0, image.width(), PROBE_STEP) for y in range(0, image.height(), PROBE_STEP)]
        colors = len({image.pixel(x, y) for x, y in steps})
        self._figures["drawn"] = {"font": family, "colors": colors}
        if family != FONT:
            self.faults.append(f"the window is drawn in {family or 'no font'}, not in {FONT}")
        if colors < FEWEST_COLORS:
            self.faults.append(f"the window is drawn in {colors} colours")


def _is_empty(session: Any) -> bool:
    """Whether a folder was read to its end, and nothing in it counts."""
    return session.listing is not None and not session.reader.is_reading and not session.documents


def _mouse(target: QObject, kind: QEvent.Type, at: QPointF, *, is_held: bool = True) -> None:
    left = Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else left
    buttons = left if is_held and kind is not QEvent.Type.MouseButtonRelease else Qt.MouseButton.NoButton
    at_global = target.mapToGlobal(at)  # type: ignore[attr-defined]
    QApplication.postEvent(target, QMouseEvent(kind, at, at_global, button, buttons, Qt.KeyboardModifier.NoModifier))
    QApplication.processEvents()


def process_start() -> float:
    """Return when this process began, in seconds since the epoch."""
    try:
        ticks = float(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        uptime = float(Path("/proc/uptime").read_text().split()[0])
        return time.time() - uptime + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.time()


def peak_memory() -> int:
    """Return the most memory this process has held, in MB; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))
