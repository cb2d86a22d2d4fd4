"""Compares models with people: the share of people that a model beats, and its percentile among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.persons import (
    majority_of_others,
    published_person_scores,
    scores_in_place_of_persons,
    scores_of_persons,
)
from probsense.analysis.agreement.scores import mean_known, ratio
from probsense.analysis.agreement.statements import MINIMUM_RATERS, published_majority

SAME = 1e-12
"""Scores that differ by less count as equal, because √(0.8 · 0.9) and √(0.72 · 1) differ in the last digit."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedWins:
    """Hold the published comparison of models with people.

    Attributes
    ----------
    strict : ndarray, shape (models,)
        Share of all people whose score is *below* the model's, the published win rate.
    at_least : ndarray, shape (models,)
        Share of all people whose score is not above the model's.
    lead : ndarray, shape (models,)
        Mean of the model's score less the person's.
    """

    strict: NDArray[np.float64]
    at_least: NDArray[np.float64]
    lead: NDArray[np.float64]


def published_win_rates(q1: NDArray[np.float64], q2: NDArray[np.float64], people: People) -> PublishedWins:
    """Compute win rates as published: the majority counts the person's own vote, and a tie is no win.

    The model is scored on the statements for which the person answered the first question; the same statements serve
    for the second question. Scores are compared as floating-point numbers, so some ties of equal fractions count as
    wins.

    Parameters
    ----------
    q1, q2 : ndarray, shape (models, statements)
        Answers: 1 yes, 0 no.
    people : People

    Returns
    -------
    PublishedWins
    """
    key = published_majority(people)[people.statement]
    own = published_person_scores(people).commonsensicality[:, None]
    scores = scores_in_place_of_persons(people, q1, q2, key, people.asked1, people.asked1).commonsensicality
    return PublishedWins(
        (scores > own).mean(axis=0), (scores >= own).mean(axis=0), mean_known((scores - own).T)
    )


def win_rates(
    q1: NDArray[np.float64], q2: NDArray[np.float64], people: People, *, minimum: int = MINIMUM_RATERS
) -> NDArray[np.float64]:
    """Compute the share of people whom a model beats on their own statements, by the majority of all others; a tie is
    half a win.

    Person and model answer the same questions and are scored by the same key, to which neither contributes.

    Parameters
    ----------
    q1, q2 : ndarray, shape (models, statements)
        Answers: 1 yes, 0 no, 0.5 a tie, NaN none.
    people : People
    minimum : int
        Statements with fewer raters do not count.

    Returns
    -------
    ndarray, shape (models,)
        NaN where no person can be compared.
    """
    key = majority_of_others(people, minimum=minimum)
    own = scores_of_persons(people, key).commonsensicality
    scores = scores_in_place_of_persons(people, q1, q2, key, people.asked1, people.asked2)
    return share_beaten(scores.commonsensicality, own)


def percentiles(scores: NDArray[np.float64], persons: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the percentiles of models among people: the share of people with a lower score, counting equals half.

    Each person rated few statements, so people's scores differ more than they would over all statements. This draws
    extreme percentiles towards the middle. The win rate avoids it, because it compares on the same statements.

    Parameters
    ----------
    scores : ndarray, shape (models,)
        Scores of models over all statements.
    persons : ndarray, shape (people,)
        Score of each person over the statements rated; NaN for those without a score.

    Returns
    -------
    ndarray, shape (models,)
        Shares between 0 and 1.
    """
    return share_beaten(scores[None], persons)


def share_beaten(
    scores: NDArray[np.float64],
    persons: NDArray[np.float64],
    weight: NDArray[np.float64] | float = 1.0,
) -> NDArray[np.float64]:
    """Compute the share of people whose score a model exceeds, counting equals half.

    Parameters
    ----------
    scores : ndarray, shape (people, models) or (1, models)
        Scores of the models against each person.
    persons : ndarray, shape (people,)
    weight : ndarray, shape (people,), or float
        Weight of each person.

    Returns
    -------
    ndarray, shape (models,)
    """
    lead = scores - persons[:, None]
    won = np.where(np.abs(lead) < SAME, 0.5, lead > 0)
    weights = np.broadcast_to(weight, persons.shape)
    return ratio(weights @ np.where(np.isnan(lead), 0.0, won), weights @ ~np.isnan(lead))
