"""Scores models as individuals, one answer to each question, and as populations, in which "yes" has a share.

Beside models stand people and simple rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from probsense.analysis.agreement.people import (
    People,
    Scores,
    known_key,
    majority,
    majority_of_others,
    match,
    published_majority,
    published_person_scores,
    raters,
    scores_in_place_of_persons,
)
from probsense.analysis.arrays import Floats, filled, mean_known, ratio
from probsense.analysis.distributions.label_mass import binary, split_other
from probsense.analysis.inference.correlations import squares_about_mean


def individual_scores(q1: Floats, q2: Floats, key: Floats, weight: Floats | float = 1.0) -> Scores:
    """Score models by the majority of people. Consensus is the share of first answers that equal the majority, and
    awareness is the share of second answers that do.

    If the key is :func:`~probsense.analysis.agreement.people.published_majority` and no answer is a tie, the
    result is the published scores. If the key is
    :func:`~probsense.analysis.agreement.people.statement_majority`, ties count half.

    Parameters
    ----------
    q1, q2 : ndarray, shape (models, statements)
        Answers to both questions: 1 yes, 0 no, 0.5 a tie, NaN none.
    key : ndarray, shape (..., statements)
        The answer of most people to the first question; NaN where a statement does not count.
    weight : ndarray, shape (..., statements), or float
        What statements count: how often each was drawn, or 1 for those of a group and 0 for others.

    Returns
    -------
    Scores
        Scores of shape (..., models); NaN without a statement that counts.
    """
    weight, key = known_key(key, weight)

    def share(answers: Floats) -> Floats:
        given = (~np.isnan(answers)).T.astype(np.float64)
        right = (weight * (2 * key - 1)) @ filled(answers).T + (weight * (1 - key)) @ given
        return ratio(right, weight @ given)

    return Scores(share(q1), share(q2))


def published_scores_with_model(q1: Floats, q2: Floats, people: People) -> Scores:
    """Score models by a majority to which each adds its own vote, the published "alternative calculation".

    The model's first answer counts as the answer of one more person. The majority is "yes" if at least half of these
    answers are "yes".

    Parameters
    ----------
    q1, q2 : ndarray, shape (models, statements)
        Answers: 1 yes, 0 no.
    people : People

    Returns
    -------
    Scores
        Scores of shape (models,).
    """
    share = (people.by_statement(people.yes1) + q1) / (raters(people) + 1)
    key = (share >= 0.5).astype(np.float64)
    return Scores(match(q1, key).mean(axis=1), match(q2, key).mean(axis=1))


def published_answers(mass: Floats, *, compat: bool = False) -> Floats:
    """Return models' answers as individuals: "yes" where it is at least as probable as "no", with other answers
    split.

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
        Mass of yes, no and other.
    compat : bool
        Whether to reproduce the published answers of GPT-4o to the second question, for which other answers were not
        split: "yes" only where it has at least half of all mass. These answers give an awareness of .7758 instead of
        .7790, and the published win rate.

    Returns
    -------
    ndarray, shape (...)
        1 or 0; NaN without data.
    """
    if compat:
        yes, total = mass[..., 0], mass.sum(-1)
        return np.where(np.isnan(total), np.nan, yes >= total / 2)
    return binary(mass)


def published_shares(mass: Floats, *, compat: bool = False) -> Floats:
    """Return models' probabilities of "yes" as populations, with other answers split evenly.

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
        Mass of yes, no and other.
    compat : bool
        Whether to reproduce the published comparison of system prompts, in which other answers were split
        twice: (yes + other) / (yes + no + 2 · other).

    Returns
    -------
    ndarray, shape (...)
        NaN without data.
    """
    return split_other(mass * (1, 1, 2) if compat else mass)[..., 0]


MAJORITY: Final = "majority"
"""The rule that answers each statement as most people do."""


def baseline_answers(key: Floats) -> Mapping[str, Floats]:
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


def random_person_scores(people: People) -> Scores:
    """Compute the expected scores of someone who answers each statement as a random one of its raters did.

    The majority of the other raters is the key for each rater. The mean is over raters, then over statements, as it is
    for a model. Nothing is drawn: the result is the exact expectation.

    Parameters
    ----------
    people : People

    Returns
    -------
    Scores
        Scores of shape ().
    """
    key = majority_of_others(people)
    known = ~np.isnan(key)

    def share(yes: Floats, asked: Floats) -> Floats:
        counted = asked * known
        right = people.by_statement(counted * match(yes, filled(key)))
        return mean_known(ratio(right, people.by_statement(counted)))

    return Scores(share(people.yes1, people.asked1), share(people.yes2, people.asked2))


SAME = 1e-12
"""Scores that differ by less count as equal, because √(0.8 · 0.9) and √(0.72 · 1) differ in the last digit."""


def published_leads(q1: Floats, q2: Floats, people: People) -> Floats:
    """Compute models' scores less each person's, as published: the majority counts the person's own vote.

    The published win rate is the share of all people whom a model leads by more than 0. The model is scored on the
    statements for which the person answered the first question; the same statements serve for the second question.
    Scores are floating-point numbers, so some ties of equal fractions count as wins.

    Parameters
    ----------
    q1, q2 : ndarray, shape (models, statements)
        Answers: 1 yes, 0 no.
    people : People

    Returns
    -------
    ndarray, shape (people, models)
    """
    key = published_majority(people)[people.statement]
    own = published_person_scores(people).commonsensicality[:, None]
    return (
        scores_in_place_of_persons(people, q1, q2, key, people.asked1, people.asked1).commonsensicality - own
    )


def share_beaten(scores: Floats, persons: Floats, weight: Floats) -> Floats:
    """Compute the share of people whose score a model exceeds, counting equals half.

    Parameters
    ----------
    scores : ndarray, shape (people, models) or (1, models)
        Scores of the models against each person.
    persons : ndarray, shape (people,)
    weight : ndarray, shape (people,)
        Weight of each person.

    Returns
    -------
    ndarray, shape (models,)
    """
    lead = scores - persons[:, None]
    won = np.where(np.abs(lead) < SAME, 0.5, lead > 0)
    return ratio(weight @ np.where(np.isnan(lead), 0.0, won), weight @ ~np.isnan(lead))


def published_population_scores(p1: Floats, p2: Floats) -> Scores:
    """Score statements within a model as published, where a tie of the model's own first answer is a "yes".

    Consensus is 2·|p₁ − ½|; awareness is p₂ where p₁ ≥ ½, else 1 − p₂: the majority is the model's *own*
    (Nguyen, Watts & Whiting 2026).

    Parameters
    ----------
    p1, p2 : ndarray, shape (models, statements)
        Probability of "yes" to both questions, without the mass of other answers; NaN where there is none.

    Returns
    -------
    Scores
        Scores of shape (models, statements).
    """
    return Scores(2 * np.abs(p1 - 0.5), np.where(p1 >= 0.5, p2, 1 - p2))


def population_scores(p1: Floats, p2: Floats) -> Scores:
    """Score statements within a model; at a tie of its own first answer, every second answer is half right.

    Parameters
    ----------
    p1, p2 : ndarray, shape (models, statements)
        Probability of "yes" to both questions; NaN where there is none.

    Returns
    -------
    Scores
        Scores of shape (models, statements).
    """
    return Scores(np.abs(2 * p1 - 1), match(p2, majority(p1)))


def fits(people: Floats, models: Floats, times: Floats) -> dict[str, Floats]:
    """Compare models' values of statements with people's, as published.

    Parameters
    ----------
    people : ndarray, shape (statements,)
        For example the commonsensicality of statements; NaN where it is unknown.
    models : ndarray, shape (models, statements)
    times : ndarray, shape (draws, statements)
        How often each statement comes.

    Returns
    -------
    dict of str to ndarray, shape (draws, models)
        On the statements for which both values are known, "r2" is 1 − Σ(h − m)² / Σ(h − h̄)². The model's value itself
        is the prediction, so that R² may be negative. "rmse" and "mae" are the root mean square and the mean absolute
        difference, in the unit of the values.
    """
    known = (~np.isnan(people) & ~np.isnan(models)).astype(np.float64)
    h, apart = filled(people) * known, filled(people - models)
    n, total, squares, off, wrong = (times @ x.T for x in (known, h, h * h, np.abs(apart), apart * apart))
    r2 = 1 - ratio(wrong, squares_about_mean(squares, total, n))
    return {"r2": r2, "rmse": np.sqrt(ratio(wrong, n)), "mae": ratio(off, n)}
