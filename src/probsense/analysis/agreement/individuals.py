"""Scores models as individuals: one answer to each question, scored as a person's answer would be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.scores import Scores, filled, match, ratio
from probsense.analysis.agreement.statements import raters


def individual_scores(q1: NDArray[np.float64], q2: NDArray[np.float64], key: NDArray[np.float64]) -> Scores:
    """Score models by the majority of people. Consensus is the share of first answers that equal the majority, and
    awareness is the share of second answers that do.

    If the key is :func:`~probsense.analysis.agreement.statements.published_majority` and no answer is a tie, the
    result is the published scores. If the key is
    :func:`~probsense.analysis.agreement.statements.statement_majority`, ties count half.

    Parameters
    ----------
    q1, q2 : ndarray, shape (models, statements)
        Answers to both questions: 1 yes, 0 no, 0.5 a tie, NaN none.
    key : ndarray, shape (statements,)
        The answer of most people to the first question; NaN where a statement does not count.

    Returns
    -------
    Scores
        Scores of shape (models,).
    """
    scores = scores_by_group(q1, q2, key, np.ones((1, len(key)), bool))
    return Scores(scores.consensus[:, 0], scores.awareness[:, 0])


def scores_by_group(
    q1: NDArray[np.float64], q2: NDArray[np.float64], key: NDArray[np.float64], groups: NDArray[np.bool_]
) -> Scores:
    """Score models on groups of statements, such as those with a feature or of a category.

    Parameters
    ----------
    q1, q2, key
        As for :func:`individual_scores`.
    groups : ndarray of bool, shape (groups, statements)
        Which statements belong to each group.

    Returns
    -------
    Scores
        Scores of shape (models, groups); NaN for a group without a statement that counts.
    """
    members = groups.T.astype(np.float64)

    def share(answers: NDArray[np.float64]) -> NDArray[np.float64]:
        right = match(answers, key)
        return ratio(filled(right) @ members, (~np.isnan(right)).astype(np.float64) @ members)

    return Scores(share(q1), share(q2))


def published_scores_with_model(q1: NDArray[np.float64], q2: NDArray[np.float64], people: People) -> Scores:
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
