"""Computes correlations of ranks, and the interval of a correlation."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.proportions import Ends
from probsense.analysis.inference.quantiles import Z


def fisher_interval(r: float, n: int) -> Ends:
    """Compute the interval of Pearson's correlation of n independent pairs (Fisher 1921, Metron 1, 3–32).

    The standard error of artanh r is 1/√(n − 3).

    Parameters
    ----------
    r : float
    n : int
        Number of pairs.

    Returns
    -------
    Ends
        NaN for fewer than four pairs, and where r is 1, −1 or NaN.
    """
    if n < 4 or not abs(r) < 1:
        return Ends(math.nan, math.nan)
    half = Z / math.sqrt(n - 3)
    return Ends(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


class RankCorrelation(NamedTuple):
    """Hold a correlation of ranks and its two-sided p-value."""

    value: float
    p: float


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> RankCorrelation:
    """Compute Spearman's ρ, in which equal values share the mean of their ranks (Spearman 1904).

    Parameters
    ----------
    x, y : ndarray, shape (n,)

    Returns
    -------
    RankCorrelation
        NaN where x or y does not vary.
    """
    from scipy.stats import ConstantInputWarning, spearmanr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantInputWarning)
        found = spearmanr(x, y)
    return RankCorrelation(float(found.statistic), float(found.pvalue))
