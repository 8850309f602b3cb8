"""How fast embedding, the map and questions are, as ratios to what the libraries do by default, in one run.

`pytest tests/benchmarks/test_embedding_speed.py -s`. Not part of the test command: no test asserts a time.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from inspector.core.document import read_document
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from inspector.embedding import bfloat16, onnx_engine
from inspector.embedding.agreement import least_cosine
from inspector.embedding.context import embedding_input
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.models import bundled_model, model_revision
from inspector.embedding.projection import pca, place_newcomers, umap_layout
from inspector.embedding.search import score_all, unit_rows
from inspector.embedding.trust import survey

BOOK = Path(__file__).parents[3] / "shared" / "corpora" / "rust-book"
ROOT = Path(__file__).parents[2]
RUNS = 5
CHUNKS = 1_000
QUESTIONS = ("how do I borrow a value?", "what is a trait object?", "why does it not compile?")

pytest.importorskip("onnxruntime", reason="the extra `fast` is not installed")
pytestmark = pytest.mark.timeout(1_800)


@pytest.fixture(scope="module")
def slow() -> SentenceTransformerEncoder:
    """The sentence-transformers engine."""
    return SentenceTransformerEncoder(bundled_model())


@pytest.fixture(scope="module")
def fast(slow: SentenceTransformerEncoder) -> onnx_engine.OnnxEncoder:
    """The onnxruntime engine, exported first."""
    begun = time.process_time()
    verdict = onnx_engine.export(slow)
    print(f"\nexport: {time.process_time() - begun:.1f} s of processor time, least cosine {verdict.least_cosine:.9f}")
    return onnx_engine.open_exported(slow.model, model_revision(slow.model))


def alternate(actions: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Return each action's median seconds of processor time and of the clock, run in turn so that noise is shared."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
    for _ in range(RUNS):
        for name, action in actions.items():
            begun, clock = time.process_time(), time.perf_counter()
            action()
            seconds[name].append((time.process_time() - begun, time.perf_counter() - clock))
    return {
        name: (statistics.median(cpu for cpu, _ in values), statistics.median(wall for _, wall in values))
        for name, values in seconds.items()
    }


@pytest.mark.skipif(not BOOK.is_dir(), reason="the corpora of real markdown are not beside the project")
def test_both_engines_against_the_library(
    slow: SentenceTransformerEncoder, fast: onnx_engine.OnnxEncoder, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = [read_document(path.name, path.read_bytes()) for path in sorted(BOOK.rglob("*.md"))]
    inputs = [
        embedding_input(chunk.text, document.title, chunk.trail, "title").text
        for document in documents
        for chunk in chunk_document(document, Options()).chunks
    ]
    texts = inputs[:: max(1, len(inputs) // CHUNKS)][:CHUNKS]
    low = slow.in_bfloat16()
    trial = bfloat16.try_out(slow, low)
    slow.encode(texts[:4])
    fast.encode(texts[:4])
    seconds = alternate(
        {
            "SentenceTransformer.encode, defaults": lambda: slow.network.encode(texts, show_progress_bar=False),
            "ours, sentence-transformers": lambda: slow.encode(texts),
            "ours, onnxruntime": lambda: fast.encode(texts),
            "ours, bfloat16": lambda: low.encode(texts),
        }
    )
    vectors = slow.encode(texts)
    with capsys.disabled():
        lengths = sum(map(len, texts)) / len(texts)
        print(f"\n{len(texts)} chunks of the Rust book, {lengths:.0f} characters each; trial of bfloat16: {trial}")
        for name, other in (("onnxruntime", fast), ("bfloat16", low)):
            print(f"  least cosine of {name}: {least_cosine(vectors, other.encode(texts)):.9f}")
        default = seconds["SentenceTransformer.encode, defaults"]
        for name, (cpu, wall) in seconds.items():
            ratios = f"{default[0] / cpu:5.2f} x in processor time, {default[1] / wall:5.2f} x by the clock"
            print(f"  {name:38s} {cpu:7.2f} s {wall:7.2f} s   {len(texts) / wall:6.1f} a second   {ratios}")


FIT = """
import json, sys, time, warnings
import numpy as np
count = int(sys.argv[2])
random = np.random.default_rng(0)
rows = random.normal(size=(40, 384))[random.integers(0, 40, count)] + 0.9 * random.normal(size=(count, 384))
rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
begun, cpu = time.perf_counter(), time.process_time()
if sys.argv[1].startswith("ours"):
    from inspector.embedding.projection import umap_layout
    places = umap_layout(rows).coordinates
else:
    warnings.simplefilter("ignore")
    import umap
    places = umap.UMAP(random_state=42, metric="cosine").fit_transform(rows)
seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
from sklearn.manifold import trustworthiness
some = np.random.default_rng(1).permutation(count)[:4_000]
trust = trustworthiness(rows[some], places[some], n_neighbors=10, metric="cosine")
print(json.dumps({"seconds": seconds, "cpu": cpu, "trust": trust, "sum": float(np.abs(places).sum())}))
"""
UMAP_LEARN = "umap.UMAP(random_state=…)"


def fit_in_a_fresh_process(name: str, count: int) -> dict[str, float]:
    command = [sys.executable, "-c", FIT, name, str(count)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("count", [1_000, 10_000])
def test_the_map_against_umap(capsys: pytest.CaptureFixture[str], count: int) -> None:
    pytest.importorskip("umap", reason="the extra `bench` is not installed")
    for name in ("ours", UMAP_LEARN):  # compiles into numba's cache, where it keeps one
        fit_in_a_fresh_process(name, 100)
    found = {name: fit_in_a_fresh_process(name, count) for name in ("ours", "ours again", UMAP_LEARN)}
    with capsys.disabled():
        print(f"\na map of {count:,} points in a fresh process, import included; trustworthiness at k = 10")
        for name, values in found.items():
            share = values["seconds"] / found[UMAP_LEARN]["seconds"]
            times = f"{values['seconds']:6.1f} s by the clock, {values['cpu']:6.1f} s of processor time"
            print(f"  {name:26s} {times}, {share:5.2f} x, {values['trust']:.4f}")
    assert found["ours"]["sum"] == found["ours again"]["sum"]


def unit_vectors(count: int) -> NDArray[np.float32]:
    """Make clustered vectors of length 1."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 384)).astype(np.float32)[random.integers(0, 60, count)]
    rows += 0.9 * random.normal(size=(count, 384)).astype(np.float32)
    return unit_rows(rows)


def milliseconds(action: Callable[[], object], runs: int = 5) -> float:
    """Return the median of some runs."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        action()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


@pytest.mark.parametrize("count", [10_000, 100_000])
def test_what_a_map_of_many_costs(capsys: pytest.CaptureFixture[str], count: int) -> None:
    matrix = unit_vectors(count)
    newcomers = unit_vectors(count + 12)[count:]
    times = {"PCA": milliseconds(lambda: pca(matrix), 1)}
    begun = time.perf_counter()
    layout = umap_layout(matrix)
    times["UMAP, neighbours included"] = (time.perf_counter() - begun) * 1000
    times["12 newcomers placed"] = milliseconds(lambda: place_newcomers(newcomers, matrix, layout.coordinates))
    times["ten nearest of one"] = milliseconds(lambda: score_all(matrix[7], matrix, 11))
    times["trust"] = milliseconds(lambda: survey(matrix, layout.coordinates), 1)
    with capsys.disabled():
        print(f"\n{count:,} vectors")
        for name, value in times.items():
            print(f"  {name:28s} {value:10.1f} ms")


@pytest.mark.parametrize("count", [20_000, 100_000])
def test_a_question(fast: onnx_engine.OnnxEncoder, capsys: pytest.CaptureFixture[str], count: int) -> None:
    matrix = unit_vectors(count)
    score_all(matrix[0], matrix, 20)
    rows: dict[str, list[float]] = {"encode": [], "score": [], "both": []}
    for question in QUESTIONS * 40:
        begun = time.perf_counter()
        vector = fast.encode([question])[0]
        encoded = time.perf_counter()
        score_all(vector, matrix, 20)
        done = time.perf_counter()
        for name, seconds in (("encode", encoded - begun), ("score", done - encoded), ("both", done - begun)):
            rows[name].append(seconds * 1000)
    with capsys.disabled():
        words = ", ".join(
            f"{name} {np.percentile(values, 50):.1f} (99 %: {np.percentile(values, 99):.1f}) ms"
            for name, values in rows.items()
        )
        print(f"\na question on {count:,} vectors, onnxruntime, median of {len(rows['both'])}: {words}")
