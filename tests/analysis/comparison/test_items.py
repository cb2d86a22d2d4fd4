"""Which items tell models apart: the table, and what is refused."""

import json
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


def sources(right, people=False):
    """Make scores of models, in pairs of items, without the items that a model did not answer."""
    rows = [(f"q{i}", f"c{i // 2}", f"Question {i}?") for i in range(right.shape[1])]
    items = pl.DataFrame(rows, ["item", "cluster", "text"], orient="row")
    found = []
    for j, row in enumerate(right):
        known = pl.Series(~np.isnan(row))
        scores = pl.DataFrame({"p_gold": 0.3 + row / 3, "accuracy": row}).filter(known)
        found.append(Scores(f"model-{j}", "", "made", "quiz", items.filter(known), scores))
    if people:
        share = pl.DataFrame({"accuracy": np.nanmean(right, axis=0)})
        ratings = share.with_columns(items["item"], rater=pl.lit("a"))
        found.append(Scores("people", "", "made", "quiz", items, share, ratings=ratings))
    return found


def test_turned_labels_come_first():
    right, wrong = draw(np.random.default_rng(2), 20, 200, turned=0.05)
    found = item_analysis(sources(right))
    table = found.table()
    turned = {f"q{place}" for place in np.flatnonzero(wrong)}
    assert len(turned) == 12
    assert len(turned.intersection(table["item"].head(24))) >= 10
    assert table["rest_correlation"].drop_nulls().is_sorted()
    row = table.row(0, named=True)
    assert row["text"] == f"Question {row['item'][1:]}?"
    json.dumps(found.to_json(), allow_nan=False)
    negative = int((table["rest_correlation"] < 0).sum())
    assert found.findings()[0].startswith(f"{negative} of 200 items have a negative correlation")


RIGHT = st.sampled_from([0.0, 1.0, np.nan])


@given(arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 8)), elements=RIGHT))
def test_the_correlation_with_the_rest_is_the_slow_one(right):
    for place, value in enumerate(rest_correlation(right)):
        rest = np.delete(right, place, axis=1)
        known = ~np.isnan(right[:, place]) & ~np.isnan(rest).all(axis=1)
        x, y = right[known, place], [np.nanmean(one) for one in rest[known]]
        if len(x) and np.ptp(x) > 0 and np.ptp(y) > 1e-9:
            assert value == pytest.approx(np.corrcoef(x, y)[0, 1])
        else:
            assert np.isnan(value)


def test_answers_may_be_missing_and_ties_count_as_missing():
    right, _ = draw(np.random.default_rng(5), 5, 40)
    right[0, 3], right[1, 3], right[2, :10] = 0.5, np.nan, np.nan
    table = item_analysis(sources(right)).table()
    row = table.row(by_predicate=pl.col("item") == "q3", named=True)
    assert row["models"] == 2
    assert row["right"] == pytest.approx(right[3:, 3].mean())


def test_a_model_that_answers_alike_in_two_runs_counts_once():
    right, _ = draw(np.random.default_rng(2), 5, 60)
    right[1, 4] = np.nan
    once = sources(right)
    alike = replace(once[2], name="another model")
    turned = once[3].scores.with_columns(accuracy=1 - pl.col("accuracy"))
    others = [alike, replace(once[3], source="other", scores=turned)]
    found = item_analysis([*once, replace(once[1], source="other"), *others])
    assert len(found.models) == 7
    (note,) = (note for note in found.notes if "once" in note)
    assert "model-1" in note
    assert found.table().equals(item_analysis([*once, *others]).table())


def test_people_are_anchors_and_those_whom_a_task_knows_unless_others_are_given():
    right, _ = draw(np.random.default_rng(6), 5, 40)
    *alone, people = sources(right, people=True)
    theirs = pl.DataFrame({"item": ["q3", "q5", "q7"], "n": [8, 9, 7], "accuracy": [0.25, 0.5, 0.75]})
    knowing = [alone[0], replace(alone[1], people=theirs), *alone[2:]]
    found = item_analysis(knowing)
    known = found.table().drop_nulls("people").sort("item")
    assert known.select("item", "people_n", "people").rows() == theirs.rows()
    assert any("people: over 3 items" in note for note in found.notes)
    beside = item_analysis([*knowing, people])
    assert any("people: over 40 items" in note and "is 1.00" in note for note in beside.notes)
    assert len(beside.models) == 5
    assert beside.table()["people_n"].to_list() == [1] * 40
    assert beside.table()["people"].to_list() == pytest.approx(beside.table()["right"].to_list())
    assert "people" not in item_analysis(alone).table().columns


def test_what_is_refused():
    *alone, people = sources(np.tile([1.0, 0.0, 0.0], (4, 4)), people=True)
    other = replace(alone[0], name="x", task="other")
    text = replace(alone[0], name="x", items=alone[0].items.with_columns(text=pl.lit("?")))
    unsure = [replace(one, scores=one.scores.select("p_gold")) for one in alone]
    for chosen, measure, words in (
        ([people], None, "no results of models"),
        ([*alone, other], None, "different tasks"),
        ([*alone, text], None, "different texts"),
        (unsure, None, "no measure that all results have"),
        (alone, "p_gold", "'p_gold' says of each item"),
    ):
        with pytest.raises(InputError, match=words):
            item_analysis(chosen, measure=measure)
