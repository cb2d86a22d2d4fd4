"""The words of tasks with options: measures, views, and the chart of calibration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.charts import first_methods, measure_table, said
from probsense.show.measure import Measure
from probsense.show.shapes.marks import DASHED, fitted, intervals
from probsense.show.text import plain
from probsense.show.theme import NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.show.words import Words, WordsFile

if TYPE_CHECKING:
    import polars as pl

_FILE: Final = WordsFile("probsense.tasks.shared")
MEASURES: Final = _FILE.measures


def _calibration_table(estimates: Sequence[Estimate]) -> pl.DataFrame:
    import polars as pl

    method = first_methods(estimates).get("calibration_gap")
    if method is None:
        return pl.DataFrame()
    return measure_table(
        estimates,
        "calibration_gap",
        method,
        Words(title="", measures=MEASURES, parts=("confidence", "problem", "view")),
    )


def calibration_chart(style: Measure, table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw how much more often answers are right than the model is sure, by how sure it is.

    Parameters
    ----------
    style : Measure
        "calibration_gap"; below the line a model is too sure.
    table : DataFrame
    width : int
    """
    import altair as alt

    bins, models = labels(strings(table, "part"), 12), labels(strings(table, "model"))
    order = sorted(bins, key=lambda name: float(name.split("\N{EN DASH}")[0]))
    hue, shape = by_model([*models.values()], width)
    known = table.drop_nulls("part")
    records = [
        {
            "bin": bins[row["part"]],
            "model": models[row["model"]],
            "tip": plain(f"{row['model']}, {row['part']}: {said(style, row)}"),
            **{name: None if row[name] is None else row[name] * 100 for name in ("value", "low", "high")},
        }
        for row in known.iter_rows(named=True)
    ]
    shift = alt.XOffset("model:N", sort=None, scale=alt.Scale(domain=[*models.values()], paddingOuter=0.5))
    place = alt.X(
        "bin:O",
        title="Probability of the chosen option",
        sort=[bins[name] for name in order],
        axis=alt.Axis(labelAngle=0 if width > NARROW else -60),
    )
    title = f"{style.title} (points)"
    chart = alt.Chart(rows(records)).encode(x=place, xOffset=shift, description="tip:N")
    level = alt.Chart(rows([{"level": 0}])).mark_rule(**DASHED).encode(y=alt.Y("level:Q", title=title))
    drawn = fitted([level, *intervals(chart, alt.Y("value:Q", title=title), hue, shape)], width, 260)
    return specification(
        drawn, f"{style.title} by confidence for {', '.join(models)}. Each line is an interval."
    )


CALIBRATION: Final = _FILE.chart(
    "calibration", partial(calibration_chart, MEASURES["calibration_gap"]), table=_calibration_table
)
OPTION_WORDS: Final = _FILE.words(charts={"calibration": CALIBRATION})
"""The words of tasks with options, to which each adds its own."""
PLAIN_WORDS: Final = WordsFile("probsense.tasks.shared", "plain_words.toml").words(OPTION_WORDS)
"""The words of tasks that bring none: those of options, labels and distances from people."""
