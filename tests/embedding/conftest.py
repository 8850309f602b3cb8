"""What the tests of embedding share: the bundled model loaded and exported once, made-up prose, a compiler's cache."""

from __future__ import annotations

import os
import random
import re
import tempfile
from pathlib import Path

import pytest

from inspector.embedding import onnx_engine
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.models import Model, bundled_model, model_revision
from inspector.embedding.tokens import TokenCounter

# Compiling for UMAP takes 15 seconds; a cache that outlives the run saves most of them.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "chunk-inspector-numba"))

WORDS = re.findall(
    r"\w+",
    """
heading chunk vector model token search answer question author post title link image table code
fence list paragraph sentence cap fold drop threshold embedding limit section budget cache window
reader garden river winter market engine violin harbour biscuit lantern glacier thunder orchard
compass ribbon
""",
)


def prose(seed: int, words: int) -> str:
    """Make up a text of so many words, the same for the same seed."""
    source = random.Random(seed)
    return " ".join(source.choice(WORDS) for _ in range(words))


@pytest.fixture(scope="session")
def bundled() -> Model:
    """Give the bundled model."""
    return bundled_model()


@pytest.fixture(scope="session")
def counter(bundled: Model) -> TokenCounter:
    """Give a counter for the bundled model, 256 tokens."""
    return TokenCounter(bundled)


@pytest.fixture(scope="session")
def encoder(bundled: Model) -> SentenceTransformerEncoder:
    """Load the bundled model once."""
    return SentenceTransformerEncoder(bundled)


@pytest.fixture(scope="session")
def exported(bundled: Model, encoder: SentenceTransformerEncoder) -> Path:
    """Export the bundled model once, into a folder that outlives the run; give the file."""
    for name in ("onnxruntime", "onnx", "onnxscript"):
        pytest.importorskip(name, reason="the extra `fast` is not installed")
    folder = Path(tempfile.gettempdir()) / "chunk-inspector-engines"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNK_INSPECTOR_CACHE", str(folder))
        verdict = onnx_engine.export(encoder)
        assert verdict.is_good, verdict
        return onnx_engine.exported_file(model_revision(bundled))


@pytest.fixture(scope="session")
def tiny_model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with a tiny BERT of random weights, 32 dimensions and 64 positions."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    from inspector.embedding.models import bundled_folder

    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    torch.manual_seed(7)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=30522, max_position_embeddings=64, **sizes)).save_pretrained(folder)
    tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
    names = {
        "unk_token": "[UNK]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names).save_pretrained(folder)
    return folder
