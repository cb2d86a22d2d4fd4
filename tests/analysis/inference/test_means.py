"""Clustered and stratified means, against formulas written out, textbook cases and a published library."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster

from probsense.analysis.inference.means import (
    few_clusters_notes,
    few_clusters_warnings,
    mean_estimate,
    stratified_mean,
)

PAIRS = st.lists(st.tuples(st.floats(-10, 10), st.integers(0, 5)), min_size=2, max_size=30).filter(
    lambda pairs: len({cluster for _, cluster in pairs}) > 1
)


@given(PAIRS)
def test_the_error_is_that_of_the_sum_over_all_pairs_within_clusters(pairs: list[tuple[float, int]]) -> None:
    values, clusters = zip(*pairs, strict=True)
    n, count = len(values), len(set(clusters))
    mean = math.fsum(values) / n
    within = sum((a - mean) * (b - mean) for a, c in pairs for b, d in pairs if c == d)
    found = mean_estimate("m", {}, values, clusters)
    assert found.value == pytest.approx(mean, abs=1e-12)
    assert found.stderr == pytest.approx(math.sqrt(max(within, 0) * count / (count - 1)) / n, abs=1e-7)
    assert (found.n, found.clusters, found.method, found.level) == (n, count, "clustered", 0.95)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30))
def test_clusters_of_one_have_the_ordinary_standard_error(values: list[float]) -> None:
    found = mean_estimate("m", {}, values, range(len(values)))
    assert found.stderr == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)), rel=1e-9, abs=1e-12)


def test_equal_clusters_have_the_error_and_interval_of_the_mean_of_their_means() -> None:
    values = np.array([1.0, 2.0, 4.0, 4.0, 0.0, 1.0, 5.0, 2.0])
    means = values.reshape(4, 2).mean(axis=1)
    found = mean_estimate("m", {"model": "x"}, values, ["a", "a", "b", "b", "c", "c", "d", "d"], chance=0.5)
    stderr = means.std(ddof=1) / 2
    assert found.stderr == pytest.approx(stderr, abs=1e-12)
    # t with 3 degrees of freedom, to the digits of a printed table
    assert (found.high - found.value) / stderr == pytest.approx(3.182446305284263, abs=1e-12)
    assert found.value - found.low == pytest.approx(found.high - found.value, abs=1e-12)
    assert (found.chance, found.by) == (0.5, {"model": "x"})


def test_twins_that_cancel_out_make_the_error_smaller_and_twins_that_agree_larger() -> None:
    agree = mean_estimate("m", {}, [1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 2, 2, 3, 3, 4, 4])
    alone = mean_estimate("m", {}, [1, 1, 0, 0, 1, 1, 0, 0], range(8))
    cancel = mean_estimate("m", {}, [1, 1, 0, 0, 1, 1, 0, 0], [1, 2, 1, 2, 3, 4, 3, 4])
    assert cancel.stderr == 0 < alone.stderr < agree.stderr


def test_a_single_cluster_leaves_the_interval_unknown() -> None:
    found = mean_estimate("m", {}, [0.0, 1.0, 1.0], ["a"] * 3)
    assert found.value == pytest.approx(2 / 3, abs=1e-12)
    assert all(math.isnan(x) for x in (found.stderr, found.low, found.high))
    assert found.clusters == 1
    assert found.to_json()["low"] is None


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(20), 3)
    covered = 0
    for _ in range(1000):
        values = rng.normal(size=20)[clusters] + rng.normal(size=60)
        found = mean_estimate("m", {}, values, clusters)
        covered += found.low <= 0 <= found.high
    assert 930 <= covered <= 970


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
