"""What goes into the crossed logistic model, people's answers and priors, and what comes out, everybody's shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People

MEAN_SD = 2.5
"""The standard deviation of the normal prior of the mean, in log odds."""
SPREADS = np.array([1.0, 2.5])
"""Scales of the half-normal priors of the standard deviations of people and of statements, in log odds."""
CELLS = 200
"""Shares between 0 and 1 are told apart by cells of this number; one half lies between two of them."""
EDGES = np.linspace(0, 1, CELLS + 1)
MIDDLES = (EDGES[1:] + EDGES[:-1]) / 2


class Answers(NamedTuple):
    """Hold yes-or-no answers of people to statements.

    Attributes
    ----------
    statement, person : ndarray of int, shape (k,)
    yes : ndarray, shape (k,)
        1 or 0.
    statements, people : int
        Total numbers, with those that have no answer.
    """

    statement: NDArray[np.int64]
    person: NDArray[np.int64]
    yes: NDArray[np.float64]
    statements: int
    people: int


def first_answers(people: People) -> Answers:
    """Select the answers to the first question."""
    return _answers(people, people.asked1, people.yes1)


def second_answers(people: People) -> Answers:
    """Select the answers to the second question."""
    return _answers(people, people.asked2, people.yes2)


def _answers(people: People, asked: NDArray[np.float64], yes: NDArray[np.float64]) -> Answers:
    given = asked > 0
    return Answers(
        people.statement[given], people.person[given], yes[given], people.statements, people.people
    )


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
