"""What the crossed logistic model is given: answers to the first question, and its priors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People

MEAN_SD = 2.5
"""The standard deviation of the normal prior of the mean, in log odds."""
SPREADS = np.array([1.0, 2.5])
"""Scales of the half-normal priors of the standard deviations of people and of statements, in log odds."""


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
