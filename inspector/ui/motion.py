"""Whether things may move by themselves: what the system prefers, or the program's own switch."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

SWITCH = "reduced_motion"
"""A property of the application that, where it is set, decides."""


def is_reduced() -> bool:
    """Return whether animations are to be left out."""
    app = QGuiApplication.instance()
    own = app.property(SWITCH) if app is not None else None
    if own is not None:
        return bool(own)
    access = getattr(QGuiApplication.styleHints(), "accessibility", lambda: None)()
    preference = getattr(access, "motionPreference", lambda: None)()  # from Qt 6.12
    return getattr(preference, "name", "") == "ReducedMotion"
