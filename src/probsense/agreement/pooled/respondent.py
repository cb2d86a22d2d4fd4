"""Sets a model beside everybody: its agreement with their majority, and the correlation with their shares."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.agreement.pooled.shares import Shares
from probsense.agreement.truth import Corrected, expected_score
from probsense.stats.quantiles import normal_quantile


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
    :func:`~probsense.agreement.truth.expected_score`.

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


def agreement_of_everybody(shares: Shares, counted: NDArray[np.bool_]) -> float:
    """Estimate how often a random one of everybody gives the answer of most of everybody: the mean of max(p, 1 − p).

    Parameters
    ----------
    shares, counted
        As for :func:`agreement_with_majority`. At least one statement counts.

    Returns
    -------
    float
        It has no error: in simulations, that of statements alone was two thirds of the true one.
    """
    yes, no = shares.sides
    cells = yes.shape[1]
    larger = (1 + (np.arange(cells) + 0.5) / cells) / 2
    return float(((yes + no) @ larger)[counted].mean())


def correlation_with_shares(
    probability: NDArray[np.float64], shares: Shares, counted: NDArray[np.bool_], *, level: float = 0.95
) -> Correlation:
    """Estimate the correlation, over statements, of a model's probability of yes with the share of everybody.

    The posterior mean e of a share p varies less than p itself: Var p = Var e + v, where v is the mean posterior
    variance. If the model's probabilities x tell nothing about people's answers but by way of p, then Cov(x, p) =
    Cov(x, e)·Var p / Var e, and the correlation is Cov(x, e)·√(Var e + v) / (√Var x · Var e): the observed one divided
    by the square root of the reliability (Spearman 1904, American Journal of Psychology 15, 72–101; with posterior
    variances, Mislevy, Beaton, Kaplan & Sheehan 1992, Journal of Educational Measurement 29, 133–161).

    Parameters
    ----------
    probability : ndarray, shape (statements,)
        The model's probability of yes; NaN where there is none.
    shares, counted
        As for :func:`agreement_with_majority`.
    level : float
        Nominal coverage of the interval, which is that of the delta method on Fisher's scale, with statements as
        independent observations.

    Returns
    -------
    Correlation
        NaN for fewer than four statements, or where either side does not vary.
    """
    known = counted & ~np.isnan(probability)
    n = int(known.sum())
    if n < 4:
        return Correlation(*[math.nan] * 4)
    x, e, v = probability[known], shares.mean[known], shares.variance[known]
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
    stderr = math.sqrt(float(influence @ influence) / (n * (n - 1)))
    if not abs(r) < 1:
        return Correlation(r, stderr, math.nan, math.nan)
    half = normal_quantile(level) * stderr / (1 - r * r)
    return Correlation(r, stderr, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
