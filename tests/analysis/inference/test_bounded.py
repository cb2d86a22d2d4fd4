"""Intervals of proportions, against a published library; intervals within bounds, and with a width; bins."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from probsense.analysis.inference import bounded as module
from probsense.analysis.inference.bounded import (
    away_from_bounds,
    bounded,
    proportion_estimate,
    share_curve,
    wilson,
)
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate

Z = 1.959963984540054


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_statsmodels(counts):
    hits, n = counts
    expected = proportion_confint(hits, n, method="wilson")
    assert wilson(hits / n, n, z=Z) == pytest.approx(expected, abs=1e-10)


def test_all_right_is_not_certainly_right_and_clusters_count_once():
    found = proportion_estimate("accuracy", {}, np.ones(40), np.arange(40) // 2)
    assert (found.value, found.high, found.stderr) == (1, 1, 0)
    alone = proportion_estimate("accuracy", {}, np.ones(20), np.arange(20))
    assert found.low == alone.low == pytest.approx(1 / (1 + 2.093024054408263**2 / 20), abs=1e-9)


SHARES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


@given(SHARES)
def test_bins_are_means_over_their_statements(found):
    forecast, share = np.array(found).T
    curve = share_curve(forecast[:, None], share[:, None])
    place = np.clip(np.ceil(forecast * 10 - 1e-12).astype(int) - 1, 0, 9)
    error = 0.0
    for b in range(10):
        members = np.flatnonzero(place == b)
        assert curve.statements[b] == len(members)
        if not len(members):
            assert np.isnan(curve.share[b])
            continue
        mean = mean_estimate("", {}, share[members], members)
        assert curve.share[b] == pytest.approx(mean.value)
        assert curve.forecast[b] == pytest.approx(forecast[members].mean())
        if len(members) > 1:
            assert curve.low[b] == pytest.approx(max(mean.low, 0), abs=1e-9)
            assert curve.high[b] == pytest.approx(min(mean.high, 1), abs=1e-9)
        else:
            assert np.isnan(curve.low[b])
        error += abs((share - forecast)[members].sum()) / len(forecast)
    assert curve.gap.mean() == pytest.approx(error, abs=1e-12)


def test_statements_that_are_half_in_a_bin_count_there_as_statements():
    share = np.array([[0.2], [0.5], [0.9]])
    whole = share_curve(np.full((3, 1), 0.3), share)
    forecasts = np.tile([0.3, 0.7], (3, 1))
    half = share_curve(forecasts, np.repeat(share, 2, axis=1), np.full((3, 2), 0.5))
    for b in (2, 6):
        assert half.statements[b] == 1.5
        assert (half.low[b], half.high[b]) == pytest.approx((whole.low[2], whole.high[2]))


NAN = math.nan


def estimate(value, low, high, n=12, clusters=12):
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
def test_intervals_are_cut_off_at_the_bounds_and_hold_the_value(ends, bounds, expected):
    found = bounded(estimate(0.5, *ends), bounds)
    assert (found.low, found.high) == pytest.approx(expected, nan_ok=True)
    assert (found.value, found.stderr) == (0.5, 0.1)
    assert isinstance(found.low, float)
    assert isinstance(found.high, float)


def test_equal_values_may_differ_as_often_as_was_never_seen():
    """At a bound, they are as uncertain as a share."""
    share = proportion_estimate("any", {}, [1.0] * 12, range(12))
    assert bounded(estimate(1.0, 1.0, 1.0), (0, 1)).low == pytest.approx(share.low, abs=1e-12)
    found = bounded(estimate(0.25, 0.25, 0.25), (-1, 1))
    rare = proportion_estimate("any", {}, [False] * 12, range(12)).high
    assert (found.low, found.high) == pytest.approx((0.25 - 1.25 * rare, 0.25 + 0.75 * rare))
    assert bounded(estimate(0.25, 0.25, 0.25, n=40), (-1, 1)) != found
    assert bounded(estimate(0.25, 0.25, 0.25, n=40), (-1, 1)).low == found.low  # clusters count


def test_intervals_widen_without_a_jump_as_values_become_equal():
    apart = np.linspace(-1, 1, 12)
    widths = [
        found.high - found.low
        for spread in np.linspace(0, 0.1, 2000)
        for found in (bounded(mean_estimate("any", {}, 0.5 + spread * apart, range(12)), (0, 1)),)
    ]
    assert np.abs(np.diff(widths)).max() < 0.002
    assert widths[0] > 0.25
    plain = mean_estimate("any", {}, 0.5 + 0.1 * apart, range(12))
    assert widths[-1] == pytest.approx(plain.high - plain.low, abs=1e-12)


def test_a_mean_that_crowds_at_a_bound_is_shifted_and_a_difference_is_not():
    values = np.random.default_rng(3).beta(0.3, 1.7, 20)
    plain = mean_estimate("any", {}, values, range(20))
    assert bounded(plain, (0, 1)).high > plain.high + 0.01
    assert bounded(plain, (-1, 1)) == plain


@given(
    values=st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0]), min_size=2, max_size=30),
    bounds=st.sampled_from([(0, 1), (-1, 1), (0, 2)]),
)
@example(values=[0.8125, 0.71875], bounds=(-1, 1))
def test_to_bound_again_changes_nothing(values, bounds):
    once = bounded(mean_estimate("any", {}, values, range(len(values))), bounds)
    again = bounded(once, bounds)
    assert (again.low, again.high) == pytest.approx((once.low, once.high), abs=1e-8)
    assert bounds[0] <= once.low <= once.value <= once.high <= bounds[1]
    assert once.high - once.low > 0.001


def test_a_single_value_an_unknown_one_and_one_without_bounds_have_no_interval():
    for known, bounds in (
        (estimate(0.5, 0.5, 0.5, n=1), (0, 1)),
        (estimate(0.5, 0.5, 0.5), (0, math.inf)),
        (estimate(0.5, 0.5, 0.5), (-math.inf, 1)),
        (estimate(0.0, -1e-14, 1e-14), (-math.inf, 100)),  # rounding
        (estimate(NAN, 0.2, 0.4), (0, 1)),
    ):
        found = bounded(known, bounds)
        assert np.isnan([found.low, found.high]).all()


INSIDE = st.floats(0.001, 0.999)


@given(share=INSIDE, n=st.integers(2, 1000), z=st.floats(0.5, 13))
def test_for_values_of_0_and_1_it_is_the_interval_of_wilson(share, n, z):
    stderr = math.sqrt(share * (1 - share) / n)
    found = module.score_interval(share, stderr, z * stderr, n)
    assert found == pytest.approx(wilson(share, n, z=z), abs=1e-9)


@given(mean=INSIDE, spread=st.floats(0.001, 1), n=st.integers(2, 200), z=st.floats(0.5, 13))
@example(mean=0.02, spread=0.1, n=12, z=2.2)
def test_it_holds_the_mean_stays_between_the_bounds_and_mirrors(mean, spread, n, z):
    stderr = spread * math.sqrt(mean * (1 - mean) / n)
    for interval in (module.score_interval, away_from_bounds):
        low, high = interval(mean, stderr, z * stderr, n)
        assert 0 <= low <= mean <= high <= 1
        mirrored = interval(1 - mean, stderr, z * stderr, n)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_the_ends_move_without_a_jump():
    ends = np.array([away_from_bounds(0.1, half / 2, half, 30) for half in np.linspace(0.001, 0.3, 3000)])
    assert np.abs(np.diff(ends, axis=0)).max() < 1e-3
