"""Correlations of values and of ranks, against those of scipy and numpy."""

from __future__ import annotations

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
def test_fishers_interval_is_that_of_scipy(r: float, n: int) -> None:
    rng = np.random.default_rng(0)
    x, e = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))[0].T[1:]
    y = r * x + math.sqrt(1 - r * r) * e
    expected = stats.pearsonr(x, y).confidence_interval(0.95)
    assert fisher_interval(r, n) == pytest.approx((expected.low, expected.high), abs=1e-10)


def test_an_interval_that_cannot_be_known_is_not_given() -> None:
    assert all(
        map(math.isnan, [*fisher_interval(0.5, 3), *fisher_interval(1.0, 10), *fisher_interval(math.nan, 9)])
    )


def test_rank_correlations() -> None:
    x, y = np.array([1, 2, 3, 4.0]), np.array([10, 30, 20, 40.0])
    assert spearman(x, y).value == pytest.approx(0.8, abs=1e-12)
    assert 0 < spearman(x, y).p < 1


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    x, y = np.array([1, 2, 2, 9.0]), np.array([3, 1, 5, 5.0])
    expected = np.corrcoef([1, 2.5, 2.5, 4], [2, 1, 3.5, 3.5])[0, 1]
    assert spearman(x, y).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_what_does_not_vary_has_no_correlation() -> None:
    assert math.isnan(spearman(np.ones(4), np.arange(4.0)).value)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def plain(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    known = ~np.isnan(x + y)
    times = weight[known].astype(int)
    return float(np.corrcoef(np.repeat(x[known], times), np.repeat(y[known], times))[0, 1])


def gappy(rng: np.random.Generator, *shape: int) -> np.ndarray:
    values = rng.normal(10, 1, shape)
    values[rng.random(shape) < 0.1] = math.nan
    return values


def test_all_pairs_under_all_weights(rng: np.random.Generator) -> None:
    x, y, weight = gappy(rng, 3, 50), gappy(rng, 3, 50), rng.integers(0, 4, (5, 50)).astype(float)
    found = paired_correlations(x, y, weight)
    for d in range(5):
        for i in range(3):
            assert found[d, i] == pytest.approx(plain(x[i], y[i], weight[d]), abs=1e-12)


def test_what_differs_in_every_draw_with_what_does_not(rng: np.random.Generator) -> None:
    x, y, weight = gappy(rng, 5, 50), gappy(rng, 3, 50), rng.integers(0, 4, (5, 50)).astype(float)
    found = cross_correlations(x, y, weight)
    for d in range(5):
        for m in range(3):
            assert found[d, m] == pytest.approx(plain(x[d], y[m], weight[d]), abs=1e-12)


def test_without_variation_there_is_none() -> None:
    for n, value in ((4, 1.0), *((n, one) for n in (7, 10, 49) for one in (0.1, 0.3, 0.7, 1e3 / 7))):
        flat, other = np.full((1, n), value), np.arange(n, dtype=float)[None]
        weight = np.ones((1, n))
        assert math.isnan(paired_correlations(flat, other, weight)[0, 0])
        assert math.isnan(cross_correlations(flat, other, weight)[0, 0])
        assert math.isnan(cross_correlations(other, flat, weight)[0, 0])


@given(st.integers(3, 200), st.integers(0, 2**32 - 1))
def test_p_values_are_those_of_scipy(n: int, seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    expected = stats.pearsonr(x, y)
    p = correlation_p_value(np.array([expected.statistic]), np.array([n]))
    assert p[0] == pytest.approx(expected.pvalue, rel=1e-9)
