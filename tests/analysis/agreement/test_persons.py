"""Scores of persons and of models in their place, against a loop over persons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.persons import (
    common_sense_by_answer,
    majority_of_others,
    person_scores,
    published_person_scores,
    scores_in_place_of_persons,
    scores_of_persons,
)
from probsense.analysis.agreement.statements import published_majority, raters
from support.studies.counted import agreements, mean, most


def test_what_an_answer_adds_is_how_the_score_moves_with_its_weight() -> None:
    """The mean over a person's answers is the score; n times the derivative by a weight is what one of them adds."""
    right1, right2 = np.array([1.0, 0.0, 1.0, np.nan, 1.0]), np.array([1.0, 1.0, 0.0, 1.0, np.nan])

    def score(weight: NDArray[np.float64]) -> float:
        shares = [np.nansum(weight * m) / weight[~np.isnan(m)].sum() for m in (right1, right2)]
        return math.sqrt(shares[0] * shares[1])

    whole, step = score(np.ones(5)), 1e-6
    found = common_sense_by_answer(right1, right2, np.zeros(5, np.int64), 1)
    assert found.mean() == pytest.approx(whole)
    for i, value in enumerate(found):
        moved = (score(np.ones(5) + step * (np.arange(5) == i)) - whole) / step
        assert value - whole == pytest.approx(5 * moved, abs=1e-5)


def test_published_scores_are_those_of_a_loop(people: People) -> None:
    key, scores = published_majority(people), published_person_scores(people)
    for j in range(people.people):
        own = people.person == j
        consensus, awareness = (
            mean(
                [x == key[s] for s, x in zip(people.statement[own], q[own], strict=True) if not math.isnan(x)]
            )
            for q in (people.q1, people.q2)
        )
        found = (scores.consensus[j], scores.awareness[j], scores.commonsensicality[j])
        np.testing.assert_array_equal(found, (consensus, awareness, np.sqrt(consensus * awareness)))


@pytest.mark.parametrize("minimum", [1, 2, 3, 4])
def test_the_majority_of_others_leaves_the_person_out(people: People, minimum: int) -> None:
    found, n = majority_of_others(people, minimum=minimum), raters(people)
    for k in range(len(found)):
        others = (people.statement == people.statement[k]) & (people.person != people.person[k])
        votes = [x for x in people.q1[others] if not math.isnan(x)]
        if not votes or n[people.statement[k]] < minimum:
            assert math.isnan(found[k])
        else:
            assert found[k] == most(votes)


def test_scores_of_persons_are_those_of_a_loop(people: People) -> None:
    key, scores = majority_of_others(people), person_scores(people)
    weight = np.random.default_rng(3).random(len(key))
    weighted = scores_of_persons(people, key, weight)
    for j in range(people.people):
        for q, plain, with_weights in (
            (people.q1, scores.consensus, weighted.consensus),
            (people.q2, scores.awareness, weighted.awareness),
        ):
            own = (people.person == j) & ~np.isnan(q) & ~np.isnan(key)
            right = agreements(q[own], key[own])
            assert plain[j] == pytest.approx(mean(right), abs=1e-12, nan_ok=True)
            expected = np.average(right, weights=weight[own]) if right else math.nan
            assert with_weights[j] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_models_in_place_of_persons_are_those_of_a_loop(
    people: People, answers: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    key = majority_of_others(people)
    found = scores_in_place_of_persons(people, *answers, key, people.asked1, people.asked2)
    assert np.isnan(answers[0]).any()
    for j in range(people.people):
        for m in range(len(answers[0])):
            for q, asked, scores in (
                (answers[0], people.asked1, found.consensus),
                (answers[1], people.asked2, found.awareness),
            ):
                own = (people.person == j) & (asked == 1)
                right = agreements(q[m, people.statement[own]], key[own])
                assert scores[j, m] == pytest.approx(mean(right), abs=1e-12, nan_ok=True)


def test_without_gaps_it_is_the_same(
    people: People, binary: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    """All models at once, or with one that has a gap beside them."""
    key = majority_of_others(people)
    gap = np.full((1, people.statements), np.nan)
    with_gap = tuple(np.concatenate([q, gap]) for q in binary)
    plain = scores_in_place_of_persons(people, *binary, key, people.asked1, people.asked2)
    other = scores_in_place_of_persons(people, *with_gap, key, people.asked1, people.asked2)
    np.testing.assert_array_equal(other.consensus[:, :-1], plain.consensus)
    assert np.isnan(other.awareness[:, -1]).all()
