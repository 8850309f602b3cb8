"""How fast the core is, as ratios to what people use today, in one run: `pytest tests/benchmarks -s`.

Not part of the test command: no test asserts a time. Needs the extra `bench` and the corpora beside the project.
"""

from __future__ import annotations

import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from inspector.core.chunk import Chunking
from inspector.core.document import Document, document_from_text, read_document
from inspector.core.options import Options
from inspector.core.problems import find_problems
from inspector.core.problems.rules import RULES
from inspector.core.strategies.headings import chunk_document, chunk_sizes
from inspector.memory import calm_collector

splitters = pytest.importorskip("langchain_text_splitters", reason="the extra `bench` is not installed")
semantic = pytest.importorskip("semantic_text_splitter", reason="the extra `bench` is not installed")

BOOK = Path(__file__).parents[3] / "shared" / "corpora" / "rust-book"
RUNS = 5
SIZE = 1400

pytestmark = pytest.mark.skipif(not BOOK.is_dir(), reason="the corpora of real markdown are not beside the project")


@pytest.fixture(scope="module")
def files() -> list[tuple[str, bytes]]:
    """The Rust book, file by file."""
    calm_collector()
    return [(path.name, path.read_bytes()) for path in sorted(BOOK.rglob("*.md"))]


def alternate(actions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median seconds of processor time of each action, run in turn so that noise is shared."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(RUNS):
        for name, action in actions.items():
            begun = time.process_time()
            action()
            seconds[name].append(time.process_time() - begun)
    return {name: statistics.median(values) for name, values in seconds.items()}


def moved_cap(documents: list[Document]) -> Callable[[], int]:
    """Return an action that moves the cap to a place it has not been and counts the chunks."""
    caps = iter(range(SIZE - 7, 400, -7))

    def move() -> int:
        options = replace(Options(), cap=next(caps))
        return sum(len(chunk_sizes(document, options).chunks) for document in documents)

    return move


def test_against_other_splitters(files: list[tuple[str, bytes]], capsys: pytest.CaptureFixture[str]) -> None:
    texts = [data.decode() for _name, data in files]
    characters = sum(map(len, texts))
    warm = [read_document(name, data) for name, data in files]
    for document in warm:
        chunk_document(document, Options()).chunks  # noqa: B018  put together once
    with_texts = [read_document(name, data) for name, data in files]
    caps = iter(range(SIZE - 7, 400, -7))

    def move_and_read() -> int:
        options = replace(Options(), cap=next(caps))
        return sum(len(chunk.text) for document in with_texts for chunk in chunk_document(document, options).chunks)

    move_and_read()
    recursive = splitters.RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=0)
    headers = splitters.MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2"), ("###", "h3")])
    rust = semantic.MarkdownSplitter(SIZE)
    parser = MarkdownIt()
    seconds = alternate(
        {
            "cold: read, parse, clean, chunk": lambda: [
                len(chunk_document(read_document(name, data), Options()).chunks) for name, data in files
            ],
            "markdown-it-py: parse, inline included": lambda: [parser.parse(text) for text in texts],
            "warm: the cap moved": moved_cap(warm),
            "warm: the cap moved, all texts made": move_and_read,
            "RecursiveCharacterTextSplitter": lambda: [recursive.split_text(text) for text in texts],
            "MarkdownHeaderTextSplitter, then that": lambda: [
                recursive.split_documents(headers.split_text(text)) for text in texts
            ],
            "semantic-text-splitter, Markdown": lambda: [rust.chunks(text) for text in texts],
        }
    )
    with capsys.disabled():
        print(f"\nthe Rust book: {len(files)} files, {characters:,} characters, median of {RUNS} alternated runs")
        for name, value in seconds.items():
            print(f"  {name:42s} {value * 1000:8.1f} ms {characters / 1e6 / value:8.1f} MB/s")
        cold, parse, moved, made, rec, *_ = seconds.values()
        print(f"  cold / parse {cold / parse:.2f}; warm / recursive {moved / rec:.2f}; with texts {made / rec:.2f}")


def test_one_document_of_100_kb(files: list[tuple[str, bytes]], capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n\n".join(data.decode() for _name, data in files)[:100_000]
    document = document_from_text("book.md", text)
    len(chunk_document(document, Options()).chunks)
    seconds = []
    for cap in range(SIZE - 1, SIZE - 400, -7):
        begun = time.perf_counter()
        len(chunk_document(document, replace(Options(), cap=cap)).chunks)
        seconds.append((time.perf_counter() - begun) * 1000)
    with capsys.disabled():
        print(f"\n100 kB, the cap moved: median {statistics.median(seconds):.2f} ms, worst {max(seconds):.2f} ms")


def test_growth(files: list[tuple[str, bytes]], capsys: pytest.CaptureFixture[str]) -> None:
    book = "\n\n".join(data.decode() for _name, data in files)
    sizes, seconds = [1, 5, 20], []
    for megabytes in sizes:
        text = (book * (megabytes + 1))[: megabytes * 1_000_000]
        begun = time.process_time()
        len(chunk_document(document_from_text("book.md", text), Options()).chunks)
        seconds.append(time.process_time() - begun)
    exponent = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
    with capsys.disabled():
        shown = ", ".join(f"{size} MB {value:.2f} s" for size, value in zip(sizes, seconds, strict=True))
        print(f"\none document: {shown}; growth n^{exponent:.2f}")


def test_memory(files: list[tuple[str, bytes]], capsys: pytest.CaptureFixture[str]) -> None:
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    held = [chunk_document(read_document(name, data), Options()) for name, data in files]
    count = sum(len(chunking.chunks) for chunking in held)
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    folder = sum(len(data) for _name, data in files)
    with capsys.disabled():
        print(f"\nmemory: {count:,} chunks held in {used / 1e6:.1f} MB, {used / folder:.1f} times the folder's bytes")


HARD: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "[" * n,
    "bracket pairs": lambda n: "[]" * (n // 2),
    "open links": lambda n: "[a](" * (n // 4),
    "open images": lambda n: "![" * (n // 2),
    "backtick runs": lambda n: " ".join("`" * (i % 50 + 1) for i in range(n // 26)),
    "nested quotes": lambda n: ">" * n,
    "quote lines": lambda n: "> a\n" * (n // 4),
    "headings": lambda n: "## H\n\ntext\n\n" * (n // 12),
    "one line of words": lambda n: "word " * (n // 5),
    "one word": lambda n: "x" * n,
    "open comments": lambda n: "<!-- " * (n // 5),
    "open tags": lambda n: "<a " * (n // 3),
    "nested lists": lambda n: "".join("  " * (i % 60) + "- a\n" for i in range(n // 64)),
    "table rows": lambda n: "| a | b |\n|---|---|\n" + "| c | d |\n" * (n // 10),
    "dollar lines": lambda n: "$$ a\n" * (n // 5),
    "definitions": lambda n: "".join(f"[r{i}]: http://x\n" for i in range(n // 16)),
    "setext headings": lambda n: "a\n===\n" * (n // 6),
}


def test_problems_beside_chunking(files: list[tuple[str, bytes]], capsys: pytest.CaptureFixture[str]) -> None:
    chunkings: list[Chunking] = []

    def chunk() -> None:
        chunkings[:] = [chunk_document(read_document(name, data), Options()) for name, data in files]
        assert all(chunking.chunks is not None for chunking in chunkings)

    def find() -> None:
        assert sum(len(find_problems(chunking, frozenset(RULES))) for chunking in chunkings)

    seconds = alternate({"chunking": chunk, "problems": find})
    with capsys.disabled():
        print(f"\nall rules take {seconds['problems'] / seconds['chunking']:.0%} of the time of chunking")


def test_hard_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[tuple[str, list[float], float]] = []
    for name, make in HARD.items():
        seconds: list[float] = []
        for size in (100_000, 200_000, 400_000):
            begun = time.process_time()
            chunking: Any = chunk_document(document_from_text("a.md", make(size)), Options())
            len(chunking.chunks), chunking.problems, chunking.removed
            seconds.append(time.process_time() - begun)
        exponent = math.log(max(seconds[-1], 1e-3) / max(seconds[0], 1e-3)) / math.log(4)
        rows.append((name, seconds, exponent))
    with capsys.disabled():
        print("\nseconds at 100, 200 and 400 thousand characters, and the growth")
        for name, seconds, exponent in rows:
            print(f"  {name:20s} " + " ".join(f"{value:7.2f}" for value in seconds) + f"   n^{exponent:.2f}")
