"""Clustered and stratified means, against formulas written out and against a published library."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster

from probsense.stats.means import few_clusters_notes, few_clusters_warnings, mean_estimate, stratified_mean


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    row = rng.integers(0, 12, size=90)
    return rng.normal(size=12)[row] + rng.normal(size=90), row


def test_clustered_errors_are_those_of_statsmodels(sample: tuple[np.ndarray, ...]) -> None:
    values, row = sample
    fit = OLS(values, np.ones((90, 1))).fit()
    one = cov_cluster(fit, row, use_correction=False)[0, 0] * 12 / 11
    assert mean_estimate("", {}, values, row).stderr == pytest.approx(math.sqrt(one), abs=1e-10)


def test_errors_of_strata_add_up_by_their_weights() -> None:
    rng = np.random.default_rng(3)
    values, strata = rng.normal(size=30), np.repeat(["a", "b"], [20, 10])
    found = stratified_mean("", {}, values, np.arange(30), strata, weights={"a": 1, "b": 3})
    first, second = (
        mean_estimate("", {}, values[strata == s], np.arange(n)) for s, n in (("a", 20), ("b", 10))
    )
    parts = np.array([first.stderr / 4, second.stderr * 3 / 4]) ** 2
    assert found.value == pytest.approx(first.value / 4 + second.value * 3 / 4, abs=1e-12)
    assert found.stderr == pytest.approx(math.sqrt(parts.sum()), abs=1e-12)
    freedom = parts.sum() ** 2 / (parts[0] ** 2 / 19 + parts[1] ** 2 / 9)
    half = stats.t.ppf(0.975, freedom) * found.stderr
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=1e-10)


def test_one_stratum_is_no_stratum() -> None:
    values, clusters = [0.0, 1.0, 1.0, 3.0], ["a", "a", "b", "c"]
    found = stratified_mean("", {}, values, clusters, ["s"] * 4)
    plain = mean_estimate("", {}, values, clusters)
    assert (found.low, found.stderr) == pytest.approx((plain.low, plain.stderr), abs=1e-12)


def test_a_stratum_with_a_single_cluster_leaves_the_interval_unknown() -> None:
    found = stratified_mean("", {}, [1.0, 2.0, 3.0], [1, 2, 3], ["a", "a", "b"])
    assert found.value == pytest.approx(2.25)
    assert math.isnan(found.low)
    constant = stratified_mean("", {}, [1.0] * 4, [1, 2, 3, 4], ["a", "a", "b", "b"])
    assert (constant.low, constant.high) == (1, 1)


def test_measures_of_few_clusters_have_a_warning_and_parts_a_note() -> None:
    few = mean_estimate("accuracy", {"skin": "a"}, [0.0, 1.0, 1.0], [1, 2, 3])
    many = mean_estimate("accuracy", {}, np.arange(20.0), np.arange(20))
    (note,) = few_clusters_notes([few, many])
    (warning,) = few_clusters_warnings([few, replace(many, measure="bias")])
    assert note == warning
    assert note.startswith("1 of the estimates rest on fewer than 10")
    assert few_clusters_warnings([few, many]) == few_clusters_notes([few]) == []
    published = replace(few, method="published")
    assert few_clusters_warnings([many, published]) == few_clusters_notes([many, published]) == []
