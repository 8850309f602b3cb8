"""How the author chooses the dialect: settings, command line, and what a folder's listing brings."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli import run
from inspector.core.options import OptionError, Options
from inspector.document_tasks import ChunkRequest, ListRequest, run_chunk, run_list
from inspector.settings import BLOG, Settings, chosen_dialects, preset_of, read_settings, save_settings

MIND = "Mind the swell, and keep off {} until the light goes and the last of the ferries is in."
POST = "## Berths\n\n{{< note >}}\n" + MIND.format("[[Crew|the crew]]") + "\n{{< /note >}}\n"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert run([*arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("choice", "names"),
    [("auto", {"hugo"}), ("none", set()), ("liquid, kramdown", {"liquid", "kramdown"}), (" auto ", {"hugo"})],
)
def test_a_choice_stands_for_names(choice: str, names: set[str]) -> None:
    assert chosen_dialects(choice, frozenset({"hugo"})) == names


@pytest.mark.parametrize("choice", ["", "jekyll", "auto,hugo", "hugo,none"])
def test_a_choice_that_makes_no_sense_is_refused(choice: str) -> None:
    with pytest.raises(OptionError, match="dialect"):
        chosen_dialects(choice, frozenset())


def test_dialects_that_are_not_known_are_refused() -> None:
    with pytest.raises(OptionError, match="dialects"):
        Options(dialects=frozenset({"jekyll"}))


def test_the_choice_is_saved_and_what_it_stands_for_is_not(tmp_path: Path) -> None:
    path = tmp_path / "chunk-inspector.toml"
    save_settings(Settings(dialect="hugo,attributes").in_dialects(frozenset()), path)
    assert "dialects" not in path.read_text(encoding="utf-8")
    loaded = read_settings(path)
    assert loaded.settings.dialect == "hugo,attributes" and not loaded.settings.options.dialects and not loaded.faults


@pytest.mark.parametrize("value", ['"jekyll"', "3", '["hugo"]'])
def test_a_bad_choice_falls_back_to_auto_and_is_told(value: str, tmp_path: Path) -> None:
    path = tmp_path / "chunk-inspector.toml"
    path.write_text(f"dialect = {value}\n[headings]\ndialects = ['hugo']\n", encoding="utf-8")
    loaded = read_settings(path)
    assert loaded.settings == Settings() and len(loaded.faults) == 1 and "dialect" in loaded.faults[0]


def test_a_preset_is_one_in_any_dialect() -> None:
    assert preset_of(BLOG) == "Blog"
    assert preset_of(Options(dialects=frozenset({"hugo"}))) == "Blog"
    assert preset_of(Options(drop=1)) is None


def test_a_file_is_read_in_the_dialects_of_its_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.md"
    path.write_text(POST, encoding="utf-8")
    (record,) = printed(capsys, "chunk", str(path))
    assert record["text"] == "Berths\n\n" + MIND.format("the crew")
    (record,) = printed(capsys, "chunk", str(path), "--dialect", "none")
    assert "{{< note >}}" in record["text"]
    (record,) = printed(capsys, "inspect", str(path), "--dialect", "hugo", "--drop", "0")
    assert record["dialects"] == ["hugo"] and "[[Crew|" in record["chunks"][0]["text"]
    assert [entry["reason"] for entry in record["removed"]].count("site syntax") == 2


def test_standard_input_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(POST.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    (record,) = printed(capsys, "inspect", "-")
    assert record["dialects"] == ["hugo", "obsidian"]


def test_a_folder_is_read_in_the_dialects_of_its_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hugo.toml").write_text("", encoding="utf-8")
    for number in range(30):
        (tmp_path / f"{number}.md").write_text("Text.\n", encoding="utf-8")
    (tmp_path / "99.md").write_text(POST, encoding="utf-8")
    records = printed(capsys, "inspect", str(tmp_path))
    assert {tuple(record["dialects"]) for record in records} == {("attributes", "hugo")}


def test_meta_says_what_was_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.md"
    path.write_text(POST, encoding="utf-8")
    meta = printed(capsys, "chunk", str(path), "--meta", "--dialect", "hugo")[0]
    assert meta["settings"]["dialect"] == "hugo"


def test_a_name_that_is_not_known_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["chunk", str(tmp_path), "--dialect", "jekyll"]) == 2
    assert "--dialect: choose auto, none or from hugo" in capsys.readouterr().err


def test_the_listing_brings_the_dialects_and_the_worker_reads_in_them(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(POST, encoding="utf-8")
    listing = run_list(ListRequest(str(tmp_path), Settings().selection))
    assert listing.dialects == {"hugo", "obsidian"}
    settings = Settings().in_dialects(listing.dialects)
    for again in (False, True):
        (document,) = run_chunk(ChunkRequest(str(tmp_path), ("a.md",), settings, again)).documents
        assert document.chunking.document.dialects == listing.dialects
        assert "the crew" in document.chunking.chunks[0].text and "[[" not in document.chunking.chunks[0].text
    (document,) = run_chunk(ChunkRequest(str(tmp_path), ("a.md",), Settings(), True)).documents
    assert "[[Crew|" in document.chunking.chunks[0].text
