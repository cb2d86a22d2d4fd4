"""Correlations of values and of ranks, against those of scipy and numpy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from probsense.analysis.inference.correlations import (
    correlation_p_value,
    cross_correlations,
    fisher_interval,
    paired_correlations,
    spearman,
)


@pytest.mark.parametrize(("r", "n"), [(0.3, 20), (-0.9, 5), (0.0, 100)])
def test_fishers_interval_is_that_of_scipy(r, n):
    rng = np.random.default_rng(0)
    x, e = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))[0].T[1:]
    y = r * x + math.sqrt(1 - r * r) * e
    expected = stats.pearsonr(x, y).confidence_interval(0.95)
    assert fisher_interval(r, n) == pytest.approx((expected.low, expected.high), abs=1e-10)


def test_an_interval_that_cannot_be_known_is_not_given():
    assert all(
        map(math.isnan, [*fisher_interval(0.5, 3), *fisher_interval(1.0, 10), *fisher_interval(math.nan, 9)])
    )


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def plain(x, y, weight):
    known = ~np.isnan(x + y)
    times = weight[known].astype(int)
    return float(np.corrcoef(np.repeat(x[known], times), np.repeat(y[known], times))[0, 1])


def gappy(rng, *shape):
    values = rng.normal(10, 1, shape)
    values[rng.random(shape) < 0.1] = math.nan
    return values


def test_all_pairs_under_all_weights(rng):
    x, y, weight = gappy(rng, 3, 50), gappy(rng, 3, 50), rng.integers(0, 4, (3, 50)).astype(float)
    paired, crossed = paired_correlations(x, y, weight), cross_correlations(x, y, weight)
    for d, i in np.ndindex(3, 3):
        assert paired[d, i] == pytest.approx(plain(x[i], y[i], weight[d]), abs=1e-12)
        assert crossed[d, i] == pytest.approx(plain(x[d], y[i], weight[d]), abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_without_variation_there_is_none():
    assert math.isnan(spearman(np.ones(4), np.arange(4.0)).value)
    for n, value in ((4, 1.0), *((n, one) for n in (7, 10, 49) for one in (0.1, 0.3, 0.7, 1e3 / 7))):
        flat, other = np.full((1, n), value), np.arange(n, dtype=float)[None]
        weight = np.ones((1, n))
        assert math.isnan(paired_correlations(flat, other, weight)[0, 0])
        assert math.isnan(cross_correlations(flat, other, weight)[0, 0])
        assert math.isnan(cross_correlations(other, flat, weight)[0, 0])


@given(st.integers(3, 200), st.integers(0, 2**32 - 1))
def test_p_values_are_those_of_scipy(n, seed):
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    expected = stats.pearsonr(x, y)
    p = correlation_p_value(np.array([expected.statistic]), np.array([n]))
    assert p[0] == pytest.approx(expected.pvalue, rel=1e-9)
