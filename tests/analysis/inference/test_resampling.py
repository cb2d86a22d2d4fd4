"""The cluster bootstrap and its draws: against drawing cluster by cluster, and the streams of published figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, t

from probsense.analysis.inference import resampling, significance
from probsense.analysis.inference.resampling import (
    Replicates,
    batches,
    cluster_bootstrap,
    differences,
    index_times_drawn,
    intervals,
    redrawn_counts,
    share_intervals,
    times_drawn,
    times_in_parts,
    transformed,
)
from probsense.analysis.inference.significance import sign_flip_test


def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 0] / sums[:, 1]


@pytest.fixture
def totals() -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 4, size=50)
    return np.stack([rng.normal(size=50) * sizes, sizes], axis=1)


def test_it_is_the_same_as_drawing_one_cluster_after_the_other(totals: NDArray[np.float64]) -> None:
    found = cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=300)
    drawn = np.random.default_rng(7).integers(50, size=(300, 50))
    values = []
    for row in drawn:
        above = below = 0.0
        for cluster in row:
            above += totals[cluster, 0]
            below += totals[cluster, 1]
        values.append(above / below)
    assert found.stderr == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    assert found.low == pytest.approx(np.quantile(values, 0.025), abs=1e-12)
    assert found.high == pytest.approx(np.quantile(values, 0.975), abs=1e-12)


def test_in_parts_that_fit_into_memory_it_is_the_same(
    totals: NDArray[np.float64], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=100)
    monkeypatch.setattr(resampling, "CELLS", 350)
    parts = cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=100)
    assert parts == pytest.approx(whole, abs=1e-12)


def test_a_single_cluster_leaves_the_interval_unknown() -> None:
    found = cluster_bootstrap(np.ones((1, 2)), mean, np.random.default_rng(0))
    assert all(map(math.isnan, found))


@pytest.mark.parametrize("draw", [times_drawn, index_times_drawn])
def test_each_draw_has_as_many_as_there_are(draw) -> None:
    times = draw(np.random.default_rng(1), 20, 500)
    assert (times.sum(axis=1) == 20).all()
    assert times.var() == pytest.approx(1 - 1 / 20, abs=0.05)


def test_the_streams_are_those_of_published_figures() -> None:
    counts = np.array([5, 0, 3])
    expected = np.random.default_rng(2).multinomial(8, [5 / 8, 0, 3 / 8], size=4)
    np.testing.assert_array_equal(redrawn_counts(np.random.default_rng(2), counts, 4), expected)
    expected = np.random.default_rng(2).multinomial(7, np.full(7, 1 / 7), size=4)
    np.testing.assert_array_equal(times_drawn(np.random.default_rng(2), 7, 4), expected)
    indices = np.random.default_rng(2).integers(7, size=(4, 7))
    expected = [np.bincount(row, minlength=7) for row in indices]
    np.testing.assert_array_equal(index_times_drawn(np.random.default_rng(2), 7, 4), expected)


def test_batches_hold_what_fits_and_at_least_one_draw() -> None:
    assert list(batches(10, 5, 22)) == [4, 4, 2]
    assert list(batches(3, 50, 22)) == [1, 1, 1]
    assert list(batches(0, 5, 22)) == []


def test_sums_of_many_clusters_are_those_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bootstrap intervals and sign flips from normal limits agree with thousands of draws."""
    generator = np.random.default_rng(5)
    clusters = np.repeat(np.arange(600), 2)
    first = generator.random(1200)
    scores = np.array([first, first, generator.random(1200) + 0.02])
    totals = np.column_stack([np.bincount(clusters, row) for row in (*scores, np.ones(1200))])

    def found() -> list[float]:
        rng = np.random.default_rng(0)
        spread = cluster_bootstrap(totals, lambda sums: sums[:, 0] / sums[:, 3], rng, draws=20_000)
        flipped = sign_flip_test(scores[2] - scores[0] - 0.01, clusters, rng, draws=20_000)
        assert 0.05 < flipped < 0.9
        return [*spread, flipped]

    drawn = found()
    for module in (resampling, significance):
        monkeypatch.setattr(module, "MANY", 500)
    limits = found()
    assert drawn != limits
    # A standard error of 20,000 draws is known to half a per cent, an end or a p-value to some thousandths.
    assert abs(drawn[0] - limits[0]) < 0.03 * drawn[0]
    assert np.allclose(drawn[1:3], limits[1:3], rtol=0, atol=0.1 * drawn[0])
    assert abs(drawn[3] - limits[3]) < 0.015


@pytest.fixture
def found() -> Replicates:
    draws = np.random.default_rng(1).normal([0.4, 0.6], [0.1, 0.2], (50, 2))
    draws[3, 1] = math.nan
    return Replicates(np.array([0.5, 0.7]), draws)


def test_intervals_lie_about_the_value_and_not_about_the_draws(found: Replicates) -> None:
    given = intervals(found)
    for m in range(2):
        known = found.draws[~np.isnan(found.draws[:, m]), m]
        stderr = np.std(known, ddof=1)
        assert given.stderr[m] == pytest.approx(stderr, abs=1e-12)
        assert given.low[m] == pytest.approx(found.value[m] - norm.ppf(0.975) * stderr, abs=1e-12)
        assert given.high[m] == pytest.approx(found.value[m] + norm.ppf(0.975) * stderr, abs=1e-12)


def test_one_draw_shows_no_spread() -> None:
    given = intervals(Replicates(np.array([1.0]), np.array([[1.0]])))
    assert np.isnan([given.stderr[0], given.low[0], given.high[0]]).all()


def test_differences_are_paired(found: Replicates) -> None:
    apart = differences(found)
    assert apart.value.tolist() == [
        [0, found.value[0] - found.value[1]],
        [found.value[1] - found.value[0], 0],
    ]
    np.testing.assert_array_equal(apart.draws[:, 1, 0], found.draws[:, 1] - found.draws[:, 0])


def test_a_function_of_figures(found: Replicates) -> None:
    doubled = transformed(found, lambda x: 2 * x)
    np.testing.assert_array_equal(doubled.draws, 2 * found.draws)
    np.testing.assert_array_equal(doubled.value, 2 * found.value)


def test_drawing_with_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    times = times_drawn(np.random.default_rng(1), 20, 500)
    monkeypatch.setattr(resampling, "REPLICATE_CELLS", 20 * 170)
    once, *parts = times_in_parts(np.random.default_rng(1), 20, 500)
    assert once.tolist() == [[1] * 20]
    assert [len(part) for part in parts] == [170, 170, 160]
    np.testing.assert_array_equal(np.concatenate(parts), times)


def test_intervals_of_shares_are_score_intervals_with_the_number_that_the_error_gives() -> None:
    draws = np.array([[0.3, 0.0, 1.0], [0.5, 0.0, 0.8]])
    given = share_intervals(Replicates(np.array([0.4, 0.0, 1.0]), draws), np.array([30, 30, 30]))
    n, z = 0.4 * 0.6 / 0.02, t.ppf(0.975, 29)
    for k, sign in enumerate((-1, 1)):
        root = math.sqrt(0.4 * 0.6 / n + z * z / (4 * n * n))
        expected = (0.4 + z * z / (2 * n) + sign * z * root) / (1 + z * z / n)
        assert (given.low, given.high)[k][0] == pytest.approx(expected, abs=1e-12)
    # No draw shows an error: every one of 30 people counts.
    assert (given.low[1], given.high[1]) == (0, pytest.approx(z * z / (30 + z * z), abs=1e-12))
    # Nobody is better, but the draws vary: fewer than 30 count.
    assert given.high[2] == 1
    assert given.low[2] < 30 / (30 + z * z) - 0.1


def test_a_single_person_has_no_share_interval() -> None:
    given = share_intervals(Replicates(np.array([1.0]), np.array([[1.0], [1.0]])), np.array([1]))
    assert np.isnan([given.low[0], given.high[0]]).all()
