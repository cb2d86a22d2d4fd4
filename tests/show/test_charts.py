"""Which charts can be drawn: those of a task's own tables, and one for each measure."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import ChartWords, Spec
from probsense.show.charts import chart_of_table, measure_charts, task_charts
from probsense.show.measure import ACCURACY, Measure
from probsense.show.words import Words


def nothing(table: pl.DataFrame, width: int) -> Spec:
    return {"width": width, "rows": table.height}


CHARTS = {
    "rounds": ChartWords(
        title="Round by round", meaning="", kind="forest", estimates=True, measure="accuracy", by="round"
    ),
    "curve": ChartWords(title="The curve", meaning="how it rises", draw=nothing),
}
WORDS = Words(
    title="Race",
    measures={
        "accuracy": ACCURACY,
        "bias": Measure("Bias", bounds=(-1, 1)),
        "loss": Measure("Loss", bounds=(0, math.inf)),
    },
    parts=("problem", "view"),
    charts=CHARTS,
)
CURVE = pl.DataFrame({"x": [1.0, 2.0]})


def estimate(measure: str, value: float = 0.5, method: str = "published", **by: Any) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, method, 0.5)


def test_a_chart_is_drawn_from_a_table_of_the_task_or_from_one_made_of_estimates():
    made = [estimate("accuracy", model="m"), estimate("accuracy", model="m", round="2")]
    rounds, curve = task_charts(made, {"curve": CURVE, "unknown": CURVE}, WORDS)
    assert rounds.table.select("model", "part").rows() == [("m", "2")]
    assert curve.table is CURVE
    assert curve.spec(300) == {"width": 300, "rows": 2}


def test_estimates_by_a_number_are_drawn_over_it_with_a_panel_for_each_part():
    by_size = ChartWords(
        title="", meaning="", kind="series", estimates=True, measure="accuracy", by="size", lines=True
    )
    sizes = [
        replace(estimate("accuracy", size / 10, model="m", problem="p", size=size), shortcut_ceiling=ceiling)
        for size, ceiling in ((4, 0.7), (3, math.nan))
    ]
    (chart,) = task_charts(sizes, {}, replace(WORDS, charts={"by_size": by_size}))
    assert chart.table["size"].to_list() == [3, 4]
    (values,) = chart.spec()["datasets"].values()
    assert [row["tip"] for row in values] == [
        "m, p, 3: 30.0 % [28.0, 32.0]",
        "m, p, 4: 40.0 % [38.0, 42.0]; shortcut ceiling 70.0",
    ]


def tips(table: pl.DataFrame, **words: Any) -> list[str]:
    """What the marks of a chart say."""
    spec = chart_of_table("any", table, ChartWords(title="", meaning="", **words), WORDS).spec()
    return [row["tip"] for values in spec["datasets"].values() for row in values if "tip" in row]


def test_shares_are_drawn_of_the_first_and_the_last_of_many_panels():
    rows = [(f"c{i}", model, i / 10) for i in range(5) for model in ("people", "m")]
    table = pl.DataFrame(rows, schema=["context", "model", "share"], orient="row")
    table = table.with_columns(outcome=pl.lit("yes"))
    assert tips(table, kind="distributions", by="context", heading="{context}", panels=2) == [
        *("people, yes: 0.0 %", "m, yes: 0.0 %", "people, yes: 40.0 %", "m, yes: 40.0 %")
    ]


def test_a_calibration_tells_the_share_of_each_bin_and_what_is_in_it():
    numbers = {"probability": [0.55], "share": [0.4], "low": [0.3], "high": [0.5], "questions": [7]}
    made = pl.DataFrame({"model": ["m"], "bin": ["50–60 %"], **numbers})
    said = ["m, 50–60 %: 40.0 % [30.0, 50.0] of people (7 questions)"]
    assert tips(made, kind="calibration", by="questions") == said
    others = [made.with_columns(model=pl.lit(name), share=x) for name, x in (("far", 0.1), ("near", 0.5))]
    shown = tips(pl.concat([made, *others]), kind="calibration", by="questions", models=2)
    assert [tip.partition(",")[0] for tip in shown] == ["m", "near"]


def test_nothing_is_drawn_of_a_table_that_is_missing_or_empty():
    assert task_charts([estimate("accuracy", model="m")], {"curve": CURVE.clear()}, WORDS) == []
    assert task_charts([], {"curve": pl.DataFrame()}, WORDS) == []


def test_every_measure_with_a_highest_value_and_words_has_a_chart():
    made = [estimate(name, model="m") for name in ("bias", "accuracy", "loss", "unheard_of")]
    assert [chart.name for chart in measure_charts(made, WORDS)] == ["accuracy", "bias"]
    unknown = replace(WORDS, measures={"accuracy": ACCURACY})
    assert [chart.name for chart in measure_charts(made, unknown)] == ["accuracy"]


def test_parts_with_many_values_have_no_chart_of_a_measure():
    words = replace(WORDS, by_part={"problem": ("accuracy",)})
    made = [estimate("accuracy", model="m", problem="p")]
    assert measure_charts(made, words) == []
    assert len(measure_charts(made, WORDS)) == 1
    (chart,) = measure_charts([*made, estimate("accuracy", model="m")], words)
    assert chart.table["part"].to_list() == [None]


def test_with_problems_one_view_is_drawn_and_without_them_all():
    made = [estimate("accuracy", model="m", view=view) for view in ("sum", "token")]
    (both,) = measure_charts(made, WORDS)
    assert both.table["part"].to_list() == ["sum", "token"]
    (first,) = measure_charts([*made, *(replace(e, by={**e.by, "problem": "p"}) for e in made)], WORDS)
    assert first.table.select("model", "part").rows() == [("m", None), ("m", "p")]
