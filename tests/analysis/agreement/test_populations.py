"""Models as populations: scores of statements, how near they come to people's, and correlations with weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import pearsonr

from probsense.analysis.agreement.populations import (
    fit,
    population_scores,
    published_population_scores,
)
from probsense.analysis.agreement.scores import (
    correlation_p_value,
    cross_correlations,
    paired_correlations,
)

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_scores_are_those_of_a_loop(p: Pair) -> None:
    for scores, tie in ((published_population_scores(*p), None), (population_scores(*p), 0.5)):
        for m, i in np.ndindex(p[0].shape):
            yes1, yes2 = p[0][m, i], p[1][m, i]
            aware = yes2 if yes1 >= 0.5 else 1 - yes2
            if tie is not None and yes1 == 0.5:
                aware = tie
            assert scores.consensus[m, i] == pytest.approx(2 * abs(yes1 - 0.5), abs=1e-12)
            assert scores.awareness[m, i] == pytest.approx(aware, abs=1e-12)
    assert p[0][0, 5] == 0.5
    assert published_population_scores(*p).awareness[0, 5] == p[1][0, 5]


def test_fit_is_that_of_a_loop_over_models() -> None:
    rng = np.random.default_rng(8)
    people, models = rng.random(60), rng.random((3, 60))
    people[:4], models[1, 10:20] = math.nan, math.nan
    found = fit(people, models)
    for m in range(3):
        known = ~np.isnan(people + models[m])
        h, x = people[known], models[m, known]
        expected = pearsonr(h, x)
        assert found.n[m] == known.sum()
        assert found.r[m] == pytest.approx(expected.statistic, abs=1e-12)
        assert found.p[m] == pytest.approx(expected.pvalue, rel=1e-9)
        r2 = 1 - sum((h - x) ** 2) / sum((h - h.mean()) ** 2)
        assert found.r2[m] == pytest.approx(r2, abs=1e-12)
        assert found.rmse[m] == pytest.approx(math.sqrt(np.mean((h - x) ** 2)), abs=1e-12)
        assert found.mae[m] == pytest.approx(np.mean(abs(h - x)), abs=1e-12)


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
    flat, other = np.ones((1, 4)), np.arange(4.0)[None]
    weight = np.ones((1, 4))
    assert math.isnan(paired_correlations(flat, other, weight)[0, 0])
    assert math.isnan(cross_correlations(flat, other, weight)[0, 0])


@given(st.integers(3, 200), st.integers(0, 2**32 - 1))
def test_p_values_are_those_of_scipy(n: int, seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    expected = pearsonr(x, y)
    p = correlation_p_value(np.array([expected.statistic]), np.array([n]))
    assert p[0] == pytest.approx(expected.pvalue, rel=1e-9)
