"""Intervals that stay within bounds, and have a width."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from probsense.analysis.inference.bounded import (
    away_from_bounds,
    bounded,
    proportion_estimate,
    score_interval,
    wilson,
)
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate

NAN = math.nan


def estimate(value: float, low: float, high: float, n: int = 12, clusters: int = 12) -> Estimate:
    return Estimate("any", {"model": "m"}, value, 0.1, low, high, 0.95, n, clusters, "clustered")


@pytest.mark.parametrize(
    ("ends", "bounds", "expected"),
    [
        ((0.2, 0.8), (0, 1), (0.2, 0.8)),
        ((-0.087, 1.003), (0, 1), (0, 1)),
        ((-12.2, 13.2), (-1, 1), (-1, 1)),
        ((-0.5, 1.5), (0, math.inf), (0, 1.5)),
        ((-0.5, 1.5), (-math.inf, math.inf), (-0.5, 1.5)),
        ((0.6, 0.8), (0, 1), (0.5, 0.8)),  # a percentile interval that misses the value
        ((0.2, 0.4), (0, 1), (0.2, 0.5)),
        ((NAN, NAN), (0, 1), (NAN, NAN)),
    ],
)
def test_intervals_are_cut_off_at_the_bounds_and_hold_the_value(
    ends: tuple[float, float], bounds: tuple[float, float], expected: tuple[float, float]
) -> None:
    found = bounded(estimate(0.5, *ends), bounds)
    assert (found.low, found.high) == pytest.approx(expected, nan_ok=True)
    assert (found.value, found.stderr) == (0.5, 0.1)
    assert isinstance(found.low, float)
    assert isinstance(found.high, float)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_values_at_a_bound_are_uncertain_like_a_share(value: float) -> None:
    found = bounded(mean_estimate("any", {}, [value] * 12, range(12)), (0, 1))
    share = proportion_estimate("any", {}, [value] * 12, range(12))
    assert (found.low, found.high) == pytest.approx((share.low, share.high), abs=1e-12)


def test_equal_values_within_the_bounds_may_differ_as_often_as_was_never_seen() -> None:
    found = bounded(estimate(0.25, 0.25, 0.25), (-1, 1))
    rare = proportion_estimate("any", {}, [False] * 12, range(12)).high
    assert (found.low, found.high) == pytest.approx((0.25 - 1.25 * rare, 0.25 + 0.75 * rare))
    assert bounded(estimate(0.25, 0.25, 0.25, n=40), (-1, 1)) != found
    assert bounded(estimate(0.25, 0.25, 0.25, n=40), (-1, 1)).low == found.low  # clusters count


@pytest.mark.parametrize("apart", [1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("near", [0.0, 0.3, 1.0])
def test_nearly_equal_values_are_hardly_surer_than_equal_ones(near: float, apart: float) -> None:
    values = np.abs(near - apart * np.random.default_rng(1).random(12))
    found = bounded(mean_estimate("any", {}, values, range(12)), (0, 1))
    equal = bounded(mean_estimate("any", {}, [near] * 12, range(12)), (0, 1))
    assert (found.low, found.high) == pytest.approx((equal.low, equal.high), abs=0.01)


def test_intervals_widen_without_a_jump_as_values_become_equal() -> None:
    apart = np.linspace(-1, 1, 12)
    widths = [
        found.high - found.low
        for spread in np.linspace(0, 0.1, 2000)
        for found in (bounded(mean_estimate("any", {}, 0.5 + spread * apart, range(12)), (0, 1)),)
    ]
    assert np.abs(np.diff(widths)).max() < 0.002
    assert widths[0] > 0.25
    assert widths[-1] == pytest.approx(mean_width(0.5 + 0.1 * apart), abs=1e-12)


def mean_width(values: NDArray[np.float64]) -> float:
    found = mean_estimate("any", {}, values, range(len(values)))
    return found.high - found.low


def test_a_mean_that_crowds_at_a_bound_is_shifted_and_a_difference_is_not() -> None:
    values = np.random.default_rng(3).beta(0.3, 1.7, 20)
    plain = mean_estimate("any", {}, values, range(20))
    assert bounded(plain, (0, 1)).high > plain.high + 0.01
    assert bounded(plain, (-1, 1)) == plain


@given(
    values=st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0]), min_size=2, max_size=30),
    bounds=st.sampled_from([(0, 1), (-1, 1), (0, 2)]),
)
@example(values=[0.8125, 0.71875], bounds=(-1, 1))
def test_to_bound_again_changes_nothing(values: list[float], bounds: tuple[float, float]) -> None:
    once = bounded(mean_estimate("any", {}, values, range(len(values))), bounds)
    again = bounded(once, bounds)
    assert (again.low, again.high) == pytest.approx((once.low, once.high), abs=1e-8)
    assert bounds[0] <= once.low <= once.value <= once.high <= bounds[1]
    assert once.high - once.low > 0.001


@pytest.mark.parametrize(
    ("known", "bounds"),
    [
        (estimate(0.5, 0.5, 0.5, n=1), (0, 1)),
        (estimate(0.5, 0.5, 0.5), (0, math.inf)),
        (estimate(0.5, 0.5, 0.5), (-math.inf, 1)),
        (estimate(NAN, 0.2, 0.4), (0, 1)),
    ],
)
def test_a_single_value_an_unknown_one_and_one_without_bounds_have_no_interval(
    known: Estimate, bounds: tuple[float, float]
) -> None:
    found = bounded(known, bounds)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


SHARES = st.floats(0.001, 0.999)


@given(share=SHARES, n=st.integers(2, 1000), z=st.floats(0.5, 13))
def test_for_values_of_0_and_1_it_is_the_interval_of_wilson(share: float, n: int, z: float) -> None:
    stderr = math.sqrt(share * (1 - share) / n)
    found = score_interval(share, stderr, z * stderr, n)
    assert found == pytest.approx(wilson(share, n, z=z), abs=1e-9)


@given(mean=SHARES, spread=st.floats(0.001, 1), n=st.integers(2, 200), z=st.floats(0.5, 13))
@example(mean=0.02, spread=0.1, n=12, z=2.2)
def test_it_holds_the_mean_stays_between_the_bounds_and_mirrors(
    mean: float, spread: float, n: int, z: float
) -> None:
    stderr = spread * math.sqrt(mean * (1 - mean) / n)
    for interval in (score_interval, away_from_bounds):
        low, high = interval(mean, stderr, z * stderr, n)
        assert 0 <= low <= mean <= high <= 1
        mirrored = interval(1 - mean, stderr, z * stderr, n)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(mean=SHARES, spread=st.floats(0.001, 1), n=st.integers(2, 200), z=st.floats(0.5, 13))
def test_what_does_not_reach_for_a_bound_stays(mean: float, spread: float, n: int, z: float) -> None:
    stderr = spread * math.sqrt(mean * (1 - mean) / n)
    assume(z * stderr < 0.2499 * min(mean, 1 - mean))
    assert away_from_bounds(mean, stderr, z * stderr, n) == (mean - z * stderr, mean + z * stderr)


def test_in_the_middle_it_stays_even_if_it_is_wide() -> None:
    assert away_from_bounds(0.5, 0.1, 0.3, 12) == pytest.approx((0.2, 0.8))


def test_the_ends_move_without_a_jump() -> None:
    ends = np.array([away_from_bounds(0.1, half / 2, half, 30) for half in np.linspace(0.001, 0.3, 3000)])
    assert np.abs(np.diff(ends, axis=0)).max() < 1e-3


def test_a_mean_at_a_bound_has_no_room_to_move() -> None:
    assert away_from_bounds(0.0, 0.01, 0.02, 12) == (0, 0.02)
