"""Charts of frames: the estimates of every frame, and what a number of answers can tell.

Each is drawn from one of the tidy tables of :mod:`probsense.tasks.frames.chart_tables`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from probsense.analysis.open_answers.bound import LEVEL
from probsense.show.charts import said
from probsense.show.measure import Measure
from probsense.show.shapes import axis_of, forest
from probsense.show.tables import OVERALL
from probsense.show.theme import (
    INK,
    NARROW,
    WIDE,
    Spec,
    by_model,
    labels,
    rows,
    specification,
    strings,
)

if TYPE_CHECKING:
    import polars as pl

ROWS = 60
"""Frames that the forest shows at most: the nearest to people and the farthest."""
FARTHEST = 10.0
"""Where the forest ends; a value beyond it stands at its edge."""
SMALLEST = 1e-4
"""The lowest probability of the bound's chart."""


def forest_chart(styles: Mapping[str, Measure], table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each frame, the overall estimate first; a mark with its interval for each model.

    Parameters
    ----------
    styles : Mapping of str to Measure
        How the measures of the table are shown.
    table : DataFrame
    width : int
        Width in pixels.
    """
    import polars as pl

    measure = _shared_measure(table)
    style = styles[measure]
    table = table.filter(pl.col("measure") == measure)
    models = labels(strings(table, "model"))
    first = table.filter((pl.col("model") == next(iter(models))) & pl.col("frame").is_not_null())
    frames = first.sort("value", nulls_last=True, maintain_order=True)["frame"].to_list()
    if len(frames) > ROWS:
        frames = [*frames[: ROWS // 2], *frames[-(ROWS // 2) :]]
    names = labels(frames, 24 if width > NARROW else 15)
    whole = [OVERALL] if table["frame"].null_count() else []
    records = [
        {
            **row,
            "part": OVERALL if row["frame"] is None else names[row["frame"]],
            "model": models[row["model"]],
            "tip": f"{row['model']}, {row['frame'] or OVERALL}: {said(style, row)}",
        }
        for row in table.iter_rows(named=True)
        if row["frame"] is None or row["frame"] in names
    ]
    low, high = _ends(records)
    axis = replace(axis_of(style), low=low, high=high)
    about = f"{style.title} of each frame, for {', '.join(models)}. Each line is an interval."
    return specification(forest(records, [*whole, *names.values()], [*models.values()], axis, width), about)


def _ends(records: Sequence[Mapping[str, float | None]]) -> tuple[float, float]:
    """Find round ends for the axis."""
    found = [row[name] for row in records for name in ("value", "low", "high")]
    ends = [value for value in found if value is not None and math.isfinite(value)]
    low, high = min([0.0, *ends]), max([0.1, *ends])
    step = 0.1 if high - low < 1.2 else 0.5
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return max(low, -FARTHEST), min(high, FARTHEST)


def bound_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a curve for each number of clusters, on a logarithmic scale, and a line at the number of answers given."""
    import altair as alt
    import polars as pl

    categories = table["categories"].unique(maintain_order=True).to_list()
    given = int(table["given"][0])
    names = {k: f"{k:.0f} clusters" for k in categories}
    hue, _ = by_model([*names.values()], width, "name")
    seen = table.filter((pl.col("probability") >= SMALLEST) & (pl.col("probability") <= 1))
    records = [
        {"name": names[row["categories"]], "answers": row["answers"], "probability": row["probability"]}
        for row in seen.iter_rows(named=True)
    ]
    most = int(table["answers"].max())  # type: ignore[arg-type]
    across = alt.X("answers:Q", title="Answers", scale=alt.Scale(domain=[0, most], nice=False))
    decades = [10.0**-power for power in range(round(-math.log10(SMALLEST)) + 1)]
    up = alt.Y(
        "probability:Q",
        title="Probability to stray, at most",
        scale=alt.Scale(type="log", domain=[SMALLEST, 1]),
        axis=alt.Axis(values=decades, format="~g"),
    )
    level = alt.Chart(rows([{"probability": LEVEL}])).mark_rule(
        aria=False, strokeDash=[4, 4], color=INK, opacity=0.65
    )
    here = alt.Chart(rows([{"answers": given, "name": f"{given:,} answers"}])).encode(x=across)
    layers = [
        level.encode(y=up),
        here.mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65),
        here.mark_text(aria=False, baseline="bottom", dy=-4).encode(y=alt.value(0), text="name:N"),
        alt.Chart(rows(records))
        .mark_line(strokeWidth=2)
        .encode(x=across, y=up, color=hue, description="name:N"),
    ]
    about = f"Bound on the probability that a sample strays, for {', '.join(names.values())}"
    drawn = alt.layer(*layers).properties(
        width=width, height=240, autosize={"type": "fit-x", "contains": "padding"}
    )
    return specification(drawn, about)


def _shared_measure(table: pl.DataFrame) -> str:
    """Find the first measure that all models have; otherwise the last one."""
    import polars as pl

    measures, models = strings(table, "measure"), table["model"].n_unique()
    shared = (m for m in measures if table.filter(pl.col("measure") == m)["model"].n_unique() == models)
    return next(shared, measures[-1])
