"""Estimates over questions, people and parts, against formulas, a bootstrap, and all pairs of people."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from analysis.human_choices.choices import pairs
from probsense.analysis.human_choices import estimates, floors
from probsense.analysis.human_choices.estimates import Answers, Values, answer_influences, estimate, measured
from probsense.analysis.human_choices.floors import from_uniform
from probsense.analysis.human_choices.measures import (
    MEASURES,
    distributions,
    majority_share,
    share_within,
    squared_within,
)
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.raters import TWO_WAY


def asked(rng, questions, people, each):
    """Draw the answers of people, some of whom lean to an option, to questions with three options."""
    who = np.argsort(rng.random((questions, people)), axis=1)[:, :each]
    lean = rng.normal(0, 1, (people, 3))
    utility = rng.normal(0, 1, (questions, 1, 3)) + lean[who] + rng.gumbel(size=(questions, each, 3))
    option = utility.argmax(axis=2)
    counts = np.stack([(option == k).sum(axis=1) for k in range(3)], axis=1).astype(float)
    return counts, Answers(np.repeat(np.arange(questions), each), option.ravel(), who.ravel())


@given(pairs())
def test_influences_are_what_leaving_an_answer_out_does(pair):
    counts = np.where(pair.exists, np.round(pair.p * pair.people[:, None]), np.nan)
    for name in ("total_variation", "js", "squared_corrected"):
        found = answer_influences(MEASURES[name].function, pair)
        for i, n in enumerate(pair.people):
            without = {}
            for k in np.flatnonzero(np.nan_to_num(counts[i]) > 0):
                rest = counts[[i]].copy()
                rest[0, k] -= 1
                shares = np.where(pair.exists[[i]], pair.q[[i]], np.nan)
                without[k] = float(MEASURES[name].function(distributions(rest, shares))[0])
            middle = sum(counts[i, k] * value for k, value in without.items()) / n
            for k in range(counts.shape[1]):
                expected = (middle - without[k]) * (n - 1) / n if k in without else 0.0
                assert found[i, k] == pytest.approx(expected, abs=1e-12, nan_ok=True), (name, i, k)


def test_means_are_those_of_the_questions_that_are_known():
    values, clusters = np.array([0.1, np.nan, 0.4, 0.7, 0.2]), np.array(["a", "b", "a", "c", "d"])
    found = estimate("x", {}, estimates.mean(Values(values), clusters), 4)
    known = ~np.isnan(values)
    expected = mean_estimate("x", {}, values[known], clusters[known])
    for name in ("value", "stderr", "low", "high", "clusters", "method", "n"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name)), name


def test_two_people_a_question_do_not_tell_what_one_of_them_adds_to_a_corrected_distance():
    counts, answers = asked(np.random.default_rng(1), 40, 8, 2)
    pair = distributions(counts, np.full(counts.shape, 1 / 3))
    for name, method in (("squared_corrected", "clustered"), ("total_variation", TWO_WAY)):
        values = measured(MEASURES[name].function, pair, raters=True)
        assert estimate("x", {}, estimates.mean(values, None, answers), 40).method == method


@pytest.mark.parametrize(("people", "each"), [(40, 10), (40, 3), (10, 10)])
def test_the_error_of_a_share_is_that_of_two_way_clustering(people, each):
    """For the share of one option it is that of :func:`crossed_share`, but for chance, however few answer each."""
    from probsense.analysis.inference.raters import crossed_share

    variances = []
    for seed in range(40):
        counts, answers = asked(np.random.default_rng(seed), 80, people, each)
        pair = distributions(counts, np.full(counts.shape, 1 / 3))
        found = estimate(
            "x", {}, estimates.mean(measured(lambda own: own.p[:, 0], pair, raters=True), None, answers), 80
        )
        hits = (answers.option == 0).astype(float)
        expected = crossed_share("x", {}, hits, answers.question, answers.rater, np.ones(len(hits)))
        assert found.value == pytest.approx(expected.value)
        assert (found.method, found.clusters) == (TWO_WAY, 80)
        variances.append((found.stderr**2, expected.stderr**2))
    ours, theirs = np.sqrt(np.mean(variances, axis=0))
    assert ours == pytest.approx(theirs, rel=0.02)


def test_normalised_distances_have_the_error_of_a_bootstrap_of_questions():
    rng = np.random.default_rng(6)
    pi = rng.dirichlet([0.5, 1, 2], 300)
    counts = rng.multinomial(12, pi).astype(float)
    pair = distributions(counts, 0.7 * pi + 0.1)
    name = "total_variation"
    apart, floor, far = (MEASURES[name].function(pair), floors.FLOORS[name](pair), from_uniform(name, pair))
    found = estimate("x", {}, estimates.normalised(Values(apart), Values(floor), Values(far)), 300)
    assert found.value == pytest.approx((apart.mean() - floor.mean()) / (far.mean() - floor.mean()))
    drawn = rng.integers(300, size=(4000, 300))
    a, f, b = (x[drawn].mean(axis=1) for x in (apart, floor, far))
    assert found.stderr == pytest.approx(((a - f) / (b - f)).std(), rel=0.06)


def test_where_uniform_is_no_farther_than_people_nothing_is_normalised():
    values = Values(np.full(5, 0.2))
    assert np.isnan(estimates.normalised(values, values, values).value)


def test_people_count_once_in_a_cluster_of_questions():
    counts, answers = asked(np.random.default_rng(8), 40, 10, 10)
    pair = distributions(counts, np.full(counts.shape, 1 / 3))
    found = measured(MEASURES["js"].function, pair, raters=True)
    whole, by_pairs = (estimates.mean(found, np.arange(40) // size, answers) for size in (40, 2))
    assert (len(whole.items), sorted(whole.raters.rater)) == (1, [*range(10)])
    assert len(by_pairs.raters.value) == 200
    assert by_pairs.raters.value.sum() == pytest.approx(whole.raters.value.sum())


def agreed(pair):
    return np.asarray(majority_share(pair) >= 0.8)


@given(pairs())
def test_values_are_means_over_pairs_of_people(pair):
    for i, there in enumerate(pair.exists):
        q = pair.q[i, there]
        chosen = np.repeat(np.arange(len(q)), np.round(pair.p[i, there] * pair.people[i]).astype(int))
        if len(chosen) < 3:
            continue
        inside, squares = [], []
        for two in itertools.combinations(range(len(chosen)), 2):
            others = np.delete(chosen, two)
            belongs = np.bincount(others).max() / len(others) >= 0.8
            one, other = (np.eye(len(q))[chosen[person]] - q for person in two)
            inside.append(float(belongs))
            squares.append(float(one @ other) * belongs)
        one = pair.where(np.array([i]))
        assert share_within(one, agreed)[0] == pytest.approx(np.mean(inside))
        assert squared_within(one, agreed)[0] == pytest.approx(np.mean(squares), abs=1e-12)


def test_two_people_and_none_belong_to_no_part():
    pair = distributions(np.array([[2.0, 0], [0, 0], [3, 0]]), np.full((3, 2), 0.5))
    assert np.isnan(share_within(pair, agreed)).tolist() == [True, True, False]
    assert np.isnan(squared_within(pair, agreed)).tolist() == [True, True, False]
