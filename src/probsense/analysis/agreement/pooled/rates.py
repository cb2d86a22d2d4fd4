"""Estimates how often each of several people gives the answer of most of everybody, which is known in part only."""

from __future__ import annotations

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.condorcet import SPREAD, normal_mass
from probsense.analysis.agreement.pooled.given import Answers
from probsense.analysis.agreement.pooled.shares import Shares

_BETTER = np.linspace(-3, 3, 41)
"""How much better than usual a person may be, in log odds."""
_SPREADS = np.geomspace(0.1, 2, 15)
_SPREAD, _PASSES = 0.6, 2
"""The spread of people that the line is fitted with at first, and how often both are fitted."""
_SLOPE_SD = 1.0
"""The standard deviation of the normal prior of the line's slope."""
_NODES, _WEIGHTS = hermegauss(9)
_STEP, _NOTHING = 1e-3, 1e-300

Floats = NDArray[np.float64]


def drawn_rates(
    answers: Answers, shares: Shares, counted: NDArray[np.bool_], draws: int, rng: np.random.Generator
) -> Floats:
    """Draw people's rates of answers that are those of most of everybody, on all statements that count.

    The log odds of being right are a + b·artanh|2p − 1| + uⱼ for a statement of which everybody's share is p (obvious
    statements are known better) and a person j, with u ~ N(0, τ²). Each statement has a distribution of shares, over
    which the probability of an answer is summed; so unknown majorities do not lower the rates. The line has the
    greatest likelihood, as if answers were independent, with the error of that estimate if statements are (Huber
    1967). The spread τ, with a half-normal prior, is drawn from its posterior on a grid, with people summed out.

    Parameters
    ----------
    answers : Answers
        They have no part in the shares.
    shares : Shares
    counted : ndarray of bool, shape (statements,)
        Which statements count.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (draws, people)
        Somebody without an answer has the distribution of people.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    yes, no = shares.sides
    sides = np.stack([no, yes]), np.stack([yes, no])  # by answer: that with which it agrees, and the other
    margin = np.arctanh((np.arange(yes.shape[1]) + 0.5) / yes.shape[1])[:, None] - 1
    said = answers.yes.astype(np.int64)
    count = np.zeros(sides[0].shape[:2])
    np.add.at(count, (said, answers.statement), 1)

    def right(line: Floats, better: Floats) -> Floats:
        return np.asarray(expit(line[0] + line[1] * margin + better))

    def logs(chance: Floats) -> Floats:
        return np.log(np.maximum(sides[0] @ chance + sides[1] @ (1 - chance), _NOTHING))

    def by_statement(line: Floats, spread: float) -> Floats:
        usual = right(line, spread * _NODES) @ (_WEIGHTS / _WEIGHTS.sum())
        return np.asarray((count * logs(usual)).sum(axis=0))

    def loss(line: Floats, spread: float) -> float:
        return float((line[1] / _SLOPE_SD) ** 2 / 2 - by_statement(line, spread).sum())

    line, spread = np.array([1.0, 0.0]), _SPREAD
    mass = np.stack([normal_mass(_BETTER, 0.0, one) for one in _SPREADS], axis=1)
    for _ in range(_PASSES):
        line = minimize(loss, line, args=(spread,), method="BFGS").x
        of_people = np.zeros((answers.people, len(_BETTER)))
        np.add.at(of_people, answers.person, logs(right(line, _BETTER))[said, answers.statement])
        likelihood = np.exp(of_people - of_people.max(axis=1, keepdims=True))
        evidence = np.log(np.maximum(likelihood @ mass, _NOTHING)).sum(axis=0)
        # The density of log τ is that of τ, times τ.
        weight = np.exp(evidence - evidence.max() - (_SPREADS / SPREAD) ** 2 / 2) * _SPREADS
        spread = float(weight @ _SPREADS / weight.sum())

    moves = _STEP * np.eye(2)
    slopes = np.stack(
        [by_statement(line + move, spread) - by_statement(line - move, spread) for move in moves], axis=1
    ) / (2 * _STEP)
    around = [[loss(line + x + y, spread) for y in (*moves, *-moves)] for x in (*moves, *-moves)]
    curvature = np.array([[1, 0, -1, 0], [0, 1, 0, -1]]) @ around @ np.array([[1, 0, -1, 0], [0, 1, 0, -1]]).T
    inverse = np.linalg.inv(curvature / (4 * _STEP**2))
    lines = rng.multivariate_normal(line, inverse @ slopes.T @ slopes @ inverse, size=draws)

    chosen = rng.choice(len(weight), size=draws, p=weight / weight.sum())
    better = np.empty((draws, answers.people))
    for at in np.unique(chosen):
        times = chosen == at
        below = (likelihood * mass[:, at]).cumsum(axis=1)
        place = rng.random((int(times.sum()), answers.people)) * below[:, -1]
        cell = np.minimum((below <= place[..., None]).sum(axis=2), len(_BETTER) - 1)
        better[times] = _BETTER[cell] + (rng.random(cell.shape) - 0.5) * (_BETTER[1] - _BETTER[0])
    margins = (yes + no)[counted].mean(axis=0)
    rates = [
        np.interp(us, _BETTER, margins @ right(one, _BETTER)) for us, one in zip(better, lines, strict=True)
    ]
    return np.minimum(rates, 1.0)  # Rounded sums of margins may pass 1.
