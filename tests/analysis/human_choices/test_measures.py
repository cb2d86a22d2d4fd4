"""Measures of distributions over options, and calibration, against the same in plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from analysis.human_choices.choices import padded, pairs
from probsense.analysis.distributions.divergence import bin_of
from probsense.analysis.human_choices.measures import (
    MEASURES,
    calibration,
    distributions,
    entropy,
    entropy_correlation,
    smoothed,
)


def plain(p, q, n):
    """Compute all measures of one question with exact probabilities of the model."""
    middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]

    def mean_agreement():
        ours = [k for k, x in enumerate(p) if x > max(p) - 1e-12]
        theirs = [k for k, x in enumerate(q) if x > max(q) - 1e-12]
        return float(np.mean([a == b for a in ours for b in theirs]))

    js = (stats.entropy(p, middle) + stats.entropy(q, middle)) / 2
    own, model = stats.entropy(p) + (sum(x > 0 for x in p) - 1) / (2 * n), stats.entropy(q)
    apart = sum((x - y) ** 2 for x, y in zip(p, q, strict=True))
    places = range(len(p))
    return {
        "squared_corrected": apart - sum(x * (1 - x) for x in p) / (n - 1),
        "total_variation": sum(max(x - y, 0) for x, y in zip(p, q, strict=True)),
        "js": js,
        "root_js": math.sqrt(max(js, 0)),
        "kl": stats.entropy(p, q),
        "squared": apart,
        "wasserstein": stats.wasserstein_distance(places, places, p, q) / (len(p) - 1),
        "expected_agreement": sum(x * y for x, y in zip(p, q, strict=True)),
        "top_agreement": mean_agreement(),
        "entropy_difference": model - own,
        "model_entropy": model,
        "people_entropy": own,
        "majority_share": max(p),
    }


@given(pairs())
def test_measures_are_those_of_each_question_alone(pair):
    for i, there in enumerate(pair.exists):
        expected = plain(pair.p[i, there].tolist(), pair.q[i, there].tolist(), int(pair.people[i]))
        assert expected.keys() == MEASURES.keys()
        for name, value in expected.items():
            found, (low, high) = MEASURES[name].function(pair)[i], MEASURES[name].bounds
            assert found == pytest.approx(value, abs=1e-9), name
            assert low - 1e-12 <= found <= high + 1e-12, name


def test_a_scale_of_which_options_are_missing_has_the_steps_that_there_are():
    counts = np.array([[0, np.nan, 0, 5.0]])
    model = np.array([[1.0, np.nan, 0, 0]])
    assert MEASURES["wasserstein"].function(distributions(counts, model)) == pytest.approx([1])


def test_ties_count_by_chance():
    counts = padded([[4, 4], [4, 4], [5, 3], [2, 2, 2], [4, 4, 0]])
    shares = padded([[0.5, 0.5], [0.7, 0.3], [0.1 + 0.2, 0.7], [1, 0, 0], [0, 0, 1]])
    assert MEASURES["top_agreement"].function(distributions(counts, shares)) == pytest.approx(
        [0.5, 0.5, 0, 1 / 3, 0]
    )


def test_a_model_that_has_not_answered_and_people_that_nobody_asked_have_no_values():
    pair = distributions(padded([[1, 2], [0, 0], [1, 2]]), padded([[np.nan, 0.5], [0.5, 0.5], [0.5, 0.5]]))
    assert np.isnan(pair.q[0]).all()
    for name in ("total_variation", "js", "kl", "squared_corrected", "wasserstein", "top_agreement"):
        assert np.isnan(MEASURES[name].function(pair)).tolist() == [True, True, False], name


@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 3), (9, 40)])
def test_the_corrected_squared_distance_has_no_bias(n, m):
    """The expectation over all answers of n people and m of the model is exact, without any draw."""
    from scipy.stats import binom

    pi, model = 0.3, 0.45
    people, texts = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1.0), np.arange(m + 1.0)))
    counts = np.stack([people, n - people], axis=1)
    shares = np.stack([texts, m - texts], axis=1) / m
    found = MEASURES["squared_corrected"].function(distributions(counts, shares, answers=m))
    chance = binom.pmf(people, n, pi) * binom.pmf(texts, m, model)
    assert chance @ found == pytest.approx(2 * (pi - model) ** 2)


def test_entropies_of_few_answers_are_corrected_upwards():
    pair = distributions(padded([[4, 4], [8, 0]]), padded([[0.5, 0.5], [1, 0]]), answers=[4, np.inf])
    assert MEASURES["people_entropy"].function(pair) == pytest.approx([math.log(2) + 1 / 16, 0])
    assert MEASURES["model_entropy"].function(pair) == pytest.approx([math.log(2) + 1 / 8, 0])
    assert entropy(pair.p) == pytest.approx([math.log(2), 0])


def test_shares_of_few_answers_are_smoothed_and_exact_ones_are_not():
    exists = np.array([[True, True, True], [True, True, False], [True, True, False]])
    found = smoothed(np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0.0]]), np.array([7.0, 6.0, np.inf]), exists)
    expected = [[0.8, 0.1, 0.1], [7 / 8, 1 / 8, 0], [1, np.finfo(float).tiny, 0]]
    assert found == pytest.approx(np.array(expected))


def test_shares_of_people_need_their_number():
    pair = distributions(padded([[0.25, 0.75]] * 2), padded([[0.5, 0.5]] * 2), people=[np.nan, 20])
    assert MEASURES["total_variation"].function(pair) == pytest.approx([0.25, 0.25])
    assert MEASURES["squared_corrected"].function(pair) == pytest.approx(
        [np.nan, 0.125 - 0.375 / 19], nan_ok=True
    )


def test_each_question_counts_as_one_and_padding_not_at_all():
    counts = padded([[3, 1], [2, 2, 4], [1, 1]])
    shares = padded([[0.95, 0.05], [0.15, 0.25, 0.6], [np.nan, np.nan]])
    found = calibration(distributions(counts, shares))
    weight, apart = np.zeros((2, 10))
    for p, q in zip(counts[:2], shares[:2], strict=True):
        there = ~np.isnan(p)
        for x, y in zip(p[there] / p[there].sum(), q[there], strict=True):
            b = bin_of(np.array([y]))[0]
            weight[b] += 1 / there.sum()
            apart[b] += (x - y) / there.sum()
    assert found.statements == pytest.approx(weight)
    assert found.gap.mean() == pytest.approx(np.abs(apart).sum() / 2)


def test_entropies_that_rise_together_are_correlated():
    counts = padded([[8, 0], [7, 1], [5, 3], [4, 4]])
    model = padded([[0.99, 0.01], [0.9, 0.1], [0.8, 0.2], [0.5, 0.5]])
    assert entropy_correlation(distributions(counts, model)).value == pytest.approx(1)
    assert entropy_correlation(distributions(counts, model[::-1])).value == pytest.approx(-1)
    assert np.isnan(entropy_correlation(distributions(counts, np.full((4, 2), 0.5))).value)
