"""Agreement of all pairs, against a loop over pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement.matrix import agreement_matrix, agreement_with_persons
from probsense.analysis.agreement.people import People
from support.studies.counted import agreements, mean

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_all_pairs_of_models_are_those_of_a_loop(answers: Pair) -> None:
    q = answers[0]
    found = agreement_matrix(q)
    for a in range(len(q)):
        for b in range(len(q)):
            both = ~np.isnan(q[a] + q[b])
            x, y = q[a, both], q[b, both]
            share = mean(agreements(x, y))
            chance = x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean())
            assert found.n[a, b] == both.sum()
            assert found.share[a, b] == pytest.approx(share, abs=1e-12)
            assert found.kappa[a, b] == pytest.approx((share - chance) / (1 - chance), abs=1e-12)


def test_those_who_always_agree_by_chance_have_no_kappa() -> None:
    found = agreement_matrix(np.array([[1.0, 1, 1], [1, 1, 1], [np.nan] * 3]))
    assert found.share[0, 1] == 1
    assert math.isnan(found.kappa[0, 1])
    assert math.isnan(found.share[0, 2])


def test_models_and_persons_are_those_of_a_loop(people: People, answers: Pair) -> None:
    found = agreement_with_persons(answers[0], people)
    for m in range(len(answers[0])):
        for j in range(people.people):
            own = people.person == j
            expected = mean(agreements(answers[0][m, people.statement[own]], people.q1[own]))
            assert found[m, j] == pytest.approx(expected, abs=1e-12, nan_ok=True)
