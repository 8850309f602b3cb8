"""The fast engine's file for a bundle: exported, its weights left in the model's own file, and judged.

An exported model holds the weights a second time, 91 MB. Here each of them becomes a reference into
`model.safetensors` (ONNX external data: file, offset, length); what the exporter turned over is turned back by a
Transpose, which onnxruntime folds away when it loads. The file is then compared with sentence-transformers as usual.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

WEIGHTS = "model.safetensors"
SMALLEST = 1_024  # bytes; smaller ones stay in the file


def make_engine(folder: Path) -> tuple[Path, Path]:
    """Write `<revision>.onnx` and the verdict on it into a folder and return both; a bad one is a ValueError."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["CHUNK_INSPECTOR_CACHE"] = cache
        from inspector.embedding import onnx_engine
        from inspector.embedding.encoder import SentenceTransformerEncoder
        from inspector.embedding.models import bundled_model, model_revision

        model = bundled_model()
        encoder = SentenceTransformerEncoder(model)
        verdict = onnx_engine.export(encoder)
        if not verdict.is_good or model.path is None:
            raise ValueError(f"the model cannot be exported: {verdict.reason or verdict.least_cosine}")
        file = folder / f"{model_revision(model)}.onnx"
        folder.mkdir(parents=True, exist_ok=True)
        shared = share_weights(onnx_engine.exported_file(model_revision(model)), Path(model.path) / WEIGHTS, file)
        trial = Path(cache) / "trial"
        trial.mkdir()
        shutil.copy(file, trial)
        shutil.copy(Path(model.path) / WEIGHTS, trial)
        verdict = onnx_engine.judge(encoder, trial / file.name)
    if not verdict.is_good:
        raise ValueError(f"the file that shares its weights does not agree: {verdict.least_cosine}")
    size = file.stat().st_size / 1e6
    print(f"engine: {shared} weights shared, {size:.1f} MB left, least cosine {verdict.least_cosine:.7f}", flush=True)
    words = file.with_suffix(".json")
    words.write_text(json.dumps(onnx_engine.verdict_record(verdict), indent=1), encoding="utf-8")
    return file, words


def share_weights(source: Path, weights: Path, target: Path) -> int:
    """Write an ONNX file whose large weights are references into a safetensors file; return how many are."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    places = _places(weights)
    blob = np.memmap(weights, dtype=np.uint8, mode="r")
    known: dict[bytes, tuple[int, int, list[int], bool]] = {}
    for start, end, shape in places.values():
        plain = blob[start:end].tobytes()
        known.setdefault(plain, (start, end, shape, False))
        if len(shape) == 2:
            turned = np.frombuffer(plain, np.float32).reshape(shape).T.tobytes()
            known.setdefault(turned, (start, end, shape, True))
    model = onnx.load(str(source))
    graph = model.graph
    turns: list[Any] = []
    shared = 0
    for tensor in graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or tensor.ByteSize() < SMALLEST:
            continue
        place = known.get(numpy_helper.to_array(tensor).tobytes())
        if place is None:
            continue
        start, end, shape, is_turned = place
        name = tensor.name
        if is_turned:
            turns.append(helper.make_node("Transpose", [f"{name}.turned"], [name], perm=[1, 0]))
            tensor.name = f"{name}.turned"
            del tensor.dims[:]
            tensor.dims.extend(shape)
        for filled in ("raw_data", "float_data"):
            tensor.ClearField(filled)
        tensor.data_location = TensorProto.EXTERNAL
        del tensor.external_data[:]
        for key, value in (("location", WEIGHTS), ("offset", start), ("length", end - start)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        shared += 1
    nodes = [*turns, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    target.write_bytes(model.SerializeToString())
    return shared


def _places(weights: Path) -> dict[str, tuple[int, int, list[int]]]:
    """Read where each float tensor of a safetensors file lies: first byte, end, shape."""
    with weights.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(length))
    base = 8 + length
    return {
        name: (base + value["data_offsets"][0], base + value["data_offsets"][1], value["shape"])
        for name, value in header.items()
        if name != "__metadata__" and value["dtype"] == "F32"
    }


if __name__ == "__main__":
    make_engine(Path(sys.argv[1]))
