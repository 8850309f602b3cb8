"""UMAP from neighbours that are known (McInnes, Healy, Melville 2018), in numpy alone: nothing to import or compile.

umap-learn takes half a minute to import and compile in a fresh process, and moves its points one at a time. Here an
epoch's edges move them in four parts, which costs a fifth of the time and loses no trustworthiness (tests/benchmarks).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspector.embedding.search import Neighbours

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

NEGATIVES = 5  # points pushed away for each that is pulled
PARTS = 4  # of an epoch's edges, each moved before the next is looked at
FARTHEST_STEP = 4.0  # the limit of one pull or push on one axis
BISECTIONS = 64
SMALLEST_WIDTH = 1e-3  # of a row's kernel, as a share of its mean distance
NEAREST = np.float32(1e-12)  # squared: so near is as good as equal
SOFTENING = np.float32(1e-3)  # of the push between equal points
CURVE_POINTS, CURVE_REACH = 300, 3.0
CURVE_STEPS = 60
EPOCHS = ((2_000, 1_000), (10_000, 500))  # up to so many points, so many rounds
FEWEST_EPOCHS = 200


@dataclass(frozen=True, slots=True)
class Graph:
    """Weighted edges (m,) in both directions, in the order of `heads`; weights in (0, 1]."""

    count: int
    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    weights: Floats


def epochs_of(count: int) -> int:
    """Give the rounds that so many points take: few points need more, and each is cheap."""
    return next((epochs for limit, epochs in EPOCHS if count <= limit), FEWEST_EPOCHS)


def fuzzy_graph(known: Neighbours, neighbours: int) -> Graph:
    """Weigh the edges to each row's nearest (n, k): equation 1, united over both directions (section 3.1).

    `neighbours` counts the row itself: k of `neighbours` − 1 are taken.
    """
    indices = known.indices[:, : neighbours - 1]
    distances = known.distances[:, : neighbours - 1].astype(np.float64)
    count, width = indices.shape
    nearest, kernels = _kernels(distances, neighbours)
    weights = np.exp(-np.maximum(distances - nearest[:, None], 0.0) / kernels[:, None]).ravel()
    rows, columns = np.repeat(np.arange(count), width), indices.ravel()
    keys = np.concatenate([rows * count + columns, columns * count + rows])
    order = np.argsort(keys, kind="stable")
    keys, both = keys[order], np.concatenate([weights, weights])[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    is_mutual = np.diff(first, append=len(keys)) == 2
    united = both[first]
    other = both[first[is_mutual] + 1]
    united[is_mutual] += other - united[is_mutual] * other
    edges = keys[first]
    return Graph(count, (edges // count).astype(np.int32), (edges % count).astype(np.int32), united)


def _kernels(distances: Floats, neighbours: int) -> tuple[Floats, Floats]:
    """Give each row's distance (n,) to its nearest that is not equal, and the width (n,) at which its weights add up.

    They are to add up to the binary logarithm of the neighbours (algorithm 3).
    """
    apart = np.where(distances > 0, distances, np.inf).min(axis=1, initial=np.inf)
    nearest = np.where(np.isfinite(apart), apart, 0.0)
    beyond = np.maximum(distances - nearest[:, None], 0.0)
    goal = np.log2(neighbours)
    low, high, width = np.zeros(len(distances)), np.full(len(distances), np.inf), np.ones(len(distances))
    for _ in range(BISECTIONS):
        is_wide = np.exp(-beyond / width[:, None]).sum(axis=1) > goal
        high, low = np.where(is_wide, width, high), np.where(is_wide, low, width)
        width = np.where(np.isinf(high), width * 2.0, (low + high) / 2.0)
    mean = np.where(nearest > 0, distances.mean(axis=1), distances.mean())
    return nearest, np.maximum(width, np.maximum(SMALLEST_WIDTH * mean, float(NEAREST)))


def curve(min_dist: float) -> tuple[float, float]:
    """Fit 1 / (1 + a·d^(2b)) to the closeness wanted: 1 up to `min_dist`, then falling as exp(min_dist − d)."""
    distances = np.linspace(0.0, CURVE_REACH, CURVE_POINTS)[1:]
    wanted = np.where(distances < min_dist, 1.0, np.exp(min_dist - distances))
    logs = np.log(distances)
    found, damping = np.zeros(2), 1e-2  # the logarithms of a and b
    error = _misfit(found, logs, wanted)
    for _ in range(CURVE_STEPS):
        a, b = np.exp(found)
        steep = a * np.exp(2 * b * logs)
        slope = -steep / (1.0 + steep) ** 2
        jacobian = np.column_stack([slope, slope * 2 * b * logs])
        square = jacobian.T @ jacobian
        step = np.linalg.solve(square + damping * np.diag(np.diag(square)), jacobian.T @ error)
        tried = _misfit(found - step, logs, wanted)
        if tried @ tried <= error @ error:
            found, error, damping = found - step, tried, damping / 4
        else:
            damping *= 4
    a, b = np.exp(found)
    return float(a), float(b)


def _misfit(logarithms: Floats, log_distances: Floats, wanted: Floats) -> Floats:
    """Give what the curve is off at each distance."""
    a, b = np.exp(logarithms)
    return np.asarray(1.0 / (1.0 + a * np.exp(2 * b * log_distances)) - wanted)


def lay_out(
    graph: Graph, start: Vectors, min_dist: float, seed: int, epochs: int | None = None, rate: float = 1.0
) -> Vectors:
    """Move points from their start (n, 2) so that edges are short and other pairs are not (algorithm 5); (n, 2).

    The same graph, start and seed give the same places in every process. `rate` is the length of the first steps.
    """
    epochs = epochs_of(graph.count) if epochs is None else epochs
    force = _force(*curve(min_dist))
    random = np.random.default_rng(seed)
    is_used = graph.weights >= graph.weights.max() / epochs
    heads, tails, weights = graph.heads[is_used], graph.tails[is_used], graph.weights[is_used]
    period = (weights.max() / weights).astype(np.float32)
    due = period.copy()
    x, y = (np.array(start[:, axis], np.float32) for axis in (0, 1))
    parts = [slice(part, None, PARTS) for part in range(PARTS)]
    for epoch in range(epochs):
        pace = rate * (1.0 - epoch / epochs)
        for part in parts:
            now = np.flatnonzero(due[part] <= epoch + 1)
            due[part][now] += period[part][now]
            own, goal = heads[part][now], tails[part][now]
            others = random.integers(0, graph.count, (NEGATIVES + 1, len(own)), dtype=np.int32)
            others[0] = goal
            gap_x, gap_y = x[own] - x[others], y[own] - y[others]
            force(gap_x, gap_y)
            for places, moves in ((x, gap_x), (y, gap_y)):
                mine = np.bincount(own, moves.sum(axis=0), graph.count)
                theirs = np.bincount(goal, moves[0], graph.count)
                places += (pace * (mine - theirs)).astype(np.float32)
    return np.column_stack([x, y])


def _force(a: float, b: float) -> Callable[[Vectors, Vectors], None]:
    """Give the function that turns gaps (1 + negatives, m), the pulled ones first, into moves in place."""
    wide, power = np.float32(a), np.float32(b)

    def apply(gap_x: Vectors, gap_y: Vectors) -> None:
        squares = gap_x * gap_x
        squares += gap_y * gap_y
        np.maximum(squares, NEAREST, out=squares)
        curved = np.log(squares)
        curved *= power
        np.exp(curved, out=curved)
        curved *= wide
        strength = np.empty_like(squares)
        strength[0] = -2 * power * curved[0] / squares[0] / (1 + curved[0])
        curved[1:] += 1
        squares[1:] += SOFTENING
        curved[1:] *= squares[1:]
        np.divide(2 * power, curved[1:], out=strength[1:])
        for gaps in (gap_x, gap_y):
            gaps *= strength
            np.clip(gaps, -FARTHEST_STEP, FARTHEST_STEP, out=gaps)

    return apply
