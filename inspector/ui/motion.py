"""Whether things may move by themselves: what the author chose, or what the system prefers."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from inspector.ui.theme import Theme


def is_reduced(theme: Theme) -> bool:
    """Return whether animations are to be left out."""
    access = getattr(QGuiApplication.styleHints(), "accessibility", lambda: None)()
    preference = getattr(access, "motionPreference", lambda: None)()  # from Qt 6.12
    return theme.is_still or getattr(preference, "name", "") == "ReducedMotion"
