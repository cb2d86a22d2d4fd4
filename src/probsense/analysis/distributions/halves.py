"""Lists the ways to halve people who answered yes or no, with their probabilities.

A half is a draw without replacement, so its number of yes is hypergeometric, and every expectation over halves is an
exact sum: no split is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

FEWEST_RATERS: Final = 2
"""One rater has no halves."""
SPREAD: Final = 8
"""Halves that lie more standard deviations than this from their mean do not count."""


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """Hold every way in which the raters of a statement can be halved, with its probability.

    Attributes
    ----------
    weight : ndarray, shape (statements, ways)
        Probabilities, which sum to 1 over the ways; NaN for a statement with a single rater or none.
    first, second : ndarray, shape (statements, ways)
        Shares of yes in a half of ⌊n/2⌋ raters, and in the rest.
    size : ndarray, shape (statements, 1)
        Number of raters in the first half.
    """

    weight: Floats
    first: Floats
    second: Floats
    size: Floats

    def mean(self, values: Floats) -> Floats:
        """Return the expectation over halves of values of shape (statements, ways), shape (statements,)."""
        return np.asarray((self.weight * values).sum(axis=1))


def halves(yes: Floats, asked: Floats) -> Halves:
    """List all halves of the raters of each statement.

    Of n raters of whom k say yes, j are in a half of m with probability C(m, j)·C(n − m, k − j)/C(n, k).

    Parameters
    ----------
    yes, asked : ndarray, shape (statements,)
        Numbers of people who say yes, and of people who answer.

    Returns
    -------
    Halves
    """
    from scipy.special import gammaln

    known = asked >= FEWEST_RATERS
    n = np.where(known, asked, FEWEST_RATERS)[:, None]
    k = np.where(known, yes, 0)[:, None]
    m = np.floor(n / 2)
    middle, spread = m * k / n, np.sqrt(k * m * (n - k) * (n - m) / (n * n * (n - 1)))
    lowest = np.maximum(np.maximum(0, k - (n - m)), np.floor(middle - SPREAD * spread))
    highest = np.minimum(np.minimum(k, m), np.ceil(middle + SPREAD * spread))
    j = lowest + np.arange(int((highest - lowest).max(initial=0)) + 1)
    possible, j = j <= highest, np.minimum(j, highest)

    def log_choose(whole: Floats, part: Floats) -> Floats:
        return np.asarray(gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1))

    weight = np.where(possible, np.exp(log_choose(m, j) + log_choose(n - m, k - j) - log_choose(n, k)), 0)
    weight = np.where(known[:, None], weight / weight.sum(axis=1, keepdims=True), np.nan)
    return Halves(weight, j / m, (k - j) / (n - m), m)
