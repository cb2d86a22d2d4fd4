"""Draws shares against the shares that were forecast, with intervals, and a line on which both are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probsense.show.chart import ChartWords
from probsense.show.shapes.marks import DASHED, SHARE, bracketed_ends, fitted, intervals
from probsense.show.text import plain
from probsense.show.theme import Spec, by_model, labels, rows, specification, strings
from probsense.show.words import Words

if TYPE_CHECKING:
    import polars as pl

TALL = 300


def calibration_chart(table: pl.DataFrame, width: int, chart: ChartWords, words: Words) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both shares are the same.

    Parameters
    ----------
    table : DataFrame
        model, bin, probability, share, low, high: numbers from 0 to 1. The column ``chart.by`` counts what is in a bin.
    width : int
    chart : ChartWords
    words : Words
    """
    import altair as alt
    import polars as pl

    models = labels(strings(table, "model"))
    table = table.with_columns(pl.col("probability", "share", "low", "high") * 100)
    records = [
        {
            **row,
            "model": models[row["model"]],
            "tip": plain(
                f"{row['model']}, {row['bin']}: {row['share']:.1f} %{bracketed_ends(SHARE, row)} of people"
                f" ({row[chart.by]:,.0f} {chart.by})"
            ),
        }
        for row in table.iter_rows(named=True)
    ]
    hue, shape = by_model([*models.values()], width)
    scale = alt.Scale(domain=[0, 100])
    across = alt.X("probability:Q", title=chart.across, scale=scale)
    same = alt.Chart(rows([{"probability": end, "share": end} for end in (0, 100)])).mark_line(**DASHED)
    base = alt.Chart(rows(records)).encode(x=across, description="tip:N")
    up = alt.Y("share:Q", title=chart.up, scale=scale)
    layers = [same.encode(x=across, y=up), *intervals(base, up, hue, shape)]
    return specification(fitted(layers, width, TALL), chart.about.format(models=", ".join(models)))
