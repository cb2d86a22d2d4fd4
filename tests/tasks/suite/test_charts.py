"""The chart of distributions over queries: all models, contexts of every suite, with and without gold."""

from __future__ import annotations

import polars as pl

from probsense.show.chart import Chart
from probsense.show.charts import task_charts
from probsense.tasks.suite.words import WORDS, queries_table
from support.drawing import HOSTILE, texts, tips
from support.drawn_once import Drawn

NAMES = ("suite", "context", "text", "model", "query", "score")


MODELS, PANELS = WORDS.charts["queries"].models, WORDS.charts["queries"].panels


def chart(contexts: int, models: int) -> Chart:
    rows = [
        (suite, f"{suite}/{k}", f"It\nis {HOSTILE} {k}.", f"m{i}", query, score)
        for i in range(models)
        for suite in ("p A", "p B")
        for k in range(contexts)
        for query, score in (("yes", 0.25), (HOSTILE, 0.75))
    ]
    (made,) = task_charts([], {"queries": pl.DataFrame(rows, schema=NAMES, orient="row")}, WORDS)
    return made


def test_the_chart_is_fit_for_a_page_and_shows_every_suite_and_every_model_up_to_a_number() -> None:
    drawn = Drawn(chart(contexts=9, models=9))
    drawn.check()
    wide, _ = drawn.roots
    said = tips(wide)
    assert {tip.split(",")[0] for tip in said} == {f"m{i}" for i in range(MODELS)}
    assert len(said) == PANELS * MODELS * 2
    assert "m0, yes: 25.0 %" in said
    assert any(line.startswith("p A: It is") for line in texts(wide))
    titles = [line for line in texts(wide) if line.startswith("p ")]
    assert [title[:3] for title in titles] == ["p A"] * (PANELS // 2) + ["p B"] * (PANELS // 2)


def test_bars_are_as_long_as_probabilities_and_the_last_panel_has_the_title_of_their_axis() -> None:
    spec = chart(contexts=2, models=2).spec()
    for panel in spec["vconcat"]:
        bars = spec["datasets"][panel["data"]["name"]]
        assert [bar["share"] for bar in bars] == [25, 75] * 2
    titles = [panel["encoding"]["x"]["title"] for panel in spec["vconcat"]]
    assert titles == [None, None, None, "Probability (%)"]


def test_a_table_has_the_distribution_of_each_context_whatever_is_expected() -> None:
    rows = [
        ("s", context, text, model, query, score)
        for context, text in (("c1", "Milk\nturns."), ("c2", "Cars."))
        for model, first in (("a", 0.25), ("b", 0.5))
        for query, score in (("in the fridge", first), ("in the garage", 1 - first))
    ]
    columns = ["suite", "context", "text", "model", "query", "score"]
    queries = pl.DataFrame(rows, schema=columns, orient="row")
    table = queries_table({"queries": queries}, 6)
    assert table.columns[1:] == ("a", "b")
    assert table.rows[:3] == (
        ("Milk turns.", "", ""),
        ("  in the fridge", "25.0", "50.0"),
        ("  in the garage", "75.0", "50.0"),
    )
    assert (len(table.rows), table.title) == (6, "Probabilities of queries in %")
    assert queries_table({"queries": queries}, 1).title.endswith("(--full shows 1 more)")
