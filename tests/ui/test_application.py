"""What a system wants opened in a running program is opened."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from inspector.ui.application import Application
application = Application(["program"])
asked = []
application.asked_to_open.connect(asked.append)
application.sendEvent(application, QFileOpenEvent(QUrl.fromLocalFile("/posts/a b.md")))
application.sendEvent(application, QFileOpenEvent(QUrl("https://example.org/a.md")))
print(asked)
"""


def test_an_open_event_names_its_file_and_an_address_is_no_file():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60)
    assert done.stdout == "['/posts/a b.md']\n", done.stderr
