"""Rankings, correlations with their intervals, and how small a difference could have been seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from probsense.analysis.comparison import ranking as ranks
from probsense.analysis.comparison.ranking import groups_alike, rank_models
from probsense.analysis.inference.correlations import fisher_interval, kendall, spearman
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.significance import detectable


def test_a_clear_order_has_narrow_ranks_and_a_tie_has_wide_ones() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((4, 300)) < np.array([[0.9], [0.5], [0.5], [0.2]])
    found = rank_models(scores.astype(np.float64), np.arange(300), np.random.default_rng(1))
    assert found.rank[[0, 3]].tolist() == [1, 4]
    assert found.low[[0, 3]].tolist() == found.high[[0, 3]].tolist() == [1, 4]
    assert (found.low[[1, 2]] == 2).all()
    assert (found.high[[1, 2]] == 3).all()


def test_equal_models_share_a_rank_in_every_draw() -> None:
    scores = np.tile(np.random.default_rng(0).random(20), (3, 1))
    found = rank_models(scores, np.arange(20), np.random.default_rng(1), draws=50)
    assert found.rank.tolist() == found.low.tolist() == found.high.tolist() == [2, 2, 2]


def test_drawing_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random((3, 40))
    whole = rank_models(scores, np.arange(40) // 2, np.random.default_rng(1), draws=60)
    monkeypatch.setattr(ranks, "CELLS", 100)
    parts = rank_models(scores, np.arange(40) // 2, np.random.default_rng(1), draws=60)
    assert all((a == b).all() for a, b in zip(whole, parts, strict=True))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_groups_are_the_largest_runs_without_a_difference(means: list[float], random: object) -> None:
    rng = np.random.default_rng(len(means))
    p = rng.random((len(means),) * 2) * 0.2
    p = np.minimum(p, p.T)
    rank = np.argsort(np.argsort(-np.array(means))).astype(np.float64)
    order = np.argsort(rank).tolist()
    alike = [
        order[i:j]
        for i in range(len(order))
        for j in range(i + 1, len(order) + 1)
        if all(p[a, b] > 0.05 for a in order[i:j] for b in order[i:j] if a != b)
    ]
    largest = [run for run in alike if not any(set(run) < set(other) for other in alike)]
    assert groups_alike(rank, p) == largest


@pytest.mark.parametrize(("r", "n"), [(0.3, 20), (-0.9, 5), (0.0, 100)])
def test_fishers_interval_is_that_of_scipy(r: float, n: int) -> None:
    rng = np.random.default_rng(0)
    x, e = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))[0].T[1:]
    y = r * x + math.sqrt(1 - r * r) * e
    expected = stats.pearsonr(x, y).confidence_interval(0.95)
    assert fisher_interval(r, n) == pytest.approx((expected.low, expected.high), abs=1e-10)


def test_an_interval_that_cannot_be_known_is_not_given() -> None:
    assert all(
        map(math.isnan, [*fisher_interval(0.5, 3), *fisher_interval(1.0, 10), *fisher_interval(math.nan, 9)])
    )


def test_the_detectable_difference_is_found_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    truth = detectable(mean_estimate("d", {}, rng.normal(size=200), range(200)))
    assert truth == pytest.approx(
        (1.97196 + 0.84335)
        * mean_estimate("d", {}, np.random.default_rng(5).normal(size=200), range(200)).stderr,
        rel=1e-4,
    )
    found = [mean_estimate("d", {}, rng.normal(truth, 1, size=200), range(200)).low > 0 for _ in range(400)]
    assert 0.7 < np.mean(found) < 0.9


def test_rank_correlations() -> None:
    x, y = np.array([1, 2, 3, 4.0]), np.array([10, 30, 20, 40.0])
    assert spearman(x, y).value == pytest.approx(0.8, abs=1e-12)
    assert kendall(x, y).value == pytest.approx(4 / 6, abs=1e-12)
    assert 0 < kendall(x, y).p < 1


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    x, y = np.array([1, 2, 2, 9.0]), np.array([3, 1, 5, 5.0])
    expected = np.corrcoef([1, 2.5, 2.5, 4], [2, 1, 3.5, 3.5])[0, 1]
    assert spearman(x, y).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_what_does_not_vary_has_no_correlation() -> None:
    assert math.isnan(spearman(np.ones(4), np.arange(4.0)).value)
