"""Means of observations that come in clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from probsense.records import Json
from probsense.stats.estimate import Estimate


def mean_estimate(
    measure: str,
    by: Mapping[str, Json],
    values: ArrayLike,
    clusters: ArrayLike,
    *,
    level: float = 0.95,
    chance: float = math.nan,
) -> Estimate:
    """Mean with clustered standard error and t interval (method "clustered").

    The standard error is that of Miller (2024, arXiv 2411.00640): residuals are summed up within each of the C
    clusters, squared and summed, √(C/(C−1) · Σ_c (Σ_{i∈c} (xᵢ − x̄))²) / n. The factor C/(C−1) is the usual one for
    few clusters (Cameron & Miller 2015): where every observation is a cluster, the result is the ordinary
    standard error of a mean, and where all clusters are equally large, that of the mean of their means. The
    interval takes Student's t with C−1 degrees of freedom.

    Parameters
    ----------
    measure, by, chance
        As in :class:`~probsense.stats.estimate.Estimate`.
    values : array_like, shape (n,)
        At least one, all finite.
    clusters : array_like, shape (n,)
        Which cluster each belongs to: labels of any kind.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        With an unknown interval for a single cluster.
    """
    values = np.asarray(values, dtype=np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    mean, count = float(values.mean()), int(place.max()) + 1
    stderr = half = math.nan
    if count > 1:
        from scipy.special import stdtrit

        sums = np.bincount(place, values - mean)
        stderr = math.sqrt(count / (count - 1) * float(sums @ sums)) / len(values)
        half = float(stdtrit(count - 1, (1 + level) / 2)) * stderr
    return Estimate(
        measure, by, mean, stderr, mean - half, mean + half, level, len(values), count, "clustered", chance
    )
