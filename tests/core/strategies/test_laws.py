"""The laws that apply hold of every strategy on any text under any options."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.chunk import Chunking
from inspector.core.document import document_from_text, read_document
from inspector.core.explain import explain_chunk
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Choices, Imported, Paragraphs
from inspector.core.strategies.placing import ForeignChunk
from inspector.core.strategies.registry import Tools, chunk_with
from inspector.foreign.likeness import locate
from tests.core.test_laws import outcome, with_ends
from tests.strategies import TOOLS, choices, documents, option_sets, texts, word_starts


def chunked(source: str, options: Options, own: Choices, tools: Tools = TOOLS) -> Chunking:
    """Chunk a text by a strategy."""
    return chunk_with(document_from_text("a.md", source), options, own, tools)


@given(texts, option_sets(), choices())
@settings(max_examples=600)
def test_laws_hold_on_any_text(source: str, options: Options, own: Choices) -> None:
    chunking = chunked(source, options, own)
    check_chunking(chunking, word_starts)
    for chunk in chunking.chunks:
        assert explain_chunk(chunking, chunk.index)
        assert chunking.chunk_at(chunk.own[0].start) is not None
        assert chunking.sections[chunk.section].index == chunk.section
    assert chunking.problems is not None


@given(
    documents(st.just("\n")),
    option_sets(),
    choices(),
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=7),
)
@settings(max_examples=200)
def test_line_ends_change_nothing_but_offsets(source: str, options: Options, own: Choices, ends: list[str]) -> None:
    expected = outcome(chunked(source, options, own))
    for copy in (source.replace("\n", "\r\n"), source.replace("\n", "\r"), with_ends(source, ends)):
        if re.sub("\r\n|\r", "\n", copy) == source:
            assert outcome(chunked(copy, options, own)) == expected


@given(st.binary(max_size=300), option_sets(), choices())
def test_any_bytes_make_a_document(data: bytes, options: Options, own: Choices) -> None:
    check_chunking(chunk_with(read_document("a.md", data), options, own, TOOLS), word_starts)


@given(documents(), option_sets(), choices(), choices())
def test_a_warm_document_chunks_like_a_fresh_one(
    source: str, options: Options, first: Choices, second: Choices
) -> None:
    warm = document_from_text("a.md", source)
    chunk_with(warm, options, first, TOOLS)
    again, fresh = chunk_with(warm, options, second, TOOLS), chunked(source, options, second)
    assert outcome(again) == outcome(fresh)
    assert again.removed == fresh.removed and again.ids == fresh.ids


@given(texts, option_sets(), choices())
def test_starts_and_ends_rise(source: str, options: Options, own: Choices) -> None:
    chunks = chunked(source, options, own).chunks
    for before, chunk in itertools.pairwise(chunks):
        assert before.span.start < chunk.span.start and before.span.end < chunk.span.end


@given(texts, option_sets(), st.booleans())
def test_paragraphs_lose_nothing_that_can_be_seen(source: str, options: Options, is_cleaned: bool) -> None:
    chunking = chunked(source, options, Paragraphs(cleaned=is_cleaned))
    for removed in chunking.removed:
        if removed.reason == "dropped":
            assert not source[removed.span.start : removed.span.end].isalnum()


def cut_at(source: str, places: Sequence[int]) -> list[ForeignChunk]:
    """A text cut at places, as another program would write it."""
    edges = sorted({0, *(place % (len(source) + 1) for place in places), len(source)})
    return [ForeignChunk(source[a:b], number) for number, (a, b) in enumerate(itertools.pairwise(edges), 1)]


@given(texts, option_sets(), st.lists(st.integers(0, 4000), max_size=8), st.sampled_from(["", " ", "x"]))
def test_the_laws_of_placed_chunks(source: str, options: Options, places: list[int], inserted: str) -> None:
    foreign = [
        ForeignChunk(chunk.text[:9] + inserted + chunk.text[9:], chunk.number) for chunk in cut_at(source, places)
    ]
    chunking = chunked(source, options, Imported(), Tools(foreign=lambda _document: foreign, locate=locate))
    check_chunking(chunking)
    report = chunking.evidence
    assert len(report.placed) + len(report.unplaced) == len(foreign)  # type: ignore[attr-defined]
    assert chunking.problems is not None
