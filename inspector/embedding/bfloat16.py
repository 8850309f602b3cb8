"""Whether a model may run in bfloat16: the processor has the units, the vectors agree, and a trial shows it faster.

What the trial found lies in the cache beside the other engine's file, so that a later start knows it without torch.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inspector.embedding.agreement import LEAST_COSINE, least_cosine, varied_texts
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.folders import cache_folder
from inspector.embedding.models import model_revision
from inspector.embedding.onnx_engine import FOLDER
from inspector.files import write_atomically

LEAST_GAIN = 1.5  # times faster than float32; onnxruntime is up to 1.3 times as fast and needs no torch
TIMED = slice(40, 48)  # of the varied texts: as long as chunks usually are

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial found: the least cosine to the vectors in float32, how many times faster, or why there is none."""

    least_cosine: float = 0.0
    gain: float = 0.0
    library: str = ""
    reason: str = ""

    @property
    def is_good(self) -> bool:
        """Whether bfloat16 may serve, and is worth it."""
        return self.least_cosine > LEAST_COSINE and self.gain >= LEAST_GAIN


def read_trial(revision: str) -> Trial | None:
    """Read what was found for a model's revision; None before that, and for another version of the library."""
    try:
        trial = Trial(**json.loads(_trial_file(revision).read_text(encoding="utf-8")))
        return trial if trial.library == _library() else None
    except (OSError, ValueError, TypeError):
        return None


def may_serve(revision: str) -> bool:
    """Whether nothing speaks against bfloat16 so far; torch is not imported."""
    trial = read_trial(revision)
    return trial is None or trial.is_good


def lower(encoder: SentenceTransformerEncoder) -> SentenceTransformerEncoder | None:
    """Give a model in bfloat16, None where that may not serve; the first time it is tried out for a second or two."""
    revision = model_revision(encoder.model)
    trial = read_trial(revision)
    if trial is not None and not trial.is_good:
        return None
    if not has_units():
        _write_trial(revision, Trial(library=_library(), reason="the processor has no units for it"))
        return None
    other = encoder.in_bfloat16()
    if trial is None:
        trial = try_out(encoder, other)
        _write_trial(revision, trial)
    return other if trial.is_good else None


def try_out(encoder: SentenceTransformerEncoder, other: SentenceTransformerEncoder) -> Trial:
    """Compare the vectors of both, and the processor time that they take."""
    texts = varied_texts()
    least = least_cosine(encoder.encode(texts), other.encode(texts))
    gain = encoder.processor_seconds(texts[TIMED]) / max(other.processor_seconds(texts[TIMED]), 1e-9)
    log.info("bfloat16: least cosine %.6f, %.2f times as fast", least, gain)
    return Trial(least, round(gain, 3), _library())


def has_units() -> bool:
    """Whether this processor multiplies bfloat16 itself (AVX-512 BF16, AMX or Arm's); imports torch."""
    import torch

    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # older versions do not say
    return any(name.endswith("bf16") and bool(value) for name, value in capabilities.items())


def _write_trial(revision: str, trial: Trial) -> None:
    """Keep what was found; where the folder cannot be written it is tried again next time."""
    try:
        write_atomically(_trial_file(revision), json.dumps(asdict(trial), indent=1))
    except OSError as error:
        log.info("the trial of bfloat16 cannot be kept: %s", error)


def _trial_file(revision: str) -> Path:
    """Give where a revision's trial lies."""
    return cache_folder() / FOLDER / f"{revision}.bfloat16.json"


def _library() -> str:
    """Give the version of torch: another one is tried anew."""
    return importlib.metadata.version("torch")
