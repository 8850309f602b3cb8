"""Checks of cases whose subject is more than one document's chunks: folders, tokens, maps, questions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.compare.spans import score_spans
from inspector.core.document import read_document
from inspector.core.laws import check_chunking
from inspector.core.options import OptionError, Options
from inspector.core.problems.tokens import token_problems
from inspector.core.span import Span
from inspector.core.strategies.choices import Window
from inspector.core.strategies.headings import chunk_document
from inspector.core.strategies.registry import Tools, chunk_with
from inspector.corpus import list_folder
from inspector.embedding.encoder import SentenceTransformerEncoder
from inspector.embedding.measure import Reading, read_chunks
from inspector.embedding.models import BUNDLED, bundled_model
from inspector.embedding.projection import pca, umap_layout
from inspector.embedding.search import check_question, rank
from inspector.embedding.tokens import TokenCounter
from inspector.export.records import plain_tokens
from inspector.reading import ReadDocument, counter_of, read_one
from inspector.settings import Settings


def make_tree(path: Path, folder: Path, backwards: bool = False) -> Path:
    """Make the folder that a `.tree.json` stands for: path -> text, or {"link": target}."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    tree = tree.get("files", tree)
    for name in sorted(tree, reverse=backwards):
        content = tree[name]
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            target.symlink_to(content["link"])
        else:
            target.write_text(content, encoding="utf-8", newline="")
    return folder


def read_case(path: Path, settings: Settings | None = None) -> ReadDocument:
    """Read one input as the program does."""
    settings = settings or Settings()
    return read_one(read_document(path.name, path.read_bytes()), settings, counter_of(settings), None)


@cache
def encoder() -> SentenceTransformerEncoder:
    """The bundled model, loaded once a test run."""
    return SentenceTransformerEncoder(bundled_model())


def vectors_of(readings: tuple[Reading, ...]) -> Any:
    """Embed chunks with the bundled model."""
    return encoder().encode([reading.text for reading in readings])


def files_listed(path: Path, want: list[str], scratch: Path) -> None:
    """The folder lists exactly these files."""
    assert sorted(list_folder(make_tree(path, scratch)).names) == sorted(want)


def order(path: Path, want: list[str], scratch: Path) -> None:
    """The order of files does not depend on the order in which they were made."""
    for name, backwards in (("one", False), ("two", True)):
        assert list(list_folder(make_tree(path, scratch / name, backwards)).names) == want


def _truncated(path: Path, limit: int) -> set[str]:
    settings = Settings() if limit == 512 else Settings(target_model=BUNDLED)
    read = read_case(path, settings)
    assert all(reading.count.limit == limit for reading in read.readings)
    flagged = {
        chunk.trail[-1]
        for chunk, reading in zip(read.chunking.chunks, read.readings, strict=True)
        if reading.count.is_truncated
    }
    problems = [problem for problem in read.problems if problem.code == "truncated"]
    assert len(problems) == len(flagged)
    for reading in read.readings:
        if reading.count.is_truncated:
            assert reading.unread_from is not None
    return flagged


def flagged_truncated_512(path: Path, want: list[str], _scratch: Path) -> None:
    """These chunks, and no others, are truncated at 512 tokens; tokens as the row says."""
    assert _truncated(path, 512) == set(want)


def flagged_truncated_256(path: Path, want: list[str], _scratch: Path) -> None:
    """These chunks are truncated at 256 tokens."""
    assert _truncated(path, 256) == set(want)


def not_flagged_512(path: Path, want: list[str], _scratch: Path) -> None:
    """These chunks are read whole at 512 tokens."""
    assert not _truncated(path, 512) & set(want)


def title_tips_over(path: Path, _want: object, _scratch: Path) -> None:
    """The title counts towards the limit; without it the chunk is read whole."""
    assert [reading.count.is_truncated for reading in read_case(path).readings] == [True]
    assert [reading.count.is_truncated for reading in read_case(path, Settings(context="none")).readings] == [False]


def unk_flag(path: Path, _want: bool, _scratch: Path) -> None:
    """A word of over 100 characters is one unknown token, and two that differ only in it are alike."""
    settings = Settings()
    document = read_document(path.name, path.read_bytes())
    chunking = chunk_document(document, settings.options)
    readings = read_chunks(chunking, counter_of(settings), settings.context)
    problems = token_problems(chunking, plain_tokens(readings), "bge")
    messages = [problem.message for problem in problems if problem.code == "unknown-tokens"]
    assert any("1 unknown token covers 1,280 characters" in message for message in messages)
    assert not any(reading.count.is_truncated for reading in readings)
    counter = TokenCounter(bundled_model())
    assert [count.unknown_tokens for count in counter.count(["a" * 100, "a" * 101])] == [0, 1]
    twins = [
        reading.text.replace("Key A", "Key").replace("Key B", "Key") for reading in readings if "Key " in reading.text
    ]
    if len(twins) == 2:
        first, second = encoder().encode(twins)
        assert float(first @ second) > 1 - 1e-6


def map_points(path: Path, want: int | dict[str, int], scratch: Path) -> None:
    """A map of so many finite points, whatever the number of chunks."""
    if isinstance(want, dict):
        folder = make_tree(path, scratch)
        for name, count in want.items():
            matrix = vectors_of(read_case(folder / name).readings)
            layout = pca(matrix)
            assert layout.coordinates.shape == (count, 2) and np.isfinite(layout.coordinates).all() and layout.note
        return
    matrix = vectors_of(read_case(path).readings)
    for layout in (pca(matrix), umap_layout(matrix)):
        assert layout.coordinates.shape == (want, 2) and np.isfinite(layout.coordinates).all()
    similar = rank(matrix[0], matrix).scores
    assert (similar <= 1).all() and (similar > 1 - 1e-6).all()


_MAP = """
import sys, numpy
from pathlib import Path
from tests.case_subjects import read_case, vectors_of
from inspector.embedding.projection import umap_layout
matrix = vectors_of(read_case(Path(sys.argv[1])).readings)
numpy.save(sys.argv[2], umap_layout(matrix).coordinates)
"""


def map_repeatable(path: Path, _want: bool, scratch: Path) -> None:
    """The same map twice in this process, and in another one."""
    matrix = vectors_of(read_case(path).readings)
    here = umap_layout(matrix).coordinates
    assert np.array_equal(here, umap_layout(matrix).coordinates)
    subprocess.run(
        [sys.executable, "-c", _MAP, str(path), str(scratch / "map.npy")], check=True, cwd=Path(__file__).parents[1]
    )
    assert np.abs(np.load(scratch / "map.npy") - here).max() <= 1e-4


def query_self_rank(path: Path, want: int, _scratch: Path) -> None:
    """A chunk's own text finds it first, at 1.00; a blank question is refused."""
    readings = read_case(path).readings
    matrix = vectors_of(readings)
    for index, reading in enumerate(readings):
        hits = rank(encoder().encode([reading.text])[0], matrix)
        assert list(hits.indices).index(index) == want - 1
        assert f"{hits.scores[0]:.2f}" == "1.00" and (np.diff(hits.scores) <= 0).all()
        assert (np.abs(hits.scores) <= 1).all()
    try:
        check_question("  ")
    except ValueError:
        return
    raise AssertionError("a blank question was not refused")


def windows(path: Path, want: dict[str, Any], _scratch: Path) -> None:
    """Windows whose overlap is not below their size are refused; others are exactly `[i * step, i * step + size)`."""
    document = read_document(path.name, path.read_bytes())
    text = document.line_map.text
    size, overlaps = want["size"], want["overlap"] if isinstance(want["overlap"], list) else [want["overlap"]]
    if want.get("refused"):
        for overlap in overlaps:
            with pytest.raises(OptionError, match="overlap: "):
                Window(size, overlap, "characters")
        overlaps = [size - 1]
    for overlap in overlaps:
        own = Window(size, overlap, "characters", cleaned=False)
        chunking = chunk_with(document, Options(), own, Tools())
        check_chunking(chunking)
        step = size - overlap
        starts = [number * step for number in range(max(1, -(-(len(text) - overlap) // step)))]
        assert [chunk.text for chunk in chunking.chunks] == [text[start : start + size] for start in starts]


def span_scores(path: Path, want: dict[str, Any], _scratch: Path) -> None:
    """Recall, precision and IoU of windows are counted on source spans."""
    wanted = want["eval"]
    own = Window(wanted["size"], wanted["overlap"], "characters", cleaned=False)
    chunks = chunk_with(read_document(path.name, path.read_bytes()), Options(), own, Tools()).chunks
    retrieved = [chunk.span for chunk in chunks if list(chunk.span) in wanted["retrieved"]]
    gold = [Span(*span) for span in wanted["gold"]]
    scores = score_spans(gold, retrieved)
    assert (scores.recall, scores.precision, scores.iou) == (wanted["recall"], wanted["precision"], wanted["iou"])
    both = score_spans(gold, [chunks[0].span, chunks[1].span])
    assert (both.recall, both.precision, both.iou) == (1.0, 0.25, 0.25)


SUBJECTS: dict[str, Callable[[Path, Any, Path], None]] = {
    check.__name__: check  # type: ignore[attr-defined]
    for check in (
        files_listed, order, flagged_truncated_512, flagged_truncated_256, not_flagged_512, title_tips_over,
        unk_flag, map_points, map_repeatable, query_self_rank,
        windows, span_scores,
    )
}  # fmt: skip
