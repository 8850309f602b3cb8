"""The laws hold in any set of dialects, on texts full of their syntax."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.dialects import DIALECTS
from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from tests.core.test_laws import outcome
from tests.strategies import option_sets, site_documents

SYNTAX = (
    "{{< highlight >}}\n## a\n", "{% raw %} {{ x ", "{{x(\"a\"\n", "<A {b} \"", "import {\n", '!!! note "a"\n\n    x\n\n', "::: a[\n",
    "{::comment}", "[[a", "%% a\n\n", "> [!NOTE]\n\n", "`` {{ ",
)  # fmt: skip


@given(site_documents(), option_sets(), st.frozensets(st.sampled_from(tuple(DIALECTS)), min_size=1))
@settings(max_examples=300)
def test_laws_hold_in_any_dialects(source: str, options: Options, names: frozenset[str]) -> None:
    options = replace(options, dialects=names)
    chunking = chunk_document(document_from_text("a.md", source), options)
    check_chunking(chunking)
    lf = source.replace("\r\n", "\n").replace("\r", "\n")
    for copy in (lf, lf.replace("\n", "\r\n")):
        assert outcome(chunk_document(document_from_text("a.md", copy), options)) == outcome(chunking)


@given(site_documents(), option_sets())
def test_without_dialects_no_site_syntax_is_found(source: str, options: Options) -> None:
    chunking = chunk_document(document_from_text("a.md", source), replace(options, dialects=frozenset()))
    assert not chunking.document.site_syntax
    assert all(removed.reason != "site syntax" for removed in chunking.removed)


@given(site_documents(), option_sets(), option_sets())
def test_a_warm_document_reads_in_other_dialects_like_a_fresh_one(source: str, first: Options, second: Options) -> None:
    warm = document_from_text("a.md", source)
    chunk_document(warm, first)
    again = chunk_document(warm, second)
    fresh = chunk_document(document_from_text("a.md", source), second)
    assert outcome(again) == outcome(fresh) and again.removed == fresh.removed


@pytest.mark.parametrize("unit", SYNTAX)
def test_time_is_linear_in_the_size(unit: str) -> None:
    def seconds(size: int) -> float:
        document = document_from_text("a.md", unit * (size // len(unit)))
        start = time.perf_counter()
        assert document.in_dialects(frozenset(DIALECTS)).tree
        return time.perf_counter() - start

    assert seconds(64_000) < 12 * seconds(16_000) + 2  # quadratic is 16 times, and would be seconds at once
