"""Scores statements by people's answers: what most say, how many of them, and how many know it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.scores import Scores, majority, match, ratio

MINIMUM_RATERS = 3
"""Statements with fewer raters are left out, so that every rater has at least two others."""


def published_majority(people: People) -> NDArray[np.float64]:
    """Return the published majority of the first question: 1 where at least half of the answers are "yes", else 0.

    A tie is a "yes", and a statement that nobody rated is a "no".

    Parameters
    ----------
    people : People

    Returns
    -------
    ndarray, shape (statements,)
    """
    return (yes_share(people) >= 0.5).astype(np.float64)


def published_statement_scores(people: People) -> Scores:
    """Score statements as published (Nguyen, Watts & Whiting 2026).

    Consensus is 2·|p − ½|, where p is the share of "yes" to the first question. Awareness is the share of answers to
    the second question that equal the majority of the *first*.

    Parameters
    ----------
    people : People

    Returns
    -------
    Scores
        Scores of shape (statements,); NaN without an answer to the question.
    """
    yes, asked = people.by_statement(people.yes2), people.by_statement(people.asked2)
    aware = np.where(published_majority(people) == 1, yes, asked - yes)
    return Scores(2 * np.abs(yes_share(people) - 0.5), ratio(aware, asked))


def statement_majority(people: People, *, minimum: int = MINIMUM_RATERS) -> NDArray[np.float64]:
    """Return the majority of the first question, 0.5 at a tie.

    Parameters
    ----------
    people : People
    minimum : int
        Statements with fewer raters have no majority (NaN).

    Returns
    -------
    ndarray, shape (statements,)
    """
    return np.where(raters(people) >= minimum, majority(yes_share(people)), np.nan)


def statement_scores(people: People, *, minimum: int = MINIMUM_RATERS) -> Scores:
    """Score statements; at a tie, every answer to the second question is half right.

    Parameters
    ----------
    people : People
    minimum : int
        Statements with fewer raters have no scores (NaN).

    Returns
    -------
    Scores
        Scores of shape (statements,).
    """
    key = statement_majority(people, minimum=minimum)
    aware = people.by_statement(people.asked2 * match(people.yes2, key[people.statement]))
    return Scores(
        np.where(np.isnan(key), np.nan, np.abs(2 * yes_share(people) - 1)),
        ratio(aware, people.by_statement(people.asked2)),
    )


def unbiased_consensus(people: People, *, minimum: int = MINIMUM_RATERS) -> NDArray[np.float64]:
    """Estimate the *squared* consensus of each statement without bias, (n·c² − 1) / (n − 1), shape (statements,).

    With few raters, consensus c overestimates: E|p̂ − ½| > |p − ½|. For n raters drawn independently,
    E[(2p̂ − 1)²] = (2p − 1)² + 4p(1 − p)/n, and the formula follows. The estimate of a single statement may be
    negative. The square root of the mean over statements is their root mean square consensus.

    Parameters
    ----------
    people : People
    minimum : int
        Statements with fewer raters, or with a single one, have no estimate (NaN).
    """
    n, squared = raters(people), (2 * yes_share(people) - 1) ** 2
    return np.where(n >= minimum, ratio(n * squared - 1, n - 1), np.nan)


def raters(people: People) -> NDArray[np.float64]:
    """Count the people who answered the first question about each statement, shape (statements,)."""
    return people.by_statement(people.asked1)


def yes_share(people: People) -> NDArray[np.float64]:
    """Compute the share of "yes" to the first question, shape (statements,); NaN where nobody answered."""
    return ratio(people.by_statement(people.yes1), raters(people))
