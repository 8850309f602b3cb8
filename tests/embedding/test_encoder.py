"""Vectors are unit vectors, the same for a text whatever stands by it, and nothing goes over the network."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from inspector.embedding.encoder import SentenceTransformerEncoder, prepare_environment
from inspector.embedding.models import KNOWN_MODELS, local_model, other_model
from inspector.errors import ModelError
from tests.embedding.conftest import prose

pytestmark = pytest.mark.model


def test_vectors_are_unit_float32_and_read_only(encoder):
    vectors = encoder.encode(["a", "some more words"])
    assert (vectors.shape, vectors.dtype) == ((2, 384), np.float32)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    assert not vectors.flags.writeable


def test_a_text_has_the_same_vector_alone_and_among_others_of_all_lengths(encoder):
    texts = [prose(seed, 3 + seed * 23) for seed in range(11)]
    together = encoder.encode(texts)
    alone = np.stack([encoder.encode([text])[0] for text in texts])
    assert np.array_equal(together, alone)  # to the last bit: UMAP makes another map of the least difference


@pytest.mark.parametrize("which", ["bundled", "another"])
def test_vectors_are_those_of_the_library(which, encoder, tiny_model_folder):
    given = encoder if which == "bundled" else SentenceTransformerEncoder(local_model(tiny_model_folder))
    texts = [prose(seed, 1 + seed * 40) for seed in range(10)] + ["", "  padded\t"]  # the longest are read in part
    expected = given.network.encode(texts, prompt="", normalize_embeddings=True, batch_size=1)
    assert np.abs(given.encode(texts) - expected).max() < 1e-5


def test_encoding_is_deterministic_and_keeps_the_order(encoder):
    texts = ["long " * 30, "a", "middle " * 9]
    vectors = encoder.encode(texts)
    assert np.array_equal(vectors, encoder.encode(texts))
    assert np.array_equal(vectors[::-1], encoder.encode(texts[::-1]))


def test_no_texts_give_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 384)


def test_near_texts_are_nearer(encoder):
    cat, kitten, tax = encoder.encode(["The cat sleeps.", "A kitten is asleep.", "How to file taxes."])
    assert cat @ kitten > cat @ tax + 0.2


def test_a_local_model_encodes(tiny_model_folder):
    model = local_model(tiny_model_folder)
    vectors = SentenceTransformerEncoder(model).encode(["one", "two words", "word " * 100])
    assert vectors.shape == (3, 32)
    assert np.isfinite(vectors).all()


def test_weights_that_cannot_be_read_are_named(tiny_model_folder, tmp_path):
    folder = shutil.copytree(tiny_model_folder, tmp_path / "m")
    (folder / "config.json").write_text('{"hidden_size": 32, "max_position_embeddings": 64, "model_type": "no-such"}')
    with pytest.raises(ModelError, match=r"cannot be loaded: .* Choose a folder, or use the bundled one\."):
        SentenceTransformerEncoder(local_model(folder))


def test_a_model_that_is_not_here_is_not_fetched_unasked():
    with pytest.raises(ModelError, match=r"No model at BAAI/bge-base-en-v1.5"):
        SentenceTransformerEncoder(KNOWN_MODELS["BAAI/bge-base-en-v1.5"])
    with pytest.raises(ModelError, match="can only be counted"):
        SentenceTransformerEncoder(other_model(512))


def test_the_network_is_off_unless_allowed(monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "0")
    prepare_environment()
    assert (os.environ["HF_HUB_OFFLINE"], os.environ["TRANSFORMERS_OFFLINE"]) == ("1", "1")
    prepare_environment(allow_download=True)
    assert os.environ["HF_HUB_OFFLINE"] == "0"
