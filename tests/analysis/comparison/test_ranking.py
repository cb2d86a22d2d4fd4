"""Rankings, and groups of models that cannot be told apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.comparison import ranking as ranks
from probsense.analysis.comparison.ranking import groups_alike, rank_models


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
