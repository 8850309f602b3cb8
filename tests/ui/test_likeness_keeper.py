"""Chunks that say nearly the same, and chunks about several things, become problems once all have vectors."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.ui.real_window import RealWindow, copy_sample, wait_until

pytestmark = [pytest.mark.model, pytest.mark.timeout(150)]


def found(real: RealWindow, code: str) -> list[tuple[str, str]]:
    return [(row.document, row.problem.message) for row in real.window.problems._rows if row.problem.code == code]


def test_a_copied_post_is_named_as_such(fresh: RealWindow, tmp_path: Path) -> None:
    site = copy_sample(tmp_path, "weekly-note-41.md")
    shutil.copy(site / "weekly-note-41.md", site / "weekly-note-99.md")
    fresh.open(site)
    count = fresh.session.totals.chunks
    fresh.session.embed_now()
    wait_until(lambda: len(found(fresh, "near-duplicate")) == count // 2, what=str(fresh.words()))
    assert {name for name, _ in found(fresh, "near-duplicate")} == {"weekly-note-99.md"}
    assert "of weekly-note-41.md (similarity 1.00)" in found(fresh, "near-duplicate")[0][1]
    (site / "weekly-note-99.md").write_text("## Other words\n\n" + "They have nothing to do with the week. " * 9)
    fresh.session.look_for_changes()
    wait_until(lambda: not found(fresh, "near-duplicate"))


def test_several_topics_are_looked_for_where_the_rule_is_on(fresh: RealWindow, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "mixed.md").write_text(
        "## Notes\n\nThe bread rises overnight in a warm kitchen. The database keeps its pages in a B-tree of "
        "fixed blocks. Our ferry leaves the northern harbour at noon. Violins are tuned in fifths from low G. "
        "Tax forms are due by the end of April.\n"
    )
    fresh.open(site)
    settings = fresh.session.settings
    fresh.session.change_settings(replace(settings, rules=settings.rules.including("several-topics")))
    fresh.wait_read()
    fresh.session.embed_now()
    wait_until(lambda: bool(found(fresh, "several-topics")), what=str(fresh.words()))
    assert "seems to be about several things" in found(fresh, "several-topics")[0][1]
