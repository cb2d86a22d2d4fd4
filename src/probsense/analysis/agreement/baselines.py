"""Computes what simple rules and people themselves would score, as baselines for the scores of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.persons import majority_of_others
from probsense.analysis.agreement.scores import Scores, filled, match, mean_known, ratio
from probsense.analysis.agreement.statements import MINIMUM_RATERS

MAJORITY: Final = "majority"
"""The rule that answers each statement as most people do."""


def baseline_answers(key: NDArray[np.float64]) -> Mapping[str, NDArray[np.float64]]:
    """Return the answers that simple rules give to both questions, by the name of the rule.

    "always yes" shows what a model that always refuses scores where a refusal counts as "yes". "majority" gives the
    answer of most people, which is the best that one answer to each statement can do.

    Parameters
    ----------
    key : ndarray, shape (statements,)
        The answer of most people to the first question.

    Returns
    -------
    Mapping of str to ndarray, shape (statements,)
    """
    return {"always yes": np.ones_like(key), MAJORITY: key}


def random_person_scores(people: People, *, minimum: int = MINIMUM_RATERS) -> Scores:
    """Compute the expected scores of someone who answers each statement as a random one of its raters did.

    The majority of the other raters is the key for each rater. The mean is over raters, then over statements, as it is
    for a model. Nothing is drawn: the result is the exact expectation.

    Parameters
    ----------
    people : People
    minimum : int
        Statements with fewer raters do not count.

    Returns
    -------
    Scores
        Scores of shape ().
    """
    key = majority_of_others(people, minimum=minimum)
    known = ~np.isnan(key)

    def share(yes: NDArray[np.float64], asked: NDArray[np.float64]) -> NDArray[np.float64]:
        counted = asked * known
        right = people.by_statement(counted * match(yes, filled(key)))
        return mean_known(ratio(right, people.by_statement(counted)))

    return Scores(share(people.yes1, people.asked1), share(people.yes2, people.asked2))
