"""What the source view is told to draw, before anything is drawn."""

from __future__ import annotations

from inspector.core.span import Span
from inspector.ui.picture import STRETCH, Picture, Style, TokenMark

from .conftest import POST, Chunked


def lines_with_pills(picture: Picture) -> dict[str, list[str]]:
    lines = picture.document.lines
    found = {}
    for number in range(1, len(lines) + 1):
        start, end = lines.span_of(number)
        pills = [pill.text for pill in picture.pills_at(start, end)]
        if pills:
            found[picture.document.source[start:end][:20]] = pills
    return found


def test_pills_say_why_and_how_big(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    pills = lines_with_pills(Picture(document, chunking))
    assert pills["title: A post"] == ["title → before every chunk"]
    assert pills["## First part"] == [f"section · {chunking.chunks[0].characters} ch"]
    assert pills["<!-- a remark that n"] == ["removed: comment"]
    assert pills["## not a heading"] == ["in a fence: no heading"]
    assert pills["### Aside"] == ["folded 90 < 320 → #2"]
    assert pills["### Stub"] == ["dropped 16 < 80"]
    assert pills["## Long part"][0].startswith("section")


def test_a_cut_names_its_rung_and_what_was_added(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    marks = tuple(TokenMark(100, 512, prefix_tokens=5) for _ in chunking.chunks)
    picture = Picture(document, chunking, marks)
    cut = chunking.chunks[-1]
    start, end = document.lines.span_of(document.lines.line_of(cut.span.start))
    texts = [pill.text for pill in picture.pills_at(start, end)]
    assert f"cut: sentence · heading repeated · {cut.characters} ch · 100 tok" in texts
    assert "+ title 5 tok" in texts


def test_front_matter_ends_with_its_pill(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    picture = Picture(document, chunking)
    start, end = document.lines.span_of(4)
    assert [pill.text for pill in picture.pills_at(start, end)] == ["front matter"]
    start, end = document.lines.span_of(1)
    assert list(picture.pills_at(start, end)) == []


def test_removed_text_is_struck_but_headings_and_front_matter_are_not(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    picture = Picture(document, chunking)
    styles: dict[str, set[Style]] = {}
    for start, end, style in picture.styles_in(0, len(document.source)):
        styles.setdefault(document.source[start:end].strip()[:8], set()).add(style)
    assert styles["](https:"] == {Style.STRUCK}
    assert styles["<!-- a r"] == {Style.STRUCK}
    assert styles["##"] == {Style.DIM}
    assert styles["---\ntitl"] == {Style.DIM}
    assert styles["### Asid"] == {Style.FOLDED}
    assert Style.DROPPED in {style for found in styles.values() for style in found}


def test_runs_hold_whole_lines_and_part_at_a_dropped_section(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    picture = Picture(document, chunking)
    starts = [document.source[run.start : run.start + 8] for run in picture.runs]
    assert starts[:2] == ["## First", "## Secon"]
    stub = document.source.index("### Stub")
    assert picture.chunk_at(stub) is None
    assert picture.chunk_at(document.source.index("make deps")) == 1
    for first, second in zip(picture.runs, picture.runs[1:], strict=False):
        assert first.end <= second.start


def test_the_unread_tail_is_marked_where_it_starts(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    chunk = chunking.chunks[0]
    mark = TokenMark(530, 512, 18, chunk.span.end - 30, 4)
    picture = Picture(document, chunking, (mark,))
    assert picture.unread == (Span(chunk.span.end - 30, chunk.span.end),)
    line = document.lines.span_of(document.lines.line_of(chunk.span.end - 30))
    texts = [pill.text for pill in picture.pills_at(*line)]
    assert "512 tokens: the model stops reading here, 18 unread" in texts


def test_a_stop_in_added_text_is_said_at_the_chunks_start(chunked: Chunked) -> None:
    document, chunking = chunked(POST)
    picture = Picture(document, chunking, (TokenMark(700, 512, 188, None, 600),))
    line = document.lines.span_of(document.lines.line_of(chunking.chunks[0].span.start))
    assert "TRUNCATED: title and heading alone use 600 tokens" in [pill.text for pill in picture.pills_at(*line)]


def test_an_empty_document_draws_nothing(chunked: Chunked) -> None:
    document, chunking = chunked("")
    picture = Picture(document, chunking)
    assert picture.runs == ()
    assert list(picture.styles_in(0, 0)) == []
    assert picture.chunk_at(0) is None


def test_runs_and_removals_are_those_of_the_whole_wherever_one_looks(chunked: Chunked) -> None:
    source = "".join(
        f"## Part {number}\n\nWords with a [link](https://example.org/{number}) in them, and more.\n\n"
        f"<!-- {'remark ' * (number % 40)}-->\n\n"
        for number in range(1_500)
    )
    document, chunking = chunked(source, drop=0, fold=40)
    assert document.characters > 5 * STRETCH
    picture = Picture(document, chunking)
    lines = document.lines
    for number in (1, 2, 7_000, 6_990, 3_000, 3_400, 100, len(lines) - 1, len(lines)):
        for line in (lines.span_of(number), lines.span_of(max(1, number - 1))):
            whole = tuple(r for r in chunking.removed if r.span.start < line.end and r.span.end > line.start)
            assert picture.removed_in(line.start, line.end) == whole
            touching = tuple(run for run in picture.runs if run.start <= line.end and run.end >= line.start)
            assert picture.runs_in(line.start, line.end) == touching
