"""The cluster bootstrap: what a statistic would have been, had other clusters been drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS = 2000
CELLS = 1 << 22
"""Draws times clusters that are in memory at the same time."""


class Spread(NamedTuple):
    """Standard error and interval of a statistic; NaN where unknown."""

    stderr: float
    low: float
    high: float


def cluster_bootstrap(
    totals: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    level: float = 0.95,
) -> Spread:
    """Percentile interval of a statistic of sums, by drawing whole clusters with replacement (Efron 1979).

    Parameters
    ----------
    totals : ndarray, shape (clusters, k)
        What each cluster adds to the k sums on which the statistic depends.
    statistic : callable
        From sums, shape (draws, k), to the statistic, shape (draws,).
    rng : numpy.random.Generator
    draws : int
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Spread
        Unknown for a single cluster.
    """
    clusters = len(totals)
    if clusters < 2:
        return Spread(math.nan, math.nan, math.nan)
    step = max(CELLS // clusters, 1)
    found = np.concatenate(
        [
            statistic(_times(rng, min(step, draws - start), clusters) @ totals)
            for start in range(0, draws, step)
        ]
    )
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Spread(float(found.std(ddof=1)), float(low), float(high))


def _times(rng: np.random.Generator, draws: int, clusters: int) -> NDArray[np.float64]:
    """How often each cluster was drawn, shape (draws, clusters)."""
    drawn = rng.integers(clusters, size=(draws, clusters)) + clusters * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * clusters).reshape(draws, clusters).astype(np.float64)
