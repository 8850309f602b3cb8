"""Twelve real documents under three settings: one line a chunk, compared with what is stored.

The laws come first. `--update-golden` writes the results anew; read the difference before it is committed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.chunk import Chunk
from inspector.core.dialects.detect import detect_dialects
from inspector.core.document import Document, read_document
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
DOCUMENTS = sorted(path for path in GOLDEN.iterdir() if path.suffix == ".md" and path.name != "SOURCES.md")
WORDS = 40


def settings_of(document: Document) -> dict[str, Options]:
    """Return the three settings: a blog's, small chunks of all, documentation in its dialects."""
    return {
        "blog": Options(),
        "small": Options(drop=0, fold=120, cap=400, code_lines=0, stubs="fold", fold_into="related"),
        "docs": Options(code_lines=0, dialects=detect_dialects((), [document.source])),
    }


def line_of(chunk: Chunk) -> str:
    """Return a chunk in one line: index, spans, characters, rung, trail, first words."""
    spans = " ".join(f"{span.start}-{span.end}" for span in chunk.spans)
    words = " ".join(chunk.text.split())[:WORDS]
    return f"{chunk.index} | {spans} | {chunk.characters} | {chunk.starts_at} | {' > '.join(chunk.trail)} | {words}"


def record(path: Path) -> str:
    """Chunk a document under all settings; the laws are asserted."""
    document = read_document(path.name, path.read_bytes())
    lines = []
    for name, options in settings_of(document).items():
        chunking = chunk_document(document, options)
        check_chunking(chunking)
        dialects = f" {','.join(sorted(options.dialects))}" if options.dialects else ""
        lines.append(
            f"# {name}{dialects}: {len(chunking.chunks)} chunks, {chunking.kept} of {document.characters} kept"
        )
        lines.extend(line_of(chunk) for chunk in chunking.chunks)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_real_document_chunks_as_before(path: Path, update_golden: bool) -> None:
    stored = path.with_suffix(".txt")
    found = record(path)
    if update_golden:
        stored.write_text(found, encoding="utf-8", newline="\n")
    assert found == stored.read_text(encoding="utf-8")


def test_there_are_twelve_and_each_has_its_source() -> None:
    sources = (GOLDEN / "SOURCES.md").read_text(encoding="utf-8")
    assert len(DOCUMENTS) == 12
    assert all(f"| {path.name} |" in sources for path in DOCUMENTS)
