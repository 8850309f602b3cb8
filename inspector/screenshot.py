"""Pictures of the real window, rendered without a screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FIGURES_SECONDS = 20.0
TIMEOUT_SECONDS = 300.0
PAUSE_MILLISECONDS = 10


@dataclass(frozen=True, slots=True)
class Picture:
    """What to show and where to write it. `select` counts from 1, 0 selects the first chunk."""

    folder: Path
    output: Path
    width: int = 1600
    height: int = 1000
    theme: str = "light"
    document: str = ""
    select: int = 0
    question: str = ""
    wait_for: str = "chunks"
    lens: str = "off"
    pane: str = ""


def take_picture(picture: Picture) -> str:
    """Render the window and write the PNG; returns what went wrong, "" when nothing did."""
    from PySide6.QtWidgets import QApplication

    from inspector.ui.main_window import MainWindow
    from inspector.ui.picture import Lens
    from inspector.ui.runner import Runner
    from inspector.ui.session import Message, Session
    from inspector.ui.state_file import State
    from inspector.ui.theme import Theme, ThemeMode

    application = QApplication.instance() or QApplication(["chunk-inspector"])
    assert isinstance(application, QApplication)
    theme = Theme(ThemeMode(picture.theme))
    theme.style_application(application)
    session = Session(Runner())
    faults: list[Message] = []
    session.told.connect(faults.append)
    window = MainWindow(session, theme, State())
    window.resize(picture.width, picture.height)
    window.show()
    try:
        session.open_folder(picture.folder, picture.document)
        wait_until(lambda: session.listing is not None and not session.reader.is_reading, faults)
        if picture.document and session.open_name != picture.document:
            return f"{picture.document} is not in {picture.folder}"
        if picture.select:
            session.select_chunk(picture.select - 1)
            if session.selected_chunk != picture.select - 1:
                return f"there is no chunk {picture.select} in {session.open_name}"
        if session.documents and (picture.wait_for != "chunks" or picture.question):
            session.embed_now()
            wait_until(lambda: is_mapped(session, picture.wait_for), faults)
        if picture.wait_for == "map":
            with suppress(TimeoutError):  # of a large folder it takes minutes
                wait_until(lambda: not session.is_working_out, limit=FIGURES_SECONDS)
        if picture.question:
            window.questions.ask(picture.question)
            session.map.ask(picture.question)
            wait_until(lambda: bool(session.map.answers.hits), faults)
        window.source.set_lens(Lens(picture.lens))
        if picture.pane:
            window.docks.bring_up(picture.pane)
            wait_until(lambda: picture.pane != "compare" or session.compare.result is not None, faults)
        for _ in range(30):
            application.processEvents()
            time.sleep(PAUSE_MILLISECONDS / 1000)
        picture.output.parent.mkdir(parents=True, exist_ok=True)
        if not window.grab().save(str(picture.output), "PNG"):
            return f"{picture.output} cannot be written"
    except TimeoutError as error:
        return str(error)
    finally:
        window.close()
    return ""


def is_mapped(session: object, stage: str) -> bool:
    """Whether the map has come as far as asked: a first map, or the one that stays."""
    from inspector.embedding.projection import FEWEST_FOR_UMAP
    from inspector.ui.session import Session

    assert isinstance(session, Session)
    keeper = session.map
    if not session.totals.chunks:
        return True
    if not keeper.is_complete or keeper.layout is None or keeper.layout_points != keeper.points:
        return False
    wants_umap = stage == "map" and len(keeper.points) >= FEWEST_FOR_UMAP
    return keeper.layout.method == "umap" or not wants_umap


def wait_until(is_true: Callable[[], bool], faults: Sequence[object] = (), *, limit: float = TIMEOUT_SECONDS) -> None:
    """Run the event loop until something holds. Raises TimeoutError."""
    from PySide6.QtCore import QCoreApplication, QEventLoop

    deadline = time.monotonic() + limit
    while not is_true():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 2)
        time.sleep(0.001)
        if time.monotonic() > deadline:
            told = "; ".join(getattr(fault, "text", str(fault)) for fault in faults)
            raise TimeoutError(f"gave up after {limit:.0f} s{': ' + told if told else ''}")
