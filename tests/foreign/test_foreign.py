"""Chunks of other programs are read from what they write, and placed where they stand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from inspector.core.chunk import Chunking
from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Imported
from inspector.core.strategies.headings import chunk_document
from inspector.core.strategies.placing import ForeignChunk, ImportReport
from inspector.core.strategies.registry import Missing, Tools, chunk_with
from inspector.embedding.measure import read_chunks
from inspector.errors import ChunkFileError
from inspector.export.records import chunk_records
from inspector.foreign import foreign_chunks, read_chunk_file
from inspector.foreign.likeness import LONGEST, locate
from inspector.foreign.reading import chunks_of
from inspector.reading import counter_of
from inspector.settings import Settings
from tests.strategies import documents, option_sets

TEXT = "# Post\r\n\r\n## First\r\n\r\nSome words of the first.\r\n\r\n## Second\r\n\r\nSome words of the second.\r\n"
NODE = {"text": "Some words", "metadata": {"file_path": "docs/a.md"}, "start_char_idx": 3, "end_char_idx": 13}


def placed(texts: list[str | ForeignChunk], source: str = TEXT, **options: Any) -> tuple[Chunking, ImportReport]:
    """Place texts onto a source."""
    foreign = [
        text if isinstance(text, ForeignChunk) else ForeignChunk(text, number) for number, text in enumerate(texts, 1)
    ]
    tools = Tools(foreign=lambda _document: foreign, locate=locate)
    chunking = chunk_with(document_from_text("a.md", source), Options(), Imported(**options), tools)
    check_chunking(chunking)
    report = chunking.evidence
    assert isinstance(report, ImportReport)
    return chunking, report


def write(path: Path, records: object, lines: bool = False) -> Path:
    if lines:
        assert isinstance(records, list)
        path.write_text("\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    else:
        path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("record", "name", "start"),
    [
        ({"page_content": "Some words", "metadata": {"source": "docs/a.md", "start_index": 3}}, "docs/a.md", 3),
        ({"lc": 1, "kwargs": {"page_content": "Some words", "metadata": {"source": "docs/a.md"}}}, "docs/a.md", None),
        (NODE, "docs/a.md", 3),
        ({"node": NODE, "score": 0.5}, "docs/a.md", 3),
        ({"text": "Some words", "start_index": "3", "end_index": 13, "token_count": 2}, "", 3),
        ({"document": "docs/a.md", "text": "Some words", "spans": [[3, 8], [9, 13]]}, "docs/a.md", 3),
        ({"content": "Some words", "start": True, "spans": []}, "", None),
        ({"chunk": "Some words", "start": "x"}, "", None),
    ],
)
@pytest.mark.parametrize("lines", [True, False])
def test_records_of_known_programs(
    tmp_path: Path, record: dict[str, Any], name: str, start: int | None, lines: bool
) -> None:
    file = read_chunk_file(write(tmp_path / "dump", [{"chunk_inspector": "0.1"}, record, {"no": 1}, 7], lines))
    (chunk,) = file.chunks[name]
    assert (chunk.text, chunk.start, chunk.number) == ("Some words", start, 2)
    assert [number for number, _why in file.unreadable] == [3, 4]


@pytest.mark.parametrize(
    "value",
    [
        ["Some words"],
        {"chunks": ["Some words"]},
        {"text": "Some words"},
        {"": ["Some words"]},
        {"a.md": [{"text": "Some words"}]},
        {
            "docstore/data": {"id": {"__data__": {"text": "Some words"}, "__type__": "1"}},
            "docstore/metadata": {"id": {}},
        },
        {"x": {"text": "Some words"}, "y": 3},
    ],
)
def test_json_of_many_shapes(tmp_path: Path, value: object) -> None:
    file = read_chunk_file(write(tmp_path / "dump.json", value))
    assert [chunk.text for chunk in chunks_of(file, "a.md")] == ["Some words"]


def test_csv_with_any_text_column(tmp_path: Path) -> None:
    path = tmp_path / "dump.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerows([["id", "content", "file"], ["1", 'A "quoted",\nline', "x\\a.md"], ["2", "b" * 200_000, ""]])
    file = read_chunk_file(path)
    assert [chunk.text for chunk in chunks_of(file, "posts/x/a.md")] == ['A "quoted",\nline']
    assert [len(chunk.text) for chunk in chunks_of(file, "other.md")] == [200_000]


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}', "[1]", "no,columns\n1,2\n", '{"a"\n{"b"'])
def test_a_file_without_chunks_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "dump").write_text(text, encoding="utf-8")
    with pytest.raises(ChunkFileError, match="dump"):
        read_chunk_file(tmp_path / "dump")


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    document = document_from_text("a.md", TEXT)
    for file in ("", str(tmp_path / "missing")):
        with pytest.raises(ChunkFileError):
            foreign_chunks(file)(document)
    with pytest.raises(ChunkFileError, match="directory"):
        read_chunk_file(tmp_path)
    (tmp_path / "dump").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ChunkFileError, match="UTF-8"):
        read_chunk_file(tmp_path / "dump")
    with pytest.raises(Missing):
        chunk_with(document, Options(), Imported(), Tools())


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    import os

    path = write(tmp_path / "dump", ["one"])
    document = document_from_text("a.md", TEXT)
    assert [chunk.text for chunk in foreign_chunks(str(path))(document)] == ["one"]
    write(path, ["two"])
    os.utime(path, ns=(1, 1))
    assert [chunk.text for chunk in foreign_chunks(str(path))(document)] == ["two"]


def test_the_text_of_a_chunk_is_its_place_even_with_crlf() -> None:
    chunking, report = placed(["## First\n\nSome words of the first.", "## Second\r\n\r\nSome words of the second."])
    assert [entry.how for entry in report.placed] == ["exact", "exact"]
    assert [chunk.trail for chunk in chunking.chunks] == [("First",), ("Second",)]
    assert {removed.reason for removed in chunking.removed} == {"not in any chunk", "whitespace"}
    assert [section.chunk for section in chunking.sections] == [0, 1]


@given(documents(), option_sets())
@example(
    "~~~~~~~~\n> ## in quote\nthe the the the the\n",
    Options(
        drop=0, fold=0, cap=40, packing="greedy", code_lines=0, split_levels=frozenset({1}), stubs="drop",
        fold_into="previous", addresses="lone", clean=frozenset(), lang="en",
    ),
)  # fmt: skip
@settings(max_examples=60)
def test_what_this_program_wrote_stands_where_it_stood(tmp_path: Path, source: str, options: Options) -> None:
    chosen = Settings(options=options)
    counter = counter_of(chosen)
    before = chunk_document(document_from_text("a.md", source), options)
    records = chunk_records(before, read_chunks(before, counter, "title"), counter.model, "title")
    tools = Tools(foreign=foreign_chunks(str(write(tmp_path / "dump.jsonl", records, lines=True))))
    if not records:
        return
    after = chunk_with(before.document, options, Imported(), tools)
    check_chunking(after)
    assert [(chunk.text, chunk.spans) for chunk in after.chunks] == [
        (chunk.text, chunk.spans) for chunk in before.chunks
    ]
    assert isinstance(after.evidence, ImportReport) and not after.evidence.unplaced
    assert {entry.how for entry in after.evidence.placed} <= {"exact", "pieces"}


@pytest.mark.parametrize(
    "pieces",
    [((0, 5), (5, 99)), ((7, 12), (0, 5)), ((0, 5), "-", (7, 12)), ("Same.", "\n\n"), ((0, 5),), ((-1, 4),), ((9, 3),)],
)
def test_pieces_that_do_not_agree_with_the_document_are_not_believed(pieces: tuple[tuple[int, int] | str, ...]) -> None:
    source = "Same.\n\nSame.\n"
    chunking, report = placed([ForeignChunk("Same.\n\nSame.", 1, pieces=pieces)], source)
    assert [entry.how for entry in report.placed] == ["exact"] and chunking.chunks[0].span == (0, 12)


def test_stated_offsets_decide_between_equal_texts() -> None:
    source = "Same.\n\nSame.\n\nSame.\n"
    chunking, _ = placed(
        [ForeignChunk("Same.", 1, 14), ForeignChunk("Same.", 2, 999), ForeignChunk("Same.", 3, 1)], source
    )
    assert [chunk.span.start for chunk in chunking.chunks] == [0, 7, 14]
    chunking, _ = placed(["Same.", "Same.", "Same."], source)
    assert [chunk.span.start for chunk in chunking.chunks] == [0, 7, 14]


def test_overlapping_chunks_share() -> None:
    chunking, _ = placed(["Some words of", "words of the first."])
    assert [span.length for span in chunking.chunks[1].shared] == [len("words of")]


def test_changed_white_space_is_shown_as_synthetic() -> None:
    chunking, report = placed(["Some\twords of   the first."])
    assert report.placed[0].how == "white space" and report.placed[0].likeness == 1
    assert [piece.text for piece in chunking.chunks[0].pieces if piece.span is None] == ["\t", "  "]


def test_reworded_text_is_placed_nearly_and_what_differs_is_shown() -> None:
    source = (
        "## First\n\n"
        + "The quick brown fox jumps over the lazy dog by the river. " * 3
        + "\n\n## Second\n\nNothing.\n"
    )
    wanted = source[10:180].replace("lazy", "sleepy")
    chunking, report = placed([wanted], source)
    assert report.placed[0].how == "nearly" and 0.8 < report.placed[0].likeness < 1
    assert "".join(piece.text for piece in chunking.chunks[0].pieces) == wanted
    assert not placed([wanted], source, likeness=100)[1].placed


def test_what_stands_nowhere_is_listed_with_the_reason() -> None:
    chunking, report = placed(["Words that nobody wrote in this document at all.", " \n ", "x" * (LONGEST + 1)])
    assert not chunking.chunks and [entry.number for entry in report.unplaced] == [1, 2, 3]
    assert [entry.reason for entry in report.unplaced][1] == "it holds no text"
    foreign = [ForeignChunk("Words that nobody wrote.", 1)]
    alone = chunk_with(document_from_text("a.md", TEXT), Options(), Imported(), Tools(foreign=lambda _d: foreign))
    assert isinstance(alone.evidence, ImportReport) and len(alone.evidence.unplaced) == 1


def test_a_chunk_longer_than_the_source_is_compared_with_all_of_it() -> None:
    source = "The quick brown fox jumps over the lazy dog by the river."
    found = locate(source + " And home.", source, 0)
    assert found is not None and found[0] > 0.8 and found[1][0] == (0, 0, len(source))
    assert locate("abc", "", 0) is None and locate("wholly other words than those", source, 0) is None


def test_far_away_text_is_found_too() -> None:
    filler = "Some filler text that goes on and on, number {}.\n\n"
    source = "".join(filler.format(number) for number in range(3_000))
    last, first = source[-120:-2], source[:60]
    chunking, report = placed(
        [last, first, " ".join(source[-400:-200].split()), source[80:200].replace("\n\n", "\n")], source
    )
    assert {entry.how for entry in report.placed} == {"exact", "white space"} and len(chunking.chunks) == 4
    spoiled = source[100_000:100_300].replace("goes", "went")
    assert placed([spoiled], source)[1].placed[0].how == "nearly"


def test_a_document_without_a_section_is_one() -> None:
    chunking, _ = placed(["[a]: https://x.y"], "[a]: https://x.y\n")
    assert [section.chunk for section in chunking.sections] == [0]
    assert [removed.reason for removed in chunking.removed] == ["whitespace"]
