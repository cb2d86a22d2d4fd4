"""Errors of estimates that items and several kinds of raters move, by hand and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from probsense.analysis.inference.influence import (
    Cells,
    Spread,
    crossed_spread,
    ends,
    mean,
    root_mean,
)

Floats = NDArray[np.float64]


def table_cells(values: Floats) -> tuple[Floats, Cells]:
    """Means over raters (rows) of each item (columns), with what each answer adds."""
    off = (values - values.mean(axis=0)) / len(values)
    rater, item = np.indices(values.shape).reshape(2, -1)
    return values.mean(axis=0), Cells(item, rater, off.ravel())


def test_the_error_of_a_mean_by_hand() -> None:
    found = mean(np.array([1.0, 2.0, 6.0]), [])
    assert found.value == 3
    spread = crossed_spread(found)
    assert spread.stderr == pytest.approx(math.sqrt(7 / 3))  # The sample variance is 7.
    assert spread.freedom == pytest.approx(2)
    low, high = ends(3.0, spread)
    assert (low, high) == pytest.approx((3 - 4.302653 * math.sqrt(7 / 3), 3 + 4.302653 * math.sqrt(7 / 3)))


def test_raters_that_differ_everywhere_alike_come_on_top() -> None:
    values = np.array([[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]])
    x, cells = table_cells(values)
    spread = crossed_spread(mean(x, [cells]))
    # Items: variance 1/3. Raters: their means differ by ±2 (2 · 2²/2² = 2 · 2), less single answers.
    between = 2 * (1.0 + 1.0) - 2 * 6 * (1 / 3) ** 2
    assert spread.stderr == pytest.approx(math.sqrt(1 / 3 + between))
    assert spread.freedom == pytest.approx((1 / 3 + between) ** 2 / ((1 / 3) ** 2 / 2 + between**2))


def test_one_item_has_no_error_and_nothing_that_varies_none_at_all() -> None:
    assert math.isnan(crossed_spread(mean(np.array([1.0]), [])).stderr)
    assert crossed_spread(mean(np.ones(3), [])) == Spread(0.0, 2)
    assert ends(math.nan, Spread(math.nan, math.nan)) == pytest.approx((math.nan,) * 2, nan_ok=True)


@given(st.integers(0, 10_000))
def test_each_influence_is_the_derivative(seed: int) -> None:
    """Moving one value changes the estimate as its influence says."""
    rng = np.random.default_rng(seed)
    n, h = 12, 1e-6
    x, item = rng.normal(2, 1, n), np.arange(n)
    cells = Cells(item, item, np.ones(n))
    for make in (lambda x: mean(x, [cells]), lambda x: root_mean(x, cells)):
        found = make(x)
        if found.value == 0:
            continue
        for i in (0, 5):
            moved = x.copy()
            moved[i] += h
            assert (make(moved).value - found.value) / h == pytest.approx(found.raters[0].value[i], rel=1e-4)
        assert found.items.sum() == pytest.approx(0, abs=1e-9)


def test_the_root_of_a_mean_below_nothing_has_no_error() -> None:
    found = root_mean(np.array([-1.0, 0.5]), Cells(np.arange(0), np.arange(0), np.zeros(0)))
    assert found.value == 0
    assert math.isnan(crossed_spread(found).stderr)
