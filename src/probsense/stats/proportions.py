"""Estimates proportions with intervals that stay between 0 and 1, also where every observation is a hit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.records import Json
from probsense.stats.estimate import Estimate
from probsense.stats.means import mean_estimate
from probsense.stats.quantiles import t_quantile


class Ends(NamedTuple):
    """Hold the lower and upper end of an interval."""

    low: float
    high: float


def wilson(share: float, n: float, *, z: float) -> Ends:
    """Compute the score interval of a proportion (Wilson 1927, J. American Statistical Association 22, 209–212).

    Parameters
    ----------
    share : float
        Observed proportion.
    n : float
        Number of independent observations, not necessarily whole.
    z : float
        Half the width in standard errors: 1.96 for 95 %.
    """
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # The interval ends exactly at 0 or 1 there, but rounding would miss it.
    return Ends(
        0.0 if share == 0 else max(centre - half, 0.0), 1.0 if share == 1 else min(centre + half, 1.0)
    )


def proportion_estimate(
    measure: str,
    by: Mapping[str, Json],
    hits: ArrayLike,
    clusters: ArrayLike,
    *,
    level: float = 0.95,
    chance: float = math.nan,
) -> Estimate:
    """Estimate a share of hits with clustered standard error and a score interval (method "clustered Wilson").

    The interval is Wilson's with the effective number of observations of Korn & Graubard (1998, Survey Methodology
    24(2)): n* = p(1−p)/se² with the clustered error of :func:`~probsense.stats.means.mean_estimate`, at most the number
    of observations, and with Student's t at C−1 degrees of freedom instead of z. If all observations are hits or none
    is, the standard error is 0 and carries no information; every cluster then counts as one observation.

    Parameters
    ----------
    measure, by, chance
        As in :class:`~probsense.stats.estimate.Estimate`.
    hits : array_like of bool, shape (n,)
        Observations, at least one. One that is half a hit counts .5.
    clusters : array_like, shape (n,)
        Cluster of each observation: labels of any kind.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        Estimate, whose interval is NaN for a single cluster.
    """
    hits = np.asarray(hits, dtype=np.float64)
    found = mean_estimate(measure, by, hits, clusters, level=level, chance=chance)
    low = high = math.nan
    if found.clusters > 1:
        known = found.stderr > 0
        spread = found.value * (1 - found.value)
        n = min(spread / found.stderr**2, found.n) if known else found.clusters
        low, high = wilson(found.value, n, z=t_quantile(found.clusters - 1, level))
    return Estimate(
        measure,
        by,
        found.value,
        found.stderr,
        low,
        high,
        level,
        found.n,
        found.clusters,
        "clustered Wilson",
        chance,
    )
