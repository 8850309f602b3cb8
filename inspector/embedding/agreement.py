"""Whether two ways to compute a model's vectors agree: the law that an engine must keep before it may serve.

Vectors of all engines share the cache under one key, so one law holds for all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

LEAST_COSINE = 0.9999  # measured: onnxruntime differs by 1e-7, bfloat16 by 4e-5
CHECKED_TEXTS = 64


def least_cosine(mine: Vectors, other: Vectors) -> float:
    """Give the least cosine of rows (n, d) and their counterparts; 0 where a number is not finite."""
    if not (np.isfinite(mine).all() and np.isfinite(other).all()):
        return 0.0
    wide, goal = mine.astype(np.float64), other.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1) * np.linalg.norm(goal, axis=1)
    return float(((wide * goal).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)).min())


def varied_texts() -> list[str]:
    """Make 64 texts of all lengths, scripts and kinds, the same every time; the longest are read in part."""
    kinds = (
        "The chunk that answers a question should stand by itself.",
        "## Heading\n\n- one\n- two, with `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "Wie lang darf ein Abschnitt sein? Größe, Maß, Straße.",
        "分かち書きのない文章も読まれる。短い文。",
        "def add(a: int, b: int) -> int:\n    return a + b  # no more",
        "Что было ночью? Ничего особенного.",
        "😀 e\u0301 naïve — “quoted” … 1,234.5 €",
        "https://example.org/a?b=c&d=e#f",
    )
    texts = ["", " ", "a"]
    for number in range(CHECKED_TEXTS - len(texts)):
        times = 1 + number * number // 90
        texts.append(" ".join([str(number), *(kinds[(number + turn) % len(kinds)] for turn in range(times))]))
    return texts
