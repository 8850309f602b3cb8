"""The garbage collector, tuned for many objects that stay: looking at them again would stop the window."""

from __future__ import annotations

import gc

YOUNG, MIDDLE, OLD = 50_000, 20, 100
"""Thresholds: chunks and their pieces hold no cycles, so that collecting often finds nothing."""


def calm_collector() -> None:
    """Collect seldom: parsing allocates millions of objects that stay."""
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def settle_objects() -> None:
    """Spare what is alive now in later collections; reference counts still free it."""
    gc.freeze()
