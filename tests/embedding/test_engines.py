"""What serves is what is here already; bfloat16 takes over in mid-work where there is enough to do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from inspector import vector_tasks
from inspector.embedding import bfloat16, engines, onnx_engine
from inspector.embedding.agreement import least_cosine
from inspector.embedding.encoder import BFLOAT16, ENGINE
from inspector.embedding.engines import WORTH_IMPORTING, WORTH_TRYING, Engines
from inspector.embedding.models import ANY_ENGINE, model_revision
from inspector.errors import CacheError, ModelError
from tests.embedding.conftest import prose

pytestmark = pytest.mark.model


@pytest.fixture
def here(encoder, tmp_path, monkeypatch) -> Engines:
    """Give engines that open the network that is loaded already, on a processor where bfloat16 is worth it."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(engines, "open_encoder", lambda *_: encoder)
    monkeypatch.setattr(bfloat16, "has_units", lambda: True)
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(1.0, 2.0, bfloat16._library()))
    return Engines()


@pytest.fixture
def serve(here, bundled) -> Callable[..., str]:
    """Give the name of the engine that serves so many texts, once nothing is being made ready."""

    def engine(to_come: int = 1, choice: str = ANY_ENGINE) -> str:
        here.get(bundled, model_revision(bundled), choice, to_come=to_come)
        for thread in threading.enumerate():
            if thread.name == BFLOAT16:
                thread.join()
        return here.get(bundled, model_revision(bundled), choice).engine

    return engine


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


def test_a_trial_that_found_nothing_is_not_begun_again(serve, here, monkeypatch):
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(0.5, 2.0, bfloat16._library()))
    assert serve(WORTH_TRYING) == ENGINE
    monkeypatch.setattr(bfloat16, "lower", lambda _: pytest.fail("begun again"))
    assert serve(WORTH_TRYING) == ENGINE


@pytest.mark.parametrize("error", [ModelError("gone", subject="m"), RuntimeError("no memory"), OSError("disk")])
def test_what_cannot_be_made_ready_leaves_the_other_in_service(error, serve, exported, encoder, monkeypatch):
    def fail(*_: object) -> None:
        raise error

    use_exported(exported, encoder, monkeypatch)
    monkeypatch.setattr(engines, "open_encoder", fail)
    assert serve(WORTH_IMPORTING) == onnx_engine.ENGINE


def test_a_damaged_file_is_said_once(here, serve, monkeypatch):
    tries = count()

    def fail(*_: object) -> None:
        raise CacheError(f"damaged {next(tries)}", subject="file")

    monkeypatch.setattr(onnx_engine, "is_ready", lambda _revision: True)
    monkeypatch.setattr(onnx_engine, "open_exported", fail)
    assert [serve(), serve(), here.notices] == [ENGINE, ENGINE, ["damaged 0"]]


def test_texts_that_follow_count(here, bundled, encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(vector_tasks, "_loaded", vector_tasks._Loaded(here))
    texts = tuple(prose(seed, 20) for seed in range(8))
    first, rest = texts[:4], texts[4:]
    folder = str(tmp_path / "vectors")
    made = [vector_tasks.run_encode(vector_tasks.EncodeRequest(bundled, first, folder, ahead=WORTH_TRYING))]
    for thread in threading.enumerate():
        if thread.name == BFLOAT16:
            thread.join()
    made.append(vector_tasks.run_encode(vector_tasks.EncodeRequest(bundled, rest, folder)))
    assert [result.engine for result in made] == [ENGINE, BFLOAT16]
    assert least_cosine(np.concatenate([result.vectors for result in made]), encoder.encode(texts)) > 0.9999
