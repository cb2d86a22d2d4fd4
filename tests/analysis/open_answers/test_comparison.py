"""The same number of answers of each party, and their transport."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import hypergeom

from probsense.analysis.open_answers.comparison import (
    RarefiedSample,
    instances,
    shuffled,
    transport,
    weighted_sample,
)


def rarefied(counts: np.ndarray, answers: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    given_ = instances(counts)
    picks = shuffled(len(given_), draws, rng)[:, :answers]
    return weighted_sample(given_, picks, np.ones((draws, len(given_)))).counts(len(counts))


@given(st.integers(0, 10**6), st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(any))
def test_parts_have_their_size_and_no_more_of_a_string_than_there_are(seed, numbers):
    counts = np.array(numbers)
    answers = 1 + seed % counts.sum()
    found = rarefied(counts, answers, 5, np.random.default_rng(seed))
    np.testing.assert_allclose(found.sum(axis=1), answers)
    assert (found <= counts + 1e-9).all()


def test_parts_are_hypergeometric():
    found = rarefied(np.array([3, 7, 2]), 5, 20000, np.random.default_rng(0))
    for times in range(4):
        share = (np.rint(found[:, 0]) == times).mean()
        assert abs(share - hypergeom.pmf(times, 12, 3, 5)) < 0.012


def test_all_answers_are_the_counts_themselves():
    counts = np.array([3, 0, 2])
    np.testing.assert_allclose(rarefied(counts, 5, 3, np.random.default_rng(1)), [counts] * 3)


def test_weights_count_and_none_at_all_is_one_for_each():
    given_, picks = np.array([0, 1, 1]), np.array([[0, 1], [1, 2]])
    found = weighted_sample(given_, picks, np.array([[3.0, 1, 5], [9, 0, 0]]))
    np.testing.assert_allclose(found.counts(2), [[1.5, 0.5], [0, 2]])


def test_single_answers_are_the_same_where_weights_are_equal_and_follow_them_elsewhere():
    rng = np.random.default_rng(0)
    strings = np.array([[4, 2, 7]])
    assert RarefiedSample(strings, np.ones((1, 3))).single(3, rng).tolist() == [[4, 2, 7]]
    twice = RarefiedSample(strings, np.array([[2.0, 0, 1]])).single(6, rng)
    assert sorted(twice[0].tolist()) == [4, 4, 4, 4, 7, 7]
    assert RarefiedSample(strings, np.ones((1, 3))).single(2, rng).shape == (1, 2)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_it_is_the_earth_movers_distance(seed, n):
    rng = np.random.default_rng(seed)
    cost = rng.random((3, 4))
    people, model = rng.integers(4, size=n), rng.integers(3, size=n)
    # The linear program of Kantorovich: masses carried from the model's strings to people's.
    rows, columns = np.repeat(np.eye(3), 4, axis=1), np.tile(np.eye(4), 3)
    masses = [np.bincount(model, minlength=3) / n, np.bincount(people, minlength=4) / n]
    best = linprog(cost.ravel(), A_eq=np.concatenate([rows, columns])[:-1], b_eq=np.concatenate(masses)[:-1])
    assert abs(transport(cost, people, model) - best.fun) < 1e-9
