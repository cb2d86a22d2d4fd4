"""Finds the difficulty at which an observer falls to three quarters right, by choosing what to ask next.

The method is QUEST+ (Watson 2017, J. Vision 17(3):10) with the criterion of the psi-marginal method (Prins 2013,
J. Vision 13(7):3): each question has the level of difficulty from which the threshold is expected to gain most.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

CHANCE: Final = 0.5
TARGET: Final = 0.75
"""The share of right answers at the threshold, halfway between guessing and knowing."""
FINENESS: Final = 5
"""Thresholds that are told apart, for each level of difficulty."""
BEYOND: Final = 2
"""How many levels below the first and above the last a threshold may lie."""
WIDTHS: Final = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Scales of the logistic function, in levels: from a cliff to a gentle slope."""
LAPSES: Final = (0.005, 0.02, 0.05, 0.1, 0.15)
"""Shares of wrong answers to questions as easy as can be; none is 0, as one slip would then rule out too much."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Observers:
    """All observers that are thought possible, equally likely at first.

    Attributes
    ----------
    levels : array (levels,)
        Levels of difficulty that can be asked, ascending.
    thresholds : array (thresholds,)
        Where observers fall to :data:`TARGET`, in the unit of the levels.
    right : array (thresholds, shapes, levels)
        Probability of a right answer: CHANCE + (1 - CHANCE - lapse) / (1 + exp((level - middle) / width)).
    """

    levels: Floats
    thresholds: Floats
    right: Floats

    @classmethod
    def of(cls, levels: Sequence[float]) -> Observers:
        """Make the observers for levels of difficulty, in ascending order."""
        x = np.asarray(levels, dtype=float)
        count = FINENESS * (len(x) - 1 + 2 * BEYOND) + 1
        thresholds = np.linspace(x[0] - BEYOND, x[-1] + BEYOND, count)
        width, lapse = (grid.ravel() for grid in np.meshgrid(WIDTHS, LAPSES))
        share = (TARGET - CHANCE) / (1 - CHANCE - lapse)
        middle = thresholds[:, None] + width * np.log(share / (1 - share))
        fall = 1 / (1 + np.exp((x - middle[..., None]) / width[:, None]))
        return cls(x, thresholds, CHANCE + (1 - CHANCE - lapse[:, None]) * fall)


class Replies(NamedTuple):
    """Answers to questions that belong together: the position of their level, and how many were right and wrong."""

    level: int
    right: float
    wrong: float


class Tally(NamedTuple):
    """Right and wrong answers at each level, each an array (levels,); they may be weighted."""

    right: Floats
    wrong: Floats

    @classmethod
    def of(cls, levels: int, answers: Sequence[Replies]) -> Tally:
        """Add answers up, for a number of levels."""
        level, right, wrong = np.array(answers, dtype=float).reshape(-1, 3).T
        return cls(*(np.bincount(level.astype(int), own, levels).astype(float) for own in (right, wrong)))


def posterior(observers: Observers, tally: Tally, dispersion: float = 1.0) -> Floats:
    """Weigh the observers by the answers.

    Parameters
    ----------
    observers : Observers
    tally : Tally
    dispersion : float
        How much more the answers vary than independent ones (:func:`dispersion`); the likelihood is raised to its
        inverse.

    Returns
    -------
    array (thresholds, shapes)
        Probabilities that sum to 1.
    """
    log = np.log(observers.right) @ tally.right + np.log1p(-observers.right) @ tally.wrong
    weights = np.exp((log - log.max()) / dispersion)
    return np.asarray(weights / weights.sum())


def dispersion(observers: Observers, answers: Sequence[Replies], groups: Sequence[Hashable]) -> float:
    """Estimate how much more the answers vary than independent ones, because those of a group depend on each other.

    The estimate is Pearson's: squared residuals of the groups over their binomial variances, at least 1 (McCullagh and
    Nelder 1989, Generalized Linear Models, section 4.5).

    Parameters
    ----------
    observers : Observers
    answers : sequence of Replies
    groups : sequence of hashable
        The group to which each of them belongs.
    """
    level, right, wrong = np.array(answers, dtype=float).T
    weights = posterior(observers, Tally.of(len(observers.levels), answers))
    expected = np.einsum("ts,tsl->l", weights, observers.right)[level.astype(int)]
    number = right + wrong
    names = [*dict.fromkeys(groups)]
    place = [names.index(group) for group in groups]
    residuals = np.bincount(place, right - number * expected)
    return max(1.0, float((residuals**2).sum() / (number * expected * (1 - expected)).sum()))


def next_level(observers: Observers, tally: Tally) -> int:
    """Choose the level whose answer is expected to leave the least entropy about the threshold.

    Returns
    -------
    int
        The position of the level; the lowest of those that are equally good.
    """
    weights = posterior(observers, tally)[..., None]
    expected = np.zeros(len(observers.levels))
    for answer in (observers.right, 1 - observers.right):
        joint = (weights * answer).sum(axis=1)
        total = joint.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(joint > 0, np.log(joint / total), 0.0)
        expected -= (joint * logs).sum(axis=0)
    return int(np.argmin(expected))


class Threshold(NamedTuple):
    """What is known of a threshold.

    Attributes
    ----------
    value, low, high : float
        The median and the ends of the credible interval, in the unit of the levels.
    below, above : float
        The probability that it lies below the first level, and above the last.
    """

    value: float
    low: float
    high: float
    below: float
    above: float


def threshold(observers: Observers, weights: Floats, level: float) -> Threshold:
    """Summarise what the weights of observers say of the threshold.

    Parameters
    ----------
    observers : Observers
    weights : array (thresholds, shapes)
    level : float
        The probability that the interval holds the threshold.
    """
    share = weights.sum(axis=1)
    value, _ = quantiles(observers.thresholds, share, 0.0)
    low, high = quantiles(observers.thresholds, share, level)
    first, last = observers.levels[[0, -1]]
    outside = (share[observers.thresholds < first].sum(), share[observers.thresholds > last].sum())
    return Threshold(*map(float, (value, low, high, *outside)))


class Curve(NamedTuple):
    """The probability of a right answer at each level: its mean and interval, each an array (levels,)."""

    mean: Floats
    low: Floats
    high: Floats


def curve(observers: Observers, weights: Floats, level: float) -> Curve:
    """Summarise what the weights of observers say of right answers at each level of difficulty.

    Parameters
    ----------
    observers : Observers
    weights : array (thresholds, shapes)
    level : float
        The probability that an interval holds the probability of a right answer.
    """
    flat, right = weights.ravel(), observers.right.reshape(weights.size, -1)
    low, high = np.transpose([quantiles(column, flat, level) for column in right.T])
    return Curve(flat @ right, low, high)


def quantiles(values: Floats, weights: Floats, level: float) -> Floats:
    """Return the ends of the central interval of weighted values, array (2,)."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    places = np.searchsorted(total, [(1 - level) / 2, (1 + level) / 2])
    found: Floats = values[order][np.minimum(places, len(values) - 1)]
    return found
