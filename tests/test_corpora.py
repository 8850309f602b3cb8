"""The laws hold on every markdown file of the corpora, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.dialects import DIALECTS
from inspector.core.document import read_document
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from inspector.corpus import MARKDOWN

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"
SMALL = Options(drop=0, fold=120, cap=400, code_lines=0)
DIALECTS_ON = Options(dialects=frozenset(DIALECTS))


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real markdown are not beside the project")
@pytest.mark.parametrize("options", [Options(), SMALL, DIALECTS_ON], ids=["defaults", "small", "dialects"])
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
