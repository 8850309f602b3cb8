"""The exported file gives the vectors of sentence-transformers, serves only then, and is set aside when damaged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inspector import vector_tasks
from inspector.embedding import agreement, engines, onnx_engine
from inspector.embedding.models import model_revision
from inspector.errors import CacheError
from tests.embedding.conftest import prose
from tests.fakes import HASH_MODEL

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.model


@pytest.fixture
def own_cache(exported, tmp_path, monkeypatch) -> Path:
    """Copy the exported file and its verdict into a cache of this test's own."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(vector_tasks, "_loaded", vector_tasks._Loaded())
    shutil.copytree(exported.parent, tmp_path / onnx_engine.FOLDER)
    return tmp_path


def test_the_checked_texts_are_64_of_all_lengths():
    texts = agreement.varied_texts()
    assert len(set(texts)) == agreement.CHECKED_TEXTS
    assert min(map(len, texts)) == 0
    assert max(map(len, texts)) > 1_500


@pytest.fixture
def revision(bundled) -> str:
    """Give the bundled model's revision, which names its exported file."""
    return model_revision(bundled)


def test_both_engines_give_the_same_vectors(own_cache, revision, bundled, encoder):
    fast = onnx_engine.open_exported(bundled, revision)
    texts = [prose(seed, 1 + seed * 30) for seed in range(10)] + ["", "  padded ", "\ud800 alone"]
    vectors = fast.encode(texts)
    assert (vectors.shape, vectors.dtype, vectors.flags.writeable) == ((13, 384), np.float32, False)
    assert agreement.least_cosine(vectors[:12], encoder.encode(texts[:12])) > 0.999999
    alone = np.stack([fast.encode([text])[0] for text in texts])
    assert np.array_equal(vectors, alone)
    assert fast.encode([]).shape == (0, 384)


def test_the_file_serves_once_it_is_here_and_can_be_switched_off(own_cache, bundled):
    loaded = vector_tasks.run_load_model(vector_tasks.LoadModelRequest(bundled))
    asked = vector_tasks.run_encode_question(vector_tasks.EncodeQuestionRequest(bundled, "What is a chunk?"))
    assert loaded.engine == asked.engine == "onnxruntime"
    again = vector_tasks.run_export(vector_tasks.ExportRequest(bundled))
    assert again.is_ready
    assert vector_tasks._loaded.engines.encoder.engine == "onnxruntime"
    assert not onnx_engine.is_ready(model_revision(HASH_MODEL))


def test_the_other_engine_serves_where_it_is_chosen(own_cache, bundled, encoder, monkeypatch):
    monkeypatch.setattr(engines, "open_encoder", lambda *_: encoder)
    request = vector_tasks.EncodeRequest(bundled, ("some text",), str(own_cache), engine="sentence-transformers")
    assert vector_tasks.run_encode(request).engine == "sentence-transformers"
    free = vector_tasks.EncodeRequest(bundled, ("other text",), str(own_cache))
    assert vector_tasks.run_encode(free).engine == "onnxruntime"


@pytest.mark.parametrize("damage", ["cut short", "changed inside", "gone"])
def test_a_damaged_file_is_set_aside_and_named(damage, own_cache, revision, bundled, encoder, monkeypatch):
    monkeypatch.setattr(engines, "open_encoder", lambda *_: encoder)
    file = onnx_engine.exported_file(revision)
    if damage == "cut short":
        with file.open("r+b") as stream:
            stream.truncate(1_000_000)
    elif damage == "changed inside":
        with file.open("r+b") as stream:
            stream.seek(40_000_000)
            stream.write(b"\xff" * 64)
    else:
        file.unlink()
    made = vector_tasks.run_encode(vector_tasks.EncodeRequest(bundled, ("some text",), str(own_cache)))
    assert made.engine == "sentence-transformers"
    if damage == "gone":
        assert made.notices == ()
    else:
        assert len(made.notices) == 1
        assert f"{file.name}.damaged" in made.notices[0]
        assert not file.exists()
    assert not onnx_engine.is_ready(revision)


def test_what_does_not_agree_is_not_used_and_not_made_again(own_cache, revision, bundled, encoder, monkeypatch):
    verdict = onnx_engine.Verdict(0.99, "00", onnx_engine._library())
    onnx_engine._write_verdict(revision, verdict)
    assert not onnx_engine.is_ready(revision)
    monkeypatch.setattr(onnx_engine, "_export", lambda *_: pytest.fail("made again"))
    assert onnx_engine.export(encoder) == verdict
    with pytest.raises(CacheError, match="set aside"):
        onnx_engine.open_exported(bundled, revision)


def test_a_failed_export_is_a_verdict(encoder, tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime", reason="the extra `fast` is not installed")

    def fail(*_: object) -> None:
        raise RuntimeError("no such operator\nmore")

    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(onnx_engine, "_export", fail)
    verdict = onnx_engine.export(encoder)
    assert (verdict.is_good, verdict.reason) == (False, "no such operator")
    assert [file.suffix for file in (tmp_path / onnx_engine.FOLDER).iterdir()] == [".json"]


def test_a_verdict_of_another_version_is_none(own_cache, revision, monkeypatch):
    monkeypatch.setattr(onnx_engine, "_library", lambda: "0.0")
    assert onnx_engine.read_verdict(revision) is None
    onnx_engine._verdict_file(revision).write_text("{")
    assert onnx_engine.read_verdict(revision) is None


def test_numbers_that_are_not_finite_never_agree():
    assert agreement.least_cosine(np.full((1, 2), np.nan, np.float32), np.ones((1, 2), np.float32)) == 0.0


def test_a_second_start_answers_without_torch(own_cache, bundled):
    code = """
import sys
from inspector import vector_tasks
from inspector.embedding.models import bundled_model
result = vector_tasks.run_encode_question(vector_tasks.EncodeQuestionRequest(bundled_model(), "What is a chunk?"))
print(result.engine, *[name for name in ("torch", "transformers", "sentence_transformers") if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["onnxruntime"]


def test_nothing_is_exported_of_a_model_without_files():
    result = vector_tasks.run_export(vector_tasks.ExportRequest(HASH_MODEL))
    assert not result.is_ready


@pytest.fixture
def shipped(exported, bundled, revision, tmp_path, monkeypatch) -> Path:
    """Lay the engine's file beside the weights it shares, as a bundle has it; give the file."""
    sys.path.append(str(ROOT / "packaging"))
    from bundle.engine import WEIGHTS, share_weights

    folder = tmp_path / "model"
    folder.mkdir()
    weights = Path(bundled.path) / WEIGHTS
    file = folder / exported.name
    assert share_weights(exported, weights, file) > 90
    shutil.copy(weights, folder)
    verdict = onnx_engine.Verdict(1.0, onnx_engine._sha256(file), onnx_engine._library())
    file.with_suffix(".json").write_text(json.dumps(onnx_engine.verdict_record(verdict)))
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(onnx_engine, "bundled_folder", lambda: folder)
    monkeypatch.setattr(vector_tasks, "_loaded", vector_tasks._Loaded())
    return file


def test_a_shipped_file_shares_the_models_weights_and_gives_its_vectors(shipped, revision, bundled, encoder):
    assert shipped.stat().st_size < 2_000_000
    assert onnx_engine.exported_file(revision) == shipped
    assert onnx_engine.is_ready(revision)
    texts = [prose(seed, 1 + seed * 40) for seed in range(6)]
    fast = onnx_engine.open_exported(bundled, revision)
    assert agreement.least_cosine(fast.encode(texts), encoder.encode(texts)) > 0.999999


def test_a_damaged_shipped_file_stays_and_the_other_engine_serves(shipped, bundled, encoder, monkeypatch):
    monkeypatch.setattr(engines, "open_encoder", lambda *_: encoder)
    shipped.write_bytes(shipped.read_bytes()[:-100])
    made = vector_tasks.run_encode(vector_tasks.EncodeRequest(bundled, ("some text",), str(shipped.parent.parent)))
    assert made.engine == "sentence-transformers"
    assert made.notices == (f"The fast engine's file {shipped} is damaged: install the program again.",)
    assert shipped.exists()
    again = vector_tasks.run_encode(vector_tasks.EncodeRequest(bundled, ("another text",), str(shipped.parent.parent)))
    assert (again.engine, again.notices) == ("sentence-transformers", ())


@pytest.mark.skipif(sys.platform != "linux", reason="where the library writes is known for Linux")
def test_the_library_writes_no_device_id_and_reports_nothing(exported, tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from inspector.embedding.models import bundled_model\n"
        "from inspector.embedding.onnx_engine import OnnxEncoder\n"
        "OnnxEncoder(bundled_model(), Path(sys.argv[1])).encode(['a text'])"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, str(exported)], check=True, cwd=ROOT, env=environment, timeout=100)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []
