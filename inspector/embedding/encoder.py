"""Turning texts into vectors by sentence-transformers, off the network unless it is allowed."""

from __future__ import annotations

import copy
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.models import Model
from inspector.embedding.tokens import replace_surrogates
from inspector.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

ENGINE = "sentence-transformers"
BFLOAT16 = f"{ENGINE}, bfloat16"
POLITE_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "true",  # no process here forks; it takes a fifth off reading a folder
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "ORT_DISABLE_TELEMETRY": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        # A thread that spins for another costs most where a core is busy: 3.7 texts/s against 20 without.
        "OMP_WAIT_POLICY": "PASSIVE",
        "KMP_BLOCKTIME": "0",
    }
)
_loading = threading.Lock()  # loading changes torch's settings of the whole process for a while
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
    """A sentence-transformers model on the processor; loading takes about four seconds for the imports.

    Each text is run by itself and unpadded: texts side by side move each other's last bits, and UMAP makes another map
    of those. As many run at a time as there are processors, each on one, a quarter faster than one text on all.
    """

    def __init__(self, model: Model, *, allow_download: bool = False) -> None:
        """Load the model from its folder, or by name where it was downloaded; a ModelError says what to do."""
        if model.is_approximate:
            raise ModelError(f"{model.name} can only be counted. Choose a model's folder.", subject=model.name)
        if model.path is None and not allow_download:
            raise ModelError(f"No model at {model.name}. Choose a folder, or use the bundled one.", subject=model.name)
        self.model = model
        self.engine = ENGINE
        self.network: SentenceTransformer = _load(model, allow_download)
        self.network.max_seq_length = model.token_limit
        self.network.eval()
        self._tokenizing = threading.Lock()  # the tokenizer is not made for more than one thread
        self._threads = ThreadPoolExecutor(processor_count(), "encode", initializer=_use_one_processor)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode embedding inputs as they are (no prompt is added), each by itself, read-only."""
        found = list(self._threads.map(self._run, map(self._features, texts)))
        rows = np.stack(found) if found else np.zeros((0, self.model.dimensions), np.float32)
        rows.setflags(write=False)
        return rows

    def processor_seconds(self, text: str) -> float:
        """Measure the processor time that a text takes, which others on the machine move less than the clock's."""
        features = self._features(text)

        def run() -> float:
            begun = time.thread_time()
            self._run(features)
            return time.thread_time() - begun

        return self._threads.submit(run).result()

    def in_bfloat16(self) -> SentenceTransformerEncoder:
        """Give a copy with the weights of its layers in bfloat16; torch's autocast chooses what is computed in it."""
        import torch

        other = copy.copy(self)
        other.engine = BFLOAT16
        other.network = copy.deepcopy(self.network)
        for layer in other.network.modules():
            if isinstance(layer, torch.nn.Linear):
                layer.to(torch.bfloat16)
        return other

    def _features(self, text: str) -> dict[str, Any]:
        """Give what the network reads of a text."""
        prepare = getattr(self.network, "preprocess", None) or self.network.tokenize  # its older name
        with self._tokenizing:
            found: dict[str, Any] = prepare([replace_surrogates(text)])
        return found

    def _run(self, features: dict[str, Any]) -> Vectors:
        """Run one text through the network, (d,)."""
        import torch

        is_low = self.engine == BFLOAT16
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=is_low, cache_enabled=False):
            found = self.network(features)["sentence_embedding"].float()
            vector: Vectors = torch.nn.functional.normalize(found, p=2.0, dim=1)[0].numpy()
        return vector


def processor_count() -> int:
    """Count the processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    with _loading, _quiet_bars():
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


def _use_one_processor() -> None:
    """Let a thread compute alone: threads that share a text wait for each other at every step."""
    import torch

    torch.set_num_threads(1)
