"""Tests of paired differences, against every way to choose the signs and against published libraries."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from probsense.analysis.inference import significance
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.significance import (
    adjust,
    departure_p_values,
    mcnemar,
    sign_flip_test,
    t_test,
)

RIGHT = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
DIFFERENCES = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 8)), min_size=1, max_size=30)


def rng():
    return np.random.default_rng(0)


def mean(values):
    return mean_estimate("d", {}, values, range(len(values)))


@given(DIFFERENCES)
def test_the_sign_flip_test_is_the_share_of_all_ways_to_choose_signs(pairs):
    differences, clusters = zip(*pairs, strict=True)
    sums = {c: sum(d for d, k in pairs if k == c) for c in clusters}
    seen = abs(sum(sums.values()))
    far = [
        abs(sum(s * d for s, d in zip(signs, sums.values(), strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    expected = (sum(f > seen for f in far) + sum(f == seen for f in far) / 2) / len(far)
    if not any(sums.values()):
        expected = 1.0
    assert sign_flip_test(differences, clusters, rng()) == pytest.approx(expected, abs=1e-12)


def test_drawn_signs_come_near_to_all_of_them(monkeypatch):
    values = np.random.default_rng(1).normal(0.6, 1, size=10)
    exact = sign_flip_test(values, range(10), rng())
    monkeypatch.setattr(significance, "EXACT", 2)
    monkeypatch.setattr(significance, "CELLS", 700)  # several parts
    drawn = sign_flip_test(values, range(10), rng(), draws=20_000)
    assert drawn == pytest.approx(exact, abs=0.01)
    assert drawn == sign_flip_test(values, range(10), rng(), draws=20_000)


@given(RIGHT)
def test_mcnemar_is_the_exact_binomial_test_less_half_of_what_was_seen(pairs):
    first, second = zip(*pairs, strict=True)
    b, c = pairs.count((True, False)), pairs.count((False, True))
    half = stats.binom(b + c, 0.5)
    expected = min(1.0, 2 * half.cdf(min(b, c)) - half.pmf(min(b, c)))
    assert mcnemar(first, second) == pytest.approx(expected, abs=1e-10)
    assert mcnemar(second, first) == mcnemar(first, second)


def test_a_difference_without_error_is_certain_and_none_is_none():
    assert t_test(mean([0.0, 0.0])) == 1
    assert t_test(mean([1.0, 1.0])) == 0
    assert math.isnan(t_test(mean([1.0])))


P = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@settings(max_examples=8)  # statsmodels takes its time
@given(P)
def test_they_are_those_of_statsmodels(values):
    for ours, theirs in (("holm", "holm"), ("benjamini-hochberg", "fdr_bh"), ("bonferroni", "bonferroni")):
        expected = multipletests(values, method=theirs)[1]
        np.testing.assert_allclose(adjust(np.array(values), ours), expected, atol=1e-12)


def test_a_table_keeps_its_shape_and_its_gaps():
    found = adjust(np.array([[0.01, math.nan], [0.04, 0.03]]), "holm")
    np.testing.assert_allclose(found, [[0.03, math.nan], [0.06, 0.06]], atol=1e-12)


@given(st.integers(1, 40), st.data(), st.floats(0.01, 0.99))
def test_p_values_are_twice_the_smaller_tail(n, data, p):
    k = data.draw(st.integers(0, n))
    (found,) = departure_p_values(np.array([float(k)]), np.array([float(n)]), np.array([p]))
    tails = stats.binom.pmf(np.arange(k + 1), n, p).sum(), stats.binom.pmf(np.arange(k, n + 1), n, p).sum()
    assert found == pytest.approx(min(1, 2 * min(tails)), rel=1e-6, abs=1e-12)


def test_certain_models_are_right_or_impossible_and_what_is_unknown_has_no_test():
    yes, asked = np.array([4.0, 3.0, 0.0, 0.0, 2.0]), np.array([4.0, 4.0, 4.0, 0.0, 4.0])
    found = departure_p_values(yes, asked, np.array([1.0, 1.0, 0.0, 0.5, np.nan]))
    assert found[:3].tolist() == [1, 0, 1]
    assert np.isnan(found[3:]).all()
