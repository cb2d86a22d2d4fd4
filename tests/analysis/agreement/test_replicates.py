"""Intervals and paired differences from replicates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from probsense.analysis.agreement import replicates
from probsense.analysis.agreement.replicates import (
    Replicates,
    differences,
    intervals,
    share_intervals,
    times_in_parts,
    transformed,
)
from probsense.analysis.inference.resampling import times_drawn


@pytest.fixture
def found() -> Replicates:
    draws = np.random.default_rng(1).normal([0.4, 0.6], [0.1, 0.2], (50, 2))
    draws[3, 1] = math.nan
    return Replicates(np.array([0.5, 0.7]), draws)


def test_intervals_lie_about_the_value_and_not_about_the_draws(found: Replicates) -> None:
    given = intervals(found, level=0.9)
    for m in range(2):
        known = found.draws[~np.isnan(found.draws[:, m]), m]
        stderr = np.std(known, ddof=1)
        assert given.stderr[m] == pytest.approx(stderr, abs=1e-12)
        assert given.low[m] == pytest.approx(found.value[m] - norm.ppf(0.95) * stderr, abs=1e-12)
        assert given.high[m] == pytest.approx(found.value[m] + norm.ppf(0.95) * stderr, abs=1e-12)


def test_one_draw_shows_no_spread() -> None:
    given = intervals(Replicates(np.array([1.0]), np.array([[1.0]])))
    assert np.isnan([given.stderr[0], given.low[0], given.high[0]]).all()


def test_differences_are_paired(found: Replicates) -> None:
    apart = differences(found)
    assert apart.value.tolist() == [
        [0, found.value[0] - found.value[1]],
        [found.value[1] - found.value[0], 0],
    ]
    np.testing.assert_array_equal(apart.draws[:, 1, 0], found.draws[:, 1] - found.draws[:, 0])


def test_a_function_of_figures(found: Replicates) -> None:
    doubled = transformed(found, lambda x: 2 * x)
    np.testing.assert_array_equal(doubled.draws, 2 * found.draws)
    np.testing.assert_array_equal(doubled.value, 2 * found.value)


def test_drawing_with_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    times = times_drawn(np.random.default_rng(1), 20, 500)
    assert (times.sum(axis=1) == 20).all()
    assert times.var() == pytest.approx(1 - 1 / 20, abs=0.05)
    monkeypatch.setattr(replicates, "CELLS", 20 * 170)
    parts = list(times_in_parts(np.random.default_rng(1), 20, 500))
    assert [len(part) for part in parts] == [170, 170, 160]
    np.testing.assert_array_equal(np.concatenate(parts), times)


def test_intervals_of_shares_are_score_intervals_with_the_number_that_the_error_gives() -> None:
    draws = np.array([[0.3, 0.0, 1.0], [0.5, 0.0, 0.8]])
    given = share_intervals(Replicates(np.array([0.4, 0.0, 1.0]), draws), 30)
    n, z = 0.4 * 0.6 / 0.02, t.ppf(0.975, 29)
    for k, sign in enumerate((-1, 1)):
        root = math.sqrt(0.4 * 0.6 / n + z * z / (4 * n * n))
        expected = (0.4 + z * z / (2 * n) + sign * z * root) / (1 + z * z / n)
        assert (given.low, given.high)[k][0] == pytest.approx(expected, abs=1e-12)
    # No draw shows an error: every one of 30 people counts.
    assert (given.low[1], given.high[1]) == (0, pytest.approx(z * z / (30 + z * z), abs=1e-12))
    # Nobody is better, but the draws vary: fewer than 30 count.
    assert given.high[2] == 1
    assert given.low[2] < 30 / (30 + z * z) - 0.1


def test_a_single_person_has_no_share_interval() -> None:
    given = share_intervals(Replicates(np.array([1.0]), np.array([[1.0], [1.0]])), 1)
    assert np.isnan([given.low[0], given.high[0]]).all()
