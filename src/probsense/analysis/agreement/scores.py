"""Defines the agreement of answers, majorities, the scores consensus and awareness, and correlations of values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Hold consensus and awareness, with common sense as their geometric mean (Whiting & Watts 2024, PNAS 121(4)).

    Attributes
    ----------
    consensus, awareness : ndarray, of one shape
        Shares between 0 and 1; NaN where there is no data. For an individual, consensus is how often the own answer is
        the majority's, and awareness is how often the answer expected of most people is. For a statement, consensus is
        how far from even the answers are, and awareness is how often people guess the majority right.
    """

    consensus: NDArray[np.float64]
    awareness: NDArray[np.float64]

    @property
    def commonsensicality(self) -> NDArray[np.float64]:
        """Return √(consensus · awareness)."""
        return np.sqrt(self.consensus * self.awareness)


def match(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute how far two answers agree: x·y + (1 − x)·(1 − y).

    Parameters
    ----------
    x, y : ndarray, of shapes that broadcast
        Answers: 1 yes, 0 no, 0.5 a tie, NaN none. A tie agrees half with every answer. For shares of "yes" the
        result is the probability that two answers drawn at random are the same.
    """
    return 1 - x - y + 2 * x * y


def majority(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the answer of most: 1 above one half, 0 below, 0.5 at a tie; NaN stays NaN."""
    return (np.sign(share - 0.5) + 1) / 2


def filled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace NaN by 0."""
    return np.where(np.isnan(values), 0.0, values)


def mean_known(values: NDArray[np.float64], weight: NDArray[np.float64] | float = 1.0) -> NDArray[np.float64]:
    """Compute weighted means of the known values along the last axis; NaN where none is known."""
    known = ~np.isnan(values)
    return ratio((weight * filled(values)).sum(axis=-1), (weight * known).sum(axis=-1))


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide, with NaN where the whole is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def paired_correlations(
    x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
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


def cross_correlations(
    x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
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


def correlation_p_value(r: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
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
    p: NDArray[np.float64] = 2 * betainc(shape, shape, (1 - np.abs(r)) / 2)
    return p


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract the mean of each row, to avoid cancellation in sums of squares; unknown values become 0."""
    return filled(values - mean_known(values)[..., None])


def _from_sums(
    n: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    xx: NDArray[np.float64],
    yy: NDArray[np.float64],
    xy: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Compute Pearson's correlation from sums of weights, values, squares and products."""
    with np.errstate(invalid="ignore", divide="ignore"):
        r: NDArray[np.float64] = (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))
    return np.clip(r, -1, 1)
