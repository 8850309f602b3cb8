"""Each strategy cuts where its table in the design says, and refuses what makes no sense."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest

from inspector.core.chunk import Chunking, Rung
from inspector.core.document import document_from_text
from inspector.core.explain import explain_chunk
from inspector.core.laws import LawBroken, check_chunking
from inspector.core.options import OptionError, Options
from inspector.core.strategies.choices import (
    Choices,
    Imported,
    Paragraphs,
    Recursive,
    Semantic,
    Sentences,
    Window,
)
from inspector.core.strategies.placing import ImportReport, Placed, Unplaced, nowhere
from inspector.core.strategies.registry import (
    STRATEGIES,
    Curve,
    Missing,
    Tools,
    chunk_with,
    percentile,
)
from tests.strategies import TOOLS

POST = (
    "---\ntitle: T\n---\n\nIntro words.\n\n## First\n\nOne sentence here. Another one there!\n\n"
    "- an item\n- one more\n\n## Second\n\n```sh\nls\n\ncat a\n```\n\nThe [end](https://x.y).\n"
)


def chunked(source: str, own: Choices, tools: Tools = TOOLS) -> Chunking:
    chunking = chunk_with(document_from_text("a.md", source), Options(), own, tools)
    check_chunking(chunking)
    return chunking


def texts(source: str, own: Choices) -> list[str]:
    return [chunk.text for chunk in chunked(source, own).chunks]


def test_paragraphs_are_blocks_of_the_top_level() -> None:
    chunking = chunked(POST, Paragraphs())
    assert [chunk.text for chunk in chunking.chunks] == [
        "Intro words.", "First", "One sentence here. Another one there!", "- an item\n- one more", "Second",
        "```sh\nls\n\ncat a\n```", "The end.",
    ]  # fmt: skip
    assert [chunk.starts_at for chunk in chunking.chunks][:3] == [Rung.DOCUMENT, Rung.SECTION, Rung.PARAGRAPH]
    assert [chunk.trail for chunk in chunking.chunks][:3] == [(), ("First",), ("First",)]
    assert [section.chunk for section in chunking.sections] == [0, 1, 4]
    short = chunked(POST, Paragraphs(drop=13))
    assert len(short.chunks) == 3 and "dropped" in {removed.reason for removed in short.removed}


def test_raw_paragraphs_hold_front_matter_and_marks() -> None:
    found = texts("\ufeff" + POST, Paragraphs(cleaned=False))
    assert found[0] == "---\ntitle: T\n---" and found[2] == "## First" and found[-1] == "The [end](https://x.y)."


def test_sentences_are_never_cut_and_the_tail_is_carried_over_in_whole_words() -> None:
    source = " ".join(f"Sentence number {number} is here." for number in range(30))
    chunks = chunked(source, Sentences(100, 20)).chunks
    assert all(chunk.text.endswith("is here.") for chunk in chunks)
    for before, chunk in itertools.pairwise(chunks):
        carried = source[chunk.shared[0].start : chunk.shared[0].end]
        assert before.text.endswith(carried) and len(carried) <= 20 and carried.split()[0] in source.split()
    assert not any(chunk.shared for chunk in chunked(source, Sentences(100, 0)).chunks)


def test_a_sentence_over_the_size_falls_into_lines_words_and_characters() -> None:
    assert texts("x" * 25, Sentences(10, 0)) == ["x" * 10, "x" * 10, "x" * 5]
    assert texts("aaaa bbbb cccc\ndddd", Sentences(10, 0)) == ["aaaa bbbb", "cccc\ndddd"]
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert texts(family * 3, Sentences(12, 0)) == [family * 2, family]
    assert "".join(texts(family, Sentences(2, 0))) == family  # larger than the size: it is cut


def test_recursive_merges_small_neighbours_and_repeats_whole_parts() -> None:
    source = "\n\n".join(f"Paragraph {number}." for number in range(6))
    assert texts(source, Recursive(30, 0, "characters")) == [
        "Paragraph 0.\n\nParagraph 1.", "Paragraph 2.\n\nParagraph 3.", "Paragraph 4.\n\nParagraph 5.",
    ]  # fmt: skip
    found = texts(source, Recursive(30, 50, "characters"))
    assert found[1] == "Paragraph 1.\n\nParagraph 2."


def test_recursive_tries_its_separators_in_order() -> None:
    assert texts("aa bb\ncc dd", Recursive(6, 0, "characters", ("line",))) == ["aa bb", "cc dd"]
    assert texts("aa bb\ncc dd", Recursive(4, 0, "characters", ("word",))) == ["aa", "bb", "cc", "dd"]
    assert texts("aabb", Recursive(2, 0, "characters", ())) == ["aa", "bb"]
    assert texts("# A\n\none\n\n## B\n\ntwo", Recursive(12, 0, "characters", ("heading",), False)) == [
        "# A\n\none", "## B\n\ntwo",
    ]  # fmt: skip


def test_windows_count_tokens_and_never_cut_a_grapheme() -> None:
    words = " ".join(f"w{number}" for number in range(10))
    chunks = chunked(words, Window(4, 1)).chunks
    assert [chunk.text for chunk in chunks] == ["w0 w1 w2 w3 ", "w3 w4 w5 w6 ", "w6 w7 w8 w9"]
    assert [chunk.starts_at for chunk in chunks] == [Rung.DOCUMENT, Rung.WORD, Rung.WORD]
    assert texts("e\u0301" * 5, Window(2, 0, "characters")) == ["e\u0301" * 2, "e\u0301" * 2, "e\u0301"]
    assert texts("", Window()) == [] and texts("a", Window(50, 49)) == ["a"]


def test_a_window_of_blanks_alone_makes_no_chunk() -> None:
    found = chunked("ab" + " " * 8 + "cd", Window(2, 0, "characters", cleaned=False))
    assert [chunk.text for chunk in found.chunks] == ["ab", "cd"]
    assert {removed.reason for removed in found.removed} == {"whitespace"}


def test_semantic_cuts_where_the_distance_is_among_the_largest_and_shows_the_curve() -> None:
    source = "Cats purr. Cats sleep. Trains run late. Trains are full."
    found: list[Sequence[str]] = []

    def distances(sentences: Sequence[str]) -> list[float]:
        found.append(sentences)
        return [0.1, 0.9, 0.2]

    chunking = chunked(source, Semantic(percentile=70), Tools(distances=distances))
    assert [chunk.text for chunk in chunking.chunks] == ["Cats purr. Cats sleep.", "Trains run late. Trains are full."]
    assert list(found[0]) == ["Cats purr.", "Cats sleep.", "Trains run late.", "Trains are full."]
    curve = chunking.evidence
    assert isinstance(curve, Curve) and curve.distances == (0.1, 0.9, 0.2) and 0.2 < curve.threshold < 0.9
    assert [source[offset:].split()[0] for offset in curve.offsets] == ["Cats", "Trains", "Trains"]
    assert len(chunked(source * 9, Semantic(cap=60), TOOLS).chunks) > 4


def test_percentiles_lie_between_neighbours_in_proportion() -> None:
    assert percentile([], 95) == 0 and percentile([3.0], 50) == 3
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.5 and percentile([1.0, 2.0], 100) == 2


def test_what_is_missing_is_said() -> None:
    document = document_from_text("a.md", POST)
    for own in (Window(), Semantic(), Imported()):
        with pytest.raises(Missing):
            chunk_with(document, Options(), own, Tools())
    assert chunk_with(document, Options(), None, Tools()).strategy == "headings"


@pytest.mark.parametrize(
    ("kind", "values", "field"),
    [
        (Window, {"size": 200, "overlap": 200}, "overlap"),
        (Window, {"size": "200"}, "size"),
        (Window, {"size": True}, "size"),
        (Window, {"size": 10**9}, "size"),
        (Window, {"unit": 3}, "unit"),
        (Window, {"unit": "bytes"}, "unit"),
        (Window, {"cleaned": 1}, "cleaned"),
        (Sentences, {"size": 9, "overlap": 9}, "overlap"),
        (Recursive, {"separators": ("line", "line")}, "separators"),
        (Recursive, {"separators": ("comma",)}, "separators"),
        (Recursive, {"separators": ["line"]}, "separators"),
        (Recursive, {"overlap": 100}, "overlap"),
        (Semantic, {"cap": 39}, "cap"),
        (Paragraphs, {"drop": -1}, "drop"),
        (Imported, {"chunks": 3}, "chunks"),
    ],
)
def test_a_value_that_makes_no_sense_names_its_field(kind: type[Choices], values: dict[str, Any], field: str) -> None:
    with pytest.raises(OptionError) as error:
        kind(**values)
    assert error.value.field == field


def test_every_option_says_what_it_is() -> None:
    for strategy in STRATEGIES.values():
        assert strategy.label and strategy.help
        for option in fields(strategy.options) if strategy.options is not None else ():
            assert option.metadata["label"] and option.metadata["help"]


def test_a_raw_document_without_a_section_is_one() -> None:
    chunking = chunked("[a]: https://x.y\n", Window(5, 0, "characters", cleaned=False))
    assert [section.chunk for section in chunking.sections] == [0]
    assert not chunked("[a]: https://x.y\n", Window(5, 0, "characters")).chunks


def test_the_explanation_says_what_is_shared() -> None:
    chunking = chunked("abcdefghij", Window(4, 2, "characters"))
    assert explain_chunk(chunking, 1) == (
        "window: starts at character",
        "4 characters",
        "size 4",
        "overlap 2",
        "shares 2 with #1",
    )


def test_a_broken_overlap_is_caught() -> None:
    chunking = chunked("abcdefghij", Window(4, 2, "characters"))
    object.__setattr__(chunking, "chunks", chunking.chunks[1:])
    chunking.__dict__.pop("removed", None)
    with pytest.raises(LawBroken, match="law 4"):
        check_chunking(chunking)


def test_what_the_source_lacks_between_two_lines_is_synthetic() -> None:
    chunking = chunked("## A\ntext\n## \n## B\nmore\n", Window(3, 0, "characters"))
    assert [chunk.text for chunk in chunking.chunks] == ["A\n\n", "tex", "t\n\n", "B\n\n", "mor", "e"]
    assert [piece.why for piece in chunking.chunks[0].pieces] == ["", "blank line"]
    assert chunking.chunks[0].pieces[1].span is None


def test_semantic_measures_between_sentences_and_headings() -> None:
    asked: list[str] = []

    def distances(sentences: Sequence[str]) -> list[float]:
        asked.extend(sentences)
        return [0.0] * (len(sentences) - 1)

    chunked(POST, Semantic(), Tools(distances=distances))
    assert asked[:4] == ["Intro words.", "First", "One sentence here.", "Another one there!"]


def test_a_chunk_of_no_document_is_told_once() -> None:
    first = ImportReport((Placed(1, 0, "exact", 1.0),), (Unplaced(2, "b", "no", False), Unplaced(3, "c", "no", False)))
    second = ImportReport((Placed(3, 0, "exact", 1.0),), (Unplaced(1, "a", "no", False), Unplaced(2, "b", "no", False)))
    named = ImportReport((), (Unplaced(1, "a", "no"),))
    assert [entry.number for entry in nowhere([first, second])] == [2]
    assert [entry.number for entry in nowhere([first, second, named])] == [1, 2]
