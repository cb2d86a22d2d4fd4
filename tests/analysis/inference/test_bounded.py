"""Intervals of proportions, against a published library and at the ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from probsense.analysis.human_choices.halves import halves
from probsense.analysis.inference.bounded import proportion_estimate, share_curve, wilson
from probsense.analysis.inference.means import mean_estimate

Z = 1.959963984540054


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_statsmodels(counts: tuple[int, int]) -> None:
    hits, n = counts
    expected = proportion_confint(hits, n, method="wilson")
    assert wilson(hits / n, n, z=Z) == pytest.approx(expected, abs=1e-10)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=60))
def test_the_share_is_inside_and_the_ends_are_shares(pairs: list[tuple[bool, int]]) -> None:
    hits, clusters = zip(*pairs, strict=True)
    found = proportion_estimate("accuracy", {}, hits, clusters)
    assert found.value == pytest.approx(sum(hits) / len(hits), abs=1e-12)
    if len(set(clusters)) == 1:
        assert math.isnan(found.low)
    else:
        assert 0 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1


def test_all_right_is_not_certainly_right_and_clusters_count_once() -> None:
    found = proportion_estimate("accuracy", {}, np.ones(40), np.arange(40) // 2)
    assert (found.value, found.high, found.stderr) == (1, 1, 0)
    alone = proportion_estimate("accuracy", {}, np.ones(20), np.arange(20))
    assert found.low == alone.low == pytest.approx(1 / (1 + 2.093024054408263**2 / 20), abs=1e-9)


def test_dependent_hits_widen_the_interval_by_their_clustered_error() -> None:
    hits = np.repeat(np.arange(30) % 3 > 0, 4)
    together = proportion_estimate("accuracy", {}, hits, np.repeat(np.arange(30), 4))
    apart = proportion_estimate("accuracy", {}, hits, np.arange(120))
    assert together.high - together.low > 1.8 * (apart.high - apart.low)
    assert together.stderr == mean_estimate("", {}, hits, np.repeat(np.arange(30), 4)).stderr
    assert together.method == "clustered Wilson"


SHARES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


@given(SHARES)
def test_bins_are_means_over_their_statements(found: list[tuple[float, float]]) -> None:
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


def test_a_half_of_few_people_is_too_sure_of_the_other_half() -> None:
    ways = halves(np.array([1.0, 2.0, 3.0]), np.full(3, 4.0))
    curve = share_curve(ways.first, ways.second, ways.weight)
    assert curve.statements.sum() == pytest.approx(3)
    # With one, two and three of four who say yes, both of a half say no in 1/2, 1/6 and none of its draws.
    assert curve.statements[0] == pytest.approx(1 / 2 + 1 / 6)
    assert curve.share[0] == pytest.approx((1 / 2 * 0.5 + 1 / 6 * 1) / (2 / 3))
    assert curve.share[9] == pytest.approx(1 - curve.share[0])


def test_statements_that_are_half_in_a_bin_count_there_as_statements() -> None:
    share = np.array([[0.2], [0.5], [0.9]])
    whole = share_curve(np.full((3, 1), 0.3), share)
    forecasts = np.tile([0.3, 0.7], (3, 1))
    half = share_curve(forecasts, np.repeat(share, 2, axis=1), np.full((3, 2), 0.5))
    for b in (2, 6):
        assert half.statements[b] == 1.5
        assert (half.low[b], half.high[b]) == pytest.approx((whole.low[2], whole.high[2]))
