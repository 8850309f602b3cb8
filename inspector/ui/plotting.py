"""pyqtgraph, imported without its copies of all of Qt's names: making them, 600 enums, takes a tenth of a second.

It copies the attributes of three modules of Qt into modules of its own. While it does, Qt's say that they have none;
afterwards its own look each name up when it is asked for, once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets

MIRRORED = (QtCore, QtGui, QtWidgets)


def _mirror_of(module: ModuleType) -> ModuleType:
    return sys.modules[f"pyqtgraph.Qt.{module.__name__.rpartition('.')[2]}"]


def _look_up_in(module: ModuleType) -> None:
    """Let pyqtgraph's mirror of a module find what that has."""
    mirror = _mirror_of(module)

    def look_up(name: str) -> Any:
        value = getattr(module, name)
        setattr(mirror, name, value)
        return value

    mirror.__getattr__ = look_up  # type: ignore[method-assign]


@contextmanager
def _without_names(modules: tuple[ModuleType, ...]) -> Iterator[None]:
    """Let modules say that they have no names, and their mirrors look names up, while pyqtgraph copies them."""
    before = [vars(module).get("__dir__") for module in modules]
    for module in modules:

        def names(module: ModuleType = module) -> list[str]:
            _look_up_in(module)
            return []

        module.__dir__ = names  # type: ignore[method-assign]
    try:
        yield
    finally:
        for module, own in zip(modules, before, strict=True):
            if own is not None:
                module.__dir__ = own  # type: ignore[method-assign]
            else:
                del module.__dir__


with _without_names(MIRRORED):
    import pyqtgraph as pg

__all__ = ["pg"]
