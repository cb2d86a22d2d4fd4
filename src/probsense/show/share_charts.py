"""Charts of shares: panels of distributions over outcomes, and shares against the shares that were forecast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from probsense.show.chart import ChartWords, Spec, by_model, labels, letters, rows, specification, strings
from probsense.show.marks import DASHED, SHARE, bracketed_ends, fitted, intervals
from probsense.show.text import plain, shorten
from probsense.show.words import GIVEN, Words

if TYPE_CHECKING:
    import polars as pl

BAR, GAP = 9, 9
"""Height of a bar, and what is left between rows."""
APART = 18
"""How many pixels separate panels."""
TEXT = 160
"""Letters of a heading at most."""


def distributions_chart(table: pl.DataFrame, width: int, chart: ChartWords, words: Words) -> Spec:
    """Draw a panel for each of some distributions; only the last one has the title of the axis.

    Parameters
    ----------
    table : DataFrame
        model, outcome, share (from 0 to 1); the column ``chart.by`` names the panel.
    width : int
    chart : ChartWords
    words : Words
    """
    import altair as alt

    models, known = _shown(table, strings(table, "model"), chart.models)
    panels = spread(known.partition_by(chart.by, maintain_order=True), chart.panels)
    outcomes = [labels(panel["outcome"], chart.letters_at(width)) for panel in panels]
    inner = width - max(letters(found.values()) for found in outcomes) - 40
    hue, _ = by_model(models.values(), inner)
    longest: float = max(max(panel["share"]) for panel in panels)
    most = chart.most or math.ceil(max(longest, 0.1) * 10 - 1e-9) * 10
    scale = alt.Scale(domain=[0, most], nice=False)
    lanes = alt.Scale(domain=[*models.values()], paddingInner=0, paddingOuter=GAP / BAR / 2)
    lane = alt.YOffset("model:N", sort=None, scale=lanes)
    axis = alt.Axis(labelLimit=0)
    drawn = []
    for panel, found in zip(panels, outcomes, strict=True):
        records = [
            {
                "outcome": found[row["outcome"]],
                "model": models[row["model"]],
                "share": row["share"] * 100,
                "tip": plain(f"{row['model']}, {row['outcome']}: {row['share'] * 100:z.1f} %"),
            }
            for row in panel.iter_rows(named=True)
        ]
        x = alt.X("share:Q", title=chart.across if panel is panels[-1] else None, scale=scale)
        y = alt.Y("outcome:N", sort=[*found.values()], title=None, scale=alt.Scale(padding=0), axis=axis)
        bars = alt.Chart(rows(records)).mark_bar().encode(x, y, hue, lane, description="tip:N")
        heading = plain(" ".join(chart.heading.format_map(panel.row(0, named=True)).split()))
        drawn.append(
            bars.properties(
                title=wrap(shorten(heading, TEXT), int(inner / letters(["n"]))),
                width=inner,
                height=len(found) * (BAR * len(models) + GAP),
            )
        )
    about = chart.about.format(models=", ".join(models), panels=len(panels))
    return specification(alt.vconcat(*drawn, spacing=APART), about)


def _shown(table: pl.DataFrame, names: Sequence[str], most: int) -> tuple[dict[str, str], pl.DataFrame]:
    """Label what is given, such as people, and the first of other models, and take their rows of a table."""
    given = [name for name in names if name in GIVEN]
    others = [name for name in names if name not in GIVEN]
    models = labels([*given, *others[:most]])
    return models, table.filter(table["model"].is_in([*models]))


def spread(known: Sequence[Any], most: int) -> list[Any]:
    """Choose some at even distances, the first and the last among them."""
    if len(known) <= most:
        return [*known]
    return [known[round(i * (len(known) - 1) / (most - 1))] for i in range(most)]


TALL = 300


def calibration_chart(table: pl.DataFrame, width: int, chart: ChartWords, words: Words) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both shares are the same.

    Of more models than ``chart.models``, those are shown whose marks are nearest to the line.

    Parameters
    ----------
    table : DataFrame
        model, bin, probability, share, low, high: numbers from 0 to 1. The column ``chart.by`` counts what is in a bin.
        With ``chart.lines`` there are no bins, and a stair of each model takes the place of the dashed line.
    width : int
    chart : ChartWords
    words : Words
    """
    import altair as alt
    import polars as pl

    names = strings(table, "model")
    if len(names) > chart.models:
        far = (pl.col("probability") - pl.col("share")).abs().mean()
        nearest = table.group_by("model", maintain_order=True).agg(far=far).sort("far")
        names = strings(nearest, "model")
    models, table = _shown(table, names, chart.models)
    table = table.with_columns(pl.col("probability", "share", "low", "high") * 100)
    if chart.lines:
        table = table.with_columns(bin=pl.format("{} %", pl.col("probability").round_sig_figs(3)))
    records = [
        {
            **row,
            "model": models[row["model"]],
            "tip": plain(
                f"{row['model']}, {row['bin']}: {row['share']:.1f} %{bracketed_ends(SHARE, row)} {chart.whose}"
                f" ({row[chart.by]:,.0f} {chart.by})"
            ),
        }
        for row in table.iter_rows(named=True)
    ]
    hue, shape = by_model(models.values(), width)
    scale = alt.Scale(domain=[0, 100])
    across = alt.X("probability:Q", title=chart.across, scale=scale)
    base = alt.Chart(rows(records)).encode(x=across, description="tip:N")
    up = alt.Y("share:Q", title=chart.up, scale=scale)
    if chart.lines:
        line = base.mark_line(aria=False, interpolate="step-before").encode(y=up, color=hue)
    else:
        same = alt.Chart(rows([{"probability": end, "share": end} for end in (0, 100)]))
        line = same.mark_line(**DASHED).encode(x=across, y=up)
    layers = [line, *intervals(base, up, hue, shape)]
    return specification(fitted(layers, width, TALL), chart.about.format(models=", ".join(models)))
