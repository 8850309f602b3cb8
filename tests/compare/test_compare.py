"""Metrics, agreement of boundaries and changes are counted as they say."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.compare.boundaries import Agreement, _different, agreement, boundaries_of, match_boundaries
from inspector.compare.changes import Fate, Mark, find_changes
from inspector.compare.last_run import LastRun, file_of, keep_run, read_last_run
from inspector.compare.metrics import Counted, at_share, count_document, metric_labels, summed
from inspector.compare.spans import common, covered, score_spans, united
from inspector.comparison import CompareRequest, run_changes_since, run_compare
from inspector.core.chunk import Chunking
from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.span import Span
from inspector.core.strategies.choices import Choices, Paragraphs, Recursive, Window
from inspector.core.strategies.registry import Tools, chunk_with
from inspector.embedding.measure import read_chunks
from inspector.errors import CacheError
from inspector.reading import counter_of
from inspector.settings import Settings, described
from tests.strategies import TOOLS, choices, documents

RAW = {"unit": "characters", "cleaned": False}
POST = (
    "# A post\n\n## First\n\nOne sentence here. Another one there.\n\n```sh\nls\ncat a\n```\n\n"
    "## Second\n\n- an item\n- one more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


def chunked(source: str, own: Choices | None, tools: Tools = TOOLS) -> Chunking:
    return chunk_with(document_from_text("a.md", source), Options(drop=0, fold=0), own, tools)


def counted(source: str, own: Choices | None, context: str = "none") -> Counted:
    settings = Settings()
    chunking = chunked(source, own)
    return count_document(chunking, read_chunks(chunking, counter_of(settings), context))  # type: ignore[arg-type]


def test_headings_cut_nothing_and_every_chunk_says_what_it_is_about() -> None:
    found = counted(POST, None)
    assert (found.cuts.fences, found.cuts.tables, found.cuts.lists, found.cuts.sentences) == (0, 0, 0, 0)
    assert found.headless == 0 and found.runts == len(found.sizes) == 2 and found.held == found.stored


def test_small_windows_cut_all_there_is_and_store_their_overlap_twice() -> None:
    found = counted(POST, Window(10, 5, **RAW))
    assert (found.cuts.fences, found.cuts.tables, found.cuts.lists, found.cuts.sentences) == (1, 1, 1, 4)
    assert found.headless > 0
    assert found.stored - found.held == 5 * (len(found.sizes) - 1)
    metrics = summed([found, found], 1.5)
    assert metrics.chunks == 2 * len(found.sizes) and metrics.seconds == 1.5
    assert metrics.stored_twice == pytest.approx((found.stored - found.held) / found.held)


def test_a_sum_of_nothing_is_zero() -> None:
    metrics = summed([])
    assert (metrics.chunks, metrics.median, metrics.longest, metrics.stored_twice, metrics.kept) == (0, 0, 0, 0.0, 0.0)
    assert at_share([1, 2, 3, 4], 50) == 2 and at_share(list(range(1, 101)), 95) == 95


def test_a_post_agrees_with_itself_and_not_with_windows() -> None:
    headings, windows = chunked(POST, None), chunked(POST, Window(30, 0, **RAW))
    same = agreement(headings, headings)
    assert same.f1 == 1 and same.window_diff == 0 and same.both == len(headings.chunks) - 1
    other = agreement(headings, windows)
    assert other.f1 < 1 and other.window_diff > 0
    assert agreement(chunked("", None), chunked("", None)).f1 == 1
    total = same + other
    assert total.both == same.both + other.both and total.windows == same.windows + other.windows


def test_boundaries_that_only_a_heading_mark_parts_are_one() -> None:
    source = "# T\n\n## First\n\nSome words.\n\n## Second\n\nMore words.\n"
    (pair,) = match_boundaries(chunked(source, None), chunked(source, Recursive(3, 0, "tokens", ("heading",), False)))[
        :1
    ]
    left = chunked(source, None)
    right = chunked(source, Recursive(9, 0, "tokens", ("heading",), cleaned=False))
    pairs = match_boundaries(left, right)
    assert pair.offset and any(found.agrees and found.left != found.right for found in pairs)
    assert [found.offset for found in pairs] == sorted(found.offset for found in pairs)


@given(documents(), choices(), choices())
def test_every_boundary_is_in_the_list_once(source: str, first: Choices, second: Choices) -> None:
    left, right = chunked(source, first), chunked(source, second)
    pairs = match_boundaries(left, right)
    assert [pair.left for pair in pairs if pair.left is not None] == boundaries_of(left)
    assert [pair.right for pair in pairs if pair.right is not None] == boundaries_of(right)
    found = agreement(left, right)
    assert 0 <= found.f1 <= 1 and 0 <= found.window_diff <= 1


@given(st.lists(st.integers(1, 60)), st.lists(st.integers(1, 60)), st.integers(1, 30))
def test_window_diff_counts_windows_one_by_one(ours: list[int], theirs: list[int], width: int) -> None:
    left, right = sorted(set(ours)), sorted(set(theirs))
    windows = 61 - width
    slow = sum(
        sum(i < at <= i + width for at in left) != sum(i < at <= i + width for at in right) for i in range(windows)
    )
    assert _different(left, right, windows, width) == slow


spans = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda pair: Span(pair[0], pair[0] + pair[1])))


@given(spans, spans)
def test_spans_are_counted_as_sets_of_characters(first: list[Span], second: list[Span]) -> None:
    left = {at for span in first for at in range(*span)}
    right = {at for span in second for at in range(*span)}
    assert covered(first) == len(left) and common(first, second) == len(left & right)
    assert all(a.end < b.start for a, b in itertools.pairwise(united(first)))
    scores = score_spans(first, second)
    assert scores.iou == pytest.approx(len(left & right) / len(left | right) if left | right else 0)


def marks(words: Sequence[str]) -> list[Mark]:
    return [Mark(word, number, len(word), word) for number, word in enumerate(words)]


@pytest.mark.parametrize(
    ("before", "after", "fates"),
    [
        ("abc", "abc", "same same same"),
        ("abc", "abXc", "same same new same"),
        ("abc", "ac", "same gone same"),
        ("abc", "bca", "same same moved"),
        ("aab", "ab", "same gone same"),
        ("", "ab", "new new"),
        ("ab", "", "gone gone"),
        ("abc", "cXb", "gone same new moved"),
    ],
)
def test_changes(before: str, after: str, fates: str) -> None:
    found = find_changes(marks(before), marks(after))
    assert sorted(change.fate for change in found) == sorted(fates.split())
    assert [change.after for change in found if change.after is not None] == list(range(len(after)))


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_every_chunk_of_then_and_now_has_one_fate(before: list[str], after: list[str]) -> None:
    found = find_changes(marks(before), marks(after))
    assert sorted(change.before for change in found if change.before is not None) == list(range(len(before)))
    assert [change.after for change in found if change.after is not None] == list(range(len(after)))
    same = [change.before for change in found if change.fate is Fate.SAME]
    assert same == sorted(same)  # type: ignore[type-var]


def test_the_last_run_is_kept_and_compared_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "a.md").write_text("## One\n\n" + "Words. " * 40 + "\n\n## Two\n\n" + "More. " * 60, encoding="utf-8")
    (folder / "b.md").write_text("## Other\n\n" + "Text. " * 60, encoding="utf-8")
    first = run_changes_since(str(folder), Settings())
    assert first.before is None and {entry.name for entry in first.changed} == {"a.md", "b.md"}
    assert run_changes_since(str(folder), Settings()).changed == ()
    (folder / "a.md").write_text("## One\n\n" + "Words. " * 41 + "\n\n## Two\n\n" + "More. " * 60, encoding="utf-8")
    (folder / "b.md").unlink()
    since = run_changes_since(str(folder), Settings())
    assert since.gone == ("b.md",) and [entry.name for entry in since.changed] == ["a.md"]
    assert {change.fate for change in since.changed[0].changes} <= {Fate.NEW, Fate.GONE, Fate.SAME}
    file_of(folder).write_text("[]", encoding="ascii")
    assert read_last_run(folder) is None
    file_of(folder).write_text('{"schema": 0}', encoding="ascii")
    assert read_last_run(folder) is None


def test_a_run_that_cannot_be_kept_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x", encoding="ascii")
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "file"))
    with pytest.raises(CacheError, match="cannot be kept"):
        keep_run(tmp_path, LastRun("headings", {}))


def test_a_folder_is_compared_document_by_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(POST, encoding="utf-8")
    (tmp_path / "b.md").write_text("---\ndraft: true\n---\n\n" + POST, encoding="utf-8")
    settings = Settings(options=Options(drop=0, fold=0))
    result = run_compare(CompareRequest(str(tmp_path), settings, settings.choosing(Paragraphs())))
    assert [entry.name for entry in result.documents] == ["a.md"]
    assert result.left.chunks == 2 and result.right.chunks == 6
    assert result.agreement == Agreement(1, 1, 5, result.agreement.windows, result.agreement.different)


def test_settings_are_described_as_the_command_line_takes_them() -> None:
    assert described(Settings()) == "headings"
    settings = Settings().choosing(Recursive(200, separators=("heading", "blank line")))
    assert described(settings) == "recursive size=200 'separators=heading,blank line'"
    assert described(Settings(options=Options(split_levels=frozenset({2})))) == "headings split_levels=2"


def test_marks_and_removed_text_at_a_sentences_edges_are_no_part_of_it() -> None:
    source = "> ![a](b.png) Quoted words. ![c](d.png)\n\n![e](f.png) The end ![g](h.png)\n"
    assert counted(source, Paragraphs()).cuts.sentences == 0
    assert counted(source, Window(6, 0, "characters")).cuts.sentences == 2


def test_every_metric_says_what_it_is() -> None:
    labels = metric_labels()
    assert next(iter(labels)) == "chunks" and all(about["label"] for about in labels.values())
