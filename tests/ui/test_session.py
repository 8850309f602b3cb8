"""A whole session on the sample: what is marked is what the model reads, what is shown is what it was sent,
nothing goes over the network, the map is the same every time, and all numbers agree.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from inspector.core.problems import Severity
from inspector.core.strategies.headings import is_warm
from inspector.corpus import list_folder
from inspector.document_tasks import ChunkRequest, run_chunk
from inspector.embedding.cache import VectorCache, input_digest
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.models import BUNDLED, bundled_model, model_revision
from inspector.embedding.tokens import TokenCounter
from inspector.reading import ReadDocument
from inspector.settings import Settings
from inspector.ui.outline_model import CHARACTERS, CHUNKS
from inspector.ui.problems_panel import FOLDER
from inspector.ui.theme import Theme
from tests.ui.real_window import ROOT, SAMPLE, RealWindow, copy_sample, wait_until

pytestmark = [pytest.mark.model, pytest.mark.timeout(180)]

GUARD = '''
"""Let no process of a session open a socket to anywhere, and note which processes were guarded."""
import os, sys

EVENTS = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
note = os.environ["GUARD_NOTE"]

def write(words):
    with open(note, "a") as file:
        file.write(f"{os.getpid()} {words}\\n")

def guard(event, arguments):
    if event == "socket.__new__" and arguments[1] not in (1, -1):  # AF_UNIX: the pipes of the workers
        write(f"refused {event} {arguments[1:]}")
        raise OSError("no network in this test")
    if event in EVENTS and not isinstance(arguments[-1], str):
        write(f"refused {event} {arguments[1:]}")
        raise OSError("no network in this test")

sys.addaudithook(guard)
write("guarded")
'''

SCRIPT = """
import json, os, sys
from pathlib import Path
import numpy as np
from PySide6.QtWidgets import QApplication
from inspector.ui.theme import Theme, ThemeMode
from tests.ui.real_window import RealWindow, wait_until

application = QApplication([])
theme = Theme(ThemeMode.LIGHT)
theme.style_application(application)
real = RealWindow(theme)
real.open(Path(sys.argv[1]))
real.drag_line(1300, 1200, 1100)
real.wait_map()
real.window.questions.ask("how long did the nightly jobs take?")
wait_until(lambda: real.session.map.answers.hits)
keeper = real.session.map
np.save(sys.argv[2], keeper.layout.coordinates)
hits = [(hit.point.document, hit.point.chunk) for hit in keeper.answers.hits]
seen = {"pids": [os.getpid(), *real.session.runner.pids().values()], "told": real.words(), "hits": hits,
        "points": keeper.layout_points, "cap": real.session.settings.options.cap, "method": keeper.layout.method}
real.close()
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give cache and config folders of this module's own, empty at first."""
    folder = tmp_path_factory.mktemp("session")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNK_INSPECTOR_CACHE", str(folder / "cache"))
        patch.setenv("CHUNK_INSPECTOR_CONFIG", str(folder / "config"))
        yield folder


@pytest.fixture(scope="module")
def mapped(own_folders: Path, shared_theme: Theme) -> Iterator[RealWindow]:
    """Open the window once on a copy of the sample, embedded and mapped from empty caches."""
    real = RealWindow(shared_theme)
    real.open(copy_sample(own_folders))
    real.wait_map()
    yield real
    real.close()


# 1. Truncation is where it says


def read_sample(limit: int) -> list[ReadDocument]:
    settings = Settings(target_model=BUNDLED, token_limit=limit)
    names = list_folder(SAMPLE).names
    return [d for d in run_chunk(ChunkRequest(str(SAMPLE), names, settings)).documents if isinstance(d, ReadDocument)]


def test_the_model_reads_up_to_the_mark_and_no_further() -> None:
    model = bundled_model()
    encoder, counter = SentenceTransformerEncoder(model), TokenCounter(model)
    tried = 0
    for document in read_sample(model.token_limit):
        source = document.chunking.document.source
        for reading in document.readings:
            mark = reading.count.unread_from
            if mark is None:
                continue
            tried += 1
            assert reading.unread_from is not None and source[reading.unread_from] == reading.text[mark]
            whole = encoder.encode([reading.text])[0]
            rest = re.match(r"\w*", reading.text[mark:])[0] + " " if is_inside_word(reading.text, mark) else ""
            other = reading.text[:mark] + rest + "entirely different words, and quite a few of them! " * 20
            assert np.abs(encoder.encode([other])[0] - whole).max() < 1e-6
            assert counter.count([other])[0].unread_from == mark
            last = [found for found in re.finditer(r"\w+", reading.text[:mark]) if found.end() < mark][-1]
            changed = reading.text[: last.start()] + "zebra" + reading.text[last.end() :]
            assert np.abs(encoder.encode([changed])[0] - whole).max() > 1e-4
    assert tried >= 3


def is_inside_word(text: str, place: int) -> bool:
    """Whether a place cuts a word: what follows belongs to how the front of it is read."""
    return text[place - 1].isalnum() and text[place].isalnum()


# 2. What is copied is what was sent


def copied(real: RealWindow) -> list[str]:
    """Copy every card of the folder with the keyboard."""
    view = real.window.chunk_list.view
    texts = []
    for name, document in real.session.documents.items():
        real.session.choose_document(name)
        for index in range(len(document.chunking.chunks)):
            real.session.select_chunk(index)
            QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
            texts.append(QApplication.clipboard().text())
    return texts


def test_what_a_card_copies_is_what_the_model_received(mapped: RealWindow) -> None:
    sent = mapped.session.map.embedder.sent_texts
    texts = copied(mapped)
    assert len(texts) == mapped.session.totals.chunks == len(mapped.session.map.points)
    assert set(texts) == set(sent)
    assert len(sent) == len(set(sent))


def test_the_context_menu_of_a_card_copies_the_same(mapped: RealWindow) -> None:
    view = mapped.window.chunk_list.view
    mapped.session.choose_document("backfills.md")
    mapped.session.select_chunk(2)
    text = mapped.session.open.readings[2].text

    def choose(words: str) -> str:
        QApplication.clipboard().setText("")

        def press() -> None:
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            action = next(action for action in menu.actions() if action.text().startswith(words))
            menu.setActiveAction(action)
            QTest.keyClick(menu, Qt.Key.Key_Return)

        QTimer.singleShot(0, press)
        place = QPoint(20, 20)
        QApplication.sendEvent(
            view.viewport(),
            QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place)),
        )
        return QApplication.clipboard().text()

    assert choose("Copy embedding input") == text
    assert choose("Copy chunk text") == mapped.session.open.chunking.chunks[2].text


def test_after_a_drag_only_what_is_new_is_sent(mapped: RealWindow) -> None:
    embedder = mapped.session.map.embedder
    before = set(embedder.sent_texts)
    count = len(embedder.sent_texts)
    mapped.drag_line(1300, 1150, 1000)
    mapped.wait_map()
    now = {reading.text for document in mapped.session.documents.values() for reading in document.readings}
    sent = embedder.sent_texts[count:]
    assert sent and set(sent) == now - before and len(sent) == len(set(sent))
    count = len(embedder.sent_texts)
    mapped.session.commit(cap=1400)
    mapped.wait_map()
    assert len(embedder.sent_texts) == count


# 3. and 4. No network; the same map in two processes


@pytest.fixture(scope="module")
def two_sessions(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, Any], np.ndarray, list[str]]]:
    """Run a whole session twice, each in a process of its own with empty caches and guarded sockets."""
    base = tmp_path_factory.mktemp("two")
    folder = copy_sample(base, "backfills.md", "queues-at-night.md", "search-index.md")
    running = []
    for number in ("one", "two"):
        own = base / number
        own.mkdir()
        (own / "sitecustomize.py").write_text(GUARD)
        environment = {
            **os.environ,
            "PYTHONPATH": f"{own}{os.pathsep}{ROOT}",
            "GUARD_NOTE": str(own / "note"),
            "CHUNK_INSPECTOR_CACHE": str(own / "cache"),
            "CHUNK_INSPECTOR_CONFIG": str(own / "config"),
        }
        command = [sys.executable, "-c", SCRIPT, str(folder), str(own / "map.npy")]
        running.append((own, subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)))
    seen = []
    for own, process in running:
        output, _ = process.communicate(timeout=150)
        assert process.returncode == 0
        seen.append((json.loads(output), np.load(own / "map.npy"), (own / "note").read_text().splitlines()))
    return seen


def test_a_whole_session_opens_no_socket(two_sessions: list[tuple[dict[str, Any], np.ndarray, list[str]]]) -> None:
    for seen, _, notes in two_sessions:
        guarded = {int(line.split()[0]) for line in notes if line.endswith("guarded")}
        assert len(seen["pids"]) >= 3 and set(seen["pids"]) <= guarded
        assert [line for line in notes if "refused" in line] == []
        assert seen["told"] == [] and seen["cap"] < 1300 and len(seen["hits"]) == 20


def test_two_processes_make_the_same_map(two_sessions: list[tuple[dict[str, Any], np.ndarray, list[str]]]) -> None:
    (one, one_map, _), (two, two_map, _) = two_sessions
    assert one["method"] == two["method"] == "umap"
    assert one["points"] == two["points"] and one["hits"] == two["hits"]
    assert np.abs(one_map - two_map).max() < 1e-4


# 5. Death of a worker, death of the window


def test_the_window_survives_the_model_worker(fresh: RealWindow, tmp_path: Path) -> None:
    embedder = fresh.session.map.embedder
    fresh.open(copy_sample(tmp_path, "backfills.md", "chunking-strategy.md", "queues-at-night.md", "search-index.md"))
    wait_until(lambda: len(embedder.vectors) >= 12, what="nothing was embedded")
    assert embedder.missing_count > 8
    finished = set(embedder.vectors)
    pid = fresh.session.runner.pids()["model"]
    os.kill(pid, signal.SIGKILL)
    model = bundled_model()
    in_cache = VectorCache(tmp_path / "cache").get_many(model.name, model_revision(model), finished)
    assert set(in_cache) == finished
    fresh.click_item(fresh.window.outline.tree, fresh.window.outline.model.index(2, 0))  # the window goes on
    assert fresh.session.open_name == fresh.window.outline.model.rows[2].name
    wait_until(lambda: embedder.missing_count == 0 and not embedder.is_running, what="the rest was not embedded")
    assert fresh.session.runner.pids()["model"] != pid
    assert fresh.words() == []
    assert len(embedder.sent_texts) == len(set(embedder.sent_texts))
    digests = {input_digest(text) for text in embedder.sent_texts}
    assert set(VectorCache(tmp_path / "cache").get_many(model.name, model_revision(model), digests)) == digests


def start_program(folder: Path, own: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the real program on a folder, without a screen."""
    environment = {
        **os.environ,
        "CHUNK_INSPECTOR_CACHE": str(own / "cache"),
        "CHUNK_INSPECTOR_CONFIG": str(own / "config"),
    }
    command = [sys.executable, "-m", "inspector", "open", str(folder), *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.usefixtures("qapp")
def test_no_worker_outlives_a_window_that_was_killed(tmp_path: Path) -> None:
    process = start_program(SAMPLE, tmp_path)
    parent = psutil.Process(process.pid)

    def workers() -> list[psutil.Process]:
        return [child for child in parent.children(recursive=True) if "spawn_main" in " ".join(child.cmdline())]

    wait_until(lambda: len(workers()) == 3, 60, "the workers did not start")
    children = parent.children(recursive=True)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []


def test_a_run_leaves_nothing_among_the_temporary_files(tmp_path: Path) -> None:
    folder, picture = tmp_path / "temporary", tmp_path / "a.png"
    folder.mkdir()
    places = {"TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    command = [sys.executable, "-m", "inspector", "screenshot", str(SAMPLE), "-o", str(picture)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **places}, check=True, capture_output=True)
    assert picture.exists() and list(folder.iterdir()) == []


def test_the_self_test_says_when_there_is_nothing_to_read(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspector", "selftest", str(tmp_path), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert json.loads(done.stdout)["failures"] == [f"nothing to read in {tmp_path}"]


# 6. Every number is the same wherever it is shown


def run_cli(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "inspector", *arguments], cwd=ROOT, capture_output=True, check=True)
    return done.stdout.decode("ascii")


def inspect_folder(folder: Path, *arguments: str) -> dict[str, Any]:
    """Add up what the command line says of a folder."""
    records = [json.loads(line) for line in run_cli("inspect", str(folder), *arguments).splitlines()]
    chunks = [chunk for record in records for chunk in record["chunks"]]
    problems = [problem for record in records for problem in record["problems"]]
    spans = [(entry["reason"], entry["span"]) for record in records for entry in record["removed"]]
    removed = [(reason, end - start) for reason, (start, end) in spans]
    characters = sum(record["characters"] for record in records)
    dropped = sum(length for reason, length in removed if reason == "dropped")
    sizes = sorted(chunk["characters"] for chunk in chunks)
    return {
        "documents": len(records),
        "chunks": len(chunks),
        "chunk characters": sum(sizes),
        "folded": sum(problem["code"] == "folded" for problem in problems),
        "dropped": sum(problem["code"] == "dropped" for problem in problems),
        "truncated": sum(chunk["unread_tokens"] > 0 for chunk in chunks),
        "unread": sum(chunk["unread_tokens"] for chunk in chunks),
        "tokens": sum(chunk["tokens"] for chunk in chunks),
        "median": int(np.percentile(sizes, 50, method="inverted_cdf")) if sizes else 0,  # by nearest rank
        "longest": max(sizes, default=0),
        "shortest": min(sizes, default=0),
        "problems": {
            severity.value: sum(problem["severity"] == severity.value for problem in problems) for severity in Severity
        },
        "characters": characters,
        "in chunks": share(sum(record["kept"] for record in records), characters),
        "cleaned": share(sum(length for _, length in removed) - dropped, characters),
        "dropped share": share(dropped, characters),
        "per document": {r["document"]: (len(r["chunks"]), sum(c["characters"] for c in r["chunks"])) for r in records},
    }


def share(part: int, whole: int) -> str:
    return f"{part * 100 / whole:.1f}"


def number(words: str) -> int:
    """Read the first number of a label."""
    found = re.search(r"[\d,]+", words)
    return int(found[0].replace(",", "")) if found else 0


def shown_numbers(real: RealWindow) -> dict[str, Any]:
    """Read the numbers off the window, each from every place it is shown at, which must agree."""
    window = real.window
    model = window.outline.model
    rows = [model.index(row, 0) for row in range(model.rowCount())]

    def cell(row: Any, column: int) -> int:
        return number(str(row.sibling(row.row(), column).data()))

    names = [model.rows[model.node(row).document].name for row in rows]
    per_document = {name: (cell(row, CHUNKS), cell(row, CHARACTERS)) for name, row in zip(names, rows, strict=True)}
    strip = window.strip
    dropped, folded, _split = (number(label.text()) for label in strip._count_labels)
    unread = re.findall(r"[\d,]+", strip.unread_label.text())
    truncated, unread_tokens = (int(part.replace(",", "")) for part in unread) if unread else (0, 0)
    ledger = [label.text() for label in window.status.ledger_labels]
    panel = window.problems
    assert panel.scope.current == FOLDER
    chips = {severity.value: number(chip.text()) for severity, chip in panel.chips.items()}
    for chip in panel.chips.values():
        chip.setChecked(True)
    listed = sum(panel.model.count_of(panel.model.index(row, 0)) for row in range(panel.model.rowCount()))
    assert listed == sum(chips.values()) == len(panel.shown())
    panel.chips[Severity.NOTE].setChecked(False)
    median, longest, shortest = (number(label.text()) for label in strip.size_labels)
    bins = strip.tokens.bins
    chunks = number(strip.chunks_label.text())
    assert sum(bins.counts) + bins.overflow == chunks == sum(count for count, _ in per_document.values())
    assert sum(model.node(row).warnings for row in rows) == truncated
    return {
        "documents": number(window.toolbar.count_label.text()),
        "chunks": chunks,
        "chunk characters": sum(characters for _, characters in per_document.values()),
        "folded": folded,
        "dropped": dropped,
        "truncated": truncated,
        "unread": unread_tokens,
        "tokens": int(np.sum(strip._counts.tokens)),
        "median": median,
        "longest": longest,
        "shortest": shortest,
        "problems": chips,
        "characters": number(ledger[0]),
        "in chunks": re.search(r"[\d.]+", ledger[1])[0],
        "cleaned": re.search(r"[\d.]+", ledger[2])[0],
        "dropped share": re.search(r"[\d.]+", ledger[3])[0],
        "per document": per_document,
    }


def check_numbers(real: RealWindow, *arguments: str) -> None:
    """Compare the window, the totals and the command line."""
    session = real.session
    assert session.library.is_added_up()
    shown = shown_numbers(real)
    told = inspect_folder(session.folder, *arguments)
    assert shown == told
    totals = session.totals
    assert (totals.documents, totals.chunks, totals.truncated, totals.unread_tokens, totals.folded, totals.dropped) == (
        shown["documents"], shown["chunks"], shown["truncated"], shown["unread"], shown["folded"], shown["dropped"]
    )  # fmt: skip
    assert totals.kept + sum(totals.removed.values()) == totals.characters == shown["characters"]


def check_map_numbers(real: RealWindow) -> None:
    """Compare the map with the totals."""
    real.wait_map()
    totals = real.session.totals
    assert f"{totals.chunks:,} of {totals.chunks:,} embedded" in real.window.status.vector_label.text()
    assert len(real.window.map_view._points) == totals.chunks
    assert sum(len(category.members) for category in real.window.map_view.categories) == totals.chunks


def test_all_numbers_agree_at_first_after_a_drag_an_edit_and_a_deletion(mapped: RealWindow) -> None:
    folder = mapped.session.folder
    check_numbers(mapped)
    check_map_numbers(mapped)
    mapped.drag_line(1300, 1200, 1150)
    mapped.wait_read()
    cap = mapped.session.settings.options.cap
    assert cap < 1300
    check_numbers(mapped, "--cap", str(cap))
    edited = folder / "queues-at-night.md"
    save(edited, edited.read_text() + "\n## Afterword\n\n" + "A few more words that nobody has read yet. " * 40)
    wait_changed(mapped, lambda: "Afterword" in mapped.session.documents["queues-at-night.md"].chunking.document.source)
    check_numbers(mapped, "--cap", str(cap))
    (folder / "unlabelled-table.md").unlink()  # the one with the error
    wait_changed(mapped, lambda: "unlabelled-table.md" not in mapped.session.documents)
    check_numbers(mapped, "--cap", str(cap))
    check_map_numbers(mapped)


def save(path: Path, text: str | bytes) -> None:
    """Save a file as an editor does: beside it, then in its place."""
    part = path.with_name(path.name + "~")
    part.write_bytes(text.encode() if isinstance(text, str) else text)
    os.replace(part, path)


def wait_changed(real: RealWindow, is_there: Callable[[], object]) -> None:
    """Wait until a change on disk is read and shown."""
    wait_until(is_there, 10, "the change was not noticed")
    real.wait_read()


# 9. Files change


def prose(word: str, count: int = 40) -> str:
    return f"These are words about {word}, which go on for a while. " * (count // 6)


POST = "# Title\n\n" + "".join(f"## {word.title()}\n\n{prose(word, 120)}\n\n" for word in ("one", "two", "three"))


@pytest.fixture
def small(fresh: RealWindow, tmp_path: Path) -> RealWindow:
    """Open a window on a folder of three posts, the second one shown with its second chunk selected."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_text(POST.replace("Title", name))
    fresh.open(folder, "b.md")
    fresh.session.select_chunk(1)
    return fresh


def test_an_atomic_save_reads_only_that_file_and_keeps_selection_and_scroll(fresh: RealWindow, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    sections = [f"## Part {number}\n\n{prose(f'part {number}', 100)}\n\n" for number in range(40)]
    (folder / "long.md").write_text("".join(sections))
    (folder / "other.md").write_text(POST)
    fresh.open(folder, "long.md")
    session = fresh.session
    session.select_chunk(25)
    fresh.window.source.scroll_to_top(session.selection.offset)
    top = fresh.window.source.text.first_visible_offset()
    entered: list[tuple[str, ...]] = []
    session.documents_changed.connect(entered.append)
    other = session.documents["other.md"]
    for text in ("A new paragraph, before everything.\n\n", "And another one, a second save.\n\n"):
        before = session.open.chunking.document.source
        save(folder / "long.md", text + before)
        wait_changed(fresh, lambda before=before: session.open.chunking.document.source != before)
        top += len(text)
        chunk = session.open.chunking.chunks[session.selected_chunk]
        assert chunk.trail == ("Part 25",)
        fresh.assert_selected("long.md", chunk.index, with_map=False)
        assert abs(fresh.window.source.text.first_visible_offset() - top) < 200
    assert [name for names in entered for name in names] == ["long.md", "long.md"]
    assert session.documents["other.md"] is other
    assert fresh.words() == []


def test_a_post_that_other_settings_left_alone_follows_a_drag(fresh: RealWindow, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    sections = [f"## Part {number}\n\n{prose(f'part {number}', 150)}\n\n" for number in range(30)]
    (folder / "plain.md").write_text("".join(sections))
    (folder / "code.md").write_text(f"## Code\n\n{prose('code', 60)}\n\n```\n" + "x = 1\n" * 20 + "```\n")
    fresh.open(folder, "code.md")
    session = fresh.session
    session.set_options(replace(session.settings.options, code_lines=0))
    wait_until(lambda: not session.reader.is_reading)
    assert session.documents["plain.md"].chunking.options.code_lines != 0, "its chunks are the same: it does not land"
    session.choose_document("plain.md")
    wait_until(lambda: is_warm(session.open.chunking.document, session.settings.options))
    wait_until(lambda: not session._own_steps.is_running)
    before = len(session.open.chunking.chunks)
    session.drag(cap=400)
    assert len(session.open.chunking.chunks) > before
    session.commit(cap=400)


def test_a_save_in_place_is_noticed_too(small: RealWindow) -> None:
    path = small.session.folder / "b.md"
    path.write_text(POST.replace("two", "second"))
    wait_changed(small, lambda: "second" in small.session.open.chunking.chunks[1].text)
    small.assert_selected("b.md", 1, with_map=False)


def test_the_shown_file_deleted(small: RealWindow) -> None:
    (small.session.folder / "b.md").unlink()
    wait_changed(small, lambda: "b.md" not in small.session.documents)
    assert "b.md is gone" in small.bar
    assert small.session.open_name in ("a.md", "c.md")
    small.assert_selected(small.session.open_name, 0, with_map=False)
    assert small.session.totals.documents == 2
    assert small.window.toolbar.count_label.text() == "2 documents"


def test_a_new_file_appears_in_its_place(small: RealWindow) -> None:
    (small.session.folder / "aa.md").write_text(POST)
    wait_changed(small, lambda: "aa.md" in small.session.documents)
    assert list(small.session.documents) == ["a.md", "aa.md", "b.md", "c.md"]
    assert [row.name for row in small.window.outline.model.rows] == ["a.md", "aa.md", "b.md", "c.md"]
    small.assert_selected("b.md", 1, with_map=False)
    assert small.session.library.is_added_up()


def test_a_new_file_in_a_new_folder_appears(small: RealWindow) -> None:
    folder = small.session.folder / "later"
    folder.mkdir()
    (folder / "d.md").write_text(POST)
    wait_changed(small, lambda: "later/d.md" in small.session.documents)


def test_an_emptied_folder(small: RealWindow) -> None:
    for path in small.session.folder.iterdir():
        path.unlink()
    wait_changed(small, lambda: not small.session.documents)
    wait_until(lambda: small.window.strip.chunks_label.text() == "0 chunks", 5)
    window = small.window
    assert window.source._empty.isVisible() and "No markdown" in window.source._empty.text()
    assert window.outline.model.rowCount() == 0
    assert window.chunk_list.model.rowCount() == 0
    assert window.problems.shown() == ()
    wait_until(lambda: window.status.vector_label.text() == "" and not window.map_view.progress.isVisible(), 5)
    wait_until(lambda: window.map_view.message.isVisible() and window.map_view.message.text() == "No chunks yet", 5)
    (small.session.folder / "back.md").write_text(POST)
    wait_changed(small, lambda: small.session.open_name == "back.md")
    small.assert_selected("back.md", 0, with_map=False)


def test_a_changed_post_is_embedded_anew_and_the_rest_is_not(small: RealWindow) -> None:
    small.wait_map()
    embedder = small.session.map.embedder
    count = len(embedder.sent_texts)
    save(small.session.folder / "c.md", POST.replace("Title", "c.md").replace("three", "drei"))
    wait_changed(small, lambda: "drei" in small.session.documents["c.md"].chunking.document.source)
    small.wait_map()
    assert len(embedder.sent_texts) == count + 1 and "drei" in embedder.sent_texts[-1]


def test_embedding_that_was_asked_for_goes_on_though_the_chunks_settle_anew(
    fresh: RealWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.ui.map_keeper.AUTOMATIC_SECONDS", 0.0)
    session = fresh.session
    fresh.open(copy_sample(tmp_path, "about.md", "weekly-note-41.md"))
    fresh.wait_read()
    wait_until(lambda: session.map.is_postponed, what="embedding waits to be asked for")
    session.embed_now()
    session.commit(cap=1390)
    wait_until(lambda: session.map.is_complete, what="all chunks have vectors")
    assert session.settings.options.cap == 1390
    assert not session.map.is_postponed
