"""The chart of accuracy by form."""

from __future__ import annotations

import polars as pl

import probsense as ps
from probsense.tasks.worldsense.charts.forms import NUMBERS, TABLE, TEXTS, forms_table
from probsense.tasks.worldsense.charts.words import WORDS
from support.drawing import CHECKS, HOSTILE, drawn, texts, tips


def test_forms_that_were_asked_several_times_have_points() -> None:
    run = ps.evaluate(
        "worldsense", "random:1", sizes=[4], problems=["Infer.normal"], tuples=5, store=None, quiet=True
    )
    table = run.results.tables[TABLE]
    trials = run.table().with_columns(right=pl.col("resp") == pl.col("gold"))
    counts = trials.group_by("form").agg(pl.len(), pl.col("right").mean(), pl.col("depth").first())
    expected = counts.filter(pl.col("len") > 1).sort("depth", "form")
    assert table["form"].to_list() == expected["form"].to_list()
    assert table["value"].to_list() == expected["right"].to_list()
    assert table["trials"].to_list() == expected["len"].to_list()
    assert (*table.columns,) == (*TEXTS, *NUMBERS)
    chart = WORDS.charts[TABLE].chart(TABLE, table.with_columns(model=pl.lit(HOSTILE)))
    root, _ = drawn(chart)
    assert {"Infer.normal", "Facts that an answer takes", "Accuracy (%)"} <= set(texts(root))
    assert len(tips(root)) == table.height
    for check in CHECKS:
        check(chart)


def test_unknown_forms_and_depths_have_none() -> None:
    frame = pl.DataFrame(
        {
            "model": "m",
            "prompting": "",
            "tuple_id": ["a", "a"],
            "problem": "Infer.normal",
            "size": 4,
            "expected_len": 2,
            "gold": ["TRUE", "FALSE"],
            "resp": ["TRUE", "TRUE"],
            "form": ["x", None],
        }
    )
    assert forms_table(frame).is_empty()
