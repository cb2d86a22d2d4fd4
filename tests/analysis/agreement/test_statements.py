"""Scores of statements, against one loop over statements for each rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.statements import (
    published_majority,
    published_statement_scores,
    raters,
    statement_majority,
    statement_scores,
    unbiased_consensus,
)


def ratings(people: People, statement: int) -> tuple[list[float], list[float]]:
    inside = people.statement == statement
    return tuple([x for x in q[inside] if not math.isnan(x)] for q in (people.q1, people.q2))  # type: ignore[return-value]


def test_published_scores_are_those_of_a_loop(people: People) -> None:
    scores, key = published_statement_scores(people), published_majority(people)
    for i in range(people.statements):
        first, second = ratings(people, i)
        p = np.mean(first) if first else math.nan
        most = 1 if p >= 0.5 else 0
        consensus = 2 * abs(p - 0.5)
        awareness = np.mean([x == most for x in second]) if second else math.nan
        assert key[i] == most
        found = (scores.consensus[i], scores.awareness[i], scores.commonsensicality[i])
        np.testing.assert_array_equal(found, (consensus, awareness, np.sqrt(consensus * awareness)))


@pytest.mark.parametrize("minimum", [1, 2, 3, 4])
def test_scores_count_ties_half_and_leave_out_what_few_rated(people: People, minimum: int) -> None:
    scores, key = statement_scores(people, minimum=minimum), statement_majority(people, minimum=minimum)
    for i in range(people.statements):
        first, second = ratings(people, i)
        if len(first) < minimum:
            assert np.isnan([key[i], scores.consensus[i], scores.awareness[i]]).all()
            continue
        yes, no = first.count(1), first.count(0)
        assert key[i] == (0.5 if yes == no else yes > no)
        assert scores.consensus[i] == pytest.approx(abs(yes - no) / len(first), abs=1e-12)
        if second:
            right = [0.5 if yes == no else x == (yes > no) for x in second]
            assert scores.awareness[i] == pytest.approx(np.mean(right), abs=1e-12)
        else:
            assert math.isnan(scores.awareness[i])


def test_a_tie_is_a_yes_as_published_and_nothing_else(people: People) -> None:
    assert ratings(people, 2)[0].count(1) == ratings(people, 2)[0].count(0) == 2
    assert published_majority(people)[2] == 1
    assert statement_majority(people)[2] == 0.5
    assert statement_scores(people).awareness[2] == 0.5


def test_nobody_rated_a_statement(people: People) -> None:
    assert raters(people)[0] == 0
    assert published_majority(people)[0] == 0
    assert math.isnan(statement_majority(people, minimum=0)[0])


def test_the_estimate_of_squared_consensus_is_unbiased() -> None:
    """Over all possible answers of n raters, weighted by their probability, its mean is the true (2p − 1)²."""
    for n in (2, 3, 7):
        for p in (0.5, 0.8, 1.0):
            expected = 0.0
            for yes in range(n + 1):
                q1 = np.array([1.0] * yes + [0.0] * (n - yes))
                people = People(np.zeros(n, int), np.arange(n), q1, q1, 1, n)
                found = unbiased_consensus(people, minimum=1)[0]
                expected += math.comb(n, yes) * p**yes * (1 - p) ** (n - yes) * found
            assert expected == pytest.approx((2 * p - 1) ** 2, abs=1e-12)


def test_squared_consensus_needs_two_raters(people: People) -> None:
    assert raters(people)[1] == 1
    assert math.isnan(unbiased_consensus(people, minimum=1)[1])
