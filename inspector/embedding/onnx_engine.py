"""The second engine: onnxruntime on a file exported once from the sentence-transformers model, and checked against it.

The file and the verdict on it lie in the cache, named by the model's revision. Vectors of both engines share the cache
of vectors under one key: a file serves only where its vectors are the other engine's to a cosine over 0.9999.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import logging
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.agreement import LEAST_COSINE, least_cosine, varied_texts
from inspector.embedding.encoder import processor_count
from inspector.embedding.models import Model, bundled_folder, model_revision
from inspector.embedding.tokens import load_tokenizer, replace_surrogates
from inspector.errors import CacheError, ModelError
from inspector.files import write_atomically
from inspector.folders import cache_folder

if TYPE_CHECKING:
    from inspector.embedding.encoder import SentenceTransformerEncoder

Vectors = NDArray[np.float32]

ENGINE = "onnxruntime"
FOLDER = "engines"
RUNS_WITH = ("onnxruntime",)
EXPORTS_WITH = ("onnxruntime", "onnx", "onnxscript", "torch")
INPUTS = ("input_ids", "attention_mask")
PART = "export-"  # a folder whose process was killed keeps this name
LONGEST_EXPORT = 3_600  # seconds, after which such a folder is nobody's
LARGEST_BATCH = 512  # what the exported graph allows; encoding asks for one text at a time

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of an exported file: the least cosine to the other engine's vectors, its sha256, or why not."""

    least_cosine: float
    sha256: str = ""
    library: str = ""
    reason: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the file may serve."""
        return self.least_cosine > LEAST_COSINE and bool(self.sha256)


class OnnxEncoder:
    """An exported model on the processor; neither torch nor sentence-transformers is imported.

    Each text is run by itself and unpadded, so that its vector does not depend on what stands by it; as many at a time
    as there are processors, each on one: threads that share a text wait for each other at every step.
    """

    engine = ENGINE

    def __init__(self, model: Model, file: Path) -> None:
        """Load the exported file and the model's tokenizer. Raises CacheError when the file cannot be used."""
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when it is imported: no device id, no reports
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.model = model
        self._threads = ThreadPoolExecutor(processor_count(), "encode")
        self._tokenizer = load_tokenizer(model)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.token_limit)
        try:
            self._session: Any = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the library's own errors have no common base but this
            raise CacheError(f"{file} cannot be loaded: {_first_line(error)}.", subject=str(file)) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode embedding inputs as they are (no prompt is added), each by itself, read-only."""
        rows = np.zeros((len(texts), self.model.dimensions), np.float32)
        encodings = self._tokenizer.encode_batch([replace_surrogates(text).strip() for text in texts])
        for row, vector in enumerate(self._threads.map(self._run, encodings)):
            rows[row] = vector
        rows.setflags(write=False)
        return rows

    def _run(self, encoding: Any) -> Vectors:
        """Run one text through the network, (d,)."""
        given = (encoding.ids, encoding.attention_mask)
        feed = {name: np.array([numbers], np.int64) for name, numbers in zip(INPUTS, given, strict=True)}
        return np.asarray(self._session.run(None, feed)[0][0], np.float32)


def exported_file(revision: str) -> Path:
    """Give where a revision's exported file lies, with the program, else in the cache; it may not exist."""
    shipped = shipped_file(revision)
    return shipped if shipped is not None else cache_folder() / FOLDER / f"{revision}.onnx"


def shipped_file(revision: str) -> Path | None:
    """Give the exported file that came with the program: it lies beside the model's weights, which it refers to."""
    try:
        file = bundled_folder() / f"{revision}.onnx"
    except ModelError:
        return None
    return file if file.is_file() else None


def can_export() -> bool:
    """Whether all that an export needs is installed."""
    return _has(EXPORTS_WITH)


def read_verdict(revision: str) -> Verdict | None:
    """Read what was found of the exported file; None before that, and for another version of the library."""
    try:
        value = json.loads(_verdict_file(revision).read_text(encoding="utf-8"))
        verdict = Verdict(**value)
    except (OSError, ValueError, TypeError):
        return None
    return verdict if verdict.library == _library() else None


def is_ready(revision: str) -> bool:
    """Whether an exported file lies here that agrees with the other engine; it is not opened."""
    verdict = read_verdict(revision) if _has(RUNS_WITH) else None
    return verdict is not None and verdict.is_good and exported_file(revision).is_file()


def open_exported(model: Model, revision: str) -> OnnxEncoder:
    """Open the exported file. Raises CacheError for a damaged one, which is set aside."""
    file, verdict = exported_file(revision), read_verdict(revision)
    try:
        if verdict is None or _sha256(file) != verdict.sha256:
            raise CacheError(f"{file} is damaged.", subject=str(file))
        return OnnxEncoder(model, file)
    except (OSError, CacheError) as error:
        log.info("the fast engine's file cannot be used: %s", error)
        raise _set_aside(file, revision) from error


def export(encoder: SentenceTransformerEncoder) -> Verdict:
    """Write the file that onnxruntime reads, compare its vectors, and keep the verdict; takes ten seconds.

    What exists and was judged is not made again. Nothing raises: what went wrong is the verdict's reason.
    """
    revision = model_revision(encoder.model)
    known = read_verdict(revision)
    if known is not None and (not known.is_good or exported_file(revision).is_file()):
        return known
    file = exported_file(revision)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _sweep(file.parent)
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=PART) as folder:
            made = Path(folder) / file.name
            _export(encoder, made)
            verdict = judge(encoder, made)
            if verdict.is_good:
                os.replace(made, file)
    except Exception as error:  # torch and onnx raise what they like; a model that cannot be exported is no fault
        log.info("the model cannot be exported: %s", _first_line(error))
        verdict = Verdict(0.0, "", _library(), _first_line(error))
    _write_verdict(revision, verdict)
    return verdict


def judge(encoder: SentenceTransformerEncoder, file: Path) -> Verdict:
    """Compare the vectors of an exported file with those of the model it was made from."""
    texts = varied_texts()
    least = least_cosine(encoder.encode(texts), OnnxEncoder(encoder.model, file).encode(texts))
    return Verdict(least, _sha256(file), _library())


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """Give a verdict as it is written beside its file."""
    return asdict(verdict)


def _export(encoder: SentenceTransformerEncoder, file: Path) -> None:
    """Trace the network, pooling and normalising included, and write it as one file."""
    import torch

    class Embedding(torch.nn.Module):
        def __init__(self, network: torch.nn.Module) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            found = self.network({"input_ids": input_ids, "attention_mask": attention_mask})
            return torch.nn.functional.normalize(found["sentence_embedding"], p=2.0, dim=1)

    batch = torch.export.Dim("batch", min=1, max=LARGEST_BATCH)
    length = torch.export.Dim("length", min=2, max=encoder.model.token_limit)
    examples = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in INPUTS)  # one tensor given twice is one input
    with _quiet(), _plain_attention(encoder.network), torch.no_grad():
        torch.onnx.export(
            Embedding(encoder.network).eval(),
            examples,
            file,
            input_names=list(INPUTS),
            output_names=["vectors"],
            dynamic_shapes={name: {0: batch, 1: length} for name in INPUTS},
            dynamo=True,
            external_data=False,
            verbose=False,
        )


@contextmanager
def _plain_attention(network: Any) -> Iterator[None]:
    """Let attention be written as two products and a softmax: a twelfth faster than what stands for torch's own."""
    transformer: Any = getattr(network[0], "auto_model", None)
    if not hasattr(transformer, "set_attn_implementation"):
        yield
        return
    before = transformer.config._attn_implementation
    transformer.set_attn_implementation("eager")
    try:
        yield
    finally:
        transformer.set_attn_implementation(before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's progress and warnings to itself."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _sweep(folder: Path) -> None:
    """Remove what exports left behind whose process was killed."""
    for left in folder.glob(f"{PART}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > LONGEST_EXPORT:
                shutil.rmtree(left, ignore_errors=True)


def _set_aside(file: Path, revision: str) -> CacheError:
    """Rename a damaged file, forget the verdict on it, and make the error that names it.

    A damaged file of the program itself stays where it is, and the other engine serves.
    """
    if file == shipped_file(revision):
        return CacheError(f"The fast engine's file {file} is damaged: install the program again.", subject=str(file))
    aside = file.with_name(f"{file.name}.damaged")
    with suppress(OSError):
        _verdict_file(revision).unlink(missing_ok=True)
    with suppress(OSError):
        os.replace(file, aside)
    return CacheError(
        f"The fast engine's file was damaged. It was set aside as {aside}; delete it freely."
        " Another is made when there is time.",
        subject=str(aside),
    )


def _write_verdict(revision: str, verdict: Verdict) -> None:
    """Write a verdict, whole or not at all; where the folder cannot be written the engine is not used."""
    file = _verdict_file(revision)
    try:
        write_atomically(file, json.dumps(verdict_record(verdict), indent=1))
    except OSError as error:
        log.info("the verdict on the fast engine cannot be kept: %s", error)


def _verdict_file(revision: str) -> Path:
    """Give where the verdict on an exported file lies."""
    return exported_file(revision).with_suffix(".json")


def _sha256(file: Path) -> str:
    """Give a file's digest in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _has(names: Sequence[str]) -> bool:
    """Whether packages are installed; none is imported."""
    return all(importlib.util.find_spec(name) is not None for name in names)


def _library() -> str:
    """Give the version of onnxruntime: another one is judged anew."""
    try:
        return importlib.metadata.version(ENGINE)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _first_line(error: Exception) -> str:
    """Give the first line of what an error says."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
