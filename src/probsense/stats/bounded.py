"""Keeps intervals within the bounds of what they estimate, and from claiming certainty where nothing varied."""

from __future__ import annotations

import math
from dataclasses import replace

from probsense.stats.estimate import Estimate
from probsense.stats.proportions import wilson
from probsense.stats.quantiles import t_quantile

FLAT = 1e-12
"""Intervals that are narrower, relative to the value, have no width but by rounding."""


def bounded(estimate: Estimate, bounds: tuple[float, float]) -> Estimate:
    """Return the estimate with an interval that lies within the bounds, holds the value and has a width.

    An interval is cut off at the bounds. It loses nothing by that, because no true value lies beyond them. A percentile
    interval of a biased statistic may miss the value; it is widened up to it.

    An interval without width comes from observations that are all equal, and their spread of 0 carries no
    information. Let them be n, the smaller one of the numbers of observations and clusters. A share w of all possible
    observations may then differ, where w is the upper end of Wilson's interval for 0 of n (Wilson 1927, with Student's
    t at n − 1 degrees of freedom). These may lie at either bound, so the mean may be anything from v − w·(v − low) to
    v + w·(high − v). If the value v lies at a bound, this is Wilson's interval itself, as
    :func:`~probsense.stats.proportions.proportion_estimate` has it for a share of 0 or 1. For a single observation,
    and on a side without a finite bound, nothing bounds the mean, and the whole interval is unknown.

    Parameters
    ----------
    estimate : Estimate
    bounds : (float, float)
        The smallest and the largest possible value; infinite where there is none.

    Returns
    -------
    Estimate
        Its interval is NaN if it or the value was, or if nothing bounds the mean.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if math.isnan(value):
        return replace(estimate, low=math.nan, high=math.nan)
    if math.isnan(low) or math.isnan(high):
        return estimate
    if high - low <= FLAT * abs(value):
        low, high = _all_equal(value, min(estimate.n, estimate.clusters), bounds, estimate.level)
    else:
        low, high = min(max(low, bounds[0]), value), max(min(high, bounds[1]), value)
    # Bounds may be whole numbers, which tables of floating-point numbers do not take.
    return replace(estimate, low=float(low), high=float(high))


def _all_equal(value: float, n: int, bounds: tuple[float, float], level: float) -> tuple[float, float]:
    if n < 2 or not all(map(math.isfinite, bounds)):
        return math.nan, math.nan
    share = wilson(0.0, n, z=t_quantile(n - 1, level)).high
    return value - share * (value - bounds[0]), value + share * (bounds[1] - value)
