"""`cache` says where the cache is and how large, and deletes what is the program's own, no more."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inspector.__main__ import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one of each, and a file of someone else's."""
    folder = tmp_path / "cache"
    for name in ("engines", "last-run", "numba"):
        (folder / name).mkdir(parents=True)
        (folder / name / "one").write_bytes(b"x" * 1000)
    for name in (
        "vectors-1.sqlite",
        "vectors-1.sqlite-wal",
        "documents-1.sqlite",
        "rates.json",
        "chunk-inspector.log",
        "chunk-inspector.log.1",
    ):
        (folder / name).write_bytes(b"x" * 500)
    (folder / "novel.md").write_text("not ours")
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(folder))
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["chunk-inspector", "cache", *arguments])
    return main()


def test_the_folder_its_entries_and_their_sum_are_printed(folder, monkeypatch, capsys):
    assert run(monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(folder)
    assert lines[-1].split() == ["6.0", "kB", "in", "all"]
    assert any("vectors-1.sqlite (vectors and maps)" in line for line in lines)
    assert (folder / "vectors-1.sqlite").exists()


def test_clear_deletes_what_is_ours_and_leaves_the_rest(folder, monkeypatch, capsys):
    assert run(monkeypatch, "--clear") == 0
    assert [path.name for path in folder.iterdir()] == ["novel.md"]
    assert capsys.readouterr().out.endswith("Deleted.\n")


def test_a_folder_of_nothing_but_ours_goes_too(folder, monkeypatch):
    (folder / "novel.md").unlink()
    assert run(monkeypatch, "--clear") == 0
    assert not folder.exists()


def test_where_there_is_no_cache_that_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "none"))
    assert run(monkeypatch, "--clear") == 0
    assert capsys.readouterr().out.endswith("Nothing to delete.\n")


def test_what_a_link_points_to_is_left_alone(folder, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("mine")
    (folder / "engines" / "one").unlink()
    (folder / "engines").rmdir()
    (folder / "engines").symlink_to(kept)
    assert run(monkeypatch, "--clear") == 0
    assert (kept / "file").read_text() == "mine"
