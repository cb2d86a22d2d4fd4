"""Models against people, person by person."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.persons import majority_of_others, published_person_scores
from probsense.analysis.agreement.statements import published_majority
from probsense.analysis.agreement.wins import percentiles, published_win_rates, share_beaten, win_rates

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_published_win_rates_are_those_of_a_loop(people: People, binary: Pair) -> None:
    key, persons = published_majority(people), published_person_scores(people).commonsensicality
    found = published_win_rates(*binary, people)
    for m in range(len(binary[0])):
        won = reached = 0
        leads = []
        for j in range(people.people):
            rated = people.statement[(people.person == j) & ~np.isnan(people.q1)]
            if not len(rated):
                continue
            score = np.sqrt(
                np.mean(binary[0][m, rated] == key[rated]) * np.mean(binary[1][m, rated] == key[rated])
            )
            won += score > persons[j]
            reached += score >= persons[j]
            leads.append(score - persons[j])
        assert found.strict[m] == won / people.people
        assert found.at_least[m] == reached / people.people
        assert found.lead[m] == pytest.approx(np.mean(leads), abs=1e-12)


def test_win_rates_are_those_of_a_loop_in_fractions(people: People, answers: Pair) -> None:
    """Squares of scores are rational: no rounding decides a tie."""
    key, found = majority_of_others(people), win_rates(*answers, people)

    def squared(
        q1: NDArray[np.float64], q2: NDArray[np.float64], keys: NDArray[np.float64]
    ) -> Fraction | None:
        product = Fraction(1)
        for q in (q1, q2):
            right = [
                Fraction(1, 2) if 0.5 in (x, t) else Fraction(int(x == t))
                for x, t in zip(q, keys, strict=True)
                if not math.isnan(x + t)
            ]
            if not right:
                return None
            product *= sum(right, Fraction(0)) / len(right)
        return product

    ties = 0
    for m in range(len(answers[0])):
        won, compared = Fraction(0), 0
        for j in range(people.people):
            own = people.person == j
            s = people.statement[own]
            person = squared(people.q1[own], people.q2[own], key[own])
            # The model answers what the person answered.
            model = squared(
                np.where(np.isnan(people.q1[own]), np.nan, answers[0][m, s]),
                np.where(np.isnan(people.q2[own]), np.nan, answers[1][m, s]),
                key[own],
            )
            if person is None or model is None:
                continue
            compared += 1
            ties += model == person
            won += Fraction(1, 2) if model == person else int(model > person)
        assert found[m] == pytest.approx(float(won / compared), abs=1e-12)
    assert ties


def test_equal_fractions_tie_though_their_roots_differ() -> None:
    model, person = np.sqrt(np.array([[0.8 * 0.9]])), np.sqrt(np.array([0.72 * 1.0]))
    assert model[0, 0] != person[0]
    assert share_beaten(model, person).tolist() == [0.5]


def test_percentiles_count_equals_half() -> None:
    persons = np.array([0.2, 0.4, 0.4, 0.9, math.nan])
    found = percentiles(np.array([0.1, 0.2, 0.4, 0.5, 1.0, math.nan]), persons)
    np.testing.assert_array_equal(found, [0, 0.125, 0.5, 0.75, 1, math.nan])


def test_persons_may_weigh() -> None:
    found = share_beaten(np.array([[0.5]]), np.array([0.4, 0.6]), np.array([3.0, 1.0]))
    assert found.tolist() == [0.75]
