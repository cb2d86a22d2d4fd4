"""Rankings, their intervals, and groups of models that cannot be told apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from probsense.analysis.comparison.ranking import groups_alike, rank_intervals
from probsense.analysis.inference.quantiles import t_p_value
from probsense.analysis.inference.significance import adjust


def found_to_differ(rng: np.random.Generator, models: int, share: float) -> NDArray[np.bool_]:
    """Draw which pairs differ."""
    upper = np.triu(rng.random((models, models)) < share, 1)
    return np.asarray(upper | upper.T)


def test_a_clear_order_has_narrow_ranks_and_a_tie_has_wide_ones() -> None:
    differ = np.ones((4, 4), dtype=bool)
    differ[1, 2] = differ[2, 1] = False
    rank, low, high = rank_intervals(np.array([0.9, 0.5, 0.5, 0.2]), differ)
    assert rank.tolist() == [1, 2.5, 2.5, 4]
    assert low.tolist() == [1, 2, 2, 4]
    assert high.tolist() == [1, 3, 3, 4]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.integers(0, 2**32 - 1))
def test_intervals_count_the_models_that_were_found_better_or_worse(means: list[int], seed: int) -> None:
    values = np.array(means, dtype=np.float64)
    differ = found_to_differ(np.random.default_rng(seed), len(means), 0.5)
    rank, low, high = rank_intervals(values, differ)
    for i, mine in enumerate(means):
        better = [k for k, other in enumerate(means) if other > mine]
        worse = [k for k, other in enumerate(means) if other < mine]
        assert rank[i] == (len(better) + 1 + len(means) - len(worse)) / 2
        assert low[i] == 1 + sum(differ[i, k] for k in better)
        assert high[i] == len(means) - sum(differ[i, k] for k in worse)
        assert low[i] <= rank[i] <= high[i]


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.3])
def test_intervals_hold_for_all_models_together(gap: float) -> None:
    """Six models, two of them equal: bootstrapped ranks miss the truth here more often the closer they are."""
    rng = np.random.default_rng(3)
    means = gap * np.array([0, 1, 1, 2, 3, 4])
    best = np.array([1 + (means > m).sum() for m in means])
    worst = np.array([(means >= m).sum() for m in means])
    upper = np.triu_indices(6, 1)
    missed = 0
    for _ in range(400):
        scores = means[:, None] + rng.normal(size=(6, 60)) + rng.normal(size=60)
        apart = (scores[:, None] - scores[None, :])[upper]
        p = np.array([t_p_value(d.mean() / (d.std(ddof=1) / np.sqrt(60)), 59) for d in apart])
        differ = np.zeros((6, 6), dtype=bool)
        differ[upper] = adjust(p, "holm") <= 0.05
        _, low, high = rank_intervals(scores.mean(axis=1), differ | differ.T)
        # Equal models may take each other's places: every order of them is true.
        missed += bool(((low > best) | (high < worst)).any())
    assert missed <= 0.05 * 400 + 2 * np.sqrt(0.05 * 0.95 * 400)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.integers(0, 2**32 - 1))
def test_groups_are_the_largest_runs_without_a_difference(means: list[float], seed: int) -> None:
    differ = found_to_differ(np.random.default_rng(seed), len(means), 0.3)
    rank = np.argsort(np.argsort(-np.array(means))).astype(np.float64)
    order = np.argsort(rank).tolist()
    alike = [
        order[i:j]
        for i in range(len(order))
        for j in range(i + 1, len(order) + 1)
        if not any(differ[a, b] for a in order[i:j] for b in order[i:j] if a != b)
    ]
    largest = [run for run in alike if not any(set(run) < set(other) for other in alike)]
    assert groups_alike(rank, differ) == largest
