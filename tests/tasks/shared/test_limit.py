"""A part of a task's items: whole clusters, drawn by the seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.registry import load_task
from probsense.tasks.shared.items import draw_clusters

SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=20)


def items_of(sizes: list[int]) -> list[Item]:
    clusters = [f"c{k}" for k, size in enumerate(sizes) for _ in range(size)]
    return [Item(f"i{i}", cluster, "", {}) for i, cluster in enumerate(clusters)]


@given(SIZES, st.integers(3, 60), st.integers(0, 5))
def test_clusters_stay_whole_and_in_order(sizes: list[int], limit: int, seed: int) -> None:
    items = items_of(sizes)
    drawn = list(draw_clusters(items, limit, seed))
    assert len(drawn) <= limit
    assert len(drawn) > limit - 3 or drawn == items
    assert [item for item in items if item in drawn] == drawn
    whole = Counter(item.cluster for item in items)
    assert all(whole[cluster] == n for cluster, n in Counter(item.cluster for item in drawn).items())


@given(SIZES, st.integers(3, 30), st.integers(0, 30), st.integers(0, 5))
def test_a_larger_limit_takes_what_a_smaller_one_takes(
    sizes: list[int], limit: int, more: int, seed: int
) -> None:
    items = items_of(sizes)
    small, large = (draw_clusters(items, n, seed) for n in (limit, limit + more))
    assert all(item in large for item in small)


def test_the_seed_draws() -> None:
    items = items_of([1] * 30)
    drawn = [draw_clusters(items, 10, seed) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert draw_clusters(items, None, 0) == items


def test_too_small_a_limit_is_refused() -> None:
    with pytest.raises(InputError, match=r"below one whole cluster .*at least 2"):
        draw_clusters(items_of([2, 2]), 1, 0)


def test_no_task_takes_a_limit_below_one() -> None:
    with pytest.raises(InputError, match=r"a limit of 0 \(expected at least 1"):
        load_task("choices", limit=0).questions  # noqa: B018
