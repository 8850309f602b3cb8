"""Fixtures for the views: a theme, and documents chunked for real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from inspector.core.chunk import Chunking
from inspector.core.document import Document, read_document
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from inspector.ui.theme import Theme, ThemeMode
from tests.ui.real_window import RealWindow, own_window

Chunked = Callable[..., tuple[Document, Chunking]]


@pytest.fixture(scope="session")
def shared_theme(qapp: QApplication) -> Theme:
    theme = Theme(ThemeMode.LIGHT)
    theme.style_application(qapp)
    return theme


@pytest.fixture
def theme(shared_theme: Theme) -> Iterator[Theme]:
    shared_theme.set_mode(ThemeMode.LIGHT)
    yield shared_theme
    shared_theme.set_mode(ThemeMode.LIGHT)


@pytest.fixture
def fresh(tmp_path: Path, shared_theme: Theme) -> Iterator[RealWindow]:
    """Open a window with empty caches, no folder open."""
    with own_window(shared_theme, tmp_path) as real:
        yield real


@pytest.fixture
def chunked() -> Chunked:
    def make(source: str | bytes, name: str = "post.md", **options: int) -> tuple[Document, Chunking]:
        data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        document = read_document(name, data)
        return document, chunk_document(document, Options(**options))

    return make


POST = (
    "---\ntitle: A post\ntags: [one]\n---\n\n"
    "## First part\n\n" + "The first part has a [link](https://example.org/a) and goes on for a while. " * 6 + "\n\n"
    "<!-- a remark that nobody reads -->\n\n"
    "## Second part\n\n```sh\n## not a heading\nmake deps\n```\n\n" + "The second part is plain. " * 16 + "\n\n"
    "### Aside\n\n" + "Short words only here, but more than eighty characters of them in any case, I hope.\n\n"
    "### Stub\n\nSee above.\n\n"
    "## Long part\n\n" + "A sentence that stands in a long part of the post. " * 40 + "\n"
)
"""A post with all that the views draw: links, a comment, a fence, a folded, a dropped and a cut section."""
