"""What other programs dump of real documents is placed where it stands."""

from __future__ import annotations

import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from inspector.core.document import read_document
from inspector.core.laws import check_chunking
from inspector.core.strategies.choices import External, Imported
from inspector.core.strategies.placing import ImportReport
from inspector.plugins.peers import PEERS, Chonkie, LangChain, SemanticTextSplitter
from inspector.reading import chunk_as_set, counter_of
from inspector.settings import Settings

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
MODULES = {
    "langchain": "langchain_text_splitters",
    "semantic-text-splitter": "semantic_text_splitter",
    "chonkie": "chonkie",
}
WAYS: list[External] = [
    LangChain(500, 50),
    LangChain(500, 50, "markdown"),
    SemanticTextSplitter(800),
    SemanticTextSplitter(800, 80, "text"),
    Chonkie(512),
    Chonkie(512, 64, "sentence"),
    Chonkie(512, 64, "token"),
]


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real markdown are not beside the project")
@pytest.mark.parametrize("own", WAYS, ids=lambda own: f"{own.strategy}-{own.splitter}")
def test_99_in_100_chunks_of_real_documents_are_placed_exactly(own: External, tmp_path: Path) -> None:
    if find_spec(MODULES[own.strategy]) is None:
        pytest.skip(f"{own.strategy} is not installed")
    split = next(peer.split for peer in PEERS if peer.name == own.strategy)
    files = [path for path in sorted(CORPORA.rglob("*.md"))[::25] if path.stat().st_size > 2_000][:50]
    names = {path: path.relative_to(CORPORA).as_posix() for path in files}
    dump = tmp_path / "dump.jsonl"
    with dump.open("w", encoding="ascii") as stream:
        for path, name in names.items():
            for text in split(path.read_bytes().decode("utf-8"), own):
                stream.write(json.dumps({"page_content": text, "metadata": {"source": name}}) + "\n")
    settings = Settings().choosing(Imported(str(dump)))
    how: Counter[str] = Counter()
    for path, name in names.items():
        chunking = chunk_as_set(read_document(name, path.read_bytes()), settings, counter_of(settings))
        check_chunking(chunking)
        assert isinstance(chunking.evidence, ImportReport)
        how.update(entry.how for entry in chunking.evidence.placed)
        how["nowhere"] += len(chunking.evidence.unplaced)
    assert how.total() > 500 and how["exact"] >= 0.99 * how.total(), how
