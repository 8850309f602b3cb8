"""Which files of a folder count, in which order, and why the others do not."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from inspector.core.document import read_document
from inspector.corpus import Selection, is_draft, list_folder, stamp
from inspector.errors import FolderError

Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Give a function that makes files below a folder: names, or name=content for those with content."""

    def make(names: Iterable[str] = (), folder: str = "site", **contents: str) -> Path:
        root = tmp_path / folder
        root.mkdir(exist_ok=True)
        for name in names:
            write(root, name, "## A\n\nWords.\n")
        return root

    return make


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def names(root: Path, **selection: object) -> list[str]:
    return list(list_folder(root, Selection(**selection)).names)  # type: ignore[arg-type]


def reasons(root: Path, **selection: object) -> dict[str, str]:
    listing = list_folder(root, Selection(**selection))  # type: ignore[arg-type]
    return {entry.name: entry.reason for entry in listing.left_out}


def test_markdown_in_any_case_of_letters(tree: Tree) -> None:
    wanted = ["a.md", "b.MD", "c.Markdown", "d.mdown", "e.mkd", "f.mdx", "g.qmd"]
    root = tree([*wanted, "h.txt", "i.html", "md", "j.md.bak"])
    assert names(root) == wanted
    assert "h.txt" in names(root, plain_text=True)


def test_names_that_differ_only_in_case_are_two_documents(tree: Tree) -> None:
    assert set(names(tree(["Post.md", "post.md", "POST.md"]))) == {"Post.md", "post.md", "POST.md"}


def test_numbers_are_sorted_by_value_and_paths_by_parts(tree: Tree) -> None:
    wanted = ["a/1.md", "a/b/2.md", "a/b/10.md", "a-b/1.md", "post-2.md", "post-10.md", "Post-11.md", "post-100.md"]
    shuffled = list(wanted)
    random.Random(5).shuffle(shuffled)
    assert sorted(names(tree(shuffled))) == sorted(wanted)
    order = names(tree(shuffled))
    assert [n for n in order if n.lower().startswith("post")] == wanted[4:]
    assert [n for n in order if n.startswith("a/b/")] == ["a/b/2.md", "a/b/10.md"]
    assert order == names(tree(sorted(wanted), folder="again"))


def test_hidden_dependencies_environments_and_outputs_are_left_out_with_the_reason(tree: Tree) -> None:
    root = tree(
        ["a.md", ".hidden.md", ".obsidian/x.md", "node_modules/p/README.md", "deep/node_modules/q.md", "env/lib/y.md",
         "_site/z.md", "dist/z.md", "public/page.md", "build/notes.md"],
    )  # fmt: skip
    write(root, "env/pyvenv.cfg", "home = /usr")
    write(root, "public/index.html", "<p>")
    assert names(root) == ["a.md", "build/notes.md"]
    assert reasons(root) == {
        ".hidden.md": "hidden",
        ".obsidian/": "hidden",
        "node_modules/": "dependencies",
        "deep/node_modules/": "dependencies",
        "env/": "virtual environment",
        "_site/": "build output",
        "dist/": "build output",
        "public/": "build output",
    }


def test_include_overrides_what_leaves_out(tree: Tree) -> None:
    root = tree(["a.md", ".notes/b.md", "dist/c.md", "old/d.md", "ignored.md"])
    write(root, ".gitignore", "ignored.md\n")
    assert names(root, exclude=("old/",)) == ["a.md"]
    chosen = names(root, include=(".notes/", ".notes/**", "ignored.md", "old/"), exclude=("old/",))
    assert set(chosen) >= {".notes/b.md", "a.md", "ignored.md"} and "dist/c.md" not in chosen


def test_exclude_is_named(tree: Tree) -> None:
    root = tree(["a.md", "drafts/b.md", "x.tmp.md"])
    assert names(root, exclude=("drafts/", "*.tmp.md")) == ["a.md"]
    assert reasons(root, exclude=("drafts/", "*.tmp.md")) == {"drafts/": "excluded", "x.tmp.md": "excluded"}


IGNORED = {
    ".gitignore": "*.tmp.md\n/top.md\nlogs/\n!keep.tmp.md\nsub/secret.md\n# comment\n\\#hash.md\nspace\\ .md\n",
    "sub/.gitignore": "!special.tmp.md\nlocal.md\ndeeper/*\n!deeper/saved.md\n",
    "sub/deeper/.gitignore": "",
}


def test_gitignore_files_at_every_level_as_git_reads_them(tree: Tree) -> None:
    root = tree(
        ["a.md", "b.tmp.md", "keep.tmp.md", "top.md", "sub/top.md", "logs/l.md", "sub/logs/l.md", "sub/secret.md",
         "sub/special.tmp.md", "sub/local.md", "local.md", "sub/deeper/x.md", "sub/deeper/saved.md", "#hash.md"],
    )  # fmt: skip
    for name, text in IGNORED.items():
        write(root, name, text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    told = subprocess.run(
        ["git", "-C", str(root), "-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard", "*.md"],
        capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    assert set(names(root)) == {name for name in told if name}
    assert reasons(root)["b.tmp.md"] == "ignored" and reasons(root)["logs/"] == "ignored"


def test_the_gitignore_of_the_repository_above_counts_and_one_above_that_does_not(tree: Tree) -> None:
    root = tree(["repo/docs/a.md", "repo/docs/b.md", "repo/docs/c.md", "repo/docs/old/d.md"])
    write(root, ".gitignore", "a.md\n")
    write(root, "repo/.gitignore", "docs/b.md\n/docs/old/\n")
    (root / "repo" / ".git").mkdir()
    assert names(root / "repo" / "docs") == ["a.md", "c.md"]


def test_an_ignored_folder_that_is_opened_counts(tree: Tree) -> None:
    root = tree(["site/dist/a.md", "site/dist/deep/b.md", "site/dist/deep/secret.md"], git=True)
    write(root, ".gitignore", "dist/\nb.md\n")
    write(root, "site/dist/deep/.gitignore", "secret.md\n")
    assert names(root) == []
    assert set(names(root / "site" / "dist")) == {"a.md", "deep/b.md"}
    assert set(names(root / "site" / "dist" / "deep")) == {"b.md"}


def test_a_gitignore_without_sense_stops_nothing(tree: Tree) -> None:
    root = tree(["a.md"])
    (root / ".gitignore").write_bytes(b"\xff\xfe[\n***\n!\n")
    assert names(root) == ["a.md"]


def test_links_are_followed_inside_the_folder_only_and_each_file_counts_once(tree: Tree) -> None:
    root = tree(["a.md", "real/b.md"])
    outside = tree(["secret.md"], folder="outside")
    (root / "loop").symlink_to(root)
    (root / "real" / "up").symlink_to(root / "real")
    (root / "again.md").symlink_to(root / "a.md")
    (root / "other").symlink_to(root / "real")
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "out").symlink_to(outside)
    (root / "broken.md").symlink_to(root / "nothing.md")
    (root / "circle.md").symlink_to(root / "circle.md")
    assert len(names(root)) == 2 and {Path(name).name for name in names(root)} <= {"a.md", "b.md", "again.md"}
    told = reasons(root)
    assert told["out.md"] == told["out/"] == "link out of the folder"
    assert told["broken.md"] == "broken link"
    assert names(root) == names(root)


def test_the_real_file_is_named_rather_than_a_link_to_it(tree: Tree) -> None:
    root = tree(["z.md", "zz/b.md"])
    (root / "a.md").symlink_to(root / "z.md")
    (root / "aa").symlink_to(root / "zz")
    assert names(root) == ["z.md", "zz/b.md"]


def test_hard_links_are_two_documents(tree: Tree) -> None:
    root = tree(["a.md"])
    os.link(root / "a.md", root / "b.md")
    assert names(root) == ["a.md", "b.md"]


def test_what_is_no_file_is_left_out(tree: Tree) -> None:
    root = tree(["a.md"])
    os.mkfifo(root / "pipe.md")
    assert names(root) == ["a.md"] and reasons(root) == {"pipe.md": "not a file"}


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("")
    for path, why in ((tmp_path / "file.md", "not a folder"), (tmp_path / "gone", "no such folder")):
        with pytest.raises(FolderError, match=why):
            list_folder(path)


def test_drafts_say_so_in_front_matter() -> None:
    for text, expected in (
        ("---\ndraft: true\n---\n", True),
        ("---\npublished: false\n---\n", True),
        ("+++\ndraft = true\n+++\n", True),
        ("---\ndraft: false\n---\n", False),
        ("---\ndraft: 'true'\n---\n", False),
        ("draft: true\n", False),
    ):
        assert is_draft(read_document("a.md", text.encode())) is expected


def test_a_stamp_changes_with_the_file(tree: Tree) -> None:
    root = tree(["a.md"])
    before = stamp(root / "a.md")
    (root / "a.md").write_text("other words, and more of them")
    changed = stamp(root / "a.md")
    assert before != changed
    os.chmod(root / "a.md", 0o600)
    assert stamp(root / "a.md") != changed
    assert stamp(root / "gone.md") is None
