"""Two-way means, against a published library and against one-way means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.api import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from probsense.analysis.inference.crossed import crossed_share
from probsense.analysis.inference.means import mean_estimate


def test_errors_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(4)
    pairs = rng.permutation(12 * 9)[:90]
    row, column = np.divmod(pairs, 9)
    values = 0.5 + 0.1 * (rng.normal(size=12)[row] + rng.normal(size=9)[column] + rng.normal(size=90))
    fit = OLS(values, np.ones((90, 1))).fit()
    both, by_row, by_column = cov_cluster_2groups(fit, row, column, use_correction=False)
    by_pair = (by_row + by_column - both)[0, 0]
    expected = by_row[0, 0] * 12 / 11 + by_column[0, 0] * 9 / 8 - by_pair * 90 / 89
    found = crossed_share("", {}, values, row, column, np.full(90, 3.0))
    assert found.value == pytest.approx(values.mean(), abs=1e-12)
    assert found.stderr == pytest.approx(math.sqrt(expected), abs=1e-10)
    assert (found.clusters, found.n) == (9, 90)


def test_one_value_a_row_is_clustering_by_rows() -> None:
    row, column = (x.ravel() for x in np.indices((8, 5)))
    values = np.random.default_rng(1).random(8)[row]
    found = crossed_share("", {}, values, row, column, np.ones(40))
    assert found.stderr == pytest.approx(mean_estimate("", {}, values, row).stderr, abs=1e-12)


def test_weights_are_as_good_as_copies_for_the_mean() -> None:
    found = crossed_share("", {}, [0.2, 0.5, 1.0], [0, 1, 1], [0, 0, 1], [1, 2, 1])
    assert found.value == pytest.approx((0.2 + 0.5 * 2 + 1) / 4, abs=1e-12)
    assert 0 <= found.low < found.value < found.high <= 1


def test_a_single_row_leaves_the_interval_unknown() -> None:
    found = crossed_share("", {}, [0.0, 1.0], ["a", "a"], ["x", "y"], [1, 1])
    assert (found.value, found.clusters) == (0.5, 1)
    assert math.isnan(found.stderr)
    assert math.isnan(found.low)
