"""People's answers: sums over people and statements, and scores against loops over both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement.people import (
    People,
    common_sense_by_answer,
    majority_of_others,
    person_scores,
    published_majority,
    published_person_scores,
    published_statement_scores,
    raters,
    scores_in_place_of_persons,
    scores_of_persons,
    statement_majority,
    statement_scores,
    unbiased_consensus,
)
from support.studies.counted import agreements, mean, most


def made(statement: list[int], person: list[int], q1: list[float], q2: list[float]) -> People:
    return People(
        np.array(statement, int), np.array(person, int), np.array(q1, float), np.array(q2, float), 3, 2
    )


def test_order_does_not_matter_and_gaps_are_kept() -> None:
    people = made([2, 0, 1], [1, 1, 0], [1, np.nan, 0], [0, 1, np.nan])
    assert people.person.tolist() == [0, 1, 1]
    assert people.statement.tolist() == [1, 0, 2]
    assert people.asked1.tolist() == [1, 0, 1]
    assert people.asked2.tolist() == [0, 1, 1]
    assert people.yes1.tolist() == [0, 0, 1]
    assert people.yes2.tolist() == [0, 1, 0]


def test_sums_and_the_matrix_are_those_of_a_loop(people: People) -> None:
    values = np.random.default_rng(1).random(len(people.q1))
    dense = np.zeros((people.people, people.statements))
    for s, j, value in zip(people.statement, people.person, values, strict=True):
        dense[j, s] += value
    assert (people.matrix(values).toarray() == dense).all()
    np.testing.assert_allclose(people.by_person(values), dense.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(people.by_statement(values), dense.sum(axis=0), atol=1e-12)


def test_a_part_is_what_it_would_be_by_itself(people: People) -> None:
    kept = people.person % 3 == 1
    part = people.where(kept)
    again = People(
        people.statement[kept], people.person[kept], people.q1[kept], people.q2[kept],
        people.statements, people.people,
    )  # fmt: skip
    for name in ("statement", "person", "q1", "q2", "asked1", "yes2"):
        np.testing.assert_array_equal(getattr(part, name), getattr(again, name))
    values = np.arange(len(part.q1), dtype=float)
    assert (part.matrix(values).toarray() == again.matrix(values).toarray()).all()


def test_nobody_at_all() -> None:
    nobody = made([], [], [], [])
    assert nobody.by_statement(nobody.yes1).tolist() == [0, 0, 0]
    assert nobody.matrix(nobody.yes1).toarray().tolist() == [[0, 0, 0], [0, 0, 0]]


Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


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
def test_scores_count_ties_half_and_leave_out_what_few_rated(
    people: People, minimum: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", minimum)
    scores, key = statement_scores(people), statement_majority(people)
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


def test_nobody_rated_a_statement(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", 0)
    assert raters(people)[0] == 0
    assert published_majority(people)[0] == 0
    assert math.isnan(statement_majority(people)[0])


def test_the_estimate_of_squared_consensus_is_unbiased() -> None:
    """Over all possible answers of n raters, weighted by their probability, its mean is the true (2p − 1)²."""
    for n in (2, 3, 7):
        yes = np.arange(n + 1)
        ways = np.array([math.comb(n, k) for k in yes])
        found = unbiased_consensus(np.abs(2 * yes / n - 1), np.full(n + 1, float(n)))
        for p in (0.5, 0.8, 1.0):
            expected = (ways * p**yes * (1 - p) ** (n - yes) * found).sum()
            assert expected == pytest.approx((2 * p - 1) ** 2, abs=1e-12)
    assert np.isnan(unbiased_consensus(np.ones(1), np.ones(1))).all()


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


def test_published_scores_of_persons_are_those_of_a_loop(people: People) -> None:
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
def test_the_majority_of_others_leaves_the_person_out(
    people: People, minimum: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probsense.analysis.agreement.people.MINIMUM_RATERS", minimum)
    found, n = majority_of_others(people), raters(people)
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


@pytest.mark.parametrize("gaps", [True, False])
def test_models_in_place_of_persons_are_those_of_a_loop(
    people: People, answers: Pair, binary: Pair, gaps: bool
) -> None:
    key = majority_of_others(people)
    answers = answers if gaps else binary
    found = scores_in_place_of_persons(people, *answers, key, people.asked1, people.asked2)
    assert np.isnan(answers[0]).any() == gaps
    for j in range(people.people):
        for m in range(len(answers[0])):
            for q, asked, scores in (
                (answers[0], people.asked1, found.consensus),
                (answers[1], people.asked2, found.awareness),
            ):
                own = (people.person == j) & (asked == 1)
                right = agreements(q[m, people.statement[own]], key[own])
                assert scores[j, m] == pytest.approx(mean(right), abs=1e-12, nan_ok=True)
