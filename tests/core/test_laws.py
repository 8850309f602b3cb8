"""The laws of chunking hold on any text under any options."""

from __future__ import annotations

import dataclasses
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.chunk import Chunking
from inspector.core.document import document_from_text, read_document
from inspector.core.laws import LawBroken, check_chunking
from inspector.core.ledger import read_ledger
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from tests.strategies import documents, option_sets, texts

SMALL = Options(drop=0, fold=20, cap=60)


def outcome(chunking: Chunking) -> object:
    """What must not depend on line ends: texts, trails, problems but for those about line ends."""
    chunks = [(c.text, c.trail, c.starts_at, len(c.folded)) for c in chunking.chunks]
    problems = [(p.code, p.line) for p in chunking.problems if p.code != "line-endings"]
    return chunks, problems, [h.text for h in chunking.document.headings]


def with_ends(source: str, ends: list[str]) -> str:
    """Give the lines of a text other line ends, in turn."""
    first, *rest = source.split("\n")
    return first + "".join(end + line for line, end in zip(rest, itertools.cycle(ends), strict=False))


@given(texts, option_sets())
@settings(max_examples=400)
def test_laws_hold_on_any_text(source: str, options: Options) -> None:
    check_chunking(chunk_document(document_from_text("a.md", source), options))


@given(documents(st.just("\n")), option_sets(), st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=7))
@settings(max_examples=200)
def test_line_ends_change_nothing_but_offsets(source: str, options: Options, ends: list[str]) -> None:
    expected = outcome(chunk_document(document_from_text("a.md", source), options))
    for copy in (
        source.replace("\n", "\r\n"),
        source.replace("\n", "\r"),
        with_ends(source, ends),
    ):
        if re.sub("\r\n|\r", "\n", copy) == source:
            assert outcome(chunk_document(document_from_text("a.md", copy), options)) == expected


@given(st.binary(max_size=300), option_sets())
def test_any_bytes_make_a_document(data: bytes, options: Options) -> None:
    chunking = chunk_document(read_document("a.md", data), options)
    check_chunking(chunking)
    assert chunking.chunks or chunking.problems or not chunking.document.source.strip() or not chunking.sections


@given(documents(), option_sets(), option_sets())
def test_a_warm_document_chunks_like_a_fresh_one(source: str, first: Options, second: Options) -> None:
    warm = document_from_text("a.md", source)
    chunk_document(warm, first)
    again = chunk_document(warm, second)
    fresh = chunk_document(document_from_text("a.md", source), second)
    assert outcome(again) == outcome(fresh)
    assert again.removed == fresh.removed and again.ids == fresh.ids


@given(documents(), option_sets(), st.lists(st.integers(40, 400), min_size=2, max_size=12))
def test_a_moved_cap_chunks_like_a_fresh_document(source: str, options: Options, caps: list[int]) -> None:
    warm = document_from_text("a.md", source)
    for cap in caps:
        overlap = min(options.overlap, cap - 40)
        least = {"fold": min(options.fold, 40), "drop": min(options.drop, 40)}
        moved = dataclasses.replace(options, cap=cap, overlap=overlap, **least)
        again = chunk_document(warm, moved)
        check_chunking(again)
        assert outcome(again) == outcome(chunk_document(document_from_text("a.md", source), moved))


def test_equal_options_return_the_identical_object() -> None:
    document = document_from_text("a.md", "## A\n\n" + "Words and words. " * 40)
    assert chunk_document(document, SMALL) is chunk_document(document, Options(drop=0, fold=20, cap=60))


@pytest.mark.parametrize("law", ["1", "2", "3", "4"])
def test_a_broken_chunking_is_caught(law: str) -> None:
    chunking = chunk_document(document_from_text("a.md", "## A\n\n" + "Some words here. " * 20), SMALL)
    first, second = chunking.chunks[0], chunking.chunks[1]
    verbatim = next(p for p in first.pieces if p.span is not None)
    at = first.pieces.index(verbatim)
    other = verbatim._replace(text="?" * len(verbatim.text))
    broken = {
        "1": (dataclasses.replace(first, characters=first.characters + 1), *chunking.chunks[1:]),
        "2": (
            dataclasses.replace(first, pieces=(*first.pieces[:at], other, *first.pieces[at + 1 :])),
            *chunking.chunks[1:],
        ),
        "3": (second, first, *chunking.chunks[2:]),
        "4": chunking.chunks[1:],
    }[law]  # fmt: skip
    spoiled = dataclasses.replace(chunking, chunks=broken)
    if law == "4":
        object.__setattr__(spoiled, "removed", chunking.removed)
    with pytest.raises(LawBroken, match=f"law {law}"):
        check_chunking(spoiled)


@given(documents(), st.integers(0, 400), st.integers(0, 400))
def test_the_account_of_a_stretch_is_that_of_the_whole(source: str, first: int, length: int) -> None:
    chunking = chunk_document(document_from_text("a.md", source), Options(drop=5, fold=40, cap=90))
    first = min(first, len(source))
    last = min(len(source), first + length)
    clipped = [
        (max(removed.span.start, first), min(removed.span.end, last))
        for removed in chunking.removed
        if removed.span.start < last and removed.span.end > first
    ]
    found = read_ledger(chunking, first, last)
    covered = [offset for removed in found for offset in range(removed.span.start, removed.span.end)]
    assert covered == [offset for start, end in clipped for offset in range(start, end)]
