"""Items: those drawn under a limit, and what each is worth."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.base import Answered
from probsense.tasks.registry import load_task
from probsense.tasks.results import Results
from probsense.tasks.shared.items import draw_clusters, known_items, plain_scores

SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=20)


def items_of(sizes: list[int]) -> list[Item]:
    clusters = [f"c{k}" for k, size in enumerate(sizes) for _ in range(size)]
    return [Item(f"i{i}", cluster, "", {}) for i, cluster in enumerate(clusters)]


@given(SIZES, st.integers(3, 60), st.integers(0, 30), st.integers(0, 5))
def test_clusters_stay_whole_and_in_order_and_a_larger_limit_leaves_none_out(sizes, limit, more, seed):
    items = items_of(sizes)
    drawn, larger = (draw_clusters(items, n, seed) for n in (limit, limit + more))
    assert len(drawn) <= limit
    assert len(drawn) > limit - 3 or [*drawn] == items
    assert [item for item in items if item in drawn] == [*drawn]
    whole = Counter(item.cluster for item in items)
    assert all(whole[cluster] == n for cluster, n in Counter(item.cluster for item in drawn).items())
    assert all(item in larger for item in drawn)


def test_the_seed_draws_and_the_limit_holds_a_cluster():
    items = items_of([1] * 30)
    drawn = [draw_clusters(items, 10, seed) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert draw_clusters(items, None, 0) == items
    with pytest.raises(InputError, match=r"below one whole cluster .*at least 2"):
        draw_clusters(items_of([2, 2]), 1, 0)
    with pytest.raises(InputError, match=r"a limit of 0 \(expected at least 1"):
        load_task("choices", limit=0).questions  # noqa: B018


ITEMS = [
    Item("a", "one", "1", {"options": ["no", "yes"], "sentence": "Is it?"}),
    Item("b", "one", "", {"options": ["no", "yes"], "text": "Was it?", "sentence": "No."}),
    Item("c", "two", "red", {"context": "Which?"}),
]


def answered(table: pl.DataFrame | None, items: list[Item] = ITEMS) -> Answered:
    return Answered("m", "options", items, {}, Results([], table=table))


def test_accuracy_comes_first_then_numbers_then_accuracy_under_each_view():
    table = pl.DataFrame(
        {
            "id": ["a", "b", "c"],
            "resp.sum": [1, 1, 0],
            "margin": [0.5, 0.25, 0.0],
            "gold": [1, None, 0],
            "resp": [0, 1, 0],
            "straddles": [0, 0, 1],
            "p_gold": [0.5, None, 0.75],
        }
    )
    items, scores, notes, *_ = plain_scores(answered(table))
    assert scores.columns == ["accuracy", "margin", "p_gold", "accuracy.sum"]
    assert scores["accuracy"].to_list() == [0, None, 1]
    assert scores["accuracy.sum"].to_list() == [1, None, 1]
    assert scores["p_gold"].to_list() == [0.5, None, 0.75]
    assert notes == ()
    assert items["label"].to_list() == ["no", "yes", "0"]
    assert items["gold"].to_list() == ["yes", None, "red"]


def test_without_gold_there_is_no_accuracy_and_without_answers_no_label():
    items, scores, *_ = plain_scores(answered(pl.DataFrame({"resp": [*"xyz"], "mass": [0.1, 0.2, 0.3]})))
    assert (scores.columns, items["label"].to_list()) == (["mass"], ["x", "y", "z"])
    items, scores, *_ = plain_scores(answered(pl.DataFrame({"kl": [0.1, 0.2, 0.3], "n": [1, 2, 3]})))
    assert (scores.columns, items["label"].null_count()) == (["kl"], 3)


def test_a_table_without_a_row_for_each_item_has_no_scores():
    for table, said in ((None, "no table"), (pl.DataFrame({"x": [1.0]}), "a table of 1 rows")):
        with pytest.raises(InputError, match=f"the task has {said} for 3 items"):
            plain_scores(answered(table))


def test_what_is_known_of_items():
    known = known_items(ITEMS, ["no", None, "blue"])
    rows = [
        ("a", "one", "yes", "no", "Is it?"),
        ("b", "one", None, None, "Was it?"),
        ("c", "two", "red", "blue", "Which?"),
    ]
    assert (known.columns, known.rows()) == (["item", "cluster", "gold", "label", "text"], rows)
    assert known.schema == known_items([], []).schema
