"""Computes intervals by the cluster bootstrap, which draws whole clusters with replacement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.resampling import MANY, batches, index_times_drawn, normal_sums

DRAWS = 2000
CELLS = 1 << 22
"""Number of draws times clusters that are in memory at the same time."""


class Spread(NamedTuple):
    """Hold the standard error and interval of a statistic; NaN where unknown."""

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
    bca: bool = False,
) -> Spread:
    """Compute the interval of a statistic of sums by drawing whole clusters with replacement (Efron 1979).

    The sums of more than :data:`~probsense.analysis.inference.resampling.MANY` clusters are drawn from their normal
    limit.

    Parameters
    ----------
    totals : ndarray, shape (clusters, k)
        Contribution of each cluster to the k sums on which the statistic depends.
    statistic : callable
        Function that maps sums, shape (draws, k), to the statistic, shape (draws,).
    rng : numpy.random.Generator
    draws : int
    level : float
        Nominal coverage of the interval.
    bca : bool
        Whether to correct the percentiles for bias and skewness (Efron 1987, J. American Statistical Association 82,
        171–185, eq. 6.4 and 6.6), with z₀ from the share of draws below the statistic, ties counted half, and the
        acceleration a = Σ d³ / 6 (Σ d²)^1.5 from the jackknife over clusters.

    Returns
    -------
    Spread
        NaN for a single cluster.
    """
    clusters = len(totals)
    if clusters < 2:
        return Spread(math.nan, math.nan, math.nan)
    if clusters > MANY:
        found = statistic(normal_sums(rng, totals, draws))
    else:
        found = np.concatenate(
            [
                statistic(index_times_drawn(rng, clusters, some) @ totals)
                for some in batches(draws, clusters, CELLS)
            ]
        )
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(found, _corrected(ends, found, totals, statistic) if bca else ends)
    return Spread(float(found.std(ddof=1)), float(low), float(high))


def _corrected(
    ends: NDArray[np.float64],
    found: NDArray[np.float64],
    totals: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Compute which percentiles of the draws bound the interval, corrected for bias and skewness."""
    from scipy.special import ndtr, ndtri

    (value,) = statistic(totals.sum(axis=0, keepdims=True))
    below = (np.count_nonzero(found < value) + np.count_nonzero(found <= value)) / (2 * len(found))
    if not 0 < below < 1:
        return ends  # all draws are on one side, so the bias is unknown
    without = statistic(totals.sum(axis=0) - totals)
    gap = without.mean() - without
    squares = float(gap @ gap)
    acceleration = float(gap @ gap**2) / (6 * squares**1.5) if squares else 0.0
    bias = ndtri(below)
    shifted = bias + ndtri(ends)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))
