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


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real markdown are not beside the project")
@pytest.mark.parametrize(
    "options", [Options(), SMALL, SHARED_OUT, DIALECTS_ON], ids=["defaults", "small", "shared", "dialects"]
)
def test_laws_hold_on_real_files(options: Options) -> None:
    files = sorted(path for path in CORPORA.rglob("*") if path.suffix.lower() in MARKDOWN and path.is_file())
    chunks = 0
    for path in files:
        chunking = chunk_document(read_document(path.name, path.read_bytes()), options)
        try:
            check_chunking(chunking)
        except AssertionError as error:
            raise AssertionError(f"{path.relative_to(CORPORA)}: {error}") from error
        chunks += len(chunking.chunks)
    assert len(files) > 2_500 and chunks > 15_000


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real markdown are not beside the project")
@pytest.mark.parametrize(
    "own",
    [
        Window(),
        Window(40, 10, "characters", cleaned=False),
        Sentences(),
        Recursive(60, cleaned=False),
        Paragraphs(),
        Semantic(cap=200, cleaned=False),
    ],
    ids=repr,
)
def test_laws_of_other_strategies_hold_on_real_files(own: Choices) -> None:
    for path in sorted(path for path in CORPORA.rglob("*") if path.suffix.lower() in MARKDOWN and path.is_file()):
        chunking = chunk_with(read_document(path.name, path.read_bytes()), Options(), own, TOOLS)
        try:
            check_chunking(chunking, word_starts)
        except AssertionError as error:
            raise AssertionError(f"{path.relative_to(CORPORA)}: {error}") from error
