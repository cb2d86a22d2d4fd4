"""Estimates proportions with intervals that stay between 0 and 1, also where every observation is a hit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.quantiles import t_quantile
from probsense.core.records import Json


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


def effective_wilson(share: float, stderr: float, *, most: float, units: int, level: float) -> Ends:
    """Compute Wilson's interval with the effective number of observations of a share whose error is known.

    The number is n* = p(1−p)/se² (Korn & Graubard 1998, Survey Methodology 24(2)). Student's t stands for z.

    Parameters
    ----------
    share, stderr : float
    most : float
        The number of observations, which n* does not exceed.
    units : int
        The number of independent units; t has one degree of freedom less. Where the standard error is 0, it carries
        no information, and every unit counts as one observation.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Ends
        NaN for a single unit, and where the error is unknown.
    """
    if units < 2 or math.isnan(stderr):
        return Ends(math.nan, math.nan)
    z = t_quantile(units - 1, level)
    # A bootstrap may know the error of 0 and of 1: the centre of the interval then stands for the share.
    middle = share if 0 < share < 1 else (share + z * z / (2 * units)) / (1 + z * z / units)
    n = min(middle * (1 - middle) / stderr**2, most) if stderr > 0 else units
    return wilson(share, n, z=z)


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

    The interval is that of :func:`effective_wilson`, with the clustered error of
    :func:`~probsense.analysis.inference.means.mean_estimate` and C−1 degrees of freedom. If all observations are
    hits or none is, every cluster counts as one observation.

    Parameters
    ----------
    measure, by, chance
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
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
    low, high = effective_wilson(found.value, found.stderr, most=found.n, units=found.clusters, level=level)
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
