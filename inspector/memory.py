"""The garbage collector, tuned for many objects that stay: looking at them again would stop the window."""

from __future__ import annotations

import gc

YOUNG, MIDDLE, OLD = 2_000, 2, 25_000
"""Thresholds: a collection looks at 6,000 objects at most, 3 ms, and at all that stay only after a day's work.

Chunks and their pieces hold no cycles, so that collecting often finds nothing.
"""


def calm_collector() -> None:
    """Collect seldom: parsing allocates millions of objects that stay."""
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def settle_objects() -> None:
    """Spare what is alive now in later collections; reference counts still free it."""
    gc.freeze()


def free_cycles() -> None:
    """Look at everything once, for something large was let go that may hold itself, as a loaded network does."""
    gc.unfreeze()
    gc.collect()
