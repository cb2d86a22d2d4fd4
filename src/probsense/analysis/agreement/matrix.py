"""Measures how often any two raters, models or people, give the same answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.persons import share_right
from probsense.analysis.agreement.scores import filled, ratio


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Hold the agreement between all pairs; all arrays have the shape (raters, raters).

    Attributes
    ----------
    share : ndarray
        Share of the statements that both answered on which their answers are the same; a tie is half the same.
    kappa : ndarray
        (share − chance) / (1 − chance), where chance follows from how often each says "yes" on these statements
        (Cohen 1960); NaN where chance is 1.
    n : ndarray
        Number of statements that both answered.
    """

    share: NDArray[np.float64]
    kappa: NDArray[np.float64]
    n: NDArray[np.float64]


def agreement_matrix(answers: NDArray[np.float64]) -> Agreement:
    """Compute the agreement between all pairs of models, or of other raters who answer most statements.

    Parameters
    ----------
    answers : ndarray, shape (raters, statements)
        Answers to one question: 1 yes, 0 no, 0.5 a tie, NaN none. A row may be the majority of people.

    Returns
    -------
    Agreement
    """
    given = (~np.isnan(answers)).astype(np.float64)
    yes = filled(answers)
    no = given - yes
    n = given @ given.T
    share = ratio(yes @ yes.T + no @ no.T, n)
    # Each rater's shares on the statements that the other has answered, too.
    yes_too, no_too = ratio(yes @ given.T, n), ratio(no @ given.T, n)
    chance = yes_too * yes_too.T + no_too * no_too.T
    return Agreement(share, ratio(share - chance, 1 - chance), n)


def agreement_with_persons(answers: NDArray[np.float64], people: People) -> NDArray[np.float64]:
    """Compute how often each model gives the same first answer as each person.

    Parameters
    ----------
    answers : ndarray, shape (models, statements)
        Answers to the first question, as for :func:`agreement_matrix`.
    people : People

    Returns
    -------
    ndarray, shape (models, people)
        Shares of the statements that both answered; NaN where there is none.
    """
    return share_right(people, answers, people.q1, people.asked1).T
