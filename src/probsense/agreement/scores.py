"""Agreement of answers, majorities, and the pair of scores that everything is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Consensus and awareness, and common sense as their geometric mean (Whiting & Watts 2024, PNAS 121(4)).

    Attributes
    ----------
    consensus, awareness : ndarray, of one shape
        Shares between 0 and 1; NaN where there is no data. Of individuals: how often the own answer, and the
        answer expected of most people, are the majority's. Of statements: how far from even the answers are,
        and how often the majority is guessed right.
    """

    consensus: NDArray[np.float64]
    awareness: NDArray[np.float64]

    @property
    def commonsensicality(self) -> NDArray[np.float64]:
        """√(consensus · awareness)."""
        return np.sqrt(self.consensus * self.awareness)


def match(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far two answers agree: x·y + (1 − x)·(1 − y).

    Parameters
    ----------
    x, y : ndarray, of shapes that broadcast
        Answers: 1 yes, 0 no, 0.5 a tie, NaN none. A tie agrees half with every answer. For shares of "yes" it is
        the probability that two answers drawn at random are the same.
    """
    return 1 - x - y + 2 * x * y


def majority(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """The answer of most: 1 above one half, 0 below, 0.5 at a tie; NaN stays NaN."""
    return (np.sign(share - 0.5) + 1) / 2


def filled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with 0 in place of NaN."""
    return np.where(np.isnan(values), 0.0, values)


def mean_known(values: NDArray[np.float64], weight: NDArray[np.float64] | float = 1.0) -> NDArray[np.float64]:
    """Weighted means of what is known along the last axis; NaN where nothing is."""
    known = ~np.isnan(values)
    return ratio((weight * filled(values)).sum(axis=-1), (weight * known).sum(axis=-1))


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient, NaN where the whole is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
