"""Clustered and stratified means, against formulas written out, textbook cases and a published library."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.stats import t

from probsense.analysis.inference.means import (
    OVER_SETTINGS,
    SettingsError,
    crossed_error,
    few_clusters,
    mean_estimate,
    over_settings,
    settings_error,
    stratified_mean,
)
from probsense.analysis.inference.significance import detectable, t_test

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


def test_a_single_cluster_leaves_the_interval_unknown() -> None:
    found = mean_estimate("m", {}, [0.0, 1.0, 1.0], ["a"] * 3)
    assert found.value == pytest.approx(2 / 3, abs=1e-12)
    assert all(math.isnan(x) for x in (found.stderr, found.low, found.high))
    assert found.clusters == 1
    assert found.to_json()["low"] is None


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


def test_a_stratum_with_a_single_cluster_leaves_the_interval_unknown() -> None:
    found = stratified_mean("", {}, [1.0, 2.0, 3.0], [1, 2, 3], ["a", "a", "b"])
    assert found.value == pytest.approx(2.25)
    assert math.isnan(found.low)
    constant = stratified_mean("", {}, [1.0] * 4, [1, 2, 3, 4], ["a", "a", "b", "b"])
    assert (constant.low, constant.high) == (1, 1)


def test_measures_of_few_clusters_have_a_warning_and_parts_a_note() -> None:
    few = mean_estimate("accuracy", {"skin": "a"}, [0.0, 1.0, 1.0], [1, 2, 3])
    many = mean_estimate("accuracy", {}, np.arange(20.0), np.arange(20))
    (note,) = few_clusters([few, many], alone=False)
    (warning,) = few_clusters([few, replace(many, measure="bias")], alone=True)
    assert note == warning
    assert note.startswith("1 of the estimates rest on fewer than 10")
    assert few_clusters([few, many], alone=True) == few_clusters([few], alone=False) == []
    others = [replace(few, by={"model": "a"}), replace(many, by={"model": "b"})]
    assert (few_clusters(others, alone=True), few_clusters(others, alone=False)) == ([warning], [])
    published = replace(few, method="published")
    assert few_clusters([many, published], alone=True) == few_clusters([many, published], alone=False) == []


def weighted_mean(rows: list[tuple[str, str, float, float]], shares: dict[str, float]) -> float:
    """The mean of the weighted means of strata, from (stratum, setting, value, weight)."""
    total = 0.0
    for name, share in shares.items():
        own = [(value, weight) for stratum, _, value, weight in rows if stratum == name]
        total += share * sum(v * w for v, w in own) / sum(w for _, w in own)
    return total / sum(shares.values())


def jackknife(rows: list[tuple[str, Any, float, float]], shares: dict[str, float]) -> float:
    """The variance of that mean by leaving out each setting."""
    kinds = {row[1] for row in rows}
    whole = weighted_mean(rows, shares)
    without = [weighted_mean([row for row in rows if row[1] != kind], shares) for kind in kinds]
    return (len(kinds) - 1) / len(kinds) * sum((whole - one) ** 2 for one in without)


def columns(
    rows: list[tuple[str, str, float, float]],
) -> tuple[list[float], list[float], list[str], list[str]]:
    strata, settings, values, weights = map(list, zip(*rows, strict=True))
    return values, weights, strata, settings  # type: ignore[return-value]


@given(st.integers(2, 6), st.integers(1, 3), st.data())
def test_the_variance_is_that_of_leaving_out_each_setting(
    kinds: int, strata: int, data: st.DataObject
) -> None:
    value, weight = st.floats(-1, 1), st.sampled_from([0.25, 0.5, 1.0, 3.0])
    rows = [
        (f"h{h}", f"s{s}", data.draw(value), data.draw(weight))
        for h in range(strata)
        for s in range(kinds)
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    shares = {f"h{h}": data.draw(weight) for h in range(strata)}
    found = settings_error(*columns(rows), shares)
    assert found.variance == pytest.approx(jackknife(rows, shares), rel=1e-6, abs=1e-12)
    assert (found.settings, found.freedom) == (kinds, pytest.approx(kinds - 1))


def test_an_error_over_settings_comes_with_its_freedom() -> None:
    questions = mean_estimate("", {}, np.random.default_rng(1).random(144), range(144))
    wide = over_settings(questions, SettingsError(questions.stderr**2 * 4, 11, 12))
    assert wide.stderr == pytest.approx(2 * questions.stderr)
    assert (wide.method, wide.settings) == (OVER_SETTINGS, 12)
    assert wide.clusters == questions.clusters
    assert wide.high - wide.value == pytest.approx(t.ppf(0.975, 11) * wide.stderr)


def test_strata_that_share_no_setting_are_families() -> None:
    rng = np.random.default_rng(2)
    order = [("order", f"s{s}", float(rng.random()), 1.0) for s in range(12) for _ in range(2)]
    lines = [("lines", f"l{s}", float(rng.random()), 1.0) for s in range(3) for _ in range(2)]
    a, b = settings_error(*columns(order), {"order": 1}), settings_error(*columns(lines), {"lines": 1})
    both = settings_error(*columns(order + lines), {"order": 3, "lines": 1})
    parts = 9 / 16 * a.variance, 1 / 16 * b.variance
    assert both.variance == pytest.approx(sum(parts))
    assert both.freedom == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 2))
    assert both.settings == 15


def test_a_stratum_of_one_setting_leaves_the_error_unknown() -> None:
    rows = [("h", "s", 0.5, 1.0), ("h", "s", 0.7, 1.0), ("g", "s", 0.1, 1.0), ("g", "t", 0.2, 1.0)]
    error = settings_error(*columns(rows), {"h": 1, "g": 1})
    assert math.isnan(error.variance)
    values, _, strata, _ = columns(rows)
    found = over_settings(stratified_mean("", {}, values, range(4), strata), error)
    assert math.isnan(found.stderr)
    assert math.isnan(found.low)


def test_the_interval_is_never_narrower_than_that_over_questions() -> None:
    rows = [("h", f"s{s}", float(i % 2), 1.0) for s in range(10) for i in range(4)]  # all settings are alike
    values, _, strata, _ = columns(rows)
    questions = stratified_mean("", {}, values, range(40), strata)
    error = settings_error(*columns(rows), {"h": 1})
    assert error.variance == 0
    found = over_settings(questions, error)
    assert (found.low, found.high) == pytest.approx((questions.low, questions.high))
    assert found.stderr * t.ppf(0.975, 9) == pytest.approx(found.high - found.value)


def test_tests_of_a_difference_have_the_freedom_of_settings() -> None:
    rng = np.random.default_rng(3)
    questions = mean_estimate("", {}, rng.normal(0.2, 1, 500), range(500))
    error = settings_error(rng.normal(0, 0.3, 10), [1.0] * 10, ["h"] * 10, range(10), {"h": 1})
    found = over_settings(questions, error)
    assert t_test(found) == pytest.approx(2 * t.sf(abs(found.value) / found.stderr, 9))
    assert detectable(found) == pytest.approx((t.ppf(0.975, 9) + t.ppf(0.8, 9)) * found.stderr)
    assert found.to_json()["settings"] == 10
    assert "settings" not in questions.to_json()


def grid(drop: int = 0) -> tuple[NDArray[np.float64], NDArray[np.str_], NDArray[np.str_]]:
    """Values of two strata in settings with two parts, each of which several settings share."""
    rng = np.random.default_rng(4)
    cells = [(a, b) for a in range(11) for b in range(12) if (a + 3 * b) % 5 < 3][drop:]
    ease, words = rng.normal(size=11), rng.normal(size=12)
    values = [ease[a] + words[b] + rng.normal() for a, b in cells for _ in range(2)]
    names = [f"things{a}.order{b}" for a, b in cells for _ in range(2)]
    return np.array(values), np.tile(["x", "y"], len(cells)), np.array(names)


def error_of(settings: NDArray[np.str_]) -> SettingsError:
    values, strata, _ = grid()
    return settings_error(values, np.ones(len(values)), strata, settings, {"x": 1.0, "y": 2.0})


def test_settings_that_share_both_parts_are_crossed() -> None:
    *_, names = grid()
    first, second = (np.array([name.split(".")[part] for name in names]) for part in (0, 1))
    plain = np.char.replace(names, ".", " ")
    found = error_of(names)
    expected = error_of(first).variance + error_of(second).variance - error_of(plain).variance
    assert found.variance == pytest.approx(expected, rel=1e-12)
    assert found.variance > 1.5 * error_of(plain).variance
    assert (found.freedom, found.settings) == (10, 11)


def test_a_part_that_nothing_shares_is_the_setting_itself() -> None:
    *_, names = grid()
    first = np.array([name.split(".")[0] for name in names])
    number = np.unique(names, return_inverse=True)[1]
    lone = np.array([f"{a}.only{k}" for a, k in zip(first, number, strict=True)])
    assert error_of(lone) == error_of(first)
    apart = np.array([f"things{k}.order{k}" for k in number])
    assert error_of(apart) == error_of(np.char.replace(apart, ".", " "))


def test_a_part_with_few_values_is_fixed() -> None:
    *_, names = grid()
    number = np.unique(names, return_inverse=True)[1]
    few = np.array([f"things{k % 9}.only{k}" for k in number])
    assert error_of(few) == error_of(np.char.replace(few, ".", " "))
    half = np.array([name if k else "plain" for name, k in zip(names, number, strict=True)])
    assert error_of(half) == error_of(np.char.replace(half, ".", " "))


def test_shared_parts_never_make_the_error_smaller() -> None:
    rng = np.random.default_rng(7)
    *_, strata, names = grid()
    for _ in range(25):
        values, ones = rng.normal(size=len(names)), np.ones(len(names))
        shares = {"x": 1.0, "y": 1.0}
        plain = settings_error(values, ones, strata, np.char.replace(names, ".", " "), shares)
        assert settings_error(values, ones, strata, names, shares).variance >= plain.variance


def test_a_crossed_error_is_that_of_both_less_that_of_pairs() -> None:
    rng = np.random.default_rng(5)
    rows = [(s, k, f) for s in "ab" for k in range(12) for f in range(11) if rng.random() < 0.7]
    strata, settings, others = ([*column] for column in zip(*rows, strict=True))
    ease, luck = rng.normal(size=12), rng.normal(size=11)
    values = [ease[k] + luck[f] + rng.normal() for _, k, f in rows]
    weights = rng.integers(1, 4, len(rows)).astype(float).tolist()
    shares = {"a": 1.0, "b": 1.0}
    found = crossed_error(values, weights, strata, [f"s{k}" for k in settings], others, shares)
    pairs = [*zip(settings, others, strict=True)]
    parts = [
        jackknife([*zip(strata, kinds, values, weights, strict=True)], shares)
        for kinds in (settings, others, pairs)
    ]
    assert found.variance == pytest.approx(parts[0] + parts[1] - parts[2], rel=1e-9)
    assert (found.freedom, found.settings) == (10, 11)


def test_a_crossed_error_is_never_less_than_either_and_unknown_where_one_is() -> None:
    strata, settings = ["a"] * 12, [f"s{i}" for i in range(12)]
    values, ones, share = [float(i % 2) for i in range(12)], np.ones(12), {"a": 1.0}
    own = settings_error(values, ones, strata, settings, share)
    assert crossed_error(values, ones, strata, settings, range(12), share).variance == own.variance
    two = [i % 2 for i in range(12)]
    assert crossed_error(values, ones, strata, settings, two, share).variance > own.variance
    assert math.isnan(crossed_error(values, ones, strata, settings, [0] * 12, share).variance)


def test_kinds_of_others_are_fixed() -> None:
    """Strata that are divided by kind give the same error; kinds with a single one of the others are not divided."""
    rng = np.random.default_rng(6)
    rows = [(s, k, f) for s in "ab" for k in range(12) for f in range(12)]
    strata, settings, others = ([*column] for column in zip(*rows, strict=True))
    kinds = [f % 2 for f in others]
    values = [0.8 * kind + 0.1 * rng.normal() for kind in kinds]
    told, names = (values, np.ones(len(rows))), [f"s{k}" for k in settings]
    shares = {"a": 1.0, "b": 2.0}
    found = crossed_error(*told, strata, names, others, shares, kinds)
    apart = [f"{stratum} {kind}" for stratum, kind in zip(strata, kinds, strict=True)]
    halves = {f"{stratum} {kind}": share / 2 for stratum, share in shares.items() for kind in (0, 1)}
    same = crossed_error(*told, apart, names, others, halves)
    assert found.variance == pytest.approx(same.variance, rel=1e-9)
    whole = crossed_error(*told, strata, names, others, shares)
    assert whole.variance > 20 * found.variance
    single = [0 if f == 0 else 1 for f in others]
    assert crossed_error(*told, strata, names, others, shares, single).variance == whole.variance
