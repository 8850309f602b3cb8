"""What serves is what is here already; bfloat16 takes over in mid-work where there is enough to do."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from itertools import count

import pytest

from inspector import vector_tasks
from inspector.embedding import bfloat16, engines, onnx_engine
from inspector.embedding.agreement import LEAST_COSINE, least_cosine
from inspector.embedding.encoder import BFLOAT16, ENGINE
from inspector.embedding.engines import WORTH_IMPORTING, WORTH_TRYING, Engines
from inspector.embedding.models import ANY_ENGINE, local_model, model_revision
from inspector.errors import CacheError, ModelError
from inspector.memory import settle_objects
from tests.embedding.conftest import prose

pytestmark = pytest.mark.model


@pytest.fixture
def here(encoder, tmp_path, monkeypatch) -> Engines:
    """Give engines that open the network that is loaded already, on a processor where bfloat16 is worth it."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(engines, "open_encoder", lambda *_: encoder)
    monkeypatch.setattr(bfloat16, "find_units", lambda _revision: True)
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(1.0, 2.0, bfloat16._library()))
    return Engines()


@pytest.fixture
def serve(here, bundled) -> Callable[..., str]:
    """Give the name of the engine that serves so many texts, once nothing is being made ready."""

    def engine(to_come: int = 1, choice: str = ANY_ENGINE) -> str:
        here.get(bundled, model_revision(bundled), choice, to_come=to_come)
        join_lowering()
        return here.get(bundled, model_revision(bundled), choice).engine

    return engine


def join_lowering() -> None:
    """Wait until nothing is being made ready."""
    for thread in threading.enumerate():
        if thread.name == BFLOAT16:
            thread.join()


def use_exported(exported, encoder, monkeypatch) -> None:
    """Let the file that was exported for the tests be the one that is found."""
    file = onnx_engine.OnnxEncoder(encoder.model, exported)
    monkeypatch.setattr(onnx_engine, "is_ready", lambda _revision: True)
    monkeypatch.setattr(onnx_engine, "open_exported", lambda *_: file)


def test_few_texts_are_not_worth_a_trial(serve):
    assert [serve(WORTH_TRYING - 1), serve(WORTH_TRYING)] == [ENGINE, BFLOAT16]


def test_many_texts_are_worth_importing_torch_beside_the_exported_file(serve, exported, encoder, monkeypatch):
    use_exported(exported, encoder, monkeypatch)
    few, many, later = serve(WORTH_IMPORTING - 1), serve(WORTH_IMPORTING), serve(1)
    assert (few, many, later) == (onnx_engine.ENGINE, BFLOAT16, BFLOAT16)


def test_the_exported_file_takes_over_when_it_is_made(serve, exported, encoder, monkeypatch):
    assert serve() == ENGINE
    use_exported(exported, encoder, monkeypatch)
    assert serve() == onnx_engine.ENGINE


def test_what_was_chosen_serves_alone(serve, exported, encoder, monkeypatch):
    use_exported(exported, encoder, monkeypatch)
    assert serve(WORTH_IMPORTING) == BFLOAT16
    assert serve(WORTH_IMPORTING, ENGINE) == ENGINE
    assert serve(WORTH_IMPORTING) == BFLOAT16


def test_a_trial_that_found_nothing_is_not_begun_again(serve, here, bundled, monkeypatch):
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(0.5, 2.0, bfloat16._library()))
    assert serve(WORTH_TRYING) == ENGINE
    begun = []
    monkeypatch.setattr(engines, "_Lowering", lambda *_: begun.append("again"))
    for known in (here, Engines()):
        assert known.get(bundled, model_revision(bundled), ANY_ENGINE, to_come=WORTH_IMPORTING).engine == ENGINE
    assert begun == []


@pytest.mark.parametrize("error", [ModelError("gone", subject="m"), RuntimeError("memory"), TypeError("its own code")])
def test_what_cannot_be_made_ready_leaves_the_other_in_service(error, serve, exported, encoder, monkeypatch):
    def fail(*_: object) -> None:
        raise error

    use_exported(exported, encoder, monkeypatch)
    monkeypatch.setattr(engines, "open_encoder", fail)
    assert serve(WORTH_IMPORTING) == onnx_engine.ENGINE


def test_a_damaged_file_that_stays_is_said_once(here, serve, monkeypatch):
    tries = count()

    def fail(*_: object) -> None:
        raise CacheError(f"damaged {next(tries)}", subject="file")

    monkeypatch.setattr(onnx_engine, "is_ready", lambda _revision: True)
    monkeypatch.setattr(onnx_engine, "open_exported", fail)
    assert [serve(), serve(), here.notices] == [ENGINE, ENGINE, ["damaged 0"]]


def test_a_file_that_is_made_again_serves(serve, exported, encoder, monkeypatch):
    def fail(*_: object) -> None:
        monkeypatch.setattr(onnx_engine, "is_ready", lambda _revision: False)
        raise CacheError("set aside", subject="file")

    monkeypatch.setattr(onnx_engine, "is_ready", lambda _revision: True)
    monkeypatch.setattr(onnx_engine, "open_exported", fail)
    assert serve() == ENGINE
    use_exported(exported, encoder, monkeypatch)
    assert serve() == onnx_engine.ENGINE


def test_what_was_begun_for_another_choice_stops_and_never_serves(here, bundled, exported, encoder, monkeypatch):
    use_exported(exported, encoder, monkeypatch)
    gate, loads = threading.Event(), []

    def find_units(_revision: str) -> bool:
        return gate.wait(10)

    monkeypatch.setattr(bfloat16, "find_units", find_units)
    monkeypatch.setattr(engines, "open_encoder", lambda *_: loads.append("loaded") or encoder)
    revision = model_revision(bundled)
    here.get(bundled, revision, ANY_ENGINE, to_come=WORTH_IMPORTING)
    assert here.get(bundled, revision, ENGINE).engine == ENGINE
    gate.set()
    join_lowering()
    assert loads == ["loaded"]  # by the choice alone
    assert here.get(bundled, revision, ENGINE).engine == ENGINE


def test_the_choice_alone_loads_nothing_again(here, bundled, encoder, monkeypatch):
    loads = []
    monkeypatch.setattr(engines, "open_encoder", lambda *_: loads.append("loaded") or encoder)
    for choice in (ANY_ENGINE, ENGINE, ANY_ENGINE):
        here.get(bundled, model_revision(bundled), choice)
    assert loads == ["loaded"]


@pytest.fixture
def lowering(tiny_model_folder, tmp_path, monkeypatch):
    """Engines whose every trial of bfloat16 goes well, a tiny model and its revision."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(bfloat16, "find_units", lambda _revision: True)
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(1.0, 2.0, bfloat16._library()))
    here, model = Engines(), local_model(tiny_model_folder)
    revision = model_revision(model)
    return here, model, revision


def test_a_network_that_was_let_go_is_freed(lowering):
    here, model, revision = lowering
    plain = weakref.ref(here.get(model, revision, ANY_ENGINE, to_come=WORTH_TRYING).network)
    join_lowering()
    settle_objects()  # as the worker does after each job
    low = weakref.ref(here.get(model, revision, ANY_ENGINE).network)
    assert (plain(), here.encoder.engine) == (None, BFLOAT16)
    settle_objects()
    here.get(model, revision, ENGINE)
    assert low() is None


def test_a_copy_that_never_served_is_freed_too(lowering):
    here, model, revision = lowering
    here.get(model, revision, ANY_ENGINE, to_come=WORTH_TRYING)
    join_lowering()
    copy = weakref.ref(here._lowering.result.network)
    settle_objects()
    assert here.get(model, revision, ENGINE).engine == ENGINE
    assert copy() is None


def test_texts_that_follow_count_and_those_of_the_call_itself_do_not(here, bundled, encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(vector_tasks, "_loaded", vector_tasks._Loaded(here))
    texts = tuple(prose(seed, 8) for seed in range(WORTH_TRYING + 8))
    folder = str(tmp_path / "vectors")
    served = []
    for part, ahead in ((texts[8:], 0), (texts[:4], WORTH_TRYING), (texts[4:8], 0)):
        request = vector_tasks.EncodeRequest(bundled, part, folder, ahead=ahead)
        served.append(vector_tasks.run_encode(request))
        join_lowering()
    assert [result.engine for result in served] == [ENGINE, ENGINE, BFLOAT16]
    assert least_cosine(served[2].vectors, encoder.encode(texts[4:8])) > LEAST_COSINE
