"""The cluster bootstrap and its draws: against drawing cluster by cluster, and the streams of published figures."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from probsense.analysis.inference import resampling, significance
from probsense.analysis.inference.significance import sign_flip_test


def mean(sums):
    return sums[:, 0] / sums[:, 1]


@pytest.fixture
def totals():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 4, size=50)
    return np.stack([rng.normal(size=50) * sizes, sizes], axis=1)


def test_it_is_the_same_as_drawing_one_cluster_after_the_other(totals, monkeypatch):
    drawn = np.random.default_rng(7).integers(50, size=(300, 50))
    values = [totals[row, 0].sum() / totals[row, 1].sum() for row in drawn]
    expected = np.std(values, ddof=1), *np.quantile(values, [0.025, 0.975])
    for cells in (resampling.CELLS, 350):  # in parts that fit into memory
        monkeypatch.setattr(resampling, "CELLS", cells)
        found = resampling.cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=300)
        assert found == pytest.approx(expected, abs=1e-12)
    alone = resampling.cluster_bootstrap(totals[:1], mean, np.random.default_rng(0))
    assert all(map(math.isnan, alone))


def test_the_streams_are_those_of_published_figures():
    def rng():
        return np.random.default_rng(2)

    counts = np.array([5, 0, 3])
    expected = rng().multinomial(8, counts / 8, size=4)
    np.testing.assert_array_equal(resampling.redrawn_counts(rng(), counts, 4), expected)
    expected = rng().multinomial(7, np.full(7, 1 / 7), size=4)
    np.testing.assert_array_equal(resampling.times_drawn(rng(), 7, 4), expected)
    expected = [np.bincount(row, minlength=7) for row in rng().integers(7, size=(4, 7))]
    np.testing.assert_array_equal(resampling.index_times_drawn(rng(), 7, 4), expected)


def test_batches_hold_what_fits_and_at_least_one_draw(monkeypatch):
    assert [[*resampling.batches(*own, 22)] for own in ((10, 5), (3, 50), (0, 5))] == [[4, 4, 2], [1] * 3, []]
    times = resampling.times_drawn(np.random.default_rng(1), 20, 500)
    monkeypatch.setattr(resampling, "REPLICATE_CELLS", 20 * 170)
    once, *parts = resampling.times_in_parts(np.random.default_rng(1), 20, 500)
    assert (once.tolist(), [*map(len, parts)]) == ([[1] * 20], [170, 170, 160])
    np.testing.assert_array_equal(np.concatenate(parts), times)


def test_sums_of_many_clusters_are_those_of_draws(monkeypatch):
    """Bootstrap intervals and sign flips from normal limits agree with thousands of draws."""
    generator = np.random.default_rng(5)
    clusters = np.repeat(np.arange(600), 2)
    first = generator.random(1200)
    scores = np.array([first, first, generator.random(1200) + 0.02])
    totals = np.column_stack([np.bincount(clusters, row) for row in (*scores, np.ones(1200))])

    def found():
        rng = np.random.default_rng(0)
        spread = resampling.cluster_bootstrap(totals, lambda sums: sums[:, 0] / sums[:, 3], rng, draws=20_000)
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
def found():
    draws = np.random.default_rng(1).normal([0.4, 0.6], [0.1, 0.2], (50, 2))
    draws[3, 1] = math.nan
    return resampling.Replicates(np.array([0.5, 0.7]), draws)


def test_intervals_lie_about_the_value_and_not_about_the_draws(found):
    given = resampling.intervals(found)
    for m in range(2):
        known = found.draws[~np.isnan(found.draws[:, m]), m]
        stderr = np.std(known, ddof=1)
        assert given.stderr[m] == pytest.approx(stderr, abs=1e-12)
        assert given.low[m] == pytest.approx(found.value[m] - norm.ppf(0.975) * stderr, abs=1e-12)
        assert given.high[m] == pytest.approx(found.value[m] + norm.ppf(0.975) * stderr, abs=1e-12)


def test_intervals_of_shares_are_score_intervals_with_the_number_that_the_error_gives():
    draws = np.array([[0.3, 0.0, 1.0], [0.5, 0.0, 0.8]])
    given = resampling.share_intervals(
        resampling.Replicates(np.array([0.4, 0.0, 1.0]), draws), np.array([30, 30, 30])
    )
    n, z = 0.4 * 0.6 / 0.02, t.ppf(0.975, 29)
    for k, sign in enumerate((-1, 1)):
        root = math.sqrt(0.4 * 0.6 / n + z * z / (4 * n * n))
        expected = (0.4 + z * z / (2 * n) + sign * z * root) / (1 + z * z / n)
        assert (given.low, given.high)[k][0] == pytest.approx(expected, abs=1e-12)
    # No draw shows an error: every one of 30 people counts.
    assert given.low[1] == 0
    assert given.high[1] == pytest.approx(z * z / (30 + z * z), abs=1e-12)
    # Nobody is better, but the draws vary: fewer than 30 count.
    assert given.high[2] == 1
    assert given.low[2] < 30 / (30 + z * z) - 0.1
