"""Errors of estimates that items and raters move, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from probsense.analysis.inference.influence import Cells, Linear, crossed_interval
from probsense.analysis.inference.quantiles import t_quantile

NOTHING = (math.nan,) * 3


def mean(values: list[float]) -> Linear:
    x = np.array(values)
    return Linear(float(x.mean()), (x - x.mean()) / len(x))


def test_the_error_of_a_mean_by_hand() -> None:
    half = 4.302653 * math.sqrt(7 / 3)  # The sample variance is 7.
    assert crossed_interval(mean([1, 2, 6])) == pytest.approx((math.sqrt(7 / 3), 3 - half, 3 + half))


def test_raters_that_differ_everywhere_alike_come_on_top() -> None:
    values = np.array([[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]])
    rater, item = np.indices(values.shape).reshape(2, -1)
    off = (values - values.mean(axis=0)) / 6
    stderr, low, _ = crossed_interval(mean([2, 3, 4])._replace(raters=Cells(item, rater, off.ravel())))
    # Items: variance 1/3. Raters: their means differ by ±2 (2 · 2²/2² = 2 · 2), less single answers.
    between = 2 * (1.0 + 1.0) - 2 * 6 * (1 / 3) ** 2
    assert stderr == pytest.approx(math.sqrt(1 / 3 + between))
    freedom = (1 / 3 + between) ** 2 / ((1 / 3) ** 2 / 2 + between**2)
    assert 3 - low == pytest.approx(t_quantile(freedom) * stderr)


def test_one_item_has_no_error_and_nothing_that_varies_none_at_all() -> None:
    assert crossed_interval(mean([1])) == pytest.approx(NOTHING, nan_ok=True)
    assert crossed_interval(mean([1, 1, 1])) == (0, 1, 1)
