"""Errors over items and the people who rated them, against products written out and a published library."""

import math

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.api import OLS, WLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from probsense.analysis.inference import raters
from probsense.analysis.inference.estimate import t_quantile
from probsense.analysis.inference.means import mean_estimate


def test_where_people_rate_everything_items_and_people_add_up():
    rng = np.random.default_rng(3)
    people, items = 30, 25
    x = rng.normal(size=(people, 1)) + rng.normal(size=items) + rng.normal(size=(people, items))
    person, item = (place.ravel() for place in np.indices(x.shape))
    error = raters.raters_error(x.ravel(), person, item, item, np.ones(x.size))
    # The cross products of deviations from the other people's means, written out.
    apart = (x - x.mean(axis=0)) * people / (people - 1)
    products = (apart.sum(axis=1) ** 2).sum() - (apart**2).sum()
    assert error.variance == pytest.approx(products / (people * items) ** 2, rel=1e-12)
    assert error.raters == people


def test_people_who_rate_one_cluster_each_add_nothing():
    found = raters.raters_error(
        [1, 0, 0, 1, 1, 1.0], [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 3], [5, 5, 5, 5, 6, 6], [1] * 6
    )
    assert found == raters.RatersError(0.0, 3)


def test_intervals_are_never_narrower_and_count_the_fewer_units():
    before = mean_estimate("", {}, np.arange(40.0), range(40))
    found = raters.over_raters(before, [raters.RatersError(0.0, 12), raters.RatersError(0.0, 7)])
    assert found.low < before.low
    assert (found.clusters, found.method) == (7, "two-way clustered")
    assert found.stderr == before.stderr
    wide = raters.over_raters(before, [raters.RatersError(0.5, 12), raters.RatersError(0.25, 7)])
    assert wide.stderr == pytest.approx(math.sqrt(before.stderr**2 + 0.75))
    assert wide.value - wide.low == pytest.approx(t.ppf(0.975, 6) * wide.stderr)
    many = raters.over_raters(before, [raters.RatersError(0.0, 500)])
    assert (many.low, many.clusters) == (pytest.approx(before.low), 40)


def test_errors_are_those_of_statsmodels():
    rng = np.random.default_rng(4)
    pairs = rng.permutation(12 * 9)[:90]
    row, column = np.divmod(pairs, 9)
    values = 0.5 + 0.1 * (rng.normal(size=12)[row] + rng.normal(size=9)[column] + rng.normal(size=90))
    first, weight = column < 4, rng.random(90)

    def expected(fit):
        found = cov_cluster_2groups(fit, row, column, use_correction=False)
        both, by_row, by_column = (one[-1, -1] for one in found)
        apart = by_row * 12 / 11 - (by_row + by_column - both) * 90 / 89
        return math.sqrt(by_column * 9 / 8 + max(apart, 0))

    found = raters.crossed_share("", {}, values, row, column, np.full(90, 3.0))
    assert found.value == pytest.approx(values.mean(), abs=1e-12)
    assert found.stderr == pytest.approx(expected(OLS(values, np.ones((90, 1))).fit()), abs=1e-10)
    assert (found.clusters, found.n) == (9, 90)
    apart = raters.crossed_difference(first, values, row, column, weight)
    fit = WLS(values, np.stack([np.ones(90), first], axis=1), weight).fit()
    assert apart.value == pytest.approx(fit.params[1], abs=1e-12)
    assert apart.stderr == pytest.approx(expected(fit), abs=1e-10)
    assert apart.clusters == 4
    assert apart.p == pytest.approx(2 * t.sf(abs(apart.value) / apart.stderr, 3), abs=1e-12)
    assert apart.high - apart.value == pytest.approx(t.ppf(0.975, 3) * apart.stderr, abs=1e-12)
    assert math.isnan(raters.crossed_difference(first | True, values, row, column, weight).value)
    assert math.isnan(raters.crossed_difference(first, np.ones(90), row, column, weight).p)


def test_one_person_or_a_single_row_leaves_the_interval_unknown():
    before = mean_estimate("", {}, [0, 1, 1.0], [0, 1, 2])
    one = raters.over_raters(before, [raters.RatersError(0.0, 1)])
    row = raters.crossed_share("", {}, [0.0, 1.0], np.array([0, 0]), np.array([0, 1]), [1, 1])
    assert (row.value, row.clusters) == (0.5, 1)
    assert np.isnan([one.stderr, one.low, one.high, row.stderr, row.low]).all()


NOTHING = (math.nan,) * 3


def mean(values):
    x = np.array(values)
    return raters.Linear(float(x.mean()), (x - x.mean()) / len(x))


def test_the_error_of_a_mean_by_hand():
    half = 4.302653 * math.sqrt(7 / 3)  # The sample variance is 7.
    assert raters.crossed_interval(mean([1, 2, 6])) == pytest.approx((math.sqrt(7 / 3), 3 - half, 3 + half))


def test_raters_that_differ_everywhere_alike_come_on_top():
    values = np.array([[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]])
    rater, item = np.indices(values.shape).reshape(2, -1)
    off = (values - values.mean(axis=0)) / 6
    rated = mean([2, 3, 4])._replace(raters=raters.Cells(item, rater, off.ravel()))
    stderr, low, _ = raters.crossed_interval(rated)
    # Items: variance 1/3. Raters: their means differ by ±2 (2 · 2²/2² = 2 · 2), less single answers.
    between = 2 * (1.0 + 1.0) - 2 * 6 * (1 / 3) ** 2
    assert stderr == pytest.approx(math.sqrt(1 / 3 + between))
    freedom = (1 / 3 + between) ** 2 / ((1 / 3) ** 2 / 2 + between**2)
    assert 3 - low == pytest.approx(t_quantile(freedom) * stderr)


def test_one_item_has_no_error_and_nothing_that_varies_none_at_all():
    assert raters.crossed_interval(mean([1])) == pytest.approx(NOTHING, nan_ok=True)
    assert raters.crossed_interval(mean([1, 1, 1])) == (0, 1, 1)
