"""Clustered and stratified means, against formulas written out, textbook cases and a published library."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
def test_the_error_is_that_of_the_sum_over_all_pairs_within_clusters(pairs):
    values, clusters = zip(*pairs, strict=True)
    n, count = len(values), len(set(clusters))
    mean = math.fsum(values) / n
    within = sum((a - mean) * (b - mean) for a, c in pairs for b, d in pairs if c == d)
    found = mean_estimate("m", {}, values, clusters)
    assert found.value == pytest.approx(mean, abs=1e-12)
    assert found.stderr == pytest.approx(math.sqrt(max(within, 0) * count / (count - 1)) / n, abs=1e-7)
    assert (found.n, found.clusters, found.method, found.level) == (n, count, "clustered", 0.95)
    half = t.ppf(0.975, count - 1) * found.stderr
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), abs=1e-9)


def test_a_single_cluster_leaves_the_interval_unknown():
    single = mean_estimate("m", {}, [0.0, 1.0, 1.0], ["a"] * 3)
    stratum = stratified_mean("", {}, [1.0, 2.0, 3.0], [1, 2, 3], ["a", "a", "b"])
    assert (single.value, stratum.value) == pytest.approx((2 / 3, 2.25), abs=1e-12)
    assert np.isnan([single.stderr, single.low, single.high, stratum.low]).all()
    constant = stratified_mean("", {}, [1.0] * 4, [1, 2, 3, 4], ["a", "a", "b", "b"])
    assert (constant.low, constant.high) == (1, 1)


def test_errors_of_strata_add_up_by_their_weights():
    rng = np.random.default_rng(3)
    values, strata = rng.normal(size=30), np.repeat(["a", "b"], [20, 10])
    found = stratified_mean("", {}, values, np.arange(30), strata, weights={"a": 1, "b": 3})
    first, second = (mean_estimate("", {}, values[strata == s], range(n)) for s, n in (("a", 20), ("b", 10)))
    parts = np.array([first.stderr / 4, second.stderr * 3 / 4]) ** 2
    assert found.value == pytest.approx(first.value / 4 + second.value * 3 / 4, abs=1e-12)
    assert found.stderr == pytest.approx(math.sqrt(parts.sum()), abs=1e-12)
    half = t.ppf(0.975, parts.sum() ** 2 / (parts[0] ** 2 / 19 + parts[1] ** 2 / 9)) * found.stderr
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=1e-10)


def test_measures_of_few_clusters_have_a_warning_and_parts_a_note():
    few = mean_estimate("accuracy", {"skin": "a"}, [0.0, 1.0, 1.0], [1, 2, 3])
    many = mean_estimate("accuracy", {}, np.arange(20.0), np.arange(20))
    (note,) = few_clusters([few, many], alone=False)
    assert note.startswith("1 of the estimates rest on fewer than 10")
    assert few_clusters([few, many], alone=True) == few_clusters([few], alone=False) == []
    others = [replace(few, by={"model": "a"}), replace(many, by={"model": "b"})]
    for alone in ([few, replace(many, measure="bias")], others):
        assert few_clusters(alone, alone=True) == [note]
        assert few_clusters(alone, alone=False) == []
    assert few_clusters([replace(few, method="published")], alone=True) == []


def jackknife(rows, shares):
    """The variance of the mean of strata's weighted means, from (stratum, setting, value, weight), by leaving out each
    setting.
    """

    def mean(rows):
        total = 0.0
        for name, share in shares.items():
            own = [(value, weight) for stratum, _, value, weight in rows if stratum == name]
            total += share * sum(v * w for v, w in own) / sum(w for _, w in own)
        return total / sum(shares.values())

    kinds = {row[1] for row in rows}
    without = [mean([row for row in rows if row[1] != kind]) for kind in kinds]
    return (len(kinds) - 1) / len(kinds) * sum((mean(rows) - one) ** 2 for one in without)


def columns(rows):
    strata, settings, values, weights = map(list, zip(*rows, strict=True))
    return values, weights, strata, settings


@given(st.integers(2, 6), st.integers(1, 3), st.data())
def test_the_variance_is_that_of_leaving_out_each_setting(kinds, strata, data):
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


def test_strata_that_share_no_setting_are_families():
    rng = np.random.default_rng(2)
    order = [("order", f"s{s}", float(rng.random()), 1.0) for s in range(12) for _ in range(2)]
    lines = [("lines", f"l{s}", float(rng.random()), 1.0) for s in range(3) for _ in range(2)]
    a, b = settings_error(*columns(order), {"order": 1}), settings_error(*columns(lines), {"lines": 1})
    both = settings_error(*columns(order + lines), {"order": 3, "lines": 1})
    parts = 9 / 16 * a.variance, 1 / 16 * b.variance
    assert (both.variance, both.settings) == (pytest.approx(sum(parts)), 15)
    assert both.freedom == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 2))


def test_a_stratum_of_one_setting_leaves_the_error_unknown():
    rows = [("h", "s", 0.5, 1.0), ("h", "s", 0.7, 1.0), ("g", "s", 0.1, 1.0), ("g", "t", 0.2, 1.0)]
    values, _, strata, _ = columns(rows)
    error = settings_error(*columns(rows), {"h": 1, "g": 1})
    found = over_settings(stratified_mean("", {}, values, range(4), strata), error)
    assert np.isnan([error.variance, found.stderr, found.low]).all()


def test_the_interval_is_never_narrower_than_that_over_questions():
    rows = [("h", f"s{s}", float(i % 2), 1.0) for s in range(10) for i in range(4)]  # all settings are alike
    values, _, strata, _ = columns(rows)
    questions = stratified_mean("", {}, values, range(40), strata)
    found = over_settings(questions, settings_error(*columns(rows), {"h": 1}))
    assert (found.low, found.high) == pytest.approx((questions.low, questions.high))
    assert found.stderr * t.ppf(0.975, 9) == pytest.approx(found.high - found.value)


def test_an_error_over_settings_comes_with_its_freedom():
    questions = mean_estimate("", {}, np.random.default_rng(3).normal(0.2, 1, 500), range(500))
    found = over_settings(questions, SettingsError(questions.stderr**2 * 4, 9, 10))
    assert found.stderr == pytest.approx(2 * questions.stderr)
    assert (found.method, found.settings, found.clusters) == (OVER_SETTINGS, 10, questions.clusters)
    assert found.high - found.value == pytest.approx(t.ppf(0.975, 9) * found.stderr)
    assert t_test(found) == pytest.approx(2 * t.sf(abs(found.value) / found.stderr, 9))
    assert detectable(found) == pytest.approx((t.ppf(0.975, 9) + t.ppf(0.8, 9)) * found.stderr)


def grid():
    """Values of two strata in settings with two parts, each of which several settings share."""
    rng = np.random.default_rng(4)
    cells = [(a, b) for a in range(11) for b in range(12) if (a + 3 * b) % 5 < 3]
    ease, words = rng.normal(size=11), rng.normal(size=12)
    values = [ease[a] + words[b] + rng.normal() for a, b in cells for _ in range(2)]
    names = [f"things{a}.order{b}" for a, b in cells for _ in range(2)]
    return np.array(values), np.tile(["x", "y"], len(cells)), np.array(names)


def error_of(settings):
    values, strata, _ = grid()
    return settings_error(values, np.ones(len(values)), strata, settings, {"x": 1.0, "y": 2.0})


def unshared(settings):
    return error_of(np.char.replace(settings, ".", " "))


def test_settings_that_share_both_parts_are_crossed():
    *_, names = grid()
    first, second = (np.array([name.split(".")[part] for name in names]) for part in (0, 1))
    found = error_of(names)
    expected = error_of(first).variance + error_of(second).variance - unshared(names).variance
    assert found.variance == pytest.approx(expected, rel=1e-12)
    assert found.variance > 1.5 * unshared(names).variance
    assert (found.freedom, found.settings) == (10, 11)


def test_parts_that_nothing_shares_or_with_few_values_are_fixed():
    *_, names = grid()
    first, number = np.array([name.split(".")[0] for name in names]), np.unique(names, return_inverse=True)[1]
    lone = np.array([f"{a}.only{k}" for a, k in zip(first, number, strict=True)])
    assert error_of(lone) == error_of(first)
    for settings in (
        [f"things{k}.order{k}" for k in number],
        [f"things{k % 9}.only{k}" for k in number],
        [name if k else "plain" for name, k in zip(names, number, strict=True)],
    ):
        assert error_of(np.array(settings)) == unshared(np.array(settings))


def test_a_crossed_error_is_that_of_both_less_that_of_pairs():
    rng = np.random.default_rng(5)
    rows = [(s, k, f) for s in "ab" for k in range(12) for f in range(11) if rng.random() < 0.7]
    strata, settings, others = ([*column] for column in zip(*rows, strict=True))
    ease, luck = rng.normal(size=12), rng.normal(size=11)
    values = [ease[k] + luck[f] + rng.normal() for _, k, f in rows]
    weights, shares = rng.integers(1, 4, len(rows)).astype(float).tolist(), {"a": 1.0, "b": 1.0}
    found = crossed_error(values, weights, strata, [f"s{k}" for k in settings], others, shares)
    parts = [
        jackknife([*zip(strata, kinds, values, weights, strict=True)], shares)
        for kinds in (settings, others, [*zip(settings, others, strict=True)])
    ]
    assert found.variance == pytest.approx(parts[0] + parts[1] - parts[2], rel=1e-9)
    assert (found.freedom, found.settings) == (10, 11)


def test_a_crossed_error_is_never_less_than_either_and_unknown_where_one_is():
    told = [float(i % 2) for i in range(12)], np.ones(12), ["a"] * 12, [f"s{i}" for i in range(12)]
    own = settings_error(*told, {"a": 1.0}).variance
    each, two, one = (
        crossed_error(*told, others, {"a": 1.0}).variance for others in (range(12), [0, 1] * 6, [0] * 12)
    )
    assert each == own < two
    assert math.isnan(one)


def test_kinds_of_others_are_fixed():
    """Strata that are divided by kind give the same error; kinds with a single one of the others are not divided."""
    rng = np.random.default_rng(6)
    rows = [(s, k, f) for s in "ab" for k in range(12) for f in range(12)]
    strata, settings, others = ([*column] for column in zip(*rows, strict=True))
    kinds = [f % 2 for f in others]
    told, names = (
        ([0.8 * kind + 0.1 * rng.normal() for kind in kinds], np.ones(len(rows))),
        [f"s{k}" for k in settings],
    )
    shares, halves = {"a": 1.0, "b": 2.0}, {"a 0": 0.5, "a 1": 0.5, "b 0": 1.0, "b 1": 1.0}
    found = crossed_error(*told, strata, names, others, shares, kinds).variance
    apart = [f"{stratum} {kind}" for stratum, kind in zip(strata, kinds, strict=True)]
    assert found == pytest.approx(crossed_error(*told, apart, names, others, halves).variance, rel=1e-9)
    single = [int(f > 0) for f in others]
    whole, undivided = (crossed_error(*told, strata, names, others, shares, own) for own in (None, single))
    assert undivided.variance == whole.variance > 20 * found
