"""Which items tell models apart: the table, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from items import draw
from probsense.analysis.comparison.items import item_analysis, rest_correlation
from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError


def sources(right: np.ndarray, people: bool = False) -> list[Scores]:
    """Make scores of models, in pairs of items, without the items that a model did not answer."""
    items = pl.DataFrame(
        {
            "item": [f"q{i}" for i in range(right.shape[1])],
            "cluster": [f"c{i // 2}" for i in range(right.shape[1])],
            "text": [f"Question {i}?" for i in range(right.shape[1])],
        }
    )
    found = []
    for j, row in enumerate(right):
        known = pl.Series(~np.isnan(row))
        scores = pl.DataFrame({"p_gold": 0.3 + row / 3, "accuracy": row}).filter(known)
        found.append(Scores(f"model-{j}", "", "made", "quiz", items.filter(known), scores))
    if people:
        share = np.nanmean(right, axis=0)
        ratings = pl.DataFrame({"item": items["item"], "rater": "a", "accuracy": share})
        found.append(
            Scores("people", "", "made", "quiz", items, pl.DataFrame({"accuracy": share}), ratings=ratings)
        )
    return found


def test_turned_labels_come_first() -> None:
    right, wrong = draw(np.random.default_rng(2), 20, 200, turned=0.05)
    found = item_analysis(sources(right))
    table = found.table()
    turned = {f"q{place}" for place in np.flatnonzero(wrong)}
    assert len(turned) == 12
    assert len(turned.intersection(table["item"].head(24))) >= 10
    assert table["rest_correlation"].drop_nulls().is_sorted()
    row = table.row(0, named=True)
    assert row["text"] == f"Question {row['item'][1:]}?"
    negative = int((table["rest_correlation"] < 0).sum())
    assert found.findings()[0].startswith(f"{negative} of 200 items have a negative correlation")


def test_the_correlation_is_that_with_the_share_of_the_other_items() -> None:
    right = np.array([[1, 1, 1, 0, 0], [1, 1, 0, 0, 1], [1, 0, 0, 0, 1.0]])
    found = item_analysis(sources(right))
    table = {row["item"]: row for row in found.table().iter_rows(named=True)}
    rest = right.sum(axis=1) - right[:, 4]
    assert table["q4"]["rest_correlation"] == pytest.approx(np.corrcoef(right[:, 4], rest)[0, 1])
    assert table["q0"]["rest_correlation"] is None
    assert table["q1"]["right"] == pytest.approx(2 / 3)
    assert found.table()["item"][0] == "q4"
    json.dumps(found.to_json(), allow_nan=False)


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(2, 6), st.integers(2, 8)),
        elements=st.sampled_from([0.0, 1.0, np.nan]),
    )
)
def test_the_correlation_with_the_rest_is_the_slow_one(right: np.ndarray) -> None:
    for place, value in enumerate(rest_correlation(right)):
        rest = np.delete(right, place, axis=1)
        known = ~np.isnan(right[:, place]) & ~np.isnan(rest).all(axis=1)
        x, y = right[known, place], [np.nanmean(one) for one in rest[known]]
        if len(x) and np.ptp(x) > 0 and np.ptp(y) > 1e-9:
            assert value == pytest.approx(np.corrcoef(x, y)[0, 1])
        else:
            assert np.isnan(value)


def test_one_model_tells_no_items_apart() -> None:
    found = item_analysis(sources(np.array([[1.0, 0.0, 1.0]])))
    assert found.table()["rest_correlation"].null_count() == 3
    assert found.findings() == []


def test_answers_may_be_missing_and_ties_count_as_missing() -> None:
    right, _ = draw(np.random.default_rng(5), 5, 40)
    right[0, 3], right[1, 3], right[2, :10] = 0.5, np.nan, np.nan
    table = item_analysis(sources(right)).table()
    row = table.row(by_predicate=pl.col("item") == "q3", named=True)
    assert row["models"] == 2
    assert row["right"] == pytest.approx(right[3:, 3].mean())


def test_a_model_that_answers_alike_in_two_runs_counts_once() -> None:
    right, _ = draw(np.random.default_rng(2), 5, 60)
    right[1, 4] = np.nan
    once = sources(right)
    again = replace(once[1], source="other")
    alike = replace(once[2], name="another model")
    differs = replace(
        once[3], source="other", scores=once[3].scores.with_columns(accuracy=1 - pl.col("accuracy"))
    )
    found = item_analysis([*once, again, alike, differs])
    assert [one["name"] for one in found.models if "(" not in str(one["name"])] == [
        *("model-0", "model-2", "model-4", "another model"),
    ]
    assert len(found.models) == 7
    (note,) = (note for note in found.notes if "once" in note)
    assert "model-1" in note
    expected = item_analysis([*once, alike, differs])
    assert found.table().equals(expected.table())


def test_people_are_anchors_and_no_model() -> None:
    right, _ = draw(np.random.default_rng(6), 5, 40)
    found = item_analysis(sources(right, people=True))
    assert len(found.models) == 5
    assert any("people: over 40 items" in note and "is 1.00" in note for note in found.notes)
    row = found.table().row(0, named=True)
    assert (row["people"], row["people_n"]) == (pytest.approx(row["right"]), 1)


@pytest.mark.parametrize("models", [3, 5])
def test_people_whom_a_task_knows_are_anchors_unless_others_are_given(models: int) -> None:
    right, _ = draw(np.random.default_rng(6), models, 40)
    *alone, people = sources(right, people=True)
    theirs = pl.DataFrame({"item": ["q3", "q5", "q7"], "n": [8, 9, 7], "accuracy": [0.25, 0.5, 0.75]})
    knowing = [alone[0], replace(alone[1], people=theirs), *alone[2:]]
    found = item_analysis(knowing)
    known = found.table().drop_nulls("people").sort("item")
    assert known.select("item", "people_n", "people").rows() == theirs.rows()
    assert found.table().height == 40
    assert any("people: over 3 items" in note for note in found.notes)
    assert found.table()["people"].null_count() == 37
    assert item_analysis([*knowing, people]).table()["people_n"].to_list() == [1] * 40
    assert "people" not in item_analysis(alone).table().columns


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda given: given[4:], "no results of models"),
        (lambda given: [*given[:3], replace(given[0], name="x", task="other")], "different tasks"),
        (
            lambda given: [
                *given[:3],
                replace(given[0], name="x", items=given[0].items.with_columns(text=pl.lit("?"))),
            ],
            "different texts",
        ),
        (
            lambda given: [replace(one, scores=one.scores.select("p_gold")) for one in given[:4]],
            "no measure that all results have",
        ),
    ],
)
def test_what_is_refused(change: Callable[[list[Scores]], list[Scores]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        item_analysis(change(sources(np.tile([1.0, 0.0, 0.0], (4, 4)), people=True)))


def test_a_measure_that_is_not_right_or_wrong_is_refused() -> None:
    with pytest.raises(InputError, match="'p_gold' says of each item"):
        item_analysis(sources(np.eye(4)), measure="p_gold")
