"""Means over a table of two kinds of units, such as people and statements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.proportions import effective_wilson
from probsense.core.records import Json

TWO_WAY: Final = "two-way clustered"
"""The method of means whose errors come from units of two kinds."""


def crossed_share(
    measure: str,
    by: Mapping[str, Json],
    values: ArrayLike,
    rows: ArrayLike,
    columns: ArrayLike,
    weights: ArrayLike,
    *,
    level: float = 0.95,
) -> Estimate:
    """Estimate a weighted mean of observations that share units of two kinds (method "two-way clustered").

    The variance is that of Cameron, Gelbach & Miller (2011, J. Business & Economic Statistics 29(2), eq. 2.11):
    clustered by one kind, plus by the other, less by pairs of both, each with its factor C/(C−1). It is raised to the
    larger of the two one-way variances if it is smaller (their section 2.3 on negative variances). The interval is that
    of :func:`~probsense.analysis.inference.proportions.effective_wilson`, with the units of the rarer kind.

    Parameters
    ----------
    measure, by
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    values : array_like, shape (n,)
        Observations, at least one, one for each pair of units, all finite; their mean is between 0 and 1.
    rows, columns : array_like, shape (n,)
        The unit of each kind: labels of any kind.
    weights : array_like, shape (n,)
        Weights of observations, all positive.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        Its ``clusters`` are those of the rarer kind; an unknown interval for a single one.
    """
    observed, share = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    share = share / share.sum()
    mean = min(max(float(share @ observed), 0.0), 1.0)  # rounding may miss the ends
    residuals = share * (observed - mean)
    by_row, by_column, by_pair = (
        _variance(residuals, units) for units in (rows, columns, np.arange(len(observed)))
    )
    count = min(len(np.unique(np.asarray(units))) for units in (rows, columns))
    stderr = math.nan
    if count > 1:
        stderr = math.sqrt(max(by_row + by_column - by_pair, by_row, by_column))
    low, high = effective_wilson(mean, stderr, most=len(observed), units=count, level=level)
    return Estimate(measure, by, mean, stderr, low, high, level, len(observed), count, TWO_WAY)


def _variance(residuals: NDArray[np.float64], units: ArrayLike) -> float:
    """Sum the squares of the sums within units, with the correction for few units; 0 for a single one."""
    _, place = np.unique(np.asarray(units), return_inverse=True)
    sums, count = np.bincount(place, residuals), int(place.max()) + 1
    return count / (count - 1) * float(sums @ sums) if count > 1 else 0.0
