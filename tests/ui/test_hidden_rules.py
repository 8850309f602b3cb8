"""Rules hidden in a folder, in the real window."""

from __future__ import annotations

from pathlib import Path

from inspector.settings import FILE_NAME, read_settings
from tests.ui.real_window import RealWindow, copy_sample, wait_until


def codes(real: RealWindow) -> set[str]:
    return {row.problem.code for row in real.window.problems._rows}


def test_a_hidden_rule_leaves_the_window_is_saved_and_comes_back(fresh: RealWindow, tmp_path: Path) -> None:
    site = copy_sample(tmp_path, "uses.md", "resume.md", "about.md")
    fresh.open(site)
    session, panel = fresh.session, fresh.window.problems
    assert "folded" in codes(fresh)
    assert panel.rules_chip.text() == "Rules"
    panel.rule_hidden.emit("folded")
    wait_until(lambda: fresh.is_idle() and "folded" not in codes(fresh))
    assert panel.rules_chip.text() == "1 rule hidden"
    assert session.differs_from_saved
    session.save(site / FILE_NAME)
    assert read_settings(site / FILE_NAME).settings.rules.hidden == ("folded",)
    panel.rule_shown.emit("folded")
    wait_until(lambda: fresh.is_idle() and "folded" in codes(fresh))
    assert panel.rules_chip.text() == "Rules"
    panel.rule_shown.emit("runt")
    assert session.settings.rules.enable == ("runt",)
