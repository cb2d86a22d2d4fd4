"""Groups of respondents: their shares and noise, and how far two groups are apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from probsense.analysis.agreement.contrasts import (
    Answering,
    contrast_size,
    people_answering,
    personas_answering,
)
from probsense.analysis.inference.influence import Cells, crossed_interval

Floats = NDArray[np.float64]


def personas(yes: object, weight: object = None) -> Answering:
    p = np.array(yes, dtype=np.float64)
    w = np.ones(len(p)) if weight is None else np.array(weight, dtype=np.float64)
    return personas_answering(p, np.zeros(p.shape), w)


def people(answers: Floats) -> Answering:
    person, statement = np.nonzero(~np.isnan(answers))
    return people_answering(answers[person, statement], statement, person, answers.shape[1])


def test_personas_by_hand() -> None:
    np.testing.assert_allclose(personas([[0.9, 0.5, np.nan], [0.1, 0.5, 0.3]]).share, [0.5, 0.5, 0.3])
    assert personas([[1.0], [0.0]], weight=[3, 1]).share[0] == 0.75


answers = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, float("nan")]), min_size=4, max_size=4), min_size=2, max_size=7
).map(np.array)


@given(answers)
def test_personas_who_answer_as_people_differ_as_people_do(given_answers: Floats) -> None:
    ours, theirs = personas(given_answers), people(given_answers)
    several = (~np.isnan(given_answers)).sum(axis=0) > 1
    np.testing.assert_allclose(ours.share[several], theirs.share[several])
    np.testing.assert_allclose(ours.noise[several], theirs.noise[several], atol=1e-12)
    # What is known of each answer sums to nothing within a statement.
    for one in (ours, theirs):
        np.testing.assert_allclose(np.bincount(one.cells.item, one.cells.value, 4), 0, atol=1e-12)


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=6).map(np.array),
    st.randoms(use_true_random=False),
)
def test_the_order_of_personas_changes_nothing(p: Floats, random: object) -> None:
    order = np.arange(len(p))
    random.shuffle(order)  # type: ignore[attr-defined]
    weight = 1.0 + np.arange(len(p))
    a, b = personas(p, weight), personas(p[order], weight[order])
    np.testing.assert_allclose(a.share, b.share, atol=1e-12)
    np.testing.assert_allclose(a.noise, b.noise, atol=1e-12)


@given(st.integers(0, 10_000))
def test_each_influence_on_a_contrast_is_its_derivative(seed: int) -> None:
    """Moving the share of a statement, or of one answer to it, moves the size as much."""
    rng = np.random.default_rng(seed)
    n, h = 12, 1e-6
    item, share, noise = np.arange(n), rng.normal(2, 1, n), np.zeros(n)
    other = Answering(noise, noise, Cells(item[:0], item[:0], noise[:0]))
    one = Answering(share, noise, Cells(item, item, np.ones(n)))
    found = contrast_size(one, other)
    assert found.raters is not None
    assert found.items.sum() == pytest.approx(0, abs=1e-9)
    for i in (0, 5):
        more = one._replace(share=share + h * (item == i))
        moved = (contrast_size(more, other).value - found.value) / h
        assert moved == pytest.approx(found.raters.value[i], rel=1e-4)


def test_a_contrast_of_noise_alone_has_no_error_and_one_without_statements_no_size() -> None:
    nobody = Cells(np.arange(0), np.arange(0), np.zeros(0))
    one = Answering(np.array([0.2, 0.6]), np.array([1.0, 1.0]), nobody)
    found = contrast_size(one, one)
    assert found.value == 0
    assert math.isnan(crossed_interval(found)[0])
    unknown = contrast_size(one, one._replace(share=np.full(2, math.nan)))
    assert math.isnan(unknown.value)
    assert not len(unknown.items)
