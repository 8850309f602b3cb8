"""Settings are read with care and written with more: comments and unknown keys stay, nonsense is named."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.options import Options
from inspector.core.problems.rules import RuleChoice
from inspector.core.strategies.choices import Paragraphs, Recursive, Window
from inspector.corpus import Selection
from inspector.embedding.models import DEFAULT_TARGET
from inspector.embedding.projection import MapFit
from inspector.errors import SettingsError
from inspector.folders import config_folder
from inspector.settings import FILE_NAME, Settings, load_settings, read_settings, save_settings

OTHER = Settings(
    options=Options(
        drop=10,
        fold=200,
        cap=900,
        code_lines=0,
        split_levels=frozenset({2}),
        stubs="fold",
        fold_into="related",
        addresses="remove",
        clean=frozenset({"comment", "image"}),
        lang="de",
    ),
    context="title+trail",
    target_model="intfloat/e5-small-v2",
    token_limit=300,
    map_model="/models/mine",
    engine="sentence-transformers",
    selection=Selection(include=("notes/*.md",), exclude=("old/",), drafts=True, plain_text=True),
    strategy="recursive",
    others=(Recursive(200, 10, "characters", ("heading", "line"), cleaned=False), Window(300)),
)
COMMENTED = """# my thresholds, found on a rainy day
future = "kept"   # not known to this version

[headings]
# long posts
cap = 1000 # was 1400
drop = 80
mystery = [1, 2]

[models]
target = "BAAI/bge-base-en-v1.5"

[someone.else]
value = 1
"""


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNK_INSPECTOR_CONFIG", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.mark.parametrize("settings", [Settings(), OTHER], ids=["defaults", "all other"])
def test_what_is_saved_is_read_again(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / FILE_NAME
    save_settings(settings, path)
    loaded = read_settings(path)
    assert (loaded.settings, loaded.path, loaded.faults) == (settings, path, ())
    before = path.read_text()
    save_settings(settings, path)
    assert path.read_text() == before


def test_the_maps_fit_is_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text("[map]\nneighbours = 30\nminimum_distance = 0\n")
    assert read_settings(path).settings.map_fit == MapFit(30, 0.0)
    path.write_text("[map]\nneighbours = 1\nminimum_distance = 'wide'\n")
    loaded = read_settings(path)
    assert loaded.settings.map_fit == MapFit()
    assert len(loaded.faults) == 2
    save_settings(Settings(map_fit=MapFit(8, 0.25)), path)
    assert read_settings(path).settings.map_fit == MapFit(8, 0.25)


def test_saving_keeps_comments_order_and_unknown_keys(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(COMMENTED)
    settings = read_settings(path).settings
    save_settings(replace(settings, options=replace(settings.options, cap=1200)), path)
    text = path.read_text()
    for line in COMMENTED.splitlines():
        if not line.startswith("cap"):
            assert line in text.splitlines()
    assert "cap = 1200 # was 1400" in text
    assert text.index("# long posts") < text.index("cap =") < text.index("[models]") < text.index("[someone.else]")
    assert read_settings(path).settings.options.cap == 1200


def test_a_token_limit_of_zero_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    save_settings(OTHER, path)
    save_settings(Settings(), path)
    assert replace(read_settings(path).settings, others=()) == Settings()  # the tables of other strategies stay


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("[headings]\ncap = 20\n", "cap", Settings()),
        ("[headings]\ndrop = 500\nfold = 100\ncode_lines = 3\n", "drop", Settings(options=Options(code_lines=3))),
        ("[headings]\ncap = 'big'\n", "cap", Settings()),
        ("[headings]\ncap = true\n", "cap", Settings()),
        ("[headings]\nstubs = 'keep'\n", "stubs", Settings()),
        ("[headings]\nstubs = 3\ncap = 900\n", "stubs", Settings(options=Options(cap=900))),
        ("[headings]\nlang = 7\n", "lang", Settings()),
        ("[headings]\nsplit_levels = [9]\n", "split_levels", Settings()),
        ("[headings]\nsplit_levels = 2\n", "split_levels", Settings()),
        ("[headings]\nsplit_levels = ['two']\n", "split_levels", Settings()),
        ("[headings]\nclean = ['all']\n", "clean", Settings()),
        ("[headings]\nclean = [[1]]\n", "clean", Settings()),
        ("headings = 3\n", "headings", Settings()),
        ("models = 3\n", "models", Settings()),
        ("files = []\n", "files", Settings()),
        ("context = 'everything'\n", "context", Settings()),
        ("context = [1]\n", "context", Settings()),
        ("strategy = 'magic'\n", "strategy", Settings()),
        ("[models]\ntarget = 5\n", "target", Settings()),
        ("[models]\ntoken_limit = 'x'\n", "token_limit", Settings()),
        ("[models]\ntoken_limit = 3\n", "token_limit", Settings()),
        ("[models]\ntoken_limit = -3\n", "token_limit", Settings()),
        ("[files]\ninclude = 'a'\nexclude = ['b/']\n", "include", Settings(selection=Selection(exclude=("b/",)))),
        ("[files]\ndrafts = 'yes'\n", "drafts", Settings()),
    ],
    ids=lambda value: value.replace("\n", " ") if isinstance(value, str) else "",
)
def test_a_bad_value_falls_back_and_is_named(tmp_path: Path, text: str, words: str, expected: Settings) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(text)
    loaded = read_settings(path)
    assert loaded.settings == expected and loaded.path == path
    assert any(words in fault and str(path) in fault for fault in loaded.faults), loaded.faults
    assert path.read_text() == text


@pytest.mark.parametrize("data", [b"= broken", b"\xff\xfe\x00", b"a = 1\na = 2\n"], ids=["TOML", "bytes", "twice"])
def test_a_file_that_cannot_be_read_gives_defaults_and_is_never_written_over(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(data)
    loaded = read_settings(path)
    assert loaded.settings == Settings() and loaded.path is None and str(path) in loaded.faults[0]
    with pytest.raises(SettingsError, match="Can't save to"):
        save_settings(OTHER, path)
    assert path.read_bytes() == data


def test_the_folders_file_comes_before_the_users_own(tmp_path: Path, own_config: Path) -> None:
    own_config.mkdir()
    (own_config / FILE_NAME).write_text("[headings]\ncap = 700\n")
    folder = tmp_path / "site"
    folder.mkdir()
    assert load_settings(folder).settings.options.cap == 700
    (folder / FILE_NAME).write_text("[headings]\nfold = 100\n")
    loaded = load_settings(folder)
    assert loaded.settings.options == Options(fold=100) and loaded.path == folder / FILE_NAME
    assert load_settings(None).path == config_folder() / FILE_NAME


def test_the_users_own_broken_file_is_set_aside_the_folders_is_not(tmp_path: Path, own_config: Path) -> None:
    own_config.mkdir()
    (own_config / FILE_NAME).write_text("broken [")
    loaded = load_settings(tmp_path)
    aside = own_config / "chunk-inspector.toml.unreadable"
    assert aside.read_text() == "broken [" and str(aside) in loaded.faults[-1]
    assert not (own_config / FILE_NAME).exists()
    (tmp_path / FILE_NAME).write_text("broken [")
    assert load_settings(tmp_path).faults and (tmp_path / FILE_NAME).read_text() == "broken ["


def test_saving_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(COMMENTED)

    def fail(source: object, goal: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(SettingsError, match="no space left on device"):
        save_settings(OTHER, path)
    assert path.read_text() == COMMENTED
    assert [entry.name for entry in tmp_path.iterdir()] == [FILE_NAME]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="Can't save to"):
        save_settings(Settings(), tmp_path / "file" / FILE_NAME)


def test_the_default_target_is_counted_exactly_and_another_limit_approximately() -> None:
    assert Settings().target().name == DEFAULT_TARGET and not Settings().target().is_approximate
    other = Settings(token_limit=100).target()
    assert other.is_approximate and other.token_limit == 100


def test_rules_are_read_and_saved_in_place(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(
        '[problems]\n# too many of these\ndisable = [\n  "folded", # by design\n  "of-tomorrow",\n]\n', encoding="utf-8"
    )
    loaded = read_settings(path)
    assert loaded.settings.rules == RuleChoice(disable=("folded",))
    assert loaded.faults == (f"{path}: disable names no rule: of-tomorrow.",)
    rules = loaded.settings.rules.without("dropped").including("runt")
    save_settings(replace(loaded.settings, rules=rules), path)
    text = path.read_text(encoding="utf-8")
    assert all(words in text for words in ("# too many of these", "# by design", '"of-tomorrow"', 'enable = ["runt"]'))
    assert read_settings(path).settings.rules == rules
    save_settings(replace(loaded.settings, rules=RuleChoice()), path)
    assert read_settings(path).settings.rules == RuleChoice()
    assert '"of-tomorrow"' in path.read_text(encoding="utf-8")


def test_no_table_of_rules_is_written_where_none_is_needed(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    save_settings(Settings(), path)
    assert "problems" not in path.read_text(encoding="utf-8")
    path.write_text("[problems]\ndisable = 3\n", encoding="utf-8")
    loaded = read_settings(path)
    assert loaded.settings.rules == RuleChoice()
    assert loaded.faults
    save_settings(loaded.settings, path)


def test_each_strategy_keeps_its_options_while_another_is_chosen() -> None:
    settings = Settings().choosing(Window(300)).choosing(Paragraphs(40))
    assert settings.strategy == "paragraphs" and settings.own == Paragraphs(40)
    assert settings.options_of("window") == Window(300) and settings.options_of("sentences") is not None
    back = settings.choosing(None)
    assert back.own is None and back.others == settings.others
    assert back.choosing(back.options_of("window")).own == Window(300)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[window]\nsize = 10\noverlap = 10\n", "overlap"),
        ("[window]\nsize = 'big'\n", "size"),
        ("[recursive]\nseparators = ['comma']\n", "separators"),
        ("[recursive]\nseparators = [[1]]\n", "recursive"),
        ("window = 3\n", "window"),
        ("strategy = 'best'\n", "strategy"),
    ],
)
def test_bad_options_of_a_strategy_fall_back_and_are_named(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(text, encoding="utf-8")
    loaded = read_settings(path)
    assert len(loaded.faults) == 1 and fault in loaded.faults[0]
    assert loaded.settings.own is None and loaded.settings.options_of("window") == Window()
    assert loaded.settings.options_of("recursive") == Recursive()
