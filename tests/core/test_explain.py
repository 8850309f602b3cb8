"""Explain says which rules made a chunk, with the numbers that decided."""

from __future__ import annotations

import pytest
from hypothesis import given

from inspector.core.document import document_from_text
from inspector.core.explain import explain_chunk
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from tests.strategies import documents, option_sets

SENTENCE = "A sentence of words, one of many. "
SMALL = Options(drop=5, fold=60, cap=200)


def explained(source: str, options: Options = SMALL) -> list[tuple[str, ...]]:
    chunking = chunk_document(document_from_text("a.md", source), options)
    return [explain_chunk(chunking, index) for index in range(len(chunking.chunks))]


@pytest.mark.parametrize(
    ("source", "steps"),
    [
        ("Only words here.\n", [("no headings 16 ≤ cap 200",)]),
        (
            "Before. " * 10 + "\n\n## One\n\n" + SENTENCE * 2,
            [("before the first heading 79 ≤ cap 200",), ("section 72 ≤ cap 200",)],
        ),
        (
            "## One\n\n" + SENTENCE * 3 + "\n\n### Aside\n\nShort.\n",
            [("section 106", "“Aside” 13 < fold 60: joined", "121 ≤ cap 200")],
        ),
        (
            "## One\n\n" + SENTENCE * 8,
            [
                ("section 276 > cap 200", "piece 1 of 2"),
                ("section 276 > cap 200", "cut: sentence", "piece 2 of 2", "heading repeated +3"),
            ],
        ),
    ],
)
def test_each_rule_is_named_with_its_numbers(source: str, steps: list[tuple[str, ...]]) -> None:
    assert explained(source) == steps


def test_a_stub_that_is_folded_and_a_section_between_that_was_dropped() -> None:
    source = "## One\n\n" + SENTENCE * 3 + "\n\n## X\n\n## Two words\n\nare few.\n"
    (steps,) = explained(source, Options(drop=8, fold=60, cap=400))
    assert any(step.startswith("“Two words”") for step in steps)
    assert not any("“X”" in step for step in steps)


def test_a_chunk_that_begins_in_a_folded_section_is_explained_by_the_one_it_was_joined_to() -> None:
    source = "## One\n\n" + SENTENCE * 5 + "\n\n### Aside\n\n" + "Few words, but enough to be too many."
    first, second = explained(source)
    assert first == ("section 174", "“Aside” 44 < fold 60: joined", "218 > cap 200", "piece 1 of 2")
    assert second[:3] == first[:3] and "piece 2 of 2" in second


@given(documents(), option_sets())
def test_every_chunk_can_be_explained(source: str, given_options: Options) -> None:
    chunking = chunk_document(document_from_text("a.md", source), given_options)
    for index in range(len(chunking.chunks)):
        steps = explain_chunk(chunking, index)
        assert steps and all(steps)
