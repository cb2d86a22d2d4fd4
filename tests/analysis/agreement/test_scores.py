"""Correlations with weights and gaps, against numpy's on elements repeated as often as they weigh."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from probsense.analysis.agreement.scores import (
    correlation,
    correlation_p_value,
    cross_correlations,
    paired_correlations,
)


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


def test_one_by_one(rng: np.random.Generator) -> None:
    x, y, weight = gappy(rng, 3, 50), gappy(rng, 3, 50), rng.integers(0, 4, 50).astype(float)
    for i in range(3):
        assert correlation(x, y)[i] == pytest.approx(plain(x[i], y[i], np.ones(50)), abs=1e-12)
        assert correlation(x, y, weight)[i] == pytest.approx(plain(x[i], y[i], weight), abs=1e-12)


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
    flat, other = np.ones((1, 4)), np.arange(4.0)[None]
    weight = np.ones((1, 4))
    assert math.isnan(correlation(flat, other)[0])
    assert math.isnan(paired_correlations(flat, other, weight)[0, 0])
    assert math.isnan(cross_correlations(flat, other, weight)[0, 0])


@given(st.integers(3, 200), st.integers(0, 2**32 - 1))
def test_p_values_are_those_of_scipy(n: int, seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    expected = pearsonr(x, y)
    p = correlation_p_value(np.array([expected.statistic]), np.array([n]))
    assert p[0] == pytest.approx(expected.pvalue, rel=1e-9)
