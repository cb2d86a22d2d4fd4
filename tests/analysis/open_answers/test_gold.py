"""People's answers as categories, and answers spread over them."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.gold import View, gold, kernel_view
from probsense.analysis.open_answers.questions import Cluster, ComparisonSettings, Question
from probsense.analysis.open_answers.similarity import exact


def at(temperature):
    return ComparisonSettings(floor=0.4, temperature=temperature)


@given(st.integers(0, 10**6))
def test_assignments_are_a_softmax_of_the_most_similar_present_string_of_each_cluster(seed):
    rng = np.random.default_rng(seed)
    strings, clusters = rng.integers(1, 6), rng.integers(1, 4)
    members = rng.random((strings, clusters)) < 0.5
    similarity = rng.uniform(-1, 1, (3, strings))
    present = rng.random((4, strings)) < 0.7
    found = View(members).assign(similarity, present, at(0.1))
    there = members & present[:, None, :, None]  # draws, answers, strings, clusters
    odds = (np.exp(similarity / 0.1)[:, :, None] * there).max(axis=2)
    odds = np.concatenate([odds, np.full((4, 3, 1), math.exp(0.4 / 0.1))], axis=2)
    np.testing.assert_allclose(found, odds / odds.sum(axis=2, keepdims=True), rtol=0, atol=1e-12)


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_sums_are_those_of_assignments(seed, alone, blurred):
    rng = np.random.default_rng(seed)
    strings = int(rng.integers(1, 6))
    members = np.eye(strings, dtype=bool)[:, rng.permutation(strings)]
    if not alone:
        members = rng.random((strings, int(rng.integers(1, 4)))) < 0.5
    blur = rng.dirichlet(np.ones(members.shape[1] + 1), members.shape[1] + 1) if blurred else None
    view = View(members, blur)
    similarity = rng.uniform(-1, 1, (3, strings))
    present = rng.random((4, strings)) < 0.7
    counts = rng.integers(0, 5, (4, 3)).astype(float)
    expected = np.einsum("dx,dxk->dk", counts, view.assign(similarity, present, at(0.1)))
    np.testing.assert_allclose(view.sums(counts, similarity, present, at(0.1)), expected, atol=1e-12)


def test_a_cold_assignment_neither_overflows_nor_vanishes():
    view = View(np.eye(2, dtype=bool))
    found = view.assign(np.array([[1.0, 0.99], [-1.0, -1.0]]), np.ones((1, 2), bool), at(0.002))
    assert np.isfinite(found).all()
    assert found[0, 0, 0] > 0.99
    assert found[0, 1, 2] == 1


def test_a_string_of_two_clusters_is_shared_and_one_of_none_is_wrong():
    view = View(np.array([[True, True], [False, False]]))
    assert view.people().tolist() == [[0.5, 0.5, 0], [0, 0, 1]]


def test_a_kernel_spreads_mass_over_like_strings_and_leaves_wrong_alone():
    view = kernel_view(np.array([[1, 0.9, 0.0], [0.9, 1, 0.0], [0.0, 0.0, 1]]), 0.2, 0.3)
    people = view.people()
    np.testing.assert_allclose(people.sum(axis=1), 1)
    assert people[0, 1] == np.exp(-0.5) / (1 + np.exp(-0.5))
    assert people[2].tolist() == [0, 0, 1, 0]
    assigned = view.assign(np.full((1, 3), -1.0), np.ones((1, 3), bool), at(0.01))
    assert assigned[0, 0, -1] == 1


def test_people_drawn_anew_may_lack_strings_that_somebody_gave():
    question = Question("q", "?", {"a": 1, "b": 2}, (Cluster("1", 3, ("a", "b", "never given")),))
    own = gold(question, exact, ComparisonSettings())
    expected = np.random.default_rng(1).multinomial(3, [1 / 3, 2 / 3, 0], size=50) > 0
    expected[:, 2] = True
    assert not expected.all()
    np.testing.assert_array_equal(own.present(np.random.default_rng(1), 50), expected)
