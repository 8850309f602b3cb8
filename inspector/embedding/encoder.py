"""Turning texts into vectors by one of two engines, off the network unless it is allowed."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.models import Model
from inspector.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

BATCH = 1  # texts side by side move each other's last bits, and UMAP makes another map of those; costs a seventh
ENGINE = "sentence-transformers"
POLITE_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "ORT_DISABLE_TELEMETRY": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        # A thread that spins for another costs most where a core is busy: 3.7 texts/s against 20 without.
        "OMP_WAIT_POLICY": "PASSIVE",
        "KMP_BLOCKTIME": "0",
    }
)
OFFLINE_SWITCHES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


class Encoder(Protocol):
    """Turns texts into unit vectors (n, dimensions) float32, the same for a text whatever stands by it."""

    @property
    def engine(self) -> str:
        """Name the library that computes."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Give one unit vector for each text, in order."""
        ...


class SentenceTransformerEncoder:
    """A sentence-transformers model on the processor; loading takes about four seconds for the imports."""

    engine = ENGINE

    def __init__(self, model: Model, *, allow_download: bool = False) -> None:
        """Load the model from its folder, or by name where it was downloaded; a ModelError says what to do."""
        if model.is_approximate:
            raise ModelError(f"{model.name} can only be counted. Choose a model's folder.", subject=model.name)
        if model.path is None and not allow_download:
            raise ModelError(f"No model at {model.name}. Choose a folder, or use the bundled one.", subject=model.name)
        self.model = model
        self.network: SentenceTransformer = _load(model, allow_download)
        self.network.max_seq_length = model.token_limit

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode embedding inputs as they are (no prompt is added), each by itself, read-only."""
        if not texts:
            return _read_only(np.zeros((0, self.model.dimensions), np.float32))
        vectors = self.network.encode(
            list(texts),
            prompt="",
            batch_size=BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        return _read_only(np.ascontiguousarray(vectors, np.float32))


def prepare_environment(*, allow_download: bool = False) -> None:
    """Set what the libraries read when they are imported: off the network, quiet, waiting without spinning."""
    for name, value in POLITE_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    for name in OFFLINE_SWITCHES:
        os.environ[name] = "0" if allow_download else "1"


def _load(model: Model, allow_download: bool) -> SentenceTransformer:
    """Import the library and load a model; what it says of a broken folder becomes a ModelError."""
    prepare_environment(allow_download=allow_download)
    from huggingface_hub import constants
    from sentence_transformers import SentenceTransformer
    from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

    constants.HF_HUB_OFFLINE = not allow_download  # it reads the environment only when it is imported
    logging.getLogger("transformers").setLevel(logging.ERROR)
    tqdm.set_lock(threading.RLock())  # else it makes a semaphore that outlives a killed worker
    source = model.path or model.name
    with _quiet_bars():
        try:
            return SentenceTransformer(source, device="cpu", local_files_only=not allow_download)
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            first_line = str(error).strip().partition("\n")[0]
            raise ModelError(
                f"The model at {source} cannot be loaded: {first_line}. Choose a folder, or use the bundled one.",
                subject=source,
            ) from error


@contextmanager
def _quiet_bars() -> Iterator[None]:
    """Keep the library's bar of loaded weights off the standard streams."""
    from transformers.utils import logging as bars

    was_shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if was_shown:
            bars.enable_progress_bar()  # type: ignore[no-untyped-call]


def _read_only(vectors: Vectors) -> Vectors:
    """Forbid writing to vectors that are shared."""
    vectors.setflags(write=False)
    return vectors
