"""Defines the agreement of answers, majorities, and the scores consensus and awareness."""

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
