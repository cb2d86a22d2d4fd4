"""Means over questions that are told in a few settings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t

from probsense.analysis.inference.means import mean_estimate, stratified_mean
from probsense.analysis.inference.power import detectable
from probsense.analysis.inference.settings import OVER_SETTINGS, SettingsError, over_settings, settings_error
from probsense.analysis.inference.significance import t_test


def weighted_mean(rows: list[tuple[str, str, float, float]], shares: dict[str, float]) -> float:
    """The mean of the weighted means of strata, from (stratum, setting, value, weight)."""
    total = 0.0
    for name, share in shares.items():
        own = [(value, weight) for stratum, _, value, weight in rows if stratum == name]
        total += share * sum(v * w for v, w in own) / sum(w for _, w in own)
    return total / sum(shares.values())


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
    whole = weighted_mean(rows, shares)
    without = [weighted_mean([row for row in rows if row[1] != f"s{s}"], shares) for s in range(kinds)]
    found = settings_error(*columns(rows), shares)
    expected = (kinds - 1) / kinds * sum((whole - one) ** 2 for one in without)
    assert found.variance == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert (found.settings, found.freedom) == (kinds, pytest.approx(kinds - 1))


def test_of_a_balanced_set_it_is_that_of_the_mean_of_settings() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((3, 12, 4))  # strata, settings, questions
    rows = [
        (f"h{h}", f"s{s}", float(values[h, s, i]), 1.0) for h in range(3) for s in range(12) for i in range(4)
    ]
    found = settings_error(*columns(rows), {"h0": 1, "h1": 1, "h2": 1})
    means = values.mean(axis=(0, 2))
    plain = mean_estimate("", {}, means, range(12))
    assert math.sqrt(found.variance) == pytest.approx(plain.stderr, rel=1e-12)
    questions = mean_estimate("", {}, values.ravel(), range(values.size))
    wide = over_settings(questions, found._replace(variance=questions.stderr**2 * 4))
    assert wide.stderr == pytest.approx(2 * questions.stderr)
    assert (wide.method, wide.settings) == (OVER_SETTINGS, 12)
    assert wide.clusters == questions.clusters
    assert wide.high - wide.value == pytest.approx(
        2.201 * wide.stderr, rel=1e-3
    )  # t of 11 degrees of freedom


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
