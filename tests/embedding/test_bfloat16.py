"""bfloat16 serves where a trial shows that its vectors agree and that it is worth it, and nowhere else."""

from __future__ import annotations

import json

import numpy as np
import pytest

from inspector.embedding import agreement, bfloat16
from inspector.embedding.agreement import LEAST_COSINE, least_cosine
from inspector.embedding.encoder import BFLOAT16, ENGINE, SentenceTransformerEncoder
from inspector.embedding.models import local_model, model_revision
from tests.embedding.conftest import prose

pytestmark = pytest.mark.model


@pytest.fixture
def short(monkeypatch):
    """Try out with a few short texts."""
    texts = agreement.varied_texts()[:12]
    monkeypatch.setattr(bfloat16, "varied_texts", lambda: texts)
    monkeypatch.setattr(bfloat16, "TIMED", slice(3, 4))


@pytest.fixture
def own_cache(tmp_path, monkeypatch, short):
    """Keep trials in a folder of this test's own."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def low(encoder) -> SentenceTransformerEncoder:
    """Give the bundled model in bfloat16."""
    return encoder.in_bfloat16()


def test_its_vectors_agree_and_a_text_has_the_same_vector_alone(encoder, low):
    texts = [prose(seed, 3 + seed * 23) for seed in range(11)] + [""]
    vectors = low.encode(texts)
    assert (vectors.shape, vectors.dtype, vectors.flags.writeable) == ((12, 384), np.float32, False)
    assert LEAST_COSINE < least_cosine(encoder.encode(texts), vectors) < 1
    assert np.array_equal(vectors, np.stack([low.encode([text])[0] for text in texts]))
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6


def test_the_first_model_stays_as_it_was(encoder, low):
    import torch

    assert {parameter.dtype for parameter in encoder.network.parameters()} == {torch.float32}
    assert {parameter.dtype for parameter in low.network.parameters()} == {torch.float32, torch.bfloat16}
    assert (encoder.engine, low.engine) == ("sentence-transformers", "sentence-transformers, bfloat16")


def test_a_trial_is_kept_and_believed(own_cache, encoder, monkeypatch):
    trials = []
    monkeypatch.setattr(encoder.__class__, "processor_seconds", lambda self, _: 1.0 if self is encoder else 0.5)
    try_out = bfloat16.try_out
    monkeypatch.setattr(bfloat16, "try_out", lambda *given: trials.append(given) or try_out(*given))
    assert bfloat16.may_serve(model_revision(encoder.model))
    assert bfloat16.lower(encoder).engine == bfloat16.lower(encoder).engine == "sentence-transformers, bfloat16"
    trial = bfloat16.read_trial(model_revision(encoder.model))
    assert len(trials) == 1
    assert (trial.gain, trial.is_good, trial.least_cosine > LEAST_COSINE) == (2.0, True, True)


@pytest.mark.parametrize(
    "found",
    [{"least_cosine": 0.9998, "gain": 3.0}, {"least_cosine": 1.0, "gain": 1.4}, {"reason": "no units"}],
)
def test_what_does_not_agree_or_gains_too_little_never_serves(found, own_cache, encoder, monkeypatch):
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(library=bfloat16._library(), **found))
    assert bfloat16.lower(encoder) is None
    assert not bfloat16.may_serve(model_revision(encoder.model))
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: pytest.fail("tried again"))
    assert bfloat16.lower(encoder) is None


def test_the_units_are_those_that_torch_names(own_cache, encoder, monkeypatch):
    import torch

    revision = model_revision(encoder.model)
    for found, has_them in (({"amx_bf16": True}, True), ({"avx512_bf16": False}, False), ({"avx2": True}, False)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda found=found: found, raising=False)
        assert bfloat16.find_units(revision) is has_them
        assert bfloat16.may_serve(revision) is has_them
    assert bfloat16.read_trial(revision).reason == "torch names no units for it"
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert not bfloat16.find_units(revision)


@pytest.mark.parametrize("step", ["in_bfloat16", "encode", "processor_seconds"])
def test_a_trial_that_fails_is_kept_with_its_reason(step, own_cache, encoder, monkeypatch):
    def fail(*_: object) -> None:
        raise TypeError("cannot copy\nmore")

    monkeypatch.setattr(SentenceTransformerEncoder, step, fail)
    assert bfloat16.lower(encoder) is None
    assert bfloat16.read_trial(model_revision(encoder.model)).reason == "cannot copy"
    assert not bfloat16.may_serve(model_revision(encoder.model))


def test_the_least_of_some_passes_counts_and_too_little_time_tells_nothing(encoder, low, short, monkeypatch):
    def pass_times(plain: list[float], other: list[float]) -> None:
        times = {ENGINE: iter(plain), BFLOAT16: iter(other)}
        monkeypatch.setattr(SentenceTransformerEncoder, "processor_seconds", lambda self, _: next(times[self.engine]))

    pass_times([0.9, 0.6, 0.7], [0.8, 0.5, 0.3])
    assert bfloat16.try_out(encoder, low).gain == 2.0
    pass_times([0.02, 0.02, 0.02], [0.01, 0.0, 0.01])
    assert bfloat16.try_out(encoder, low).gain == 0.0


def test_a_trial_of_another_version_or_a_broken_one_is_none(own_cache, encoder):
    revision = model_revision(encoder.model)
    file = bfloat16._trial_file(revision)
    file.parent.mkdir()
    for text in (json.dumps({"least_cosine": 1.0, "gain": 9.0, "library": "0.0"}), "{", '{"what": 1}', "[]"):
        file.write_text(text)
        assert bfloat16.read_trial(revision) is None


def test_a_folder_that_cannot_be_written_is_no_fault(own_cache, encoder, monkeypatch):
    (own_cache / bfloat16.FOLDER).write_text("in the way")
    monkeypatch.setattr(bfloat16, "try_out", lambda *_: bfloat16.Trial(1.0, 2.0, bfloat16._library()))
    assert bfloat16.lower(encoder) is not None


def test_another_model_agrees_less_or_more_and_is_judged(tiny_model_folder):
    encoder = SentenceTransformerEncoder(local_model(tiny_model_folder))
    trial = bfloat16.try_out(encoder, encoder.in_bfloat16())
    assert 0.99 < trial.least_cosine <= 1
    assert trial.gain < 20, "a pass of no time tells nothing"


@pytest.mark.parametrize(
    ("trial", "is_good"),
    [
        (bfloat16.Trial(0.99991, 1.5), True),
        (bfloat16.Trial(0.9999, 3.0), False),
        (bfloat16.Trial(1.0, 1.49), False),
        (bfloat16.Trial(reason="no units"), False),
    ],
)
def test_a_trial_is_good_over_both_bounds(trial, is_good):
    assert trial.is_good is is_good


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory")])
def test_a_lack_of_memory_is_not_kept(error, own_cache, encoder, monkeypatch):
    def fail(_: object) -> None:
        raise error

    revision = model_revision(encoder.model)
    monkeypatch.setattr(SentenceTransformerEncoder, "in_bfloat16", fail)
    assert bfloat16.lower(encoder) is None
    assert bfloat16.read_trial(revision) is None
    good = bfloat16.Trial(1.0, 2.0, bfloat16._library())
    bfloat16._write_trial(revision, good)
    monkeypatch.setattr(SentenceTransformerEncoder, "in_bfloat16", lambda _: 1 / 0)
    assert bfloat16.lower(encoder) is None
    assert bfloat16.read_trial(revision) == good, "a good trial stays, whatever went wrong later"
