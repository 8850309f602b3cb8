"""Embedding goes slice by slice, keeps all that was paid for, and survives the death of its worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import psutil
import pytest

from inspector import vector_tasks
from inspector.embedding.cache import VectorCache, input_digest
from inspector.embedding.models import bundled_model, model_revision
from inspector.ui import embedding_job
from inspector.ui.embedding_job import A_STEP, EMBEDDING, FIRST_SLICE, LARGEST_SLICE, LOADING, LOOK_UP, Embedder
from inspector.ui.runner import Landing, Lane, Runner
from tests.embedding.conftest import prose
from tests.fakes import HASH_MODEL, HashEncoder, InstantRunner, use_hash_encoder

PATIENCE = 60_000  # milliseconds to load a real model on a busy machine


class Log:
    """What an embedder has said."""

    def __init__(self, embedder: Embedder) -> None:
        self.progress: list[tuple[int, int, float, str]] = []
        self.postponed: list[tuple[int, float]] = []
        self.failed: list[str] = []
        self.noticed: list[str] = []
        self.finished = 0
        embedder.progressed.connect(lambda *values: self.progress.append(values))
        embedder.postponed.connect(lambda *values: self.postponed.append(values))
        embedder.failed.connect(self.failed.append)
        embedder.noticed.connect(self.noticed.append)
        embedder.finished.connect(self._finish)

    def _finish(self) -> None:
        self.finished += 1


@pytest.fixture
def hash_encoder(monkeypatch) -> HashEncoder:
    return use_hash_encoder(monkeypatch)


@pytest.fixture
def runner(qtbot) -> InstantRunner:
    return InstantRunner()


@pytest.fixture
def embedder(runner, tmp_path, hash_encoder) -> Embedder:
    return Embedder(runner, cache_path=str(tmp_path))


TEXTS = [f"text number {number}" for number in range(50)]


def test_every_input_gets_its_vector_and_each_text_is_sent_once(embedder, hash_encoder):
    log = Log(embedder)
    embedder.start(HASH_MODEL, [*TEXTS, *TEXTS[:10]])
    assert log.finished == 1
    assert embedder.sent_texts == TEXTS
    assert hash_encoder.calls == 50
    matrix, has_vector = embedder.matrix()
    assert matrix.shape == (60, 32)
    assert has_vector.all()
    assert np.array_equal(matrix[:50], hash_encoder.encode(TEXTS))
    assert not matrix.flags.writeable
    assert embedder.digests[:2] == tuple(map(input_digest, TEXTS[:2]))
    assert (embedder.missing_count, embedder.is_running) == (0, False)


def test_progress_rises_to_the_number_of_inputs_and_names_its_stage(embedder):
    log = Log(embedder)
    embedder.start(HASH_MODEL, [*TEXTS, *TEXTS])
    done = [values[0] for values in log.progress]
    assert done == sorted(done)
    assert log.progress[0][0:2] == (0, 100)
    assert log.progress[0][3] == LOADING
    assert log.progress[-1][0:2] == (100, 100)
    assert log.progress[-1][3] == EMBEDDING
    assert log.progress[-1][2] == embedder.texts_per_second > 25


def slices_of(runner) -> list[int]:
    """Count the texts of each slice that was sent."""
    return [len(request.texts) for _, _, request in runner.jobs if isinstance(request, vector_tasks.EncodeRequest)]


def test_the_first_slice_is_small_and_the_next_ones_follow_the_measured_rate(embedder, runner, monkeypatch):
    def run_slowly(request):
        result = encode(request)
        return replace(result, seconds=sum(len(text) for text in request.texts) / 1000 + 1e-3)

    encode = vector_tasks.run_encode
    monkeypatch.setattr(embedding_job, "PROCESSORS", 1)
    monkeypatch.setattr(vector_tasks, "run_encode", run_slowly)
    embedder.start(HASH_MODEL, [prose(number, 12) for number in range(60)])
    slices = slices_of(runner)
    assert slices[0] == FIRST_SLICE
    assert max(slices[1:]) <= 6
    assert sum(slices) == 60


def test_a_slice_is_never_larger_than_its_bound(embedder, runner, monkeypatch):
    encode = vector_tasks.run_encode
    monkeypatch.setattr(vector_tasks, "run_encode", lambda request: replace(encode(request), seconds=1e-6))
    embedder.start(HASH_MODEL, [f"t {number}" for number in range(300)])
    assert max(slices_of(runner)) == LARGEST_SLICE
    assert sum(slices_of(runner)) == 300


@pytest.mark.parametrize("processors", [1, 4, 10])
def test_a_slice_has_a_text_for_each_processor_however_slow_they_are(embedder, runner, monkeypatch, processors):
    monkeypatch.setattr(embedding_job, "PROCESSORS", processors)
    encode = vector_tasks.run_encode
    monkeypatch.setattr(vector_tasks, "run_encode", lambda request: replace(encode(request), seconds=1e6))
    embedder.start(HASH_MODEL, [prose(number, 400) for number in range(20)])
    first = max(FIRST_SLICE, processors)
    assert slices_of(runner) == [first, *[processors] * ((20 - first) // processors)]


def test_what_was_looked_up_for_inputs_before_enters_one_after_the_other(qtbot, embedder, runner):
    embedder.start(HASH_MODEL, ["one"])
    for name, count in (("a", 3 * A_STEP), ("b", 10)):
        digests = tuple(f"{name}{number}" for number in range(count))
        rows = np.zeros((count, 32), np.float32)
        result = vector_tasks.CachedVectorsResult(HASH_MODEL, "revision", digests, rows)
        runner.late.emit(Landing(Lane.CACHE, LOOK_UP, 0, result))
    qtbot.waitUntil(lambda: {"a0", f"a{3 * A_STEP - 1}", "b9"} <= embedder.vectors.keys())
    assert len(embedder.vectors) == 1 + 3 * A_STEP + 10


def test_vectors_on_disk_are_shown_without_encoding(runner, tmp_path, monkeypatch):
    first = use_hash_encoder(monkeypatch)
    Embedder(runner, cache_path=str(tmp_path)).start(HASH_MODEL, TEXTS)
    second = use_hash_encoder(monkeypatch)
    embedder = Embedder(runner, cache_path=str(tmp_path))
    log = Log(embedder)
    embedder.start(HASH_MODEL, [*TEXTS, "new"])
    assert (first.calls, second.calls) == (50, 1)
    assert embedder.sent_texts == ["new"]
    assert log.progress[0][:2] == (50, 51)
    assert log.finished == 1


def test_changed_inputs_send_only_what_changed(embedder):
    embedder.start(HASH_MODEL, TEXTS)
    embedder.sent_texts.clear()
    embedder.start(HASH_MODEL, [*TEXTS[:20], "changed", *TEXTS[21:]])
    assert embedder.sent_texts == ["changed"]
    embedder.sent_texts.clear()
    embedder.start(HASH_MODEL, TEXTS)
    assert embedder.sent_texts == []
    assert embedder.missing_count == 0


def test_nothing_to_embed_finishes_at_once(embedder, runner):
    log = Log(embedder)
    embedder.start(HASH_MODEL, [])
    assert log.finished == 1
    assert runner.jobs == []
    assert embedder.matrix()[0].shape == (0, 32)


def test_what_takes_too_long_is_postponed_after_the_look_up(embedder):
    log = Log(embedder)
    embedder.start(HASH_MODEL, TEXTS[:10])
    embedder._text_rate = 10.0
    embedder.start(HASH_MODEL, TEXTS, within=3.9)
    assert log.postponed == [(40, 4.0)]
    assert embedder.matrix()[1].sum() == 10
    assert (log.finished, embedder.is_running) == (1, False)
    embedder.start(HASH_MODEL, TEXTS)
    assert log.finished == 2


def test_the_estimate_is_twenty_five_a_second_until_measured(embedder):
    assert embedder.estimate(100) == 4.0
    embedder.start(HASH_MODEL, TEXTS)
    assert embedder.estimate(100) < 4.0


def test_the_rate_is_remembered_between_starts(embedder, runner, tmp_path, monkeypatch):
    encode = vector_tasks.run_encode
    monkeypatch.setattr(
        vector_tasks, "run_encode", lambda request: replace(encode(request), seconds=len(request.texts) / 5)
    )
    embedder.start(HASH_MODEL, TEXTS)
    again = Embedder(runner, cache_path=str(tmp_path))
    log = Log(again)
    again.start(HASH_MODEL, [*TEXTS, *(f"new {number}" for number in range(100))], within=15.0)
    assert log.postponed == [(100, pytest.approx(20.0))]
    assert again.estimate(50) == pytest.approx(10.0)


def test_another_model_begins_with_no_vectors(embedder):
    embedder.start(HASH_MODEL, TEXTS)
    wide = replace(HASH_MODEL, name="wide", dimensions=48)
    embedder.start(wide, TEXTS[:3])
    assert len(embedder.vectors) == 3
    assert embedder.matrix()[0].shape == (3, 48)


def test_cancel_sends_no_more_and_keeps_what_was_finished(embedder, runner):
    log = Log(embedder)

    def stop(done, *_):
        if done >= FIRST_SLICE:
            embedder.cancel()

    embedder.progressed.connect(stop)
    embedder.start(HASH_MODEL, TEXTS)
    assert FIRST_SLICE <= len(embedder.vectors) < 50
    assert not embedder.is_running
    assert log.finished == 0
    assert not runner.is_busy(Lane.EMBED)


def test_a_slice_of_inputs_since_replaced_still_enters(embedder, runner):
    log = Log(embedder)
    encode_next = []

    def replace_inputs(done, *_):
        if not encode_next:
            encode_next.append(done)
            runner.gate.shut()

    embedder.progressed.connect(replace_inputs)
    embedder.start(HASH_MODEL, TEXTS)  # the gate shuts before the first slice
    assert embedder.sent_texts == TEXTS[:FIRST_SLICE]
    embedder.start(HASH_MODEL, ["other"])
    runner.gate.open()
    assert set(map(input_digest, [*TEXTS[:FIRST_SLICE], "other"])) == set(embedder.vectors)
    assert log.finished == 1
    assert log.progress[-1][:2] == (1, 1)


def test_a_failure_is_said_and_finished_vectors_stay(embedder, hash_encoder, monkeypatch):
    log = Log(embedder)
    encode = hash_encoder.encode

    def fail_on_30(texts):
        if TEXTS[30] in texts:
            raise ValueError("this text breaks it")
        return encode(texts)

    monkeypatch.setattr(hash_encoder, "encode", fail_on_30)
    embedder.start(HASH_MODEL, TEXTS)
    assert log.failed == ["this text breaks it"]
    assert FIRST_SLICE <= len(embedder.vectors) < 50
    assert (log.finished, embedder.is_running) == (0, False)
    monkeypatch.setattr(hash_encoder, "encode", encode)
    embedder.start(HASH_MODEL, TEXTS)
    assert log.finished == 1


def test_what_the_cache_has_to_say_is_passed_on(runner, tmp_path, hash_encoder):
    (tmp_path / "file").write_text("in the way")
    embedder = Embedder(runner, cache_path=str(tmp_path / "file" / "cache"))
    log = Log(embedder)
    embedder.start(HASH_MODEL, TEXTS)
    assert len(log.noticed) == 1
    assert log.finished == 1


# With real processes and the real model.


@pytest.fixture
def real_runner(qtbot) -> Iterator[Runner]:
    made = Runner()
    yield made
    made.close()


@pytest.mark.model
def test_embedding_survives_the_death_of_its_worker(real_runner, qtbot, tmp_path):
    model, texts = bundled_model(), [prose(number, 60) for number in range(120)]
    embedder = Embedder(real_runner, cache_path=str(tmp_path))
    log = Log(embedder)
    embedder.start(model, texts)
    qtbot.waitUntil(lambda: 8 <= len(embedder.vectors) < 120, timeout=PATIENCE)
    killed = real_runner.pids()["model"]
    finished = dict(embedder.vectors)
    os.kill(killed, signal.SIGKILL)
    on_disk = VectorCache(tmp_path).get_many(model.name, model_revision(model), finished)
    assert on_disk.keys() == finished.keys()
    qtbot.waitUntil(lambda: log.finished == 1, timeout=PATIENCE)
    assert real_runner.pids()["model"] != killed
    assert log.failed == []
    assert embedder.missing_count == 0
    assert embedder.sent_texts == texts
    assert all(np.array_equal(embedder.vectors[digest], row) for digest, row in finished.items())
    done = [values[0] for values in log.progress]
    assert all(later >= earlier for earlier, later in pairwise(done))


BLOCK = """
import socket

ALLOWED = (socket.AF_UNIX,)
_connect = socket.socket.connect

def connect(self, address):
    if self.family in ALLOWED:
        return _connect(self, address)
    raise RuntimeError(f"the network was used: {address}")

def refuse(*arguments, **options):
    raise RuntimeError(f"the network was used: {arguments}")

socket.socket.connect = connect
socket.socket.connect_ex = connect
socket.socket.sendto = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse
"""


def is_blocked(_: object) -> bool:
    """Say whether this worker would be stopped at the first step into the network."""
    import socket

    try:
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)
    except RuntimeError:
        return True
    return False


@pytest.mark.model
def test_a_whole_session_needs_no_network(qtbot, tmp_path, monkeypatch):
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(BLOCK)
    monkeypatch.setenv("PYTHONPATH", f"{hook}{os.pathsep}{Path(__file__).parents[2]}")
    runner = Runner()
    landed, failed = {}, []
    runner.landed.connect(lambda landing: landed.update({(landing.lane, landing.key): landing.result}))
    runner.failed.connect(failed.append)
    model, texts = bundled_model(), [prose(number, 20) for number in range(24)]
    try:
        runner.submit(Lane.EMBED, is_blocked, None, "check")
        runner.submit(Lane.PROJECT, is_blocked, None, "check")
        embedder = Embedder(runner, cache_path=str(tmp_path / "cache"))
        embedder.start(model, texts)
        qtbot.waitUntil(lambda: failed or embedder.missing_count == 0, timeout=PATIENCE)
        runner.submit(Lane.PROJECT, vector_tasks.run_project, vector_tasks.ProjectRequest(embedder.matrix()[0]))
        question = vector_tasks.EncodeQuestionRequest(model, "Which river is the author of?")
        runner.submit(Lane.SEARCH, vector_tasks.run_encode_question, question)
        wanted = {(Lane.EMBED, "check"), (Lane.PROJECT, "check"), (Lane.PROJECT, ""), (Lane.SEARCH, "")}
        qtbot.waitUntil(lambda: failed or wanted <= landed.keys(), timeout=PATIENCE)
        assert failed == []
        assert landed[Lane.EMBED, "check"]
        assert landed[Lane.PROJECT, "check"]
        assert landed[Lane.PROJECT, ""].method == "umap"
        assert landed[Lane.SEARCH, ""].vector.shape == (384,)
        pids = runner.pids().values()
    finally:
        runner.close()
    assert not any(map(psutil.pid_exists, pids))


@pytest.mark.model
def test_a_question_jumps_between_slices(real_runner, qtbot, tmp_path):
    model, texts = bundled_model(), [prose(number, 90) for number in range(100)]
    embedder = Embedder(real_runner, cache_path=str(tmp_path))
    answers = []

    def take(landing):
        if landing.lane is Lane.SEARCH:
            answers.append((len(embedder.vectors), landing.result))

    real_runner.landed.connect(take)
    embedder.start(model, texts)
    qtbot.waitUntil(lambda: len(embedder.vectors) >= 8, timeout=PATIENCE)
    before = len(embedder.vectors)
    request = vector_tasks.EncodeQuestionRequest(model, "What is a chunk?")
    real_runner.submit(Lane.SEARCH, vector_tasks.run_encode_question, request)
    qtbot.waitUntil(lambda: bool(answers), timeout=PATIENCE)
    assert answers[0][0] - before <= LARGEST_SLICE
    assert answers[0][0] < 100
    embedder.cancel()
