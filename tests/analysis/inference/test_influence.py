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
    Linear,
    Spread,
    ceiling,
    correlation,
    crossed_spread,
    ends,
    mean,
    ratio_of_means,
    root_mean,
    slope,
)

Floats = NDArray[np.float64]
NOBODY = Cells(np.arange(0), np.arange(0), np.zeros(0))


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
    low, high = ends(3.0, spread, level=0.95)
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
    assert math.isnan(ends(1.0, Spread(0.1, 3), level=0.95, scale="artanh")[0])
    assert ends(math.nan, Spread(math.nan, math.nan), level=0.95) == pytest.approx(
        (math.nan,) * 2, nan_ok=True
    )


def test_the_interval_of_a_ratio_of_variances_is_above_nothing() -> None:
    low, high = ends(0.2, Spread(0.1, 1e9), level=0.95, scale="log")
    assert (low * high, high) == pytest.approx((0.04, 0.2 * math.exp(0.5 * 1.959964)))
    assert ends(-0.1, Spread(0.1, 1e9), level=0.95, scale="log")[0] == pytest.approx(-0.2959964)


def test_the_interval_of_a_correlation_is_that_of_fisher() -> None:
    half = 1.959964 * 0.1 / (1 - 0.5**2)
    expected = [math.tanh(math.atanh(0.5) + sign * half) for sign in (-1, 1)]
    assert ends(0.5, Spread(0.1, 1e9), level=0.95, scale="artanh") == pytest.approx(expected)


def test_what_cannot_be_divided_is_unknown() -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert math.isnan(ratio_of_means(x, x - 2, NOBODY, NOBODY).value)
    assert math.isnan(correlation(x, np.ones(3), NOBODY, NOBODY).value)
    assert math.isnan(slope(x, x, np.full(3, 9.0), NOBODY, NOBODY).value)
    assert math.isnan(ceiling(x, np.full(3, 9.0), NOBODY).value)
    assert root_mean(x - 9, NOBODY).value == 0


@given(st.integers(0, 10_000))
def test_each_influence_is_the_derivative(seed: int) -> None:
    """Moving one value, or weighing one item more, changes the estimate as its influence says."""
    rng = np.random.default_rng(seed)
    n, h = 12, 1e-6
    x, y, noise = rng.normal(2, 1, n), rng.normal(3, 1, n), rng.uniform(0, 0.2, n)
    item = np.arange(n)
    of_x, of_y = Cells(item, item, np.ones(n)), Cells(item, item, np.ones(n))
    makers = {
        "mean": lambda x, y, s: mean(x, [of_x]),
        "ratio": lambda x, y, s: ratio_of_means(x, y, of_x, of_y),
        "correlation": lambda x, y, s: correlation(x, y, of_x, of_y),
        "slope": lambda x, y, s: slope(x, y, s, of_x, of_y),
        "ceiling": lambda x, y, s: ceiling(y, s, of_y),
        "root": lambda x, y, s: root_mean(x, of_x),
    }
    for name, make in makers.items():
        found: Linear = make(x, y, noise)
        if math.isnan(found.value) or found.value == 0:
            continue
        kinds = {"ceiling": (1,)}.get(name, (0, 1))[: len(found.raters)]
        for k, cells in zip(kinds, found.raters, strict=True):
            for i in (0, 5):
                moved = [x.copy(), y.copy()]
                moved[k][i] += h
                step = (make(*moved, noise).value - found.value) / h
                # Sums of products are divided by n − 1, influences by n.
                assert step == pytest.approx(cells.value[i], rel=0.15, abs=2e-3), name
        assert found.items.sum() == pytest.approx(0, abs=1e-9), name


def test_the_ceiling_is_that_of_all_halves() -> None:
    rng = np.random.default_rng(3)
    people, items = 20, 400
    share = rng.beta(2, 2, items)
    answers = (rng.random((people, items)) < share).astype(float)
    y, cells = table_cells(answers)
    found = ceiling(y, y * (1 - y) / (people - 1), cells).value
    halves = []
    for _ in range(300):
        order = rng.permutation(people)
        one, other = answers[order[:10]].mean(axis=0), answers[order[10:]].mean(axis=0)
        halves.append(np.corrcoef(one, other)[0, 1])
    r = float(np.mean(halves))
    assert found == pytest.approx(math.sqrt(2 * r / (1 + r)), abs=0.004)
    assert found == pytest.approx(np.corrcoef(y, share)[0, 1], abs=0.03)
