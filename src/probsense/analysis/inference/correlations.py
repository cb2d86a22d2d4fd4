"""Computes correlations of values and of ranks, with intervals and p-values."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np

from probsense.analysis.arrays import Floats, Ints, filled, mean_known, ratio
from probsense.analysis.inference.bounded import Ends
from probsense.analysis.inference.estimate import Z

ROUNDING = 1e-12
"""The share of a sum of squares that may be rounding."""


def fisher_interval(r: float, n: int, *, variance: float = 1.0) -> Ends:
    """Compute the interval of Pearson's correlation of n independent pairs (Fisher 1921, Metron 1, 3–32).

    The variance of artanh r is 1/(n − 3); that of Spearman's ρ is 1.06 times as much (Fieller, Hartley & Pearson 1957,
    Biometrika 44).

    Parameters
    ----------
    r : float
    n : int
        Number of pairs.
    variance : float
        How many times as much the variance of artanh r is.

    Returns
    -------
    Ends
        NaN for fewer than four pairs, and where r is 1, −1 or NaN.
    """
    if n < 4 or not abs(r) < 1:
        return Ends(math.nan, math.nan)
    half = Z * math.sqrt(variance / (n - 3))
    return Ends(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


class RankCorrelation(NamedTuple):
    """Hold a correlation of ranks and its two-sided p-value."""

    value: float
    p: float


def spearman(x: Floats, y: Floats) -> RankCorrelation:
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


def paired_correlations(x: Floats, y: Floats, weight: Floats) -> Floats:
    """Compute Pearson's correlation of each pair of rows under each set of weights.

    Parameters
    ----------
    x, y : ndarray, shape (pairs, n)
        NaN where unknown.
    weight : ndarray, shape (draws, n)

    Returns
    -------
    ndarray, shape (draws, pairs)
        NaN where one does not vary.
    """
    known = ~np.isnan(x) & ~np.isnan(y)
    x, y = (_centred(np.where(known, z, np.nan)).T for z in (x, y))
    return _from_sums(*(weight @ z for z in (known.T.astype(np.float64), x, y, x * x, y * y, x * y)))


def cross_correlations(x: Floats, y: Floats, weight: Floats) -> Floats:
    """Compute Pearson's correlation of values that differ between draws with values that do not.

    Parameters
    ----------
    x, weight : ndarray, shape (draws, n)
        A row of values for each draw, NaN where unknown, and their weights.
    y : ndarray, shape (models, n)
        NaN where unknown.

    Returns
    -------
    ndarray, shape (draws, models)
    """
    weight, known = np.where(np.isnan(x), 0.0, weight), (~np.isnan(y)).T.astype(np.float64)
    # What is constant on the statements that count must not vary by those that do not.
    y = np.where((weight > 0).any(axis=0), y, np.nan)
    x, y = filled(x - mean_known(x.ravel())), _centred(y).T
    weighted = weight * x
    return _from_sums(
        weight @ known, weighted @ known, weight @ y, (weighted * x) @ known, weight @ (y * y), weighted @ y
    )


def correlation_p_value(r: Floats, n: Ints) -> Floats:
    """Compute the two-sided p-value of a correlation of n independent pairs.

    If the variables are uncorrelated, (r + 1)/2 has a beta distribution with both parameters n/2 − 1 (Student 1908).

    Parameters
    ----------
    r : ndarray
    n : ndarray of int
        Above 2.
    """
    from scipy.special import betainc

    shape = np.asarray(n) / 2 - 1
    p: Floats = 2 * betainc(shape, shape, (1 - np.abs(r)) / 2)
    return p


def _centred(values: Floats) -> Floats:
    """Subtract the mean of each row, to avoid cancellation in sums of squares; unknown values become 0."""
    return filled(values - mean_known(values)[..., None])


def _from_sums(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    """Compute Pearson's correlation from sums of weights, values, squares and products."""
    spread = np.sqrt(squares_about_mean(xx, x, n) * squares_about_mean(yy, y, n))
    return np.clip(ratio(xy - ratio(x * y, n), spread), -1, 1)


def squares_about_mean(squares: Floats, sums: Floats, n: Floats) -> Floats:
    """Sum squares of distances from the mean; 0 where only rounding is left.

    Parameters
    ----------
    squares, sums, n : ndarray, of shapes that broadcast
        Sums of squares, of values, and of weights.
    """
    found = squares - ratio(sums**2, n)
    return np.where(found > ROUNDING * squares, found, 0.0)
