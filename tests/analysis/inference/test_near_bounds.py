"""Intervals of means near a bound: Wilson's for shares, shifted for what crowds there; elsewhere the ordinary ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from probsense.analysis.inference.near_bounds import away_from_bounds, score_interval
from probsense.analysis.inference.proportions import wilson

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


def test_near_a_bound_both_ends_move_away_from_it() -> None:
    values = np.random.default_rng(1).beta(0.3, 1.7, 30)
    mean, stderr = float(values.mean()), float(values.std(ddof=1) / math.sqrt(30))
    low, high = away_from_bounds(mean, stderr, 2.045 * stderr, 30)
    assert low > mean - 2.045 * stderr
    assert high > mean + 2.045 * stderr


def test_the_ends_move_without_a_jump() -> None:
    ends = np.array([away_from_bounds(0.1, half / 2, half, 30) for half in np.linspace(0.001, 0.3, 3000)])
    assert np.abs(np.diff(ends, axis=0)).max() < 1e-3


def test_a_mean_at_a_bound_has_no_room_to_move() -> None:
    assert away_from_bounds(0.0, 0.01, 0.02, 12) == (0, 0.02)
