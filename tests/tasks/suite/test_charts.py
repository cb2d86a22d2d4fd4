"""The chart of distributions over queries: all models, contexts of every suite, with and without gold."""

from __future__ import annotations

import polars as pl

from probsense.show.charts import task_charts
from probsense.tasks.suite.words import WORDS, queries_table
from support.drawing import HOSTILE, tips
from support.drawn_once import Drawn


def test_table_and_chart_have_the_distribution_of_each_context_whatever_is_expected() -> None:
    columns = ["suite", "context", "text", "model", "query", "score"]
    rows = [
        ("s", context, text, model, query, score)
        for context, text in (("c1", "Milk\nturns."), ("c2", f"Cars {HOSTILE}."))
        for model, first in (("a", 0.25), ("b", 0.5))
        for query, score in (("in the fridge", first), (HOSTILE, 1 - first))
    ]
    tables = {"queries": pl.DataFrame(rows, schema=columns, orient="row")}
    table = queries_table(tables, 6)
    assert table.columns[1:] == ("a", "b")
    assert table.rows[:2] == (("Milk turns.", "", ""), ("  in the fridge", "25.0", "50.0"))
    assert table.rows[2][1:] == ("75.0", "50.0")
    assert (len(table.rows), table.title) == (6, "Probabilities of queries in %")
    assert queries_table(tables, 1).title.endswith("(--full shows 1 more)")
    (chart,) = task_charts([], tables, WORDS)
    drawn = Drawn(chart)
    drawn.check()
    assert "a, in the fridge: 25.0 %" in tips(drawn.roots[0])
