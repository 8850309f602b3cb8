"""What the cache gives back is what reading anew gives, then and under all other settings; it never stops anyone."""

from __future__ import annotations

import dataclasses
import os
import pickle
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given

import inspector.core.document as core_document
from inspector import document_cache, document_tasks
from inspector.cache_file import STAMP_GRAIN
from inspector.core.document import Document, document_from_text, read_document
from inspector.core.options import Options
from inspector.core.problems.rules import RULES, RuleChoice
from inspector.core.strategies.choices import Imported, Paragraphs, Recursive, Semantic, Sentences, Window
from inspector.core.strategies.headings import adopt_warm_state, chunk_document, warm_state
from inspector.document_cache import DocumentCache, Kept, document_key, is_repeatable, settings_digest
from inspector.document_tasks import ChunkRequest, CountRequest, OtherChunksRequest, WarmRequest
from inspector.folders import cache_folder
from inspector.reading import ReadDocument, counter_of, read_one, stamped
from inspector.settings import Settings
from tests.strategies import documents

DATA = Path(__file__).parent / "data"
LARGE = 50_000
"""Bytes from which a document is left to other tests: each is read twenty times."""
POSTS = sorted(
    path
    for path in [*(DATA / "torture").iterdir(), *(DATA / "cases").iterdir()]
    if path.suffix in (".md", ".mdx") and path.stat().st_size < LARGE
)
EVERY_RULE = RuleChoice(enable=tuple(RULES))
SETTINGS = Settings(rules=EVERY_RULE)
SITE = frozenset({"hugo", "mdx", "alerts"})
OTHERS = (
    Settings(Options(drop=20, fold=90, cap=300), rules=EVERY_RULE),
    Settings(Options(clean=frozenset(), code_lines=0), rules=EVERY_RULE),
    Settings(Options(split_levels=frozenset({2})), context="none"),
    Settings(Options(dialects=SITE), rules=EVERY_RULE),
    *(Settings().choosing(own) for own in (Paragraphs(), Window(50, 10), Sentences(cleaned=False), Recursive(60))),
    SETTINGS,
)


def read(document: Document, settings: Settings) -> ReadDocument:
    """Read a document as the worker does."""
    return read_one(document, settings, counter_of(settings), None)


def kept(document: Document, settings: Settings) -> Kept:
    """Make what the cache keeps of a document."""
    found = read(document, settings)
    return Kept(dataclasses.replace(found, fingerprint=0), warm_state(found.chunking.document, settings.options))


def recalled(document: Document, settings: Settings, folder: Path) -> ReadDocument:
    """Put a document into a cache, and read it as another process would."""
    DocumentCache(folder).put_many({b"key": kept(document, settings)})
    found = DocumentCache(folder).get(b"key")
    assert found is not None
    return stamped(found.read, counter_of(settings).model, None)


def facts(result: ReadDocument) -> tuple[object, ...]:
    """Give all that the program shows of a document."""
    chunking = result.chunking
    source = chunking.document
    return (
        (result.name, result.readings, result.problems, result.totals, result.is_draft, result.fingerprint),
        (chunking.sections, chunking.chunks, chunking.removed, chunking.kept, chunking.ids, chunking.problems),
        (source.source, source.dialects, source.lines.counts),
        (source.title, source.metadata, source.headings, source.fences),
    )


def assert_behaves_as_new(document: Document, settings: Settings, folder: Path) -> None:
    """Check the law: what was recalled is equal, and stays so under any settings, in any order."""
    found = recalled(document, settings, folder)
    assert facts(found) == facts(read(dataclasses.replace(document, warm={}), settings))
    for other in OTHERS:
        anew = read(dataclasses.replace(document, warm={}), other)
        assert facts(read(found.chunking.document, other)) == facts(anew)
        if other.strategy == "headings":
            state = pickle.loads(pickle.dumps(warm_state(found.chunking.document, other.options)))
            window = dataclasses.replace(document, warm={}).in_dialects(other.options.dialects)
            adopt_warm_state(window, state)
            assert chunk_document(window, other.options).chunks == anew.chunking.chunks


@pytest.mark.parametrize("path", POSTS, ids=lambda path: path.name)
def test_a_recalled_document_behaves_as_a_new_one(path: Path, tmp_path: Path) -> None:
    assert_behaves_as_new(read_document(path.name, path.read_bytes()), SETTINGS, tmp_path)


@given(documents())
def test_so_does_any_document(tmp_path_factory: pytest.TempPathFactory, source: str) -> None:
    folder = tmp_path_factory.mktemp("cache")
    assert_behaves_as_new(document_from_text("a.md", source), dataclasses.replace(SETTINGS, options=Options()), folder)


def different(settings: Settings) -> Iterator[Settings]:
    """Yield settings that each differ in one thing that decides what is read."""
    for option in dataclasses.fields(Options):
        value = getattr(settings.options, option.name)
        other: object = None
        if isinstance(value, bool):
            other = not value
        elif isinstance(value, int):
            other = value + 1
        elif isinstance(value, frozenset):
            other = frozenset(sorted(value)[1:]) if value else SITE
        elif option.metadata.get("choices"):
            other = next(choice for choice in option.metadata["choices"] if choice != value)
        elif option.name == "lang":
            other = "de"
        assert other is not None, f"say what else {option.name} may be"
        yield dataclasses.replace(settings, options=dataclasses.replace(settings.options, **{option.name: other}))
    yield dataclasses.replace(settings, context="none")
    yield dataclasses.replace(settings, token_limit=100)
    yield dataclasses.replace(settings, target_model="intfloat/e5-base-v2")
    yield dataclasses.replace(settings, rules=RuleChoice(disable=("runt", *RULES)))
    yield settings.choosing(Window(50, 10))
    yield settings.choosing(Window(50, 11))


def test_all_that_decides_what_is_read_is_in_the_key() -> None:
    digests = [settings_digest(settings) for settings in (Settings(), *different(Settings()))]
    assert len(set(digests)) == len(digests) > 15
    keys = {
        document_key(*parts)
        for parts in (
            ("a.md", b"text", "", digests[0]),
            ("b.md", b"text", "", digests[0]),
            ("a.md", b"other", "", digests[0]),
            ("a.md", b"text", "latin-1", digests[0]),
            ("a.md", b"text", "", digests[1]),
        )
    }
    assert len(keys) == 5


def test_what_decides_nothing_is_not_in_the_key() -> None:
    other = dataclasses.replace(Settings(), map_model="another", engine="sentence-transformers")
    assert settings_digest(other) == settings_digest(Settings())


def test_other_code_reads_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings_digest(Settings())
    (tmp_path / "one.py").write_text("1")
    (tmp_path / ".#one.py").symlink_to(tmp_path / "an editor's lock")
    monkeypatch.setattr(document_cache, "_code_files", lambda: iter(tmp_path.glob("*.py")))
    document_cache.code_digest.cache_clear()
    try:
        other = settings_digest(Settings())
        document_cache.code_digest.cache_clear()
        (tmp_path / "one.py").write_text("12")
        assert len({before, other, settings_digest(Settings())}) == 3
    finally:
        document_cache.code_digest.cache_clear()


def test_strategies_that_need_more_than_the_document_are_not_kept() -> None:
    assert is_repeatable(Settings())
    assert is_repeatable(Settings().choosing(Window(50, 10)))
    assert not is_repeatable(Settings().choosing(Semantic()))
    assert not is_repeatable(Settings().choosing(Imported(chunks="chunks.jsonl")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three posts, and a cache of their own."""
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path / "cache"))
    posts = tmp_path / "posts"
    posts.mkdir()
    for number in range(3):
        (posts / f"{number}.md").write_text(f"# Post {number}\n\n## A part\n\n" + "It has words to read. " * 30)
    return posts


NAMES = ("0.md", "1.md", "2.md")


def read_folder(folder: Path, settings: Settings = SETTINGS, *, again: bool = False) -> list[ReadDocument]:
    """Read the posts as the worker does, from disk or from the shelf."""
    if not again:
        document_tasks._shelf.clear()  # another process
    found = document_tasks.run_chunk(ChunkRequest(str(folder), NAMES, settings, again)).documents
    assert all(isinstance(document, ReadDocument) for document in found)
    return [document for document in found if isinstance(document, ReadDocument)]


@pytest.fixture
def no_parsing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Read the posts once; after the call nothing can be parsed any more."""
    read_folder(folder)
    read_folder(folder, Settings())

    def forbid() -> None:
        def parse(*_: object) -> None:
            raise AssertionError("a document was parsed")

        monkeypatch.setattr(core_document, "read_in_dialects", parse)

    return forbid


def test_a_second_start_parses_nothing_not_even_for_a_drag(folder: Path, no_parsing: Callable[[], None]) -> None:
    smaller = dataclasses.replace(SETTINGS, options=Options(fold=300))
    expected = read_folder(folder), document_tasks.run_count(CountRequest(str(folder), smaller))
    no_parsing()
    found = read_folder(folder)
    assert [facts(document) for document in found] == [facts(document) for document in expected[0]]
    assert [document.stamp for document in found] == [document.stamp for document in expected[0]]
    counted = document_tasks.run_count(CountRequest(str(folder), smaller))
    assert counted.chunks.tolist() == expected[1].chunks.tolist()
    assert document_tasks.run_warm(WarmRequest(str(folder), "0.md", SETTINGS)).state is not None
    assert len(read_folder(folder, smaller, again=True)) == 3


def test_what_is_recalled_can_be_read_in_other_ways(folder: Path) -> None:
    read_folder(folder)
    read_folder(folder)
    other = Settings().choosing(Paragraphs())
    chunking = document_tasks.run_other_chunks(OtherChunksRequest(str(folder), "1.md", other))
    assert chunking is not None
    anew = read(read_document("1.md", (folder / "1.md").read_bytes()), other).chunking
    assert chunking.chunks == anew.chunks


def test_what_is_loaded_ahead_need_not_be_looked_up(folder: Path, no_parsing: Callable[[], None]) -> None:
    no_parsing()
    document_tasks.run_ahead(str(folder))
    cache = document_tasks._document_cache(cache_folder())
    cache.close()
    cache.path.unlink()
    assert len(read_folder(folder, Settings())) == 3


def test_what_was_loaded_ahead_is_let_go_when_something_else_is_read(folder: Path) -> None:
    read_folder(folder, Settings())
    document_tasks.run_ahead(str(folder))
    cache = document_tasks._document_cache(cache_folder())
    assert len(cache._ready) == 3
    read_folder(folder, dataclasses.replace(Settings(), context="none"))
    assert not cache._ready


def test_a_folder_that_is_gone_is_not_loaded_ahead(tmp_path: Path) -> None:
    document_tasks.run_ahead(str(tmp_path / "nowhere"))


def test_a_file_that_has_changed_is_read_anew(folder: Path) -> None:
    read_folder(folder)
    (folder / "1.md").write_text("# Another\n\n" + "Now it is about something else. " * 20)
    titles = [document.chunking.document.title for document in read_folder(folder)]
    assert titles == ["Post 0", "Another", "Post 2"]


def test_a_document_that_was_chunked_again_is_not_written(folder: Path) -> None:
    read_folder(folder)
    path = DocumentCache().path
    before = path.stat().st_mtime_ns, path.stat().st_size
    read_folder(folder, dataclasses.replace(SETTINGS, options=Options(cap=500)), again=True)
    assert (path.stat().st_mtime_ns, path.stat().st_size) == before


def test_a_damaged_document_is_read_anew(folder: Path) -> None:
    expected = [facts(document) for document in read_folder(folder)]
    document_tasks._document_cache(cache_folder()).close()
    with sqlite3.connect(DocumentCache().path) as connection:
        for (value,) in connection.execute("SELECT value FROM documents").fetchall():
            damaged = value[:40] + bytes([value[40] ^ 1]) + value[41:]
            connection.execute("UPDATE documents SET value = ? WHERE value = ?", (damaged, value))
    connection.close()
    assert [facts(document) for document in read_folder(folder)] == expected


def test_a_damaged_file_is_set_aside(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = [facts(document) for document in read_folder(folder)]
    path = DocumentCache().path
    document_tasks._document_cache(cache_folder()).close()
    path.write_bytes(b"this is no database at all" * 100)
    assert [facts(document) for document in read_folder(folder)] == expected
    assert "was damaged" in caplog.text
    assert path.with_name(f"{path.name}.corrupt-1").exists()
    document_tasks._document_cache(cache_folder()).close()
    assert path.stat().st_size > 10_000


def test_a_cache_that_cannot_be_written_stops_no_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [facts(document) for document in read_folder(folder)]
    (folder.parent / "in the way").write_text("")
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(folder.parent / "in the way" / "cache"))
    assert [facts(document) for document in read_folder(folder)] == expected


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX owners")
def test_nobody_else_can_read_it_and_nobody_else_s_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [facts(document) for document in read_folder(folder)]
    path = DocumentCache().path
    assert path.stat().st_mode & 0o077 == 0
    owner = os.geteuid()
    document_tasks._document_cache(cache_folder()).close()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    monkeypatch.setattr(document_cache.pickle, "loads", lambda _: pytest.fail("a stranger's pickle was loaded"))
    assert [facts(document) for document in read_folder(folder)] == expected


def test_what_was_recalled_is_stamped_once_a_day(folder: Path) -> None:
    read_folder(folder)
    path = DocumentCache().path
    old, fresh = int(time.time()) - 2 * STAMP_GRAIN, int(time.time()) - 60
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE documents SET used = ? WHERE rowid < 3", (old,))
        connection.execute("UPDATE documents SET used = ? WHERE rowid = 3", (fresh,))
    read_folder(folder)
    with sqlite3.connect(path) as connection:
        used = [row[0] for row in connection.execute("SELECT used FROM documents ORDER BY rowid")]
    connection.close()
    assert used[0] > fresh < used[1]
    assert used[2] == fresh


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = DocumentCache(tmp_path, largest=200_000)
    keys = [f"{number}".encode() for number in range(40)]
    for number, key in enumerate(keys):
        words = " ".join(f"{number}-{word}" for word in range(2_000))
        cache.put_many({key: kept(document_from_text(f"{number}.md", words), Settings())})
    assert cache.get(keys[0]) is None
    assert cache.get(keys[-1]) is not None
