"""pyqtgraph has all of Qt's names, though they were not copied into it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets
modules = [PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets]
before = [set(dir(module)) for module in modules]
from inspector.ui.plotting import pg
mirrors = [pg.Qt.QtCore, pg.Qt.QtGui, pg.Qt.QtWidgets]
print(sum(len(vars(mirror)) for mirror in mirrors), sum(map(len, before)))
for module, mirror, names in zip(modules, mirrors, before, strict=True):
    assert names <= set(dir(module)), "a module of Qt has lost names"
    for name in names:
        if not name.startswith("__"):
            assert getattr(mirror, name) is getattr(module, name), name
    assert not hasattr(mirror, "QNoSuchThing")
"""


def test_every_name_is_found_and_few_were_made() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    copied, there = map(int, done.stdout.split())
    assert copied < there / 2
