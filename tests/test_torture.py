"""The 45 torture documents: headings as CommonMark sees them, every law, and what must stay in one piece."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.document import read_document
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Paragraphs, Recursive, Semantic, Sentences, Window
from inspector.core.strategies.headings import chunk_document
from inspector.core.strategies.registry import chunk_with
from tests.strategies import TOOLS, word_starts

TORTURE = Path(__file__).parent / "data" / "torture"
ROWS: list[dict[str, Any]] = json.loads((TORTURE / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_torture(row: dict[str, Any]) -> None:
    document = read_document(row["name"], (TORTURE / row["name"]).read_bytes())
    assert [[h.level, h.text] for h in document.headings] == row["headings"]
    for options in (Options(), Options(drop=0, fold=0, cap=400, code_lines=0), Options(drop=0, fold=60, cap=120)):
        check_chunking(chunk_document(document, options))
    whole = chunk_document(document, Options(drop=0, fold=0, cap=100_000, code_lines=0, clean=frozenset()))
    for atom in row["atoms"]:
        assert atom in document.source
        normal = atom.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if not normal.startswith(("---", "+++")):
            assert sum(normal.strip() in chunk.text for chunk in whole.chunks) == 1


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
@pytest.mark.parametrize("is_cleaned", [True, False], ids=["cleaned", "raw"])
def test_other_strategies_keep_their_laws(row: dict[str, Any], is_cleaned: bool) -> None:
    document = read_document(row["name"], (TORTURE / row["name"]).read_bytes())
    for own in (Window(50, 10), Sentences(), Recursive(60), Paragraphs(), Semantic(cap=200)):
        own = dataclasses.replace(own, cleaned=is_cleaned)
        check_chunking(chunk_with(document, Options(), own, TOOLS), word_starts)


def test_there_are_45_documents() -> None:
    assert len(ROWS) == 45
