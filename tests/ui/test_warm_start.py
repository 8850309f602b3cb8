"""A second start shows the finished map from disk, and no worker imports a model or a map library for it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from inspector import document_tasks, vector_tasks
from inspector.embedding.cache import VectorCache
from inspector.embedding.models import bundled_model, model_revision
from inspector.embedding.projection import Layout
from inspector.errors import FolderError
from inspector.ui.main_window import MainWindow
from inspector.ui.runner import Lane, Runner
from inspector.ui.session import Session
from inspector.ui.state_file import State
from inspector.ui.theme import Theme, ThemeMode
from tests.fakes import InstantRunner, use_hash_encoder

HEAVY = ("torch", "onnxruntime", "umap", "numba", "sklearn", "transformers", "sentence_transformers")
PATIENCE = 60_000  # milliseconds on a busy machine


def heavy_modules(_: object) -> tuple[str, ...]:
    """Give the heavy packages that this worker has imported."""
    return tuple(name for name in HEAVY if name in sys.modules)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    posts = tmp_path / "posts"
    posts.mkdir()
    for number in range(4):
        sections = (f"## Part {part}\n\n" + f"Post {number} has a part {part} here. " * 20 for part in range(5))
        (posts / f"{number}.md").write_text("\n\n".join(sections))
    return posts


def test_a_folder_without_vectors_has_the_model_loaded_before_it_is_embedded(
    folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_hash_encoder(monkeypatch)
    runner = InstantRunner()
    session = Session(runner)
    session.open_folder(folder)
    kinds = [type(request) for lane, _, request in runner.jobs if lane in (Lane.CACHE, Lane.EMBED)]
    assert kinds[:2] == [vector_tasks.CachedVectorsRequest, vector_tasks.LoadModelRequest]
    session.open_folder(folder)
    session.close()


def test_a_second_start_imports_nothing_heavy(folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    use_hash_encoder(monkeypatch)
    monkeypatch.setattr(vector_tasks, "run_project", lambda request: Layout(request.matrix[:, :2], "umap"))
    first = Session(InstantRunner())
    first.open_folder(folder)
    qtbot.waitUntil(lambda: first.map.layout is not None, timeout=PATIENCE)
    digests, model = first.map.embedder.digests, bundled_model()
    assert len(digests) == 20
    places = np.random.default_rng(0).normal(size=(len(digests), 2)).astype(np.float32)
    cache = VectorCache()
    cache.put_layout(model.name, model_revision(model), str(folder), digests, Layout(places, "umap"))
    cache.close()
    first.close()
    monkeypatch.undo()
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(folder.parent / "cache"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(folder.parent / "config"))
    runner = Runner()
    found: dict[str, tuple[str, ...]] = {}
    runner.landed.connect(
        lambda landing: found.update({landing.lane.value: landing.result} if landing.key == "?" else {})
    )
    second = Session(runner)
    try:
        second.open_folder(folder)
        qtbot.waitUntil(lambda: second.map.layout is not None, timeout=PATIENCE)
        assert second.map.layout is not None
        assert np.array_equal(second.map.layout.coordinates, places)
        assert "model" not in runner.pids()
        for lane in (Lane.CHUNK, Lane.PROJECT):  # the last compares chunks by their kept vectors
            runner.submit(lane, heavy_modules, None, "?")
        qtbot.waitUntil(lambda: len(found) == 2, timeout=PATIENCE)
        assert found == {"chunk": (), "project": ()}
    finally:
        second.close()


def picture(folder: Path, qtbot: QtBot, *, is_late: bool) -> QImage:
    """Open a folder before or after its window is made, and give what that shows in the end."""

    def open_folder() -> None:
        session.open_folder(folder)
        qtbot.waitUntil(lambda: session.map.layout is not None, timeout=PATIENCE)

    session = Session(InstantRunner())
    if is_late:
        open_folder()
    window = MainWindow(session, Theme(ThemeMode.LIGHT), State())
    window.resize(1600, 1000)
    window.show()
    if not is_late:
        open_folder()
    qtbot.wait(1_000)
    image = window.grab().toImage()
    window.close()
    session.close()
    return image


def test_a_window_that_comes_late_shows_the_same(folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program opens a folder before its window is made, so that the worker reads meanwhile."""
    use_hash_encoder(monkeypatch)
    assert picture(folder, qtbot, is_late=True) == picture(folder, qtbot, is_late=False)


def test_a_window_that_comes_after_a_listing_that_failed_waits_for_nothing(
    folder: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise FolderError("Can't read it.", subject=str(folder))

    monkeypatch.setattr(document_tasks, "run_list", fail)
    session = Session(InstantRunner())
    session.open_folder(folder)
    window = MainWindow(session, Theme(ThemeMode.LIGHT), State())
    window.show()
    assert window.status.progress_label.isHidden()
    window.close()
    session.close()


def test_the_row_of_a_post_is_right_though_another_is_opened_at_once(folder: Path, qtbot: QtBot) -> None:
    session = Session(InstantRunner())
    window = MainWindow(session, Theme(ThemeMode.LIGHT), State())
    window.show()
    session.open_folder(folder)
    session.choose_document("0.md")
    qtbot.wait(300)
    session.set_options(replace(session.settings.options, fold=80, cap=300))
    session.choose_document("1.md")
    counts = {name: len(document.chunking.chunks) for name, document in session.documents.items()}
    qtbot.waitUntil(lambda: {row.name: row.chunk_count for row in window.outline.model.rows} == counts)
    assert counts["0.md"] > 5
    window.close()
    session.close()
