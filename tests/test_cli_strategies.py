"""The command line takes every strategy with its own options, and compares two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.settings import FILE_NAME
from tests.test_cli import SAMPLE, records, refused, run_here

POST = "## First\n\nSome words of the first.\n\n## Second\n\nSome words of the second, and more of them.\n"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def post(tmp_path: Path) -> Path:
    path = tmp_path / "a.md"
    path.write_text(POST, encoding="utf-8")
    return path


def test_a_strategy_takes_its_own_options(post: Path) -> None:
    found = records(
        "chunk", post, "--strategy", "window", "--size", "30", "--overlap", "10", "--unit", "characters", "--no-cleaned"
    )
    assert [chunk["text"] for chunk in found] == [POST[start : start + 30] for start in range(0, len(POST) - 10, 20)]
    assert found[1]["pieces"][0] == {"span": [20, 30], "why": "overlap"}
    found = records(
        "chunk", post, "--strategy", "recursive", "--separators", "heading", "--size", "9", "--overlap", "0"
    )
    assert len(found) > 2


def test_every_strategy_that_needs_no_file_chunks_the_sample(tmp_path: Path) -> None:
    for name in ("recursive", "paragraphs", "sentences", "window"):
        found = records("inspect", SAMPLE, "--strategy", name)
        assert {document["strategy"] for document in found} == {name}
        for document in found:
            held = document["kept"] + sum(entry["span"][1] - entry["span"][0] for entry in document["removed"])
            assert held == document["characters"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "window", "--size", "200", "--overlap", "200"], "--overlap: 200 is not below the size of 200"),
        (["--strategy", "window", "--size", "0"], "--size: 0 is below 1"),
        (["--strategy", "window", "--drop", "3"], "--drop: window has no such option"),
        (["--size", "200"], "--size: headings has no such option"),
        (["--strategy", "recursive", "--separators", "comma"], "--separators: choose from heading"),
        (["--strategy", "sentences", "--unit", "bytes"], "--unit: 'bytes' is not one of"),
        (["--strategy", "imported"], "Name a file of chunks to import."),
        (["--strategy", "imported", "--chunks", "/nowhere.jsonl"], "/nowhere.jsonl: no such file"),
        (["--strategy", "best"], "--strategy best: choose from headings"),
        (["--packing", "loose"], "--packing: 'loose' is not one of"),
        (["--overlap", "1390"], "--overlap: 1390 leaves less than 320"),
    ],
)
def test_wrong_options_are_refused_in_one_line(post: Path, arguments: list[str], message: str) -> None:
    assert message in refused("chunk", post, *arguments)


def test_a_settings_file_names_the_strategy_and_its_options(tmp_path: Path, post: Path) -> None:
    (tmp_path / FILE_NAME).write_text('strategy = "paragraphs"\n[paragraphs]\ndrop = 20\n', encoding="utf-8")
    assert [chunk["text"] for chunk in records("chunk", tmp_path)] == [
        "Some words of the first.",
        "Some words of the second, and more of them.",
    ]
    meta, *_ = records("chunk", tmp_path, "--meta", "--drop", "0")
    assert meta["settings"]["strategy"] == "paragraphs"
    assert meta["settings"]["paragraphs"] == {"drop": 0, "cleaned": True}


def test_imported_chunks_are_placed_and_the_rest_is_listed(tmp_path: Path, post: Path) -> None:
    dump = tmp_path / "dump.jsonl"
    lines = [
        {"text": "Some words of the first.", "document": "a.md"},
        {"text": "nobody wrote these words anywhere", "document": "a.md"},
        {"text": "other", "document": "b.md"},
    ]
    dump.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = run_here("chunk", tmp_path, "--strategy", "imported", "--chunks", dump)
    (chunk,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and POST[slice(*chunk["spans"][0])] == chunk["text"] == "Some words of the first."
    said = done.stderr.decode()
    assert "Chunks without a place: 1" in said and "#2: no text of this document agrees" in said
    assert "Chunks of b.md, which is not here: 1" in said
    (document,) = records("inspect", post, "--strategy", "imported", "--chunks", dump)
    assert document["placed"] == [{"number": 1, "index": 0, "how": "exact", "likeness": 1.0}]
    assert [entry["number"] for entry in document["unplaced"]] == [2]
    assert {entry["reason"] for entry in document["removed"]} == {"not in any chunk"}


def test_chunks_that_name_no_document_are_looked_for_in_all(tmp_path: Path, post: Path) -> None:
    (tmp_path / "b.md").write_text("Wholly different words stand in here.\n", encoding="utf-8")
    dump = tmp_path / "dump.csv"
    dump.write_text("text\nSome words of the first.\nWholly different words\nin no document at all\n", encoding="utf-8")
    done = run_here("chunk", tmp_path, "--strategy", "imported", "--chunks", dump)
    assert [json.loads(line)["document"] for line in done.stdout.splitlines()] == ["a.md", "b.md"]
    assert [line.split(":")[1].strip() for line in done.stderr.decode().splitlines()][1:] == ["#3"]


def test_compare_prints_a_table(tmp_path: Path, post: Path) -> None:
    done = run_here(
        "compare", tmp_path, "--a", "headings drop=0 fold=0", "--b", "window size=20 overlap=5 unit=characters"
    )
    table = done.stdout.decode()
    assert done.returncode == 0
    assert "A  headings drop=0 fold=0\nB  window size=20 overlap=5 unit=characters\n" in table
    row = next(line.split() for line in table.splitlines() if line.startswith("Chunks"))
    assert row == ["Chunks", "2", "6", "+4"]
    assert "A is better" in table and "WindowDiff" in table and "Pevzner" in table


def test_compare_as_json_has_both_columns(tmp_path: Path, post: Path) -> None:
    dump = tmp_path / "dump.jsonl"
    dump.write_text(json.dumps({"text": "not in there at all, by nobody"}), encoding="utf-8")
    (record,) = records("compare", tmp_path, "--b", f"imported chunks={dump}", "--format", "json")
    assert record["a"]["strategy"] == "headings" and record["b"]["chunks"] == 0
    assert record["agreement"]["f1"] in (0, 1) and [entry["number"] for entry in record["unplaced"]] == [1]
    assert [entry["document"] for entry in record["documents"]] == ["a.md"]
    table = run_here("compare", tmp_path, "--b", f"imported chunks={dump}").stdout.decode()
    assert "Chunks without a place: 1" in table


def test_compare_with_the_last_run(tmp_path: Path) -> None:
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "a.md").write_text(POST, encoding="utf-8")
    (folder / "b.md").write_text("Some other words.\n", encoding="utf-8")
    call = ("compare", folder, "--a", "paragraphs", "--last")
    assert "is kept" in run_here(*call).stdout.decode()
    (folder / "a.md").write_text(POST.replace("## Second", "A new paragraph.\n\n## Second"), encoding="utf-8")
    (folder / "b.md").unlink()
    lines = run_here(*call).stdout.decode().splitlines()
    assert lines == ["a.md: 4 same, 1 new", "  new   #3  A new paragraph.", "b.md: gone", "0 documents the same."]
    again = run_here("compare", folder, "--a", "sentences", "--last").stdout.decode()
    assert again.startswith("Chunked by sentences, last time by paragraphs.")
    (record,) = records(*call, "--format", "json")
    assert record["before"] == "sentences" and record["same"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--b: name a strategy"),
        (["--b", "best"], "--b best: choose from"),
        (["--b", "window size"], "--b size: write NAME=VALUE"),
        (["--b", "window colour=red"], "--b colour=red: write NAME=VALUE"),
        (["--b", "window size=big"], "--b size=big: 'big' is not a whole number"),
        (["--b", "window cleaned=perhaps"], "--b cleaned=perhaps: write true or false"),
        (["--b", "window overlap=500"], "--b overlap: 500 is not below"),
        (["--b", "window 'size=1"], "no closing quotation"),
        (["--b", "headings split_levels=two"], "--b split-levels two: name levels"),
        (["--b", "window", "--format", "xml"], "--format xml: choose table or json"),
        (["--b", "window", "--last"], "leave --b out"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in refused("compare", tmp_path, *arguments)


def test_true_and_false_are_written_as_words(tmp_path: Path, post: Path) -> None:
    (record,) = records(
        "compare", tmp_path, "--a", "paragraphs cleaned=no", "--b", "paragraphs cleaned=true", "--format", "json"
    )
    assert record["a"]["chunks"] == record["b"]["chunks"] == 4
