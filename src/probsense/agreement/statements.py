"""Statements as people see them: what most say, how many of them, and how many know it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.agreement.people import People
from probsense.agreement.scores import Scores, majority, match, ratio

MINIMUM_RATERS = 3
"""Statements with fewer answers are left out, so that the others of a person are at least two."""


def published_majority(people: People) -> NDArray[np.float64]:
    """The majority of the first question as published: 1 for a share of "yes" of at least one half, else 0.

    A tie is a "yes", and a statement that nobody rated a "no".

    Parameters
    ----------
    people : People

    Returns
    -------
    ndarray, shape (statements,)
    """
    return (yes_share(people) >= 0.5).astype(np.float64)


def published_statement_scores(people: People) -> Scores:
    """Scores of statements as published (Nguyen, Watts & Whiting 2026).

    Consensus is 2·|p − ½|, p the share of "yes" to the first question; awareness is the share of answers to the
    second that equal the majority of the *first*.

    Parameters
    ----------
    people : People

    Returns
    -------
    Scores
        Of shape (statements,); NaN without an answer to the question.
    """
    yes, asked = people.by_statement(people.yes2), people.by_statement(people.asked2)
    aware = np.where(published_majority(people) == 1, yes, asked - yes)
    return Scores(2 * np.abs(yes_share(people) - 0.5), ratio(aware, asked))


def statement_majority(people: People, *, minimum: int = MINIMUM_RATERS) -> NDArray[np.float64]:
    """The majority of the first question, 0.5 at a tie.

    Parameters
    ----------
    people : People
    minimum : int
        Statements that fewer people rated have none (NaN).

    Returns
    -------
    ndarray, shape (statements,)
    """
    return np.where(raters(people) >= minimum, majority(yes_share(people)), np.nan)


def statement_scores(people: People, *, minimum: int = MINIMUM_RATERS) -> Scores:
    """Scores of statements; at a tie, every answer to the second question is half right.

    Parameters
    ----------
    people : People
    minimum : int
        Statements that fewer people rated have no scores (NaN).

    Returns
    -------
    Scores
        Of shape (statements,).
    """
    key = statement_majority(people, minimum=minimum)
    aware = people.by_statement(people.asked2 * match(people.yes2, key[people.statement]))
    return Scores(
        np.where(np.isnan(key), np.nan, np.abs(2 * yes_share(people) - 1)),
        ratio(aware, people.by_statement(people.asked2)),
    )


def unbiased_consensus(people: People, *, minimum: int = MINIMUM_RATERS) -> NDArray[np.float64]:
    """Unbiased estimate of the *squared* consensus of each statement, (n·c² − 1) / (n − 1), shape (statements,).

    Few raters make consensus c look higher than it is, E|p̂ − ½| > |p − ½|. For n raters drawn independently,
    E[(2p̂ − 1)²] = (2p − 1)² + 4p(1 − p)/n, from which the formula follows. A single statement's estimate may be
    negative; the square root of a mean over statements is their root mean square consensus.

    Parameters
    ----------
    people : People
    minimum : int
        Statements that fewer people rated have none (NaN), nor have those with a single rater.
    """
    n, squared = raters(people), (2 * yes_share(people) - 1) ** 2
    return np.where(n >= minimum, ratio(n * squared - 1, n - 1), np.nan)


def raters(people: People) -> NDArray[np.float64]:
    """How many people answered the first question about each statement, shape (statements,)."""
    return people.by_statement(people.asked1)


def yes_share(people: People) -> NDArray[np.float64]:
    """The share of "yes" to the first question, shape (statements,); NaN where nobody answered."""
    return ratio(people.by_statement(people.yes1), raters(people))
