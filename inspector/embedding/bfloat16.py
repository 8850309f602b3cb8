"""Whether a model may run in bfloat16: the processor has the units, the vectors agree, and a trial shows it faster.

What the trial found lies in the cache beside the other engine's file, so that a later start knows it without torch.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inspector.embedding.agreement import LEAST_COSINE, least_cosine, varied_texts
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.models import model_revision
from inspector.embedding.onnx_engine import FOLDER
from inspector.files import write_atomically
from inspector.folders import cache_folder

LEAST_GAIN = 1.5  # times faster than float32; onnxruntime is up to 1.3 times as fast and needs no torch
TIMED = slice(40, 44)  # of the varied texts: as long as chunks usually are
PASSES = 3  # of which the least time counts
LEAST_SECONDS = 0.03  # of a pass, under which some clocks tell nothing, and little is to be gained

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial found: the least cosine to the vectors in float32, how many times as fast, or why it failed."""

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
    """Give a model in bfloat16, None where that may not serve; the first time it is tried out, text by text.

    What goes wrong in the trial is kept as its reason, and not tried again; a lack of memory is no fault of the model.
    """
    revision = model_revision(encoder.model)
    trial = read_trial(revision)
    if trial is not None and not trial.is_good:
        return None
    try:
        other = encoder.in_bfloat16()
        if trial is None:
            trial = try_out(encoder, other)
            _write_trial(revision, trial)
        return other if trial.is_good else None
    except Exception as error:  # copying and autocast run a model's own code, which raises what it likes
        log.info("the model cannot be run in bfloat16: %s", error)
        if trial is None and not _is_lack_of_memory(error):
            _write_trial(revision, Trial(library=_library(), reason=str(error).partition("\n")[0]))
        return None


def try_out(encoder: SentenceTransformerEncoder, other: SentenceTransformerEncoder) -> Trial:
    """Compare the vectors of both, and the processor time that they take; a text at a time, as others wait for both."""
    texts = varied_texts()
    mine, theirs = (np.concatenate([given.encode([text]) for text in texts]) for given in (encoder, other))
    passes = [[sum(map(given.processor_seconds, texts[TIMED])) for given in (encoder, other)] for _ in range(PASSES)]
    plain, low = map(min, zip(*passes, strict=True))
    gain = plain / low if low >= LEAST_SECONDS else 0.0
    found = Trial(least_cosine(mine, theirs), round(gain, 3), _library())
    log.info("bfloat16: least cosine %.6f, %.2f times as fast", found.least_cosine, found.gain)
    return found


def find_units(revision: str) -> bool:
    """Whether this processor multiplies bfloat16 itself (AVX-512 BF16, AMX, Arm's), as far as torch says; imports it.

    Where it does not, this is kept as the trial of a model's revision.
    """
    import torch

    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # older versions do not say
    has_units = any(name.endswith("bf16") and bool(value) for name, value in capabilities.items())
    if not has_units:
        _write_trial(revision, Trial(library=_library(), reason="torch names no units for it"))
    return has_units


def _is_lack_of_memory(error: Exception) -> bool:
    """Whether an error passes with the lack of memory; torch has no type for it on a processor."""
    return isinstance(error, MemoryError) or "allocate memory" in str(error)


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
    """Give the version of torch and this machine's name: another one is tried anew."""
    try:
        return f"{importlib.metadata.version('torch')} {platform.node()}"
    except importlib.metadata.PackageNotFoundError:
        return ""
