"""Which dialects a folder is written in is told by its config files, and by what its texts hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.dialects import DIALECTS
from inspector.core.dialects.detect import CONFIGS, detect_dialects
from inspector.corpus import find_dialects, list_folder

HITS = {
    "hugo": "{{< note >}}\n",
    "liquid": "{% include a.html %}\n",
    "kumascript": 'Use {{jsxref("Array")}}.\n',
    "mdx": "import A from './a'\n",
    "mkdocs": '!!! note "A"\n    text\n',
    "containers": ":::tip\ntext\n:::\n",
    "kramdown": "## A\n{: .b}\n",
    "attributes": "## A {#b}\n",
    "alerts": "> [!NOTE]\n> text\n",
    "obsidian": "See [[A page|b]].\n",
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_text_that_holds_a_dialect_is_told(name: str) -> None:
    assert name in detect_dialects((), [HITS[name]])
    assert name in detect_dialects((), [HITS[name].replace("\n", "\r\n")])


@pytest.mark.parametrize("name", DIALECTS)
def test_code_tells_nothing(name: str) -> None:
    assert not detect_dialects((), [f"Text.\n\n````\n{HITS[name]}````\n\nMore.\n"])
    assert not detect_dialects((), ["Use `{{< a >}}`, `{% if x %}` and `[[A page]]`.\n"])


@pytest.mark.parametrize(
    "text", ["[[cascade]]\n", "[[1, 2], [3]]\n", "{{ user }}\n", "a ::: b\n", "Stop!!!\n", "{a: b}\n", "> quote\n"]
)
def test_near_misses_tell_nothing(text: str) -> None:
    assert detect_dialects((), [text]) == frozenset()


def test_one_text_in_twenty_tells() -> None:
    plain = ["Text.\n"] * 39
    assert detect_dialects((), [*plain, HITS["obsidian"]]) == frozenset()
    assert detect_dialects((), [*plain[1:], HITS["obsidian"], HITS["obsidian"]]) == {"obsidian"}


@pytest.mark.parametrize(
    ("configs", "found"),
    [
        (["hugo.toml"], {"hugo", "attributes"}),
        (["config.toml"], set()),
        (["config.toml", "content/"], {"hugo", "attributes"}),
        (["_config.yml"], {"liquid", "kramdown"}),
        ([".obsidian/"], {"obsidian"}),
        (["docusaurus.config.js"], {"mdx", "containers", "attributes"}),
        (["mkdocs.yml"], {"mkdocs"}),
        ([".vitepress/"], {"containers", "attributes"}),
        (["package.json:astro"], {"mdx"}),
        (["package.json:next"], {"mdx"}),
    ],
)
def test_config_files_tell(configs: list[str], found: set[str]) -> None:
    assert set(configs) <= CONFIGS
    assert detect_dialects(configs, ["Text.\n"]) == found


def test_a_folder_is_told_by_its_files(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "a.md").write_text("Text.\n", encoding="utf-8")
    (tmp_path / "b.md").write_bytes(b"\xff\xfe\x00" * 20)
    assert find_dialects(list_folder(tmp_path)) == {"obsidian"}


def test_a_folder_below_a_site_is_told_by_the_repository(tmp_path: Path) -> None:
    content = tmp_path / "content"
    content.mkdir()
    (content / "a.md").write_text("Text.\n", encoding="utf-8")
    (tmp_path / "hugo.toml").write_text("", encoding="utf-8")
    assert find_dialects(list_folder(content)) == frozenset()
    (tmp_path / ".git").mkdir()
    assert find_dialects(list_folder(content)) == {"hugo", "attributes"}


@pytest.mark.parametrize("package", ['{"dependencies": {"astro": "4"}}', "{", "[]", '{"dependencies": 1}'])
def test_the_dependencies_of_a_project_tell(package: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.\n", encoding="utf-8")
    (tmp_path / "package.json").write_text(package, encoding="utf-8")
    expected = {"mdx"} if "astro" in package else set()
    assert find_dialects(list_folder(tmp_path)) == expected


def test_an_mdx_file_tells(tmp_path: Path) -> None:
    (tmp_path / "a.mdx").write_text("Text.\n", encoding="utf-8")
    assert find_dialects(list_folder(tmp_path)) == {"mdx"}
