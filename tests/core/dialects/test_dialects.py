"""Each dialect on small texts (`*.md` beside this file): what is kept, and which spans go as site syntax.

A case is: title, input, kept text (chunks parted by a line `⋯`), removed spans (`⏎` is a line end), with a line
`.` between. `--update-golden` rewrites what is kept and removed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.chunk import Chunking
from inspector.core.dialects import DIALECTS
from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from tests.core.test_laws import outcome

HERE = Path(__file__).parent
WHOLE = {"drop": 0, "fold": 0, "cap": 2000, "code_lines": 0}


def read_cases(path: Path) -> list[list[str]]:
    """Return the cases of a fixture file: title, input, kept, removed."""
    parts = path.read_text(encoding="utf-8").split("\n.\n")
    return [parts[at : at + 4] for at in range(0, len(parts) - 3, 4)]


def chunk(text: str, *names: str) -> Chunking:
    """Chunk a text in dialects, in all its pieces."""
    chunking = chunk_document(document_from_text("a.md", text), Options(dialects=frozenset(names), **WHOLE))
    check_chunking(chunking)
    return chunking


def kept(chunking: Chunking) -> str:
    """Return what is in the chunks, parted by a line `⋯`."""
    return "\n⋯\n".join(chunk.text for chunk in chunking.chunks)


def removed(chunking: Chunking) -> str:
    """Return what went as site syntax, one span a line."""
    source = chunking.document.source
    spans = (entry.span for entry in chunking.removed if entry.reason == "site syntax")
    return "\n".join(source[span.start : span.end].replace("\n", "⏎") for span in spans)


CASES = [(name, number) for name in DIALECTS for number in range(len(read_cases(HERE / f"{name}.md")))]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_fixture(name: str, number: int, update_golden: bool) -> None:
    path = HERE / f"{name}.md"
    cases = read_cases(path)
    title, text, *expected = cases[number]
    chunking = chunk(text, name)
    found = [kept(chunking), removed(chunking)]
    if update_golden:
        cases[number] = [title, text, *found]
        path.write_text("\n.\n".join("\n.\n".join(case) for case in cases) + "\n.\n", encoding="utf-8", newline="\n")
        return
    assert found == expected, title
    plain = outcome(chunking)
    assert outcome(chunk_document(document_from_text("a.md", text.replace("\n", "\r\n")), chunking.options)) == plain


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_that_is_off_changes_nothing(name: str) -> None:
    for _title, text, *_expected in read_cases(HERE / f"{name}.md"):
        assert not removed(chunk(text))


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_has_hits_and_near_misses(name: str) -> None:
    cases = read_cases(HERE / f"{name}.md")
    assert any(case[3] for case in cases) and any(not case[3] for case in cases)


def test_headings_and_titles_read_without_site_syntax() -> None:
    text = "# {{% param product %}} Guide\n\n## Install {{< badge >}} {#inst}\n\nText.\n"
    chunking = chunk(text, "hugo")
    assert chunking.document.title == "Guide"
    assert [heading.text for heading in chunking.document.headings] == ["Guide", "Install"]
    assert chunking.chunks[0].trail == ("Install",)


def test_a_document_keeps_itself_as_it_reads_in_dialects() -> None:
    document = document_from_text("a.md", "## [[A|b]]\n\nText.\n")
    obsidian = document.in_dialects(frozenset({"obsidian"}))
    assert obsidian is document.in_dialects(frozenset({"obsidian"})) is not document
    assert document.in_dialects(frozenset()) is document
    assert [heading.text for heading in obsidian.headings] == ["b"]
    assert [heading.text for heading in document.headings] == ["[[A|b]]"]
