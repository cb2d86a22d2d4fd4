"""Holds what is known of the share of everybody who says yes to each statement: a distribution for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELLS = 200
"""Shares between 0 and 1 are told apart by cells of this number; one half lies between two of them."""
EDGES = np.linspace(0, 1, CELLS + 1)
MIDDLES = (EDGES[1:] + EDGES[:-1]) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Hold an estimated standard deviation with its 95 % interval, in log odds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Hold the posterior distributions of the shares of everybody.

    Attributes
    ----------
    mass : ndarray, shape (statements, :data:`CELLS`)
        Probability that the share lies in each cell; rows sum to 1.
    people, statements : Spread
        How far people's leanings towards yes, and the locations of statements, are spread.
    """

    mass: NDArray[np.float64]
    people: Spread
    statements: Spread

    @property
    def mean(self) -> NDArray[np.float64]:
        """Return the expected share, shape (statements,)."""
        return self.mass @ MIDDLES

    @property
    def variance(self) -> NDArray[np.float64]:
        """Return the variance of the share, shape (statements,)."""
        return self.mass @ MIDDLES**2 - self.mean**2

    @property
    def majority(self) -> NDArray[np.float64]:
        """Return the probability that most people say yes, shape (statements,)."""
        return np.asarray(self.mass[:, CELLS // 2 :].sum(axis=1))

    @property
    def sides(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities of margins |2p − 1| with a majority of yes, and of no.

        Both have the shape (statements, CELLS / 2), with rising margins.
        """
        half = CELLS // 2
        return self.mass[:, half:], self.mass[:, half - 1 :: -1]

    def interval(self, *, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of intervals with equal tails, each of shape (statements,)."""
        below = np.concatenate([np.zeros((len(self.mass), 1)), self.mass.cumsum(axis=1)], axis=1)
        tails = (1 - level) / 2, (1 + level) / 2
        low, high = (np.array([np.interp(tail, row, EDGES) for row in below]) for tail in tails)
        return low, high
