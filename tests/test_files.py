"""The program's own files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.files import write_atomically


def test_a_file_is_made_with_its_folder_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    write_atomically(path, "one\n")
    write_atomically(path, "zwei ü\r\nthree\n")
    assert path.read_bytes() == "zwei ü\r\nthree\n".encode()
    assert os.listdir(path.parent) == ["a.json"]


def test_what_cannot_be_written_leaves_the_file_before_it_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_atomically(path, "before")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "before" and os.listdir(tmp_path) == ["a.json"]
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(OSError):
        write_atomically(tmp_path / "folder", "a file where a folder is")
    assert sorted(os.listdir(tmp_path)) == ["a.json", "folder"]


@pytest.mark.skipif(os.name == "nt", reason="permissions and links are otherwise there")
def test_a_file_keeps_its_permissions_and_a_link_to_it_stays(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    path, link = tmp_path / "a.json", tmp_path / "link.json"
    write_atomically(path, "one")
    assert path.stat().st_mode == usual.stat().st_mode, "as any new file's"
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomically(link, "two")
    assert link.is_symlink() and path.read_text(encoding="utf-8") == "two"
    assert path.stat().st_mode & 0o777 == 0o640
