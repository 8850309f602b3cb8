"""Other programs' strategies are found, run apart, and what goes wrong with them is a message."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import OptionError, Options
from inspector.core.strategies.placing import ImportReport
from inspector.core.strategies.registry import Missing, Tools, chunk_with
from inspector.errors import StrategyError
from inspector.plugins import all_strategies, broken_plugins
from inspector.plugins.child import answer
from inspector.plugins.known import find_strategies
from inspector.plugins.peers import PEERS
from inspector.plugins.sandbox import Sandbox

SAMPLE = Path(__file__).parents[1] / "data" / "golden"
MODULE = """
import os, time
from dataclasses import dataclass, field
from typing import ClassVar
from inspector.core.strategies.choices import External, described

MOODS = ("good", "crash", "hang", "raise", "print", "other")

@dataclass(frozen=True)
class Halves(External):
    strategy: ClassVar[str] = "halves"
    mood: str = field(default="good", metadata=described("Mood", "What it does.", choices=MOODS))
    cleaned: bool = field(default=True, metadata=described("Clean first", "."))

class Plugin:
    label, help, options = "Halves", "Cuts in half.", Halves
    @staticmethod
    def split(text, own):
        if own.mood == "crash":
            os._exit(7)
        if own.mood == "hang":
            time.sleep(600)
        if own.mood == "raise":
            raise RuntimeError("no halves today")
        if own.mood == "print":
            print("noise")
        if own.mood == "other":
            return ["words that nobody wrote", " ", text[:10]]
        return [text[:len(text) // 2], text[len(text) // 2:]]

class NoOptions:
    label, help, options = "x", "x", int
    split = None

class OtherName(Plugin):
    pass
"""
ENTRIES = """[inspector.strategies]
halves = halves_plugin:Plugin
window = halves_plugin:Plugin
typed = halves_plugin:NoOptions
named = halves_plugin:OtherName
missing = halves_plugin:Nothing
"""
TEXT = "# Post\n\n## First\n\nSome words of the first.\n\n## Second\n\nSome words of the second.\n"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution with plug-ins, good and bad, where Python finds it."""
    (tmp_path / "halves_plugin.py").write_text(MODULE, encoding="utf-8")
    info = tmp_path / "halves_plugin-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: halves-plugin\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    find_strategies.cache_clear()
    yield
    find_strategies.cache_clear()
    sys.modules.pop("halves_plugin", None)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    box = Sandbox(seconds=20, start_seconds=40)
    yield box
    box.close()


@pytest.mark.usefixtures("plugin")
def test_a_plugin_is_listed_with_its_version_and_bad_ones_are_named() -> None:
    assert all_strategies()["halves"].label == "Halves 1.2"
    said = "\n".join(broken_plugins())
    assert said.count("plug-in") == 4
    for words in ("window has the name", "typed cannot be used: TypeError", "named cannot", "missing cannot"):
        assert words in said


@pytest.mark.usefixtures("plugin")
def test_a_plugin_that_fails_is_a_message_and_the_next_answer_is_right(sandbox: Sandbox) -> None:
    from halves_plugin import Halves  # type: ignore[import-not-found]

    for mood in ("good", "print"):
        assert sandbox.split(Halves(mood), "abcd \u2028\n") == ["abc", "d \u2028\n"]
    with pytest.raises(StrategyError, match=r"Halves 1.2 failed: RuntimeError: no halves today"):
        sandbox.split(Halves("raise"), "abcd")
    with pytest.raises(StrategyError, match=r"Halves 1.2 ended without an answer \(exit code 7\)"):
        sandbox.split(Halves("crash"), "abcd")
    assert sandbox.split(Halves(), "abcd") == ["ab", "cd"]
    sandbox._seconds = 0.2
    with pytest.raises(StrategyError, match="gave no answer within 0 seconds and was stopped"):
        sandbox.split(Halves("hang"), "abcd")
    sandbox._seconds = 20
    assert sandbox.split(Halves(), "ab") == ["a", "b"]


@pytest.mark.usefixtures("plugin")
def test_its_chunks_are_placed_and_what_it_invents_is_listed(sandbox: Sandbox) -> None:
    from halves_plugin import Halves

    document, tools = document_from_text("a.md", TEXT), Tools(split=sandbox.split)
    chunking = chunk_with(document, Options(), Halves(), tools)
    check_chunking(chunking)
    assert len(chunking.chunks) == 2 and chunking.strategy == "halves"
    chunking = chunk_with(document, Options(), Halves("other", cleaned=False), tools)
    check_chunking(chunking)
    assert isinstance(chunking.evidence, ImportReport)
    assert [entry.number for entry in chunking.evidence.unplaced] == [1]
    assert [chunk.text for chunk in chunking.chunks] == [TEXT[:10]]
    with pytest.raises(Missing):
        chunk_with(document, Options(), Halves(), Tools())


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_an_installed_peer_chunks_real_documents(peer: object, sandbox: Sandbox) -> None:
    name = peer.name  # type: ignore[attr-defined]
    if name not in all_strategies():
        pytest.skip(f"{name} is not installed")
    kind = all_strategies()[name].options
    assert kind is not None
    splitters = next(
        option.metadata["choices"] for option in kind.__dataclass_fields__.values() if option.name == "splitter"
    )
    for splitter in splitters:
        for is_cleaned in (True, False):
            own = kind(size=500, overlap=40, splitter=splitter, cleaned=is_cleaned)  # type: ignore[call-arg]
            for path in sorted(SAMPLE.glob("*.md"))[:6]:
                document = document_from_text(path.name, path.read_bytes().decode("utf-8"))
                chunking = chunk_with(document, Options(), own, Tools(split=sandbox.split))
                check_chunking(chunking)
                assert isinstance(chunking.evidence, ImportReport) and not chunking.evidence.unplaced
                assert all(chunk.characters <= 500 for chunk in chunking.chunks)
    with pytest.raises(OptionError, match="overlap"):
        kind(size=10, overlap=10)  # type: ignore[call-arg]


def test_the_child_answers_a_bad_request_with_an_error() -> None:
    assert "error" in answer("{")
    assert "error" in answer(json.dumps({"strategy": "headings", "options": {}, "text": ""}))


def test_peers_that_are_not_installed_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "inspector.plugins.known.PEERS",
        tuple(type(p)(p.name, "not-there-at-all", p.help, p.options, p.split) for p in PEERS),
    )
    find_strategies.cache_clear()
    assert not {peer.name for peer in PEERS} & set(all_strategies())
    find_strategies.cache_clear()
