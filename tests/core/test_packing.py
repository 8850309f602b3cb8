"""Balanced packing leaves no scrap at the end of a long section; overlap repeats the tail where a section was cut."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.chunk import OVERLAP, Chunking, Rung
from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import OptionError, Options
from inspector.core.strategies.headings import chunk_document, chunk_sizes

GREEDY = Options(drop=0, fold=0, cap=400)
BALANCED = replace(GREEDY, packing="balanced")


def chunked(source: str, options: Options) -> Chunking:
    chunking = chunk_document(document_from_text("a.md", source), options)
    check_chunking(chunking)
    assert [chunk.characters for chunk in chunking.chunks] == chunk_sizes(chunking.document, options).chunks
    return chunking


def paragraphs(*lengths: int) -> str:
    """A section of paragraphs of these lengths, each of one word."""
    return "\n\n".join("x" * length for length in lengths) + "\n"


def sizes(source: str, options: Options) -> list[int]:
    return [chunk.characters for chunk in chunked(source, options).chunks]


def test_the_tail_of_a_section_is_shared_out() -> None:
    assert sizes(paragraphs(190, 190, 190, 190, 50), GREEDY) == [382, 382, 50]
    assert sizes(paragraphs(190, 190, 190, 190, 50), BALANCED) == [382, 190, 242]


def test_fewest_chunks_come_before_even_ones() -> None:
    assert sizes(paragraphs(300, 90, 300, 90), BALANCED) == [392, 392]


def test_fewest_runts_come_before_fine_rungs_and_even_sizes() -> None:
    options = replace(BALANCED, fold=120, drop=0)
    found = sizes(paragraphs(100, 100, 100, 300, 100, 100), options)
    assert min(found) >= 120 and len(found) == 3


@given(st.lists(st.integers(1, 380), min_size=1, max_size=9), st.integers(0, 200))
def test_no_other_way_to_pack_is_better(lengths: list[int], fold: int) -> None:
    options = replace(BALANCED, fold=fold)
    found = chunked(paragraphs(*lengths), options).chunks
    best = min(
        (len(way), sum(size < fold for size in way), sum(size * size for size in way))
        for breaks in itertools.product((False, True), repeat=len(lengths) - 1)
        for way in [_packed(lengths, breaks)]
        if max(way) <= options.cap
    )
    mine = [chunk.characters for chunk in found]
    assert (len(mine), sum(size < fold for size in mine)) <= best[:2]
    if min(mine) >= fold:
        assert sum(size * size for size in mine) == best[2]


def _packed(lengths: list[int], breaks: tuple[bool, ...]) -> list[int]:
    way = [lengths[0]]
    for length, is_break in zip(lengths[1:], breaks, strict=True):
        if is_break:
            way.append(length)
        else:
            way[-1] += 2 + length
    return way


SENTENCES = "## A\n\n" + " ".join(f"Sentence number {number} says a few words." for number in range(40)) + "\n"


def test_a_cut_section_repeats_whole_sentences() -> None:
    chunking = chunked(SENTENCES, replace(GREEDY, overlap=80))
    for before, chunk in itertools.pairwise(chunking.chunks):
        shared = [piece.text for piece in chunk.pieces if piece.why == OVERLAP]
        assert shared and shared[0].startswith("Sentence number") and len("".join(shared)) <= 80
        assert before.text.endswith("".join(shared)) and chunk.text.startswith("A\n\nSentence number")
    assert all(not chunk.shared for chunk in chunked(SENTENCES, GREEDY).chunks)


def test_words_are_repeated_where_no_sentence_fits() -> None:
    source = "## A\n\n" + "word " * 300 + "\n"
    chunks = chunked(source, replace(GREEDY, overlap=12)).chunks
    assert {piece.text for chunk in chunks[1:] for piece in chunk.pieces if piece.why == OVERLAP} == {"word word"}
    assert not any(chunk.shared for chunk in chunked("x" * 1500, replace(GREEDY, overlap=12)).chunks)


def test_a_section_begins_anew_and_tables_and_code_repeat_their_head_instead() -> None:
    rows = "".join(f"| row {number} | of the table |\n" for number in range(60))
    code = "".join(f"line {number} of code\n" for number in range(60))
    source = f"## A\n\nSome words.\n\n## T\n\n| a | b |\n|---|---|\n{rows}\n## C\n\n```sh\n{code}```\n\nThe end.\n"
    chunking = chunked(source, replace(GREEDY, overlap=60, clean=frozenset()))
    assert not any(chunk.shared for chunk in chunking.chunks)
    assert any(chunk.starts_at is Rung.LINE for chunk in chunking.chunks)


@pytest.mark.parametrize(("cap", "fold", "overlap"), [(400, 0, 361), (400, 300, 101), (40, 0, 1), (400, 0, -1)])
def test_an_overlap_that_leaves_no_room_is_refused(cap: int, fold: int, overlap: int) -> None:
    with pytest.raises(OptionError, match="overlap: "):
        Options(drop=0, fold=fold, cap=cap, overlap=overlap)
