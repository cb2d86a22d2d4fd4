"""The calibration of forecasts of people's shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.agreement.distances import halves
from probsense.analysis.agreement.share_calibration import share_curve
from probsense.analysis.inference.means import mean_estimate

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


def test_forecasts_that_are_right_have_no_error() -> None:
    share = np.array([[0.0], [0.3], [0.31], [1.0]])
    curve = share_curve(share, share)
    assert curve.gap == pytest.approx(0)
    assert np.nanmax(np.abs(curve.share - curve.forecast)) == pytest.approx(0)


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
