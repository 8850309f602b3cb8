"""Checks of cases whose subject is more than one document's chunks: folders, tokens, maps, questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.corpus import list_folder


def make_tree(path: Path, folder: Path, backwards: bool = False) -> Path:
    """Make the folder that a `.tree.json` stands for: path -> text, or {"link": target}."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    tree = tree.get("files", tree)
    for name in sorted(tree, reverse=backwards):
        content = tree[name]
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            target.symlink_to(content["link"])
        else:
            target.write_text(content, encoding="utf-8", newline="")
    return folder


def files_listed(path: Path, want: list[str], scratch: Path) -> None:
    """The folder lists exactly these files."""
    assert sorted(list_folder(make_tree(path, scratch)).names) == sorted(want)


def order(path: Path, want: list[str], scratch: Path) -> None:
    """The order of files does not depend on the order in which they were made."""
    for name, backwards in (("one", False), ("two", True)):
        assert list(list_folder(make_tree(path, scratch / name, backwards)).names) == want


SUBJECTS: dict[str, Callable[[Path, Any, Path], None]] = {"files_listed": files_listed, "order": order}
