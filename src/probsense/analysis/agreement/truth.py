"""Estimates what individuals would score against the majority of everybody, of whom only some were asked.

The majority of few raters is sometimes not that of everybody. Somebody who always knows what most people think
disagrees with it then, so observed scores are too low, and the scores of those who know more are too low by more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import legvander

from probsense.analysis.arrays import Floats, filled

FEWEST = 10
"""The fewest statements that show how divided people are."""
_CELLS = 100
_MARGIN = (np.arange(_CELLS) + 0.5) / _CELLS
"""How far the shares of "yes" and "no" of everybody may be apart: |2p − 1|."""
_SHAPE = legvander(2 * _MARGIN - 1, 3)[:, 1:]
"""The polynomials whose weighted sum is the logarithm of the density of margins."""
_LINE = np.column_stack([np.ones(_CELLS), _MARGIN - 0.5])
_RIDGE, _SLOPE_RIDGE = 1 / 2**2, 1 / 2**2
"""Precisions of the normal priors of the density's coefficients, and of the slope of being right in the margin."""
_STEP = 1e-3


class Ceiling(NamedTuple):
    """Hold the ceiling of individual scores.

    Attributes
    ----------
    value : float
        The expected share of statements on which the majority of the raters is that of everybody.
    influence : ndarray, shape (statements,)
        What each statement adds to the error of the value: their squares sum up to its variance.
    coefficients, influences : ndarray, shapes (3,) and (statements, 3)
        The density of margins behind the value, and the influences of statements on it.
    """

    value: float
    influence: Floats
    coefficients: Floats
    influences: Floats


class Corrected(NamedTuple):
    """Hold the corrected score of one rater with the influences of statements, as in :class:`Ceiling`."""

    value: float
    influence: Floats


def individual_ceiling(yes: Floats, raters: Floats) -> Ceiling:
    """Estimate what somebody scores who gives the answer of the majority of everybody to each statement.

    Let p be the share of "yes" among everybody and f = max(p, 1 − p). The majority of n independent raters is that of
    everybody with probability a(f, n) = P(B > n/2) + ½·P(B = n/2), where B is binomial with n and f. The ceiling is
    the mean of a over statements. It takes the distribution of the margin d = 2f − 1, which is an exponential family
    of three polynomials with a weak normal prior (g-modelling: Efron 2016, Biometrika 103(1), 1–20). Its likelihood
    is that of the numbers of raters on either side, whichever side that is: ½·Bin(k; n, f) + ½·Bin(k; n, 1 − f).

    It assumes that the raters of a statement are drawn at random and answer independently. In simulations with 19
    raters the ceiling was right within .007 on average. Errors are those of
    M-estimators (Huber 1967), with statements as independent observations.

    Parameters
    ----------
    yes, raters : ndarray, shape (statements,)
        Number of people who say "yes", and of people who were asked, at least one.
    """
    from scipy.optimize import minimize

    agree, disagree = _likelihoods(yes, raters)
    either = agree + disagree

    def scores(c: Floats) -> tuple[Floats, Floats]:
        weight = _density(c)
        found = either @ weight
        return found, (either * weight) @ _SHAPE / found[:, None] - weight @ _SHAPE

    def loss(c: Floats) -> tuple[float, Floats]:
        found, slope = scores(c)
        return float(_RIDGE / 2 * c @ c - np.log(found).sum()), _RIDGE * c - slope.sum(axis=0)

    c = minimize(loss, np.zeros(_SHAPE.shape[1]), jac=True, method="BFGS").x
    slope = scores(c)[1]
    influences = slope @ np.linalg.inv(slope.T @ slope + _RIDGE * np.eye(len(c)))
    n, place = np.unique(raters, return_inverse=True)
    right = _right(n) @ np.bincount(place) / len(yes)
    weight = _density(c)
    value = float(right @ weight)
    # The density's derivative by a coefficient is the density times the polynomial less its mean.
    influence = influences @ ((right - value) * weight @ _SHAPE)
    return Ceiling(value, influence, c, influences)


def corrected_score(answers: Floats, yes: Floats, raters: Floats, ceiling: Ceiling) -> Corrected:
    """Estimate the share of statements on which a rater's answer is that of the majority of everybody.

    On s of n raters of a statement the answer is the same as the rater's. If the answer is that of everybody's
    majority, s is binomial with n and f; otherwise with n and 1 − f. The probability of the first is a logistic
    function of the margin d, because people know obvious statements better. Its two coefficients have the greatest
    likelihood, Σ_d g(d)·(m(d)·Bin(s; n, f) + (1 − m(d))·Bin(s; n, 1 − f)) for each statement, given the density g of
    :func:`individual_ceiling`, with a weak normal prior of the slope. The score is the mean over statements of the
    probability of the first, given s and n; a tie scores one half.

    In simulations with 19 raters of 400 statements a true .825 averaged .821 to .831. With a tenth of these data,
    scores of those who know the obvious better are .02 to .07 too high, which is within their intervals.

    If m did not depend on d, this would be the correction for a key that is right with a known probability a,
    ½ + (observed − ½)/(2a − 1) (Rogan & Gladen 1978, American Journal of Epidemiology 107(1), 71–76), which is .03
    too high in simulations in which it does.

    Parameters
    ----------
    answers : ndarray, shape (statements,)
        1 yes, 0 no, 0.5 a tie, NaN none.
    yes, raters : ndarray, shape (statements,)
        As for :func:`individual_ceiling`.
    ceiling : Ceiling

    Returns
    -------
    Corrected
        NaN if the rater answered fewer than :data:`FEWEST` statements, ties not counted.
    """
    decided = (answers == 0) | (answers == 1)
    tied = answers == 0.5
    if decided.sum() < FEWEST:
        return Corrected(np.nan, np.full(len(answers), np.nan))
    same = np.where(filled(answers) == 1, yes, raters - yes)[decided]
    agree, disagree = _likelihoods(same, raters[decided])

    def given(c: Floats, start: Floats) -> _Fit:
        weight = _density(c)
        return _fitted(agree * weight, disagree * weight, start)

    best = given(ceiling.coefficients, np.array([1.0, 0.0]))
    count = int(decided.sum() + tied.sum())
    value = float((best.right.sum() + tied.sum() / 2) / count)
    influence = np.zeros(len(decided))
    influence[decided] = (best.right - value) / count + best.influences @ best.gradient / count
    influence[tied] = (0.5 - value) / count
    moves = np.eye(len(ceiling.coefficients)) * _STEP
    by_density = np.array(
        [
            (
                given(ceiling.coefficients + move, best.line).right.sum()
                - given(ceiling.coefficients - move, best.line).right.sum()
            )
            / (2 * _STEP * count)
            for move in moves
        ]
    )
    return Corrected(value, influence + ceiling.influences @ by_density)


class _Fit(NamedTuple):
    """Hold the line of the log odds of being right, the probability of it for each statement, the influences of
    statements on the line, and the derivative of the sum of the probabilities by the line.
    """

    line: Floats
    right: Floats
    influences: Floats
    gradient: Floats


def _fitted(agree: Floats, disagree: Floats, start: Floats) -> _Fit:
    """Find the line of greatest likelihood, from the likelihoods times the density."""
    from scipy.optimize import minimize
    from scipy.special import expit

    ridge = np.diag([1e-4, _SLOPE_RIDGE])

    def parts(line: Floats) -> tuple[Floats, ...]:
        m = expit(_LINE @ line)
        right, wrong = agree @ m, disagree @ (1 - m)
        both = right + wrong
        change = m * (1 - m)
        by_right, by_wrong = (agree * change) @ _LINE, (disagree * change) @ _LINE
        return right / both, both, (by_right - by_wrong) / both[:, None], by_right / both[:, None]

    def loss(line: Floats) -> tuple[float, Floats]:
        _, both, slope, _ = parts(line)
        return float(line @ ridge @ line / 2 - np.log(both).sum()), ridge @ line - slope.sum(axis=0)

    line = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-7}).x
    right, _, slope, by_right = parts(line)
    influences = slope @ np.linalg.inv(slope.T @ slope + ridge)
    gradient = (by_right - right[:, None] * slope).sum(axis=0)
    return _Fit(line, right, influences, gradient)


def _density(c: Floats) -> Floats:
    height = _SHAPE @ c
    weight = np.exp(height - height.max())
    return np.asarray(weight / weight.sum())


def _likelihoods(count: Floats, raters: Floats) -> tuple[Floats, Floats]:
    """Compute the probability of a count up to a factor, if the share is f and if it is 1 − f."""
    more, less = np.log((1 + _MARGIN) / 2), np.log((1 - _MARGIN) / 2)
    k, rest = count[:, None], (raters - count)[:, None]
    first, second = k * more + rest * less, k * less + rest * more
    most = np.maximum(first, second).max(axis=1, keepdims=True)
    return np.exp(first - most), np.exp(second - most)


def _right(raters: Floats) -> Floats:
    """Compute how often the majority of the raters is everybody's, shape (margins, numbers of raters)."""
    from scipy.special import bdtr

    # The other side has at most (n − 1)/2 of n raters; at an even number a tie counts half.
    less = ((1 - _MARGIN) / 2)[:, None]
    n = raters.astype(np.int64)
    return np.asarray((bdtr((n + 1) // 2 - 1.0, n, less) + bdtr(n // 2 * 1.0, n, less)) / 2)
