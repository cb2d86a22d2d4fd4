"""Models as individuals, against loops over models and statements."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement.individuals import (
    individual_scores,
    published_scores_with_model,
    scores_by_group,
)
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.scores import majority, match
from probsense.analysis.agreement.statements import published_majority, statement_majority
from support.studies.counted import agreed, agreements, mean

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_two_answers_agree_wholly_half_or_not() -> None:
    for x, y in product((0.0, 0.5, 1.0), repeat=2):
        assert match(np.array(x), np.array(y)) == agreed(x, y)
    assert np.isnan(match(np.array(math.nan), np.array(1.0)))


def test_the_majority_of_shares() -> None:
    shares = np.array([0, 0.49999, 0.5, 0.50001, 1, math.nan])
    np.testing.assert_array_equal(majority(shares), [0, 0, 0.5, 1, 1, math.nan])


def test_scores_by_group_are_those_of_a_loop(people: People, answers: Pair) -> None:
    key = statement_majority(people)
    groups = np.random.default_rng(2).random((3, people.statements)) < 0.5
    groups[2] = False
    scores, whole = scores_by_group(*answers, key, groups), individual_scores(*answers, key)
    assert np.isnan(key).any()
    for m in range(len(answers[0])):
        for q, found, overall in (
            (answers[0], scores.consensus, whole.consensus),
            (answers[1], scores.awareness, whole.awareness),
        ):
            assert overall[m] == pytest.approx(mean(agreements(q[m], key)), abs=1e-12)
            for g, group in enumerate(groups):
                expected = mean(agreements(q[m, group], key[group]))
                assert found[m, g] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_published_scores_are_ratios_of_counts(people: People, binary: Pair) -> None:
    key, scores = published_majority(people), individual_scores(*binary, published_majority(people))
    for m in range(len(binary[0])):
        assert scores.consensus[m] == sum(binary[0][m] == key) / len(key)
        assert scores.awareness[m] == sum(binary[1][m] == key) / len(key)
        expected = np.sqrt(scores.consensus[m] * scores.awareness[m])
        assert scores.commonsensicality[m] == expected


def test_a_model_may_vote_with_the_people(people: People, binary: Pair) -> None:
    scores = published_scores_with_model(*binary, people)
    for m in range(len(binary[0])):
        key = []
        for i in range(people.statements):
            votes = [x for x in people.q1[people.statement == i] if not math.isnan(x)] + [binary[0][m, i]]
            key.append(float(np.mean(votes) >= 0.5))
        assert scores.consensus[m] == np.mean(binary[0][m] == key)
        assert scores.awareness[m] == np.mean(binary[1][m] == key)
