"""The pq curve: exact against all subsets, and the heuristic, the search and the bounds against each other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from probsense.analysis.agreement import pq_curves, pq_search
from probsense.analysis.agreement.pq_curves import Held, band, half, pq_curve, replicates, same_answer
from probsense.core.errors import InputError


def rng(seed: int = 0) -> np.random.Generator:
    """A generator of random numbers."""
    return np.random.default_rng(seed)


def population(people: int, claims: int, seed: int = 1) -> Held:
    """Answers of people who go with the majority more or less, to claims that are more or less clear."""
    draws = rng(seed)
    clear, conform = draws.normal(1.5, 1.5, claims), draws.normal(1, 0.7, people)
    return same_answer((draws.random((people, claims)) < 1 / (1 + np.exp(-np.outer(conform, clear)))) * 1.0)


ANSWERS = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.sampled_from([0.0, 1.0])
)
HELD = st.one_of(ANSWERS.map(same_answer), ANSWERS.map(lambda q1: q1[None] == 1))


def brute_force(held):
    """The most claims shared by exactly k people, over all groups of k."""
    groups = (combinations(range(held.shape[1]), k) for k in range(1, held.shape[1] + 1))
    return [max(int(held[:, list(one)].all(axis=1).any(axis=0).sum()) for one in own) for own in groups]


def check(held, curve):
    """What is true of every curve, exact or not."""
    assert (np.diff(curve.shared) <= 0).all()
    assert (np.diff(curve.bound) <= 0).all()
    assert (curve.shared <= curve.bound).all()
    assert (curve.bound <= held.shape[2]).all()
    for k, (shared, group) in enumerate(zip(curve.shared, curve.group, strict=True), start=1):
        assert group.sum() >= k
        assert held[:, group].all(axis=1).sum() == shared


@pytest.fixture(params=[(17, True), (2, True), (2, False), (0, False)])
def way(request, monkeypatch):
    """Tables of so many rows, with the heuristic or not, so that small matrices go all ways through the search."""
    rows, heuristic = request.param
    for module in (pq_search, pq_curves):
        monkeypatch.setattr(module, "ROWS", rows)
    if not heuristic:
        monkeypatch.setattr(pq_curves, "greedy", lambda *_: None)


@pytest.mark.usefixtures("way")
@given(HELD)
def test_it_is_the_best_of_all_groups(held):
    curve = pq_curve(held, rng())
    assert curve.shared.tolist() == brute_force(held)
    assert np.array_equal(curve.shared, curve.bound)
    check(held, curve)


@pytest.mark.parametrize(("people", "claims"), [(24, 80), (80, 24), (30, 200), (45, 45)])
def test_the_heuristic_the_search_and_the_bound_keep_their_order(people, claims):
    held = population(people, claims)
    quick, stopped, whole = (pq_curve(held, rng(), effort=effort) for effort in (0, 1e8, 1e12))
    for curve in (quick, stopped, whole):
        check(held, curve)
    assert np.array_equal(whole.shared, whole.bound)
    assert not np.array_equal(quick.shared, quick.bound)
    assert (quick.shared <= stopped.shared).all()
    assert (stopped.shared <= whole.shared).all()
    assert (whole.shared <= stopped.bound).all()
    assert (stopped.bound <= quick.bound).all()
    assert quick.area <= whole.area == whole.q_bound.mean() <= quick.q_bound.mean()


def test_counts_that_need_more_than_16_bits():
    held = np.ones((1, 3, 70_000), dtype=bool)
    assert pq_curve(held, rng()).shared.tolist() == [70_000] * 3
    held[0, np.arange(3), np.arange(3)] = False
    assert pq_curve(held, rng()).shared.tolist() == [69_999, 69_998, 69_997]


@pytest.mark.parametrize("shape", [(2, 0, 4), (2, 4, 0)])
def test_nobody_and_nothing_have_no_curve(shape):
    with pytest.raises(InputError, match="people and"):
        pq_curve(np.zeros(shape, dtype=bool), rng())


def test_replicates_are_curves_of_the_samples():
    held = population(9, 30, 1)
    found = replicates(held, rng(5), draws=4)
    source = rng(5)
    for row in found:
        people, claims = half(source, 9), half(source, 30)
        curve = pq_curve(held[:, people][:, :, claims], rng())
        # Of 4 people, 2 have a third of the possible companions, as 3 or 4 of 9 have a quarter or a bit more.
        assert np.array_equal(row, curve.q[[0, 1, 1, 2, 2, 2, 3, 3, 3]])
    assert np.array_equal(found, replicates(held, rng(5), draws=4))


def test_a_band_is_normal_and_unknown_where_half_samples_say_nothing():
    found = band(np.array([0.5, 0.01]), np.array([[0.4, 0.0], [0.6, 0.2]]))
    assert found.stderr == pytest.approx([np.std([0.4, 0.6], ddof=1)] * 2, abs=1e-12)
    assert found.high[0] == pytest.approx(0.5 + 1.959963984540054 * found.stderr[0], abs=1e-12)
    assert found.low[1] == 0
    pair = replicates(population(2, 10, 1), rng(), draws=3)
    assert np.isnan(band(np.array([1.0, 0.6]), pair).stderr).tolist() == [False, True]
    found = band(np.array([1.0, 0.8, 0.5]), np.array([[1.0, 1.0, 0.4], [1.0, 1.0, 0.6]]))
    assert np.isnan(found.stderr).tolist() == [False, True, False]
    assert np.isnan([found.low, found.high]).tolist() == [[False, True, False]] * 2
    assert (found.low[0], found.high[0]) == (1, 1)


Q1 = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
Q2 = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])


def test_what_people_hold_and_know_to_be_held():
    assert same_answer(Q1).tolist() == [(Q1 == 0).tolist(), (Q1 == 1).tolist()]
    known = [[[0, 0, 0, 1], [0, 1, 0, 1]], [[1, 0, 1, 0], [1, 0, 0, 0]]]
    assert same_answer(Q1, Q2).astype(int).tolist() == known


def test_missing_answers_probabilities_and_unlike_shapes_are_refused():
    gaps = np.where(np.arange(8).reshape(2, 4) > 5, np.nan, Q1)
    for answers in ((gaps, Q2), (Q1, gaps)):
        with pytest.raises(InputError, match=r"2 answers are missing .*everybody"):
            same_answer(*answers)
    with pytest.raises(InputError, match=r"40 different answers .*not probabilities"):
        same_answer(np.linspace(0, 1, 40).reshape(4, 10))
    with pytest.raises(InputError, match="shape"):
        same_answer(Q1, Q2[:, :3])
