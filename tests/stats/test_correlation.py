"""Correlations of ranks: known values, and inputs that do not vary."""

from __future__ import annotations

import math

import numpy as np
import pytest

from probsense.stats.correlation import kendall, spearman


def test_rank_correlations() -> None:
    x, y = np.array([1, 2, 3, 4.0]), np.array([10, 30, 20, 40.0])
    assert spearman(x, y).value == pytest.approx(0.8, abs=1e-12)
    assert kendall(x, y).value == pytest.approx(4 / 6, abs=1e-12)
    assert 0 < kendall(x, y).p < 1


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    x, y = np.array([1, 2, 2, 9.0]), np.array([3, 1, 5, 5.0])
    expected = np.corrcoef([1, 2.5, 2.5, 4], [2, 1, 3.5, 3.5])[0, 1]
    assert spearman(x, y).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_what_does_not_vary_has_no_correlation() -> None:
    assert math.isnan(spearman(np.ones(4), np.arange(4.0)).value)
