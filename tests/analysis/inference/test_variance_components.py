"""Components of variance: against the analysis of variance and a jackknife, and what must not change them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import t

from probsense.analysis.inference.variance_components import (
    level_effects,
    variance_components,
    variance_shares,
)


def crossed(*sizes):
    """Cross facets called a, b, … in full."""
    cells = np.array([*product(*map(range, sizes))])
    return dict(zip("abcd", cells.T, strict=False))


def test_the_components_of_two_facets_are_those_of_the_analysis_of_variance():
    rng, facets = np.random.default_rng(3), crossed(3, 4)
    values = rng.normal(size=(9, 12)) + 2 * rng.normal(size=(9, 1)) + rng.normal(size=(9, 3))[:, facets["a"]]
    cube = values.reshape(9, 3, 4)
    whole, unit = cube.mean(), cube.mean(axis=(1, 2))
    by_a = cube.mean(axis=2)
    square = 4 * ((by_a - unit[:, None] - by_a.mean(axis=0) + whole) ** 2).sum() / (8 * 2)
    found = variance_components(values, facets)
    assert found.units[0] == pytest.approx(unit.var(ddof=1))
    # The mean square · degrees of freedom / conditions.
    assert found.crossed[0, 0] == pytest.approx(square * 2 / 12)
    of_mean_square = 4 * 9 * ((by_a.mean(axis=0) - whole) ** 2).sum() / 2
    assert found.main[0, 0] == pytest.approx((of_mean_square - square) / (9 * 12 / 2))


def test_errors_and_intervals_are_the_jackknifes_written_out():
    rng, facets, n = np.random.default_rng(5), crossed(4, 2), 12
    values = 3 * rng.normal(size=(n, 1)) + rng.normal(size=(n, 8)) + np.linspace(0, 4, 8)
    found = variance_components(values, facets)
    without = [variance_components(np.delete(values, i, axis=0), facets) for i in range(n)]

    def error(of):
        parts = np.array([of(one)[0] for one in without])
        return np.asarray(np.sqrt((n - 1) / n * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0)))

    both, shares = t.ppf([0.025, 0.975], n - 1), variance_shares(found)
    own = {0: lambda c: c.units, -3: lambda c: c.crossed[:, 0], -1: lambda c: c.crossed[:, 2]}
    for place, of in own.items():
        assert shares.stderr[place] == pytest.approx(error(lambda c, of=of: of(c) / c.total), rel=1e-9)
        odds = error(lambda c, of=of: logit(of(c) / c.total))
        ends = expit(logit(of(found)[0] / found.total[0]) + both * odds)
        assert [shares.low[place], shares.high[place]] == pytest.approx(ends, rel=1e-9)
    # Those of facets are on the scale of roots, and the chance of their effects is among the errors.
    total = found.total[0]
    main, between = found.main[0, 0] / total, found.between[0, 0] / total
    effects = level_effects(values - values.mean(), facets["a"])
    noise = 2 * (np.cov(effects.T) ** 2).sum() / effects.size**2 / total**2
    errors, half = np.hypot(error(lambda c: c.main[:, 0] / c.total), np.sqrt(noise)), both[1]
    root = half * error(lambda c: np.sqrt(c.between[:, 0] / c.total))
    low = min(max(np.sqrt(main) - root, 0) ** 2, max(main - half * errors, 0))
    facet = [shares.stderr[1], shares.low[1], shares.high[1]]
    assert facet == pytest.approx([errors, low, (np.sqrt(between) + root) ** 2], rel=1e-9)


def test_nothing_varies_in_a_constant():
    found = variance_components(np.full((6, 8), 0.3), crossed(4, 2))
    assert np.isnan(variance_shares(found).value).all()


@given(st.integers(0, 2**32 - 1), st.integers(3, 9), st.integers(2, 4), st.integers(2, 3))
def test_components_add_up_and_do_not_depend_on_names(seed, units, first, second):
    rng, facets = np.random.default_rng(seed), crossed(first, second)
    values = rng.normal(size=(units, first * second)) * 3 + rng.normal()
    found = variance_components(values, facets)
    # Over the units at hand, the sum of squares splits without a rest.
    squares = ((values - values.mean()) ** 2).mean()
    own, part = (units - 1) / units, found.between[0].sum()
    assert own * (found.units[0] + found.crossed[0].sum()) + part == pytest.approx(squares)
    order, names = rng.permutation(units), rng.permutation(first)
    conditions = rng.permutation(first * second)
    again = {"a": names[facets["a"]][conditions], "b": facets["b"][conditions]}
    other = variance_components(values[order][:, conditions], again)
    assert variance_shares(other).value == pytest.approx(variance_shares(found).value)
    assert variance_shares(other).low == pytest.approx(variance_shares(found).low)
