"""People's answers, and the scores of statements by what people say, of persons and models by what most say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from probsense.analysis.arrays import Bools, Floats, Ints, filled, ratio

COLUMNS = ("statement", "person", "q1", "q2")


@dataclass(frozen=True, eq=False)
class People:
    """Hold the answers of people to both questions about statements, one element for each person and statement.

    The answers are sorted by person, then by statement, whatever order they are given in.

    Attributes
    ----------
    statement, person : ndarray of int, shape (k,)
        Indices from 0; no pair twice.
    q1, q2 : ndarray, shape (k,)
        "Do you agree?" and "Would most people agree?": 1 yes, 0 no, NaN missing.
    statements, people : int
        Total numbers, with those that have no answer.
    """

    statement: Ints
    person: Ints
    q1: Floats
    q2: Floats
    statements: int
    people: int

    def __post_init__(self) -> None:
        order = np.lexsort((self.statement, self.person))
        for name in COLUMNS:
            object.__setattr__(self, name, getattr(self, name)[order])

    @cached_property
    def asked1(self) -> Floats:
        """Mark with 1 where there is an answer to the first question, else with 0; shape (k,)."""
        return 1.0 - np.isnan(self.q1)

    @cached_property
    def asked2(self) -> Floats:
        """Mark with 1 where there is an answer to the second question, else with 0; shape (k,)."""
        return 1.0 - np.isnan(self.q2)

    @cached_property
    def yes1(self) -> Floats:
        """Mark with 1 where the first answer is yes, else with 0; shape (k,)."""
        return filled(self.q1)

    @cached_property
    def yes2(self) -> Floats:
        """Mark with 1 where the second answer is yes, else with 0; shape (k,)."""
        return filled(self.q2)

    @cached_property
    def _starts(self) -> Ints:
        return np.searchsorted(self.person, np.arange(self.people + 1))

    def matrix(self, values: Floats) -> Any:
        """Arrange values as a sparse matrix of shape (people, statements), a scipy.sparse.csr_array.

        Parameters
        ----------
        values : ndarray, shape (k,)
            One for each answer.
        """
        from scipy.sparse import csr_array

        shape = (self.people, self.statements)
        return csr_array((values, self.statement, self._starts), shape=shape)

    def by_statement(self, values: Floats) -> Floats:
        """Sum values, shape (k,), over the raters of each statement, shape (statements,)."""
        return np.bincount(self.statement, values, self.statements).astype(np.float64, copy=False)

    def by_person(self, values: Floats) -> Floats:
        """Sum values, shape (k,), over the statements of each person, shape (people,)."""
        return np.bincount(self.person, values, self.people).astype(np.float64, copy=False)

    def where(self, kept: Bools) -> People:
        """Select answers; people and statements keep their numbers.

        Parameters
        ----------
        kept : ndarray of bool, shape (k,)
        """
        # Skips the sorting, because a bootstrap calls this in every draw.
        part, chosen = object.__new__(People), np.flatnonzero(kept)
        columns = {name: getattr(self, name)[chosen] for name in COLUMNS}
        for name, value in (columns | {"statements": self.statements, "people": self.people}).items():
            object.__setattr__(part, name, value)
        return part


class Scores(NamedTuple):
    """Hold consensus and awareness, with common sense as their geometric mean (Whiting & Watts 2024, PNAS 121(4)).

    Attributes
    ----------
    consensus, awareness : ndarray, of one shape
        Shares between 0 and 1; NaN where there is no data. For an individual, consensus is how often the own answer is
        the majority's, and awareness is how often the answer expected of most people is. For a statement, consensus is
        how far from even the answers are, and awareness is how often people guess the majority right.
    """

    consensus: Floats
    awareness: Floats

    @property
    def commonsensicality(self) -> Floats:
        """Return √(consensus · awareness)."""
        return np.sqrt(self.consensus * self.awareness)


def match(x: Floats, y: Floats) -> Floats:
    """Compute how far two answers agree: x·y + (1 − x)·(1 − y).

    Parameters
    ----------
    x, y : ndarray, of shapes that broadcast
        Answers: 1 yes, 0 no, 0.5 a tie, NaN none. A tie agrees half with every answer. For shares of "yes" the
        result is the probability that two answers drawn at random are the same.
    """
    return 1 - x - y + 2 * x * y


def majority(share: Floats) -> Floats:
    """Return the answer of most: 1 above one half, 0 below, 0.5 at a tie; NaN stays NaN."""
    return (np.sign(share - 0.5) + 1) / 2


MINIMUM_RATERS = 3
"""Statements with fewer raters are left out, so that every rater has at least two others."""


def published_majority(people: People) -> Floats:
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


def statement_majority(people: People) -> Floats:
    """Return the majority of the first question, 0.5 at a tie; NaN where a statement does not count.

    Parameters
    ----------
    people : People

    Returns
    -------
    ndarray, shape (statements,)
    """
    return np.where(counted(people), majority(yes_share(people)), np.nan)


def statement_scores(people: People) -> Scores:
    """Score statements that count; at a tie, every answer to the second question is half right.

    Parameters
    ----------
    people : People

    Returns
    -------
    Scores
        Scores of shape (statements,); NaN where a statement does not count.
    """
    key = statement_majority(people)
    aware = people.by_statement(people.asked2 * match(people.yes2, key[people.statement]))
    return Scores(
        np.where(np.isnan(key), np.nan, np.abs(2 * yes_share(people) - 1)),
        ratio(aware, people.by_statement(people.asked2)),
    )


def unbiased_consensus(consensus: Floats, n: Floats) -> Floats:
    """Estimate the *squared* consensus of statements without bias, (n·c² − 1) / (n − 1).

    With few raters, consensus c overestimates: E|p̂ − ½| > |p − ½|. For n raters drawn independently,
    E[(2p̂ − 1)²] = (2p − 1)² + 4p(1 − p)/n, and the formula follows. The estimate of a single statement may be
    negative. The square root of the mean over statements is their root mean square consensus.

    Parameters
    ----------
    consensus, n : ndarray, of one shape
        Consensus of statements, and numbers of their raters; one rater is too few.
    """
    return ratio(n * consensus**2 - 1, n - 1)


def raters(people: People) -> Floats:
    """Count the people who answered the first question about each statement, shape (statements,)."""
    return people.by_statement(people.asked1)


def counted(people: People) -> Bools:
    """Tell which statements have :data:`MINIMUM_RATERS` or more, shape (statements,); the others do not count."""
    return raters(people) >= MINIMUM_RATERS


def yes_share(people: People) -> Floats:
    """Compute the share of "yes" to the first question, shape (statements,); NaN where nobody answered."""
    return ratio(people.by_statement(people.yes1), raters(people))


def published_person_scores(people: People) -> Scores:
    """Score persons as published, by a majority that counts their own vote.

    Consensus is the share of a person's first answers that equal the majority, and awareness is the share of second
    answers that do (Nguyen, Watts & Whiting 2026).

    Parameters
    ----------
    people : People

    Returns
    -------
    Scores
        Scores of shape (people,); NaN for persons without an answer.
    """
    return scores_of_persons(people, published_majority(people)[people.statement])


def person_scores(people: People) -> Scores:
    """Score persons by the majority of all others.

    Parameters
    ----------
    people : People

    Returns
    -------
    Scores
        Scores of shape (people,); NaN for persons with nothing that counts.
    """
    return scores_of_persons(people, majority_of_others(people))


def majority_of_others(people: People) -> Floats:
    """Return, for each answer, what most *other* people say to the first question about its statement.

    Parameters
    ----------
    people : People

    Returns
    -------
    ndarray, shape (k,)
        1 yes, 0 no, 0.5 at a tie; NaN where the statement does not count.
    """
    yes, asked = people.by_statement(people.yes1), raters(people)
    others = ratio(yes[people.statement] - people.yes1, asked[people.statement] - people.asked1)
    return np.where(counted(people)[people.statement], majority(others), np.nan)


def scores_of_persons(people: People, key: Floats, weight: Floats | float = 1.0) -> Scores:
    """Score persons by any key.

    Parameters
    ----------
    people : People
    key : ndarray, shape (k,)
        For each answer, the answer that is right; NaN where it does not count.
    weight : ndarray, shape (k,), or float
        Weight of each answer.

    Returns
    -------
    Scores
        Scores of shape (people,).
    """
    weight, key = known_key(key, weight)

    def share(yes: Floats, asked: Floats) -> Floats:
        return ratio(people.by_person(weight * asked * match(yes, key)), people.by_person(weight * asked))

    return Scores(share(people.yes1, people.asked1), share(people.yes2, people.asked2))


def common_sense_by_answer(right1: Floats, right2: Floats, rater: Ints, raters: int) -> Floats:
    """Divide each rater's √(consensus · awareness) among the rater's answers, to first order.

    An answer that is right more often than the rater's others adds what it moves the score by: with n answers, n₁ and
    n₂ of them to each question, s·(1 + n/2·((m₁ − c)/(n₁·c) + (m₂ − a)/(n₂·a))). The mean over a rater's answers is the
    rater's score.

    Parameters
    ----------
    right1, right2 : ndarray, shape (k,)
        How far each rater's answers about a statement agree with the key; NaN for no answer.
    rater : ndarray of int, shape (k,)
    raters : int

    Returns
    -------
    ndarray, shape (k,)
        NaN for raters without an answer that counts to one of the questions.
    """
    counts = [np.bincount(rater, ~np.isnan(right), raters).astype(np.float64) for right in (right1, right2)]
    answered = np.bincount(rater, ~np.isnan(right1) | ~np.isnan(right2), raters)
    score, moved = np.ones(raters), np.zeros(len(rater))
    for right, count in zip((right1, right2), counts, strict=True):
        share = ratio(np.asarray(np.bincount(rater, filled(right), raters), np.float64), count)
        score = score * share
        moved += filled(ratio(right - share[rater], (count * share)[rater]))
    return np.asarray(np.sqrt(score)[rater] * (1 + answered[rater] / 2 * moved))


def scores_in_place_of_persons(
    people: People, q1: Floats, q2: Floats, key: Floats, asked1: Floats, asked2: Floats
) -> Scores:
    """Score each model in each person's place, on that person's statements.

    Parameters
    ----------
    people : People
    q1, q2 : ndarray, shape (models, statements)
        Answers to both questions: 1 yes, 0 no, 0.5 a tie, NaN none.
    key : ndarray, shape (k,)
        For each answer of a person, the answer that is right; NaN where it does not count.
    asked1, asked2 : ndarray, shape (k,)
        Weight of each answer in consensus and in awareness.

    Returns
    -------
    Scores
        Scores of shape (people, models); NaN where a person has no statement that the model answered.

    Notes
    -----
    Agreement is linear in the answer, match(x, t) = (1 − t) + x·(2t − 1). One product of a sparse matrix,
    people × statements, and a dense one, statements × models, therefore scores all people and models.
    """

    def share(answers: Floats, asked: Floats) -> Floats:
        weight, right_answer = known_key(key, asked)
        given = ~np.isnan(answers)
        # If every model answered everything, one column serves all of them.
        given = (given[:1] if given.all() else given).T.astype(np.float64)
        right = people.matrix(weight * (1 - right_answer)) @ given
        right = right + people.matrix(weight * (2 * right_answer - 1)) @ filled(answers).T.copy()
        return ratio(right, people.matrix(weight) @ given)

    return Scores(share(q1, asked1), share(q2, asked2))


def known_key(key: Floats, weight: Floats | float) -> tuple[Floats, Floats]:
    """Return weights that are zero where there is no key, and a key without gaps."""
    return np.where(np.isnan(key), 0.0, weight), filled(key)
