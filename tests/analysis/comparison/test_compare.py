from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.comparison.compare import compare_scores
from probsense.analysis.comparison.differences import groups_alike, rank_intervals
from probsense.analysis.comparison.scores import References, Scores
from probsense.core.errors import InputError


def model(name, acc, task="toy", **measures):
    places = range(len(acc))
    rows = [(f"i{k}", f"c{k // 2}", ("odd", "even")[k % 2], f"{name}{k}") for k in places]
    items = pl.DataFrame(rows, ["item", "cluster", "part", "label"], orient="row")
    return Scores(name, "", name, task, items, pl.DataFrame({"acc": acc, **measures}), (f"of {name}",))


def three(n=120, **options):
    rng = np.random.default_rng(0)
    good, same, bad = ((rng.random(n) < p).astype(float) for p in (0.9, 0.88, 0.3))
    return compare_scores([model("bad", bad), model("good", good), model("same", same)], **options)


def test_three_models_are_ranked_in_groups():
    found = three()
    assert [one.model for one in found.ranking][-1] == "bad"
    ranked = {one.model: one for one in found.ranking}
    assert ranked["bad"].groups == (1,)
    assert ranked["good"].groups == ranked["same"].groups == (0,)
    assert (ranked["bad"].low, ranked["bad"].high) == (3, 3)
    assert ranked["good"].low == 1
    assert len(found.differences) == 3
    assert {one.estimate.by["part"] for one in found.by_part} == {"odd", "even"}
    assert len(found.by_part) == 6
    rows = found.table().filter((pl.col("item") == "i3") & (pl.col("model") == "good"))
    assert rows.select("cluster", "part", "label").rows() == [("c1", "even", "good3")]


def test_the_sign_says_what_is_better():
    low, high = [0.1, 0.2, 0.1, 0.2] * 5, [0.8, 0.9, 0.7, 0.9] * 5
    sources = [model("high", high), model("low", low)]
    for sign, order in ((1, ["high", "low"]), (-1, ["low", "high"]), (0, [])):
        found = compare_scores(sources, sign={"acc": sign}.__getitem__)
        assert [one.model for one in found.ranking] == order
        assert found.differences[0].p < 0.001


def test_measures_share_one_family_of_tests():
    rng = np.random.default_rng(5)
    sources = [model(name, rng.random(40), p=rng.random(40)) for name in "ab"]
    found = compare_scores(sources, measures=["acc", "p"])
    p = sorted(one.p for one in found.differences)
    assert min(one.p_holm for one in found.differences) == pytest.approx(min(1, 2 * p[0]), abs=1e-12)
    assert found.measures == ("acc", "p")
    assert [one.measure for one in found.levels] == ["acc", "acc", "p", "p"]


def test_levels_have_the_references_of_results_that_are_compared_whole():
    one, two = (replace(model(name, [1.0, 0, 1]), references={"acc": References(0.5)}) for name in "ab")
    assert [level.chance for level in compare_scores([one, two]).levels] == [0.5, 0.5]
    part = compare_scores([one, model("c", [1.0, 0])], intersection=True)
    assert np.isnan([level.chance for level in part.levels]).all()


def test_the_items_that_changed_most_come_first():
    acc = [1.0, 1, 0, 1, 0, 0]
    one = model("a", acc, p_gold=[0.9, 0.6, 0.2, 0.7, 0.1, 0.1])
    two = model("b", [0.0, 0, 0, 1, 1, 0], p_gold=[0.4, 0.0, 0.1, 0.9, 0.7, 0.3])
    found = compare_scores([one, two], changed=2)
    changes = [(c.item, c.scores, c.labels) for c in found.changes]
    assert changes == [("i1", (1, 0), ("a1", "b1")), ("i4", (0, 1), ("a4", "b4"))]
    assert len(compare_scores([one, two], changed=9).changes) == 3
    assert compare_scores([one, two], changed=0).changes == []


def test_notes_say_what_a_reader_must_know():
    one, two = model("a", [1.0, 0, 1, 1]), model("b", [0.0, 0, 1, 1, 1, 1])
    found = compare_scores([one, two], intersection=True)
    assert found.notes == [
        "acc: 4 items are common to all and compared; left out are 2 of b",
        "some estimates rest on 2 clusters alone: their intervals cover less than they say",
        "McNemar's test takes items for independent and counts them alike, though some of these belong together",
        "a: of a",
        "b: of b",
    ]
    flat = compare_scores([model("a", [1.0] * 40), model("b", [0.0] * 40)])
    assert "every item differs by the same amount" in flat.notes[0]
    assert flat.differences[0].p < 1e-4


PAIR = [model("a", [1.0]), model("b", [1.0])]


@pytest.mark.parametrize(
    ("sources", "options", "said"),
    [
        (PAIR[:1], {}, "1 result to compare"),
        ([PAIR[0], model("b", [1.0], task="other")], {}, "different tasks: toy, other"),
        (PAIR, {"measures": ["ac"]}, "measure 'ac'.*acc"),
        (PAIR, {"seed": -1}, "the seed -1"),
        (PAIR, {"changed": -1}, "-1 changed"),
    ],
)
def test_faults(sources, options, said):
    with pytest.raises(InputError, match=said):
        compare_scores(sources, **options)


def test_unknown_p_values_tell_nobody_apart():
    items = pl.DataFrame({"item": [f"i{k}" for k in range(6)], "cluster": ["c"] * 6})
    rows = {"a": [1.0] * 6, "b": [0.0, 1, 0, 0, 0, 0], "c": [0.0] * 6}
    found = compare_scores(
        [Scores(name, "", name, "toy", items, pl.DataFrame({"acc": row})) for name, row in rows.items()]
    )
    assert [(one.model, one.groups) for one in found.ranking] == [("a", (0,)), ("b", (0,)), ("c", (0,))]


def test_estimates_are_a_flat_frame():
    found = three()
    frame = found.estimates()
    apart = [*found.differences, *found.by_part]
    every = [*found.levels, *(one.estimate for one in apart)]
    assert frame["value"].to_list() == [one.value for one in every]
    for key in ("model", "versus", "part"):
        assert frame[key].to_list() == [one.by.get(key) for one in every]
    assert frame["p_holm"].to_list() == [None] * 3 + [one.p_holm for one in apart]


def found_to_differ(rng, models, share):
    """Draw which pairs differ."""
    upper = np.triu(rng.random((models, models)) < share, 1)
    return np.asarray(upper | upper.T)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.integers(0, 2**32 - 1))
def test_intervals_count_the_models_that_were_found_better_or_worse(means, seed):
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


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.integers(0, 2**32 - 1))
def test_groups_are_the_largest_runs_without_a_difference(means, seed):
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
