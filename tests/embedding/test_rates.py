"""Rates are remembered by model, and a broken file is none."""

from __future__ import annotations

import pytest

from inspector.embedding.rates import FILE_NAME, read_rate, write_rate


def test_a_rate_is_remembered_beside_others(tmp_path):
    folder = str(tmp_path / "new")
    assert read_rate("a", folder) == 0.0
    write_rate("a", 12.5, folder)
    write_rate("b", 3, folder)
    write_rate("a", 20.0, folder)
    assert (read_rate("a", folder), read_rate("b", folder)) == (20.0, 3.0)
    assert [file.name for file in (tmp_path / "new").iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("content", ["{", "[]", '{"a": "fast"}', '{"a": -1}', '{"a": Infinity}', '{"a": null}'])
def test_nonsense_is_no_rate(content, tmp_path):
    (tmp_path / FILE_NAME).write_text(content)
    assert read_rate("a", str(tmp_path)) == 0.0
    write_rate("a", 5.0, str(tmp_path))
    assert read_rate("a", str(tmp_path)) == 5.0


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path):
    (tmp_path / "file").write_text("in the way")
    write_rate("a", 5.0, str(tmp_path / "file"))
    assert read_rate("a", str(tmp_path / "file")) == 0.0
