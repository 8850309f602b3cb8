"""The laws hold on every markdown file of the corpora, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.dialects import DIALECTS
from inspector.core.document import read_document
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Choices, Paragraphs, Recursive, Semantic, Sentences, Window
from inspector.core.strategies.headings import chunk_document
from inspector.core.strategies.registry import chunk_with
from inspector.corpus import MARKDOWN
from tests.strategies import TOOLS, word_starts

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"
SMALL = Options(drop=0, fold=120, cap=400, code_lines=0)
SHARED_OUT = Options(cap=400, fold=120, overlap=60, packing="balanced", code_lines=0)
DIALECTS_ON = Options(dialects=frozenset(DIALECTS))


def real_files(step: int) -> list[Path]:
    """Every step-th markdown file of the corpora."""
    files = sorted(path for path in CORPORA.rglob("*") if path.suffix.lower() in MARKDOWN and path.is_file())
    assert len(files) > 2_500
    return files[::step]


pytestmark = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real markdown are not beside the project")
ALL = pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(3_600)], id="all")


@pytest.mark.parametrize("step", [5, ALL])
@pytest.mark.parametrize("options", [SMALL, SHARED_OUT, DIALECTS_ON], ids=["small", "shared", "dialects"])
def test_laws_hold_on_real_files(options: Options, step: int) -> None:
    check_headings(options, step)


def test_laws_hold_on_every_real_file_at_the_defaults() -> None:
    assert check_headings(Options(), 1) > 15_000


def check_headings(options: Options, step: int) -> int:
    """The laws of every step-th file; how many chunks there were."""
    chunks = 0
    for path in real_files(step):
        chunking = chunk_document(read_document(path.name, path.read_bytes()), options)
        try:
            check_chunking(chunking)
        except AssertionError as error:
            raise AssertionError(f"{path.relative_to(CORPORA)}: {error}") from error
        chunks += len(chunking.chunks)
    return chunks


STRATEGIES: list[Choices] = [
    Window(),
    Window(40, 10, "characters", cleaned=False),
    Sentences(),
    Recursive(60, cleaned=False),
    Paragraphs(),
    Semantic(cap=200, cleaned=False),
]


@pytest.mark.parametrize("step", [25, ALL])
@pytest.mark.parametrize("own", STRATEGIES, ids=repr)
def test_laws_of_other_strategies_hold_on_real_files(own: Choices, step: int) -> None:
    for path in real_files(step):
        chunking = chunk_with(read_document(path.name, path.read_bytes()), Options(), own, TOOLS)
        try:
            check_chunking(chunking, word_starts)
        except AssertionError as error:
            raise AssertionError(f"{path.relative_to(CORPORA)}: {error}") from error
