"""Sets a model beside everybody: its agreement with their majority, and the correlation with their values."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.model import MIDDLES, Shares
from probsense.analysis.agreement.truth import Corrected, expected_score
from probsense.analysis.inference.quantiles import normal_quantile

TOGETHER = np.tanh(np.linspace(-2.8, 2.8, 21))
"""Correlations between what everybody says to both questions, in normal scores over statements."""
_FIRST = 1e-6
"""The least share of statements in a cell that has a normal score of its own."""


class Correlation(NamedTuple):
    """Hold a correlation with its standard error and interval; NaN where unknown."""

    value: float
    stderr: float
    low: float
    high: float


def agreement_with_majority(
    answers: NDArray[np.float64], shares: Shares, counted: NDArray[np.bool_]
) -> Corrected:
    """Estimate on how many statements a model gives the answer of most of everybody.

    The model is one more respondent, whose answers have no part in the shares. Its probability of giving the answer of
    the majority is a logistic function of the margin |2p − 1|, as in
    :func:`~probsense.analysis.agreement.truth.expected_score`.

    Parameters
    ----------
    answers : ndarray, shape (statements,)
        1 yes, 0 no, 0.5 a tie, NaN none.
    shares : Shares
        From people's answers.
    counted : ndarray of bool, shape (statements,)
        Which statements count.

    Returns
    -------
    Corrected
    """
    return expected_score(np.where(counted, answers, np.nan), *shares.sides)


class Known(NamedTuple):
    """Hold what is known of a value of each statement: posterior means and variances, shapes (statements,)."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


def commonsensicality_of_everybody(first: Shares, second: Shares) -> Known:
    """Compute what is known of how commonsensical statements are to everybody: √(consensus · awareness).

    For the shares p and q of everybody who say yes to the first and to the second question, consensus is |2p − 1|, and
    awareness is q if p is above one half, else 1 − q. Over statements the two shares depend on each other, so answers
    to either question tell of both: a Gaussian copula joins their distributions (Sklar 1959, Publications de l'Institut
    de Statistique de l'Université de Paris 8, 229–231). Its correlation has the posterior that follows from all
    statements, with a uniform prior on Fisher's scale (:data:`TOGETHER`).

    Parameters
    ----------
    first, second : Shares

    Returns
    -------
    Known
    """
    p, q = MIDDLES[:, None], MIDDLES
    value = np.sqrt(np.abs(2 * p - 1) * np.where(p > 0.5, q, 1 - q))
    x, y = _normal_scores(first)[:, None], _normal_scores(second)
    logs, means, squares = [], [], []
    for rho in TOGETHER:
        rest = 1 - rho**2
        density = np.exp((rho * x * y - rho**2 * (x**2 + y**2) / 2) / rest) / math.sqrt(rest)
        chance, mean, square = (
            ((first.mass @ (density * power)) * second.mass).sum(axis=1) for power in (1.0, value, value**2)
        )
        logs.append(np.log(chance).sum())
        means.append(mean / chance)
        squares.append(square / chance)
    weight = np.exp(np.array(logs) - max(logs))
    weight /= weight.sum()
    expected = weight @ means
    return Known(expected, weight @ squares - expected**2)


def _normal_scores(shares: Shares) -> NDArray[np.float64]:
    """Return the normal quantile of each cell of shares in the distribution over all statements, shape (CELLS,)."""
    from scipy.special import ndtri

    cells = shares.mass.mean(axis=0)
    return np.asarray(ndtri(np.clip(cells.cumsum() - cells / 2, _FIRST, 1 - _FIRST)))


def correlation_with_everybody(
    x: NDArray[np.float64], known: Known, counted: NDArray[np.bool_], *, level: float = 0.95
) -> Correlation:
    """Estimate the correlation, over statements, of a model's values with everybody's.

    The posterior mean e of a value p varies less than p itself: Var p = Var e + v, where v is the mean posterior
    variance. If the model's values x tell nothing about people's answers but by way of p, then Cov(x, p) =
    Cov(x, e)·Var p / Var e, and the correlation is Cov(x, e)·√(Var e + v) / (√Var x · Var e): the observed one divided
    by the square root of the reliability (Spearman 1904, American Journal of Psychology 15, 72–101; with posterior
    variances, Mislevy, Beaton, Kaplan & Sheehan 1992, Journal of Educational Measurement 29, 133–161).

    Parameters
    ----------
    x : ndarray, shape (statements,)
        The model's values, such as its probability of yes; NaN where there is none.
    known : Known
        Everybody's values.
    counted : ndarray of bool, shape (statements,)
        Which statements count.
    level : float
        Nominal coverage of the interval, which is that of the delta method on Fisher's scale, with statements as
        independent observations.

    Returns
    -------
    Correlation
        NaN for fewer than four statements, where either side does not vary, and where too few statements let the
        correction go beyond ±1.
    """
    used = counted & ~np.isnan(x)
    n = int(used.sum())
    if n < 4:
        return Correlation(*[math.nan] * 4)
    x, e, v = x[used], known.mean[used], known.variance[used]
    x, e = x - x.mean(), e - e.mean()
    cov, var_x, var_e, noise = (x * e).mean(), (x * x).mean(), (e * e).mean(), v.mean()
    if min(var_x, var_e) < 1e-12:
        return Correlation(*[math.nan] * 4)
    factor = math.sqrt(var_e + noise) / (math.sqrt(var_x) * var_e)
    r = float(cov * factor)
    influence = factor * (x * e - cov) + r * (
        (e * e + v - var_e - noise) / (2 * (var_e + noise))
        - (x * x - var_x) / (2 * var_x)
        - (e * e - var_e) / var_e
    )
    return _on_fishers_scale(r, influence, level)


def reliability(known: Known, counted: NDArray[np.bool_], *, level: float = 0.95) -> Correlation:
    """Estimate how much of the variance of everybody's values people's answers tell: Var e / (Var e + v).

    It is the correlation, over statements, of what the answers of two such groups of people would tell.

    Parameters
    ----------
    known, counted, level
        As for :func:`correlation_with_everybody`.

    Returns
    -------
    Correlation
        NaN for fewer than four statements, or where nothing varies.
    """
    e, v = known.mean[counted], known.variance[counted]
    if len(e) < 4 or (e.var() + v.mean()) < 1e-12:
        return Correlation(*[math.nan] * 4)
    squares = (e - e.mean()) ** 2
    told, noise = squares.mean(), v.mean()
    whole = told + noise
    influence = (noise * (squares - told) - told * (v - noise)) / whole**2
    return _on_fishers_scale(float(told / whole), influence, level)


def _on_fishers_scale(r: float, influence: NDArray[np.float64], level: float) -> Correlation:
    n = len(influence)
    stderr = math.sqrt(float(influence @ influence) / (n * (n - 1)))
    if not abs(r) < 1:
        return Correlation(*[math.nan] * 4)
    half = normal_quantile(level) * stderr / (1 - r * r)
    return Correlation(r, stderr, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
