"""The cache never stops anyone: what it holds is right, and a broken file is set aside."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from inspector.cache_file import STAMP_GRAIN
from inspector.embedding.cache import VectorCache, input_digest
from inspector.embedding.projection import Layout
from inspector.folders import cache_folder

ROOT = Path(__file__).parents[2]


def rows(count: int, dimensions: int = 8, seed: int = 0) -> dict[str, np.ndarray]:
    """Make vectors by digest."""
    values = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return {input_digest(f"{seed}/{index}"): row for index, row in enumerate(values)}


def assert_same(found, expected) -> None:
    """Compare vectors by digest, bit by bit."""
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[digest], expected[digest]) for digest in expected)


def test_what_is_put_is_found_again_by_another_object(tmp_path):
    vectors = rows(1200)
    VectorCache(tmp_path).put_many("m", "1", vectors)
    found = VectorCache(tmp_path).get_many("m", "1", [*vectors, input_digest("missing"), *vectors])
    assert_same(found, vectors)
    assert not next(iter(found.values())).flags.writeable


def test_another_model_or_revision_finds_nothing(tmp_path):
    cache = VectorCache(tmp_path)
    cache.put_many("m", "1", rows(2))
    assert cache.get_many("m", "2", rows(2)) == {}
    assert cache.get_many("n", "1", rows(2)) == {}


def test_the_folder_can_be_named_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "here"))
    VectorCache().put_many("m", "1", rows(1))
    assert list((tmp_path / "here").iterdir())
    monkeypatch.delenv("CHUNK_INSPECTOR_CACHE")
    assert cache_folder().name == "chunk-inspector"


def corrupt_header(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 100)


def corrupt_middle(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        for start in range(4096, size, 4096):
            file.seek(start)
            file.write(b"\xff" * 2000)


def foreign_tables(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE vectors (something INTEGER)")
    connection.close()


@pytest.mark.parametrize("damage", [corrupt_header, corrupt_middle, foreign_tables])
def test_a_corrupt_file_is_set_aside_named_and_rebuilt(tmp_path, damage):
    cache = VectorCache(tmp_path)
    cache.put_many("m", "1", rows(300))
    cache.close()
    damage(cache.path)
    again = VectorCache(tmp_path)
    assert again.get_many("m", "1", rows(300)) == {}
    again.put_many("m", "1", rows(5))
    assert_same(VectorCache(tmp_path).get_many("m", "1", rows(5)), rows(5))
    assert not again.is_in_memory
    assert [path.name for path in tmp_path.glob("*.corrupt-*")] == [f"{cache.path.name}.corrupt-1"]
    assert len(again.notices) == 1
    assert f"{cache.path}.corrupt-1" in again.notices[0]


def test_a_second_corruption_gets_the_next_number(tmp_path):
    for number in (1, 2):
        cache = VectorCache(tmp_path)
        cache.folder.mkdir(exist_ok=True)
        corrupt_header(cache.path)
        cache.put_many("m", "1", rows(1))
        cache.close()
        assert (tmp_path / f"{cache.path.name}.corrupt-{number}").exists()


def test_damaged_vectors_are_left_out(tmp_path):
    cache = VectorCache(tmp_path)
    vectors = rows(3)
    cache.put_many("m", "1", vectors)
    cache.close()
    odd, not_finite, sound = vectors
    with sqlite3.connect(cache.path) as connection:
        update = "UPDATE vectors SET vector = ? WHERE digest = ?"
        connection.execute(update, (b"123", bytes.fromhex(odd)))
        connection.execute(update, (np.full(8, np.nan, np.float32).tobytes(), bytes.fromhex(not_finite)))
    connection.close()
    assert list(cache.get_many("m", "1", vectors)) == [sound]


def test_a_folder_that_cannot_be_made_leaves_vectors_in_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = VectorCache(tmp_path / "file" / "cache")
    cache.put_many("m", "1", rows(3))
    assert_same(cache.get_many("m", "1", rows(3)), rows(3))
    layout = Layout(np.zeros((3, 2), np.float32), "pca")
    cache.put_layout("m", "1", "f", list(rows(3)), layout)
    assert cache.get_layout("m", "1", "f", list(rows(3))) is not None
    assert cache.prune() == 0
    assert cache.is_in_memory
    assert len(cache.notices) == 1
    assert "Make the folder writable" in cache.notices[0]


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """Make a cache that holds one vector and cannot be written, not even by root, whose rights are lowered."""
    parent = Path(tempfile.mkdtemp())
    parent.chmod(0o755)
    folder = parent / "cache"
    cache = VectorCache(folder)
    cache.put_many("m", "1", rows(1))
    cache.close()
    cache.path.chmod(0o444)
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield folder
    if is_root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(parent)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX rights")
def test_a_read_only_folder_leaves_new_vectors_in_memory(read_only_folder):
    cache = VectorCache(read_only_folder)
    cache.get_many("m", "1", rows(1))
    new = rows(3, seed=4)
    cache.put_many("m", "1", new)
    assert_same(cache.get_many("m", "1", new), new)
    assert cache.is_in_memory
    assert len(cache.notices) == 1


def test_the_least_recently_used_go_first(tmp_path):
    cache = VectorCache(tmp_path)
    old, new = rows(400, 256, 1), rows(400, 256, 2)
    cache.put_many("m", "1", old)
    cache.put_many("m", "1", new)
    cache.close()
    with sqlite3.connect(cache.path) as connection:
        for digest in old:
            connection.execute("UPDATE vectors SET used = 1000 WHERE digest = ?", (bytes.fromhex(digest),))
    connection.close()
    small = VectorCache(tmp_path, largest=cache.size() // 2)
    gone = small.prune()
    assert 400 <= gone < 800
    assert small.size() <= small.largest
    assert small.get_many("m", "1", old) == {}
    assert len(small.get_many("m", "1", new)) == 800 - gone
    small.put_many("m", "1", old)
    assert small.size() <= small.largest


def test_reading_stamps_the_last_use_at_most_once_a_day(tmp_path):
    cache = VectorCache(tmp_path)
    vectors = rows(2)
    cache.put_many("m", "1", vectors)
    now = int(time.time())
    fresh, stale = vectors

    def stamps() -> dict[str, int]:
        with sqlite3.connect(cache.path) as connection:
            found = {digest.hex(): used for digest, used in connection.execute("SELECT digest, used FROM vectors")}
        connection.close()
        return found

    with sqlite3.connect(cache.path) as connection:
        update = "UPDATE vectors SET used = ? WHERE digest = ?"
        connection.execute(update, (now - 60, bytes.fromhex(fresh)))
        connection.execute(update, (now - 2 * STAMP_GRAIN, bytes.fromhex(stale)))
    connection.close()
    cache.get_many("m", "1", vectors)
    assert stamps()[fresh] == now - 60
    assert stamps()[stale] >= now


WRITER = """
import sys
import numpy as np
from inspector.embedding.cache import VectorCache, input_digest
cache = VectorCache(sys.argv[1])
for turn in range(40):
    rows = {input_digest(f"{sys.argv[2]}/{turn}/{i}"): np.full(64, turn, np.float32) for i in range(8)}
    cache.put_many("m", "1", rows)
    assert cache.get_many("m", "1", rows).keys() == rows.keys()
assert not cache.notices, cache.notices
"""


def test_two_processes_share_it(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    processes = [subprocess.Popen([*command, name], cwd=ROOT, stderr=subprocess.PIPE) for name in ("a", "b")]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    expected = [input_digest(f"{name}/{turn}/{i}") for name in "ab" for turn in range(40) for i in range(8)]
    assert len(VectorCache(tmp_path).get_many("m", "1", expected)) == len(expected)


def test_two_who_meet_a_corrupt_file_set_it_aside_once(tmp_path):
    first, second = VectorCache(tmp_path), VectorCache(tmp_path)
    first.put_many("m", "1", rows(300))
    assert second.get_many("m", "1", rows(300))
    first.close()
    corrupt_middle(first.path)
    first.get_many("m", "1", rows(300))
    first.put_many("m", "1", rows(4))
    second.put_many("m", "1", rows(3, seed=9))
    assert second.get_many("m", "1", rows(3, seed=9)).keys() == rows(3, seed=9).keys()
    assert len(list(tmp_path.glob("*.corrupt-*"))) <= 1


def test_a_thread_may_use_a_cache_that_another_opened(tmp_path):
    cache = VectorCache(tmp_path)
    cache.put_many("m", "1", rows(1))
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(len(cache.get_many("m", "1", rows(1)))))
    thread.start()
    thread.join()
    assert found == [1]


def test_a_map_is_kept_by_folder_for_exactly_its_inputs(tmp_path):
    cache = VectorCache(tmp_path)
    digests = list(rows(3))
    layout = Layout(np.arange(6, dtype=np.float32).reshape(3, 2), "umap", "a note")
    cache.put_layout("m", "1", "/posts", digests, layout)
    kept = VectorCache(tmp_path).get_layout("m", "1", "/posts", digests)
    assert kept is not None
    assert (kept.method, kept.note) == ("umap", "a note")
    assert np.array_equal(kept.coordinates, layout.coordinates)
    assert not kept.coordinates.flags.writeable
    assert cache.get_layout("m", "1", "/posts", digests[::-1]) is None
    assert cache.get_layout("m", "1", "/other", digests) is None
    assert cache.last_layout("m", "1", "/posts").digests == tuple(digests)
    with pytest.raises(ValueError, match="2 digests, but 3 points"):
        cache.put_layout("m", "1", "/posts", digests[:2], layout)
