"""Tests paired differences, adjusts p-values of many tests, and says how small a difference could have been found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Floats
from probsense.analysis.inference.estimate import Estimate, t_p_value, t_quantile
from probsense.analysis.inference.resampling import CELLS, MANY, batches

EXACT = 12
"""Largest number of clusters for which all flips of signs are tried instead of drawn."""


def t_test(estimate: Estimate) -> float:
    """Compute the two-sided p-value of a mean being 0, by Student's t with one degree of freedom less than there are
    clusters (or settings, for an estimate over settings).

    Parameters
    ----------
    estimate : Estimate
        Mean, as from :func:`~probsense.analysis.inference.means.mean_estimate`.

    Returns
    -------
    float
        p-value; 1 for a mean of 0 with a standard error of 0, and NaN where the standard error is unknown.
    """
    if math.isnan(estimate.stderr):
        return math.nan
    if estimate.stderr == 0:
        return 1.0 if estimate.value == 0 else 0.0
    return float(t_p_value(estimate.value / estimate.stderr, estimate.units - 1))


def sign_flip_test(
    differences: ArrayLike, clusters: ArrayLike, rng: np.random.Generator, *, draws: int = 10_000
) -> float:
    """Test paired differences by permutation of whole clusters, with two-sided mid-p-values (Fisher 1935).

    If neither of two models is better, the two are exchangeable: the sign of the sum of differences in every cluster is
    arbitrary. The p-value is the share of ways to choose the signs for which the mean is farther from 0 than observed,
    plus half the share for which it is as far, as for :func:`mcnemar`. If the ways are drawn, the observed one counts
    among them (Phipson & Smyth 2010). With more than :data:`~probsense.analysis.inference.resampling.MANY` clusters
    whose sums sᵢ differ from 0, the sum under random signs is normal with the variance Σ sᵢ², to more digits than
    draws have.

    Parameters
    ----------
    differences : array_like, shape (n,)
    clusters : array_like, shape (n,)
        Cluster of each difference: labels of any kind.
    rng : numpy.random.Generator
    draws : int
        Number of ways to choose the signs that are drawn where there are more than 2^12.
    """
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.bincount(place, np.asarray(differences, dtype=np.float64))
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0
    if len(sums) <= EXACT:
        return _beyond(_all_signs(len(sums)), sums) / (1 << len(sums))
    if len(sums) > MANY:
        return math.erfc(abs(float(sums.sum())) / math.sqrt(2 * float(sums @ sums)))
    found = 0.5 + sum(
        _beyond(_drawn_signs(rng, some, len(sums)), sums) for some in batches(draws, len(sums), CELLS)
    )
    return found / (draws + 1)


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """Test whether accuracy is equal on the same items, with two-sided mid-p-values (McNemar 1947).

    Under equal accuracy, an item that exactly one model got right is as likely to be right for either. The p-value is
    twice the smaller tail of the binomial distribution with probability 1/2, in which the observed number counts half,
    because the exact test is far too conservative (Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology
    13:91). The test takes items as independent; for dependent items use :func:`sign_flip_test`.

    Parameters
    ----------
    first, second : array_like of bool, shape (n,)
        Whether each item was right.
    """
    from scipy.special import bdtr

    first, second = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    fewer, differing = min(only_first, only_second), only_first + only_second
    up_to, below = (float(bdtr(k, differing, 0.5)) if k >= 0 else 0.0 for k in (fewer, fewer - 1))
    return min(1.0, up_to + below)


def departure_p_values(yes: Floats, asked: Floats, p: Floats) -> Floats:
    """Compute two-sided p-values of exact binomial tests, twice the smaller tail (Clopper & Pearson 1934).

    The test takes a statement's raters for a random sample of people who say yes with the model's probability, and the
    model's probability for known.

    Parameters
    ----------
    yes, asked : ndarray, shape (statements,)
        Numbers of people who say yes, and of people who answer.
    p : ndarray, shape (..., statements)
        Probabilities of yes; NaN where there is none.

    Returns
    -------
    ndarray, shape (..., statements)
        At most 1; NaN where nobody answers, or there is no probability.
    """
    from scipy.special import bdtr, bdtrc

    p, n = np.clip(p, 0, 1), asked.astype(np.int64)
    up_to = bdtr(yes, n, p)
    from_there = np.where(yes > 0, bdtrc(np.maximum(yes - 1, 0), n, p), 1.0)
    found = np.minimum(2 * np.minimum(up_to, from_there), 1)
    return np.where((asked > 0) & ~np.isnan(p), found, np.nan)


def _beyond(signs: Floats, sums: Floats) -> float:
    """Count the ways for which the sum is farther from 0 than observed, and half of those for which it is as far."""
    far, limit = np.abs(signs @ sums), abs(float(sums.sum()))
    same = np.isclose(far, limit, rtol=0, atol=1e-12 * float(np.abs(sums).sum()))
    return float(np.count_nonzero((far > limit) & ~same) + np.count_nonzero(same) / 2)


def _drawn_signs(rng: np.random.Generator, draws: int, n: int) -> Floats:
    return np.asarray(1.0 - 2 * rng.integers(0, 2, size=(draws, n), dtype=np.int8), dtype=np.float64)


def _all_signs(n: int) -> Floats:
    """Return every way to choose n signs, shape (2^n, n)."""
    return np.where((np.arange(1 << n)[:, None] >> np.arange(n)) & 1, -1.0, 1.0)


def adjust(p: Floats, method: str) -> Floats:
    """Adjust p-values for their number.

    Parameters
    ----------
    p : ndarray
        p-values, of any shape; NaN stands for no test and stays NaN.
    method : str
        "bonferroni" or "holm" (Holm 1979), which bound the probability of any false finding, or
        "benjamini-hochberg" (1995), which bounds the expected share of false ones among the findings.

    Returns
    -------
    ndarray
        Adjusted p-values of the same shape, at most 1.
    """
    known = ~np.isnan(p)
    order = np.argsort(p[known])
    found, adjusted = np.full(p.shape, np.nan), np.empty(len(order))
    adjusted[order] = METHODS[method](p[known][order])
    found[known] = np.minimum(adjusted, 1)
    return found


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _benjamini_hochberg(p: Floats) -> Floats:
    return np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]


METHODS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "benjamini-hochberg": _benjamini_hochberg,
}
"""Functions of sorted p-values that return adjusted ones."""


def detectable(estimate: Estimate) -> float:
    """Compute the smallest true difference that a two-sided test with this error would have found with probability 0.8.

    The difference is (t₀.₉₇₅ + t₀.₈) · se, with one degree of freedom less than there are clusters (Bloom 1995,
    Evaluation Review 19(5), 547–556; Miller 2024, arXiv 2411.00640, section 5).

    Parameters
    ----------
    estimate : Estimate
        Estimate of the mean difference.

    Returns
    -------
    float
        Difference in the measure's own unit; NaN where the error is unknown.
    """
    freedom = max(estimate.units - 1, 1)
    return (t_quantile(freedom) + t_quantile(freedom, 0.6)) * estimate.stderr
