"""Correlations of ranks, and the interval of a correlation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from probsense.analysis.inference.correlations import fisher_interval, spearman


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
