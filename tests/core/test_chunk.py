"""Chunks, their places in the source, and chunkings as values."""

from __future__ import annotations

import pickle

import pytest

from inspector.core.chunk import Chunk, Piece, Rung
from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.span import LineIndex, Span
from inspector.core.strategies import headings
from inspector.core.strategies.headings import (
    adopt_warm_state,
    chunk_document,
    chunk_sizes,
    is_warm,
    put_together,
    warm_state,
)

SOURCE = "# T\r\n\r\n## One\r\n\r\n" + "A sentence of words. " * 30 + "\r\n\r\n## Two\r\n\r\nshort\r\n"
SMALL = Options(drop=0, fold=20, cap=200)


def test_a_place_in_a_chunk_is_a_place_in_the_source() -> None:
    chunking = chunk_document(document_from_text("a.md", SOURCE), SMALL)
    second = chunking.chunks[1]
    assert second.pieces[0] == Piece("One", None, "heading repeated")
    assert second.source_offset(0, SOURCE) is None
    body = second.text.index("A sentence")
    assert second.source_offset(body, SOURCE) == second.span.start
    assert second.source_offset(len(second.text), SOURCE) == second.span.end
    first = chunking.chunks[0]
    for position in range(len(first.text)):
        offset = first.source_offset(position, SOURCE)
        assert offset is not None
        assert SOURCE[offset] in (first.text[position], "\r")


def test_runs_of_verbatim_pieces_are_one_span_where_they_touch() -> None:
    pieces = (Piece("ab", Span(0, 2)), Piece("c", Span(2, 3)), Piece(" ", None, "blank"), Piece("d", Span(3, 4)))
    chunk = Chunk(0, 0, (), Rung.DOCUMENT, (), pieces, 5)
    assert chunk.spans == (Span(0, 3), Span(3, 4))
    assert Chunk(0, 0, (), Rung.DOCUMENT, (), (Piece("x", None, "blank"),), 1).source_offset(1, "") is None


def test_a_chunking_survives_pickling_with_all_that_views_ask_for() -> None:
    document = document_from_text("a.md", SOURCE)
    chunking = chunk_document(document, SMALL)
    removed, problems, ids = chunking.removed, chunking.problems, chunking.ids
    copy = pickle.loads(pickle.dumps(chunking))
    assert copy.chunks == chunking.chunks
    assert (copy.removed, copy.problems, copy.ids, copy.sections) == (removed, problems, ids, chunking.sections)
    assert copy.document == document
    assert copy.document.warm == {}
    assert {"lines", "headings", "fences", "title"} <= copy.document.__dict__.keys()
    assert "tree" not in copy.document.__dict__
    with pytest.raises(AttributeError, match="nothing"):
        copy.nothing  # noqa: B018


def test_warm_state_lets_another_process_fold_and_pack_without_parsing() -> None:
    document = document_from_text("a.md", SOURCE)
    state = pickle.loads(pickle.dumps(warm_state(document, SMALL)))
    other = pickle.loads(pickle.dumps(document))
    assert not is_warm(other, SMALL)
    adopt_warm_state(other, state)
    moved = Options(drop=0, fold=20, cap=120)
    assert is_warm(other, moved)
    assert not is_warm(other, Options(code_lines=1))
    again = chunk_document(other, moved)
    fresh = chunk_document(document_from_text("a.md", SOURCE), moved)
    assert [chunk.text for chunk in again.chunks] == [chunk.text for chunk in fresh.chunks]
    assert again.problems == fresh.problems
    assert "tree" not in other.__dict__


def test_chunks_are_put_together_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    document = document_from_text("a.md", SOURCE)
    adopt_warm_state(document, warm_state(document_from_text("a.md", SOURCE), SMALL))
    made: list[int] = []
    chunk = headings._Strategy.chunk
    monkeypatch.setattr(headings._Strategy, "chunk", lambda *given: made.append(given[1]) or chunk(*given))
    counts = [len(made) for _ in put_together(document, SMALL)]
    assert counts == [1, 2, 3, 4, 5][: len(counts)]
    everything = len(made)
    chunks = chunk_document(document, SMALL).chunks
    assert len(made) == everything == len(chunks), "none is made again"
    assert chunks == chunk_document(document_from_text("a.md", SOURCE), SMALL).chunks


def test_sizes_are_those_of_the_chunks() -> None:
    document = document_from_text("a.md", SOURCE)
    sizes = chunk_sizes(document, SMALL)
    chunking = chunk_document(document, SMALL)
    assert sizes.chunks == [chunk.characters for chunk in chunking.chunks]
    assert sizes.sections == [section.characters for section in chunking.sections]
    assert (sizes.dropped, sizes.folded, sizes.split) == (0, 1, 1)


def test_which_chunk_holds_a_place() -> None:
    chunking = chunk_document(document_from_text("a.md", SOURCE), SMALL)
    for chunk in chunking.chunks:
        assert chunking.chunk_at(chunk.span.start) == chunk.index
    assert chunking.chunk_at(0) is None


def test_lines_end_with_what_commonmark_says() -> None:
    lines = LineIndex("a\nb\r\nc\rd\u2028e\x0cf")
    assert len(lines) == 4
    assert lines.counts == {"lf": 1, "crlf": 1, "cr": 1}
    assert [lines.span_of(line) for line in (1, 2, 3, 4)] == [(0, 1), (2, 3), (5, 6), (7, 12)]
    assert lines.lines_of(Span(0, 6)) == (1, 3)
