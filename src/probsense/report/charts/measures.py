"""Charts of estimates: a measure by part, a measure by size, and how sure answers are beside how right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from probsense.report.charts.forest import axis_of, forest, intervals
from probsense.report.charts.theme import (
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
from probsense.report.tables import OVERALL, Grid, grid
from probsense.report.words import measure_of, plain
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

COLUMNS = 3
"""Panels side by side."""
BAND = 18
"""Between panels, in pixels."""


def measure_table(estimates: Sequence[Estimate], measure: str, method: str) -> pl.DataFrame:
    """measure, by, model, part, value, low, high, chance: overall figures have no part.

    Parameters
    ----------
    estimates : sequence of Estimate
    measure, method : str
        Which of them.
    """
    return _table(grid(estimates, measure, method), measure)


def sizes_table(estimates: Sequence[Estimate], measure: str, method: str) -> pl.DataFrame:
    """The same of figures by problem and size, with a column "size"."""
    import polars as pl

    sized = [e for e in estimates if (e.measure, e.method) == (measure, method) and "size" in e.by]
    of_sizes = [
        _table(grid(own, measure, method), measure).with_columns(size=pl.lit(size))
        for size in sorted({int(str(e.by["size"])) for e in sized})
        if (own := [_without_size(e) for e in sized if e.by["size"] == size])
    ]
    return pl.concat(of_sizes) if of_sizes else pl.DataFrame()


def measure_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Parts as rows, the overall figure first; a dashed line where guessing would be, if that is the same for all."""
    style = measure_of(str(table["measure"][0]))
    parts = labels(strings(table, "part"), 22 if width > NARROW else 16)
    models = labels(strings(table, "model"), 44)
    whole = [OVERALL] if table["part"].null_count() else []
    records = [
        {
            **row,
            "part": OVERALL if row["part"] is None else parts[row["part"]],
            "model": models[row["model"]],
            "tip": f"{row['model']}, {row['part'] or OVERALL}: {said(row['measure'], row)}",
        }
        for row in table.iter_rows(named=True)
    ]
    drawn = forest(
        records, [*whole, *parts.values()], [*models.values()], axis_of(style, _chance(table)), width
    )
    about = f"{style.title} by {table['by'][0]} for {', '.join(models)}. Each mark is a figure, each line its interval."
    return specification(drawn, about)


def sizes_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """A panel for each problem: figures by size, with their intervals."""
    import altair as alt

    style = measure_of(str(table["measure"][0]))
    axis = axis_of(style, _chance(table))
    problems, models = labels(strings(table, "part"), 24), labels(strings(table, "model"), 44)
    columns = min(COLUMNS if width > NARROW else 1, len(problems))
    wide = (width - 70) / columns - BAND
    hue, shape = by_model([*models.values()], width)
    records = [
        {
            "problem": problems[row["part"]],
            "model": models[row["model"]],
            "size": int(row["size"]),
            "level": None if axis.landmark is None else axis.landmark * axis.scale,
            "tip": plain(f"{row['model']}, {row['part']}, {row['size']:g}: {said(row['measure'], row)}"),
            **{name: axis.at(row[name]) for name in ("value", "low", "high")},
        }
        for row in table.iter_rows(named=True)
        if row["part"] is not None
    ]
    scale = alt.Scale(domain=[axis.low * axis.scale, axis.high * axis.scale], nice=False)
    shift = alt.XOffset("model:N", sort=None, scale=alt.Scale(domain=[*models.values()], paddingOuter=0.5))
    chart = alt.Chart().encode(
        x=alt.X("size:O", title="Entities", axis=alt.Axis(labelAngle=0)), xOffset=shift, description="tip:N"
    )
    place = alt.Y("value:Q", title=axis.title, scale=scale)
    layers = intervals(chart, place, hue, shape)
    if axis.landmark is not None:
        level = alt.Chart().encode(y="min(level):Q")
        layers.insert(0, level.mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65))
    # A heading stands at one height whatever the marks below it do.
    name = alt.Chart().mark_text(aria=False, align="left", fontWeight=600).encode(text="min(problem):N")
    layers.append(name.encode(x=alt.value(0), y=alt.value(-12)))
    facet = alt.Facet(
        "problem:N",
        sort=[*problems.values()],
        header=alt.Header(labelExpr="''", labelFontSize=1, labelPadding=0),
    )
    panels = (
        alt.layer(*layers, data=rows(records))
        .properties(width=wide, height=150)
        .facet(facet=facet, columns=columns, spacing=BAND)
    )
    about = (
        f"{style.title} by problem and number of entities for {', '.join(models)}. Each line is an interval."
    )
    return specification(panels, about)


def calibration_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """How much more often answers are right than they are sure, by how sure they are; below the line is too sure."""
    import altair as alt

    style = measure_of(str(table["measure"][0]))
    bins, models = labels(strings(table, "part"), 12), labels(strings(table, "model"), 44)
    order = sorted(bins, key=lambda name: float(name.split("\N{EN DASH}")[0]))
    hue, shape = by_model([*models.values()], width)
    known = table.drop_nulls("part")
    records = [
        {
            "bin": bins[row["part"]],
            "model": models[row["model"]],
            "tip": plain(f"{row['model']}, {row['part']}: {said(row['measure'], row)}"),
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
    drawn = alt.layer(
        alt.Chart(rows([{"level": 0}]))
        .mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65)
        .encode(y=alt.Y("level:Q", title=title)),
        *intervals(chart, alt.Y("value:Q", title=title), hue, shape),
    ).properties(width=width, height=260, autosize={"type": "fit-x", "contains": "padding"})
    return specification(
        drawn, f"{style.title} by confidence for {', '.join(models)}. Each line is an interval."
    )


def said(measure: str, row: Mapping[str, Any]) -> str:
    """A figure and its interval in words."""
    style = measure_of(measure)
    ends = [row["low"], row["high"]]
    known = all(end is not None and not math.isnan(end) for end in ends)
    interval = " to ".join(map(style.number, ends)) if known else "unknown"
    return f"{style.number(row['value'])}{style.unit} (interval {interval})"


def _table(arranged: Grid, measure: str) -> pl.DataFrame:
    import polars as pl

    names = arranged.names()
    figures = [
        (measure, arranged.part, names[subject], part or None, e.value, e.low, e.high, e.chance)
        for part in arranged.parts
        for subject in arranged.subjects
        if (e := arranged.cells.get((subject, part)))
    ]
    columns = {
        **dict.fromkeys(("measure", "by", "model", "part"), pl.String),
        **dict.fromkeys(("value", "low", "high", "chance"), pl.Float64),
    }
    return pl.DataFrame(figures, schema=columns, orient="row")


def _without_size(estimate: Estimate) -> Estimate:
    from dataclasses import replace

    return replace(estimate, by={key: value for key, value in estimate.by.items() if key != "size"})


def _chance(table: pl.DataFrame) -> tuple[float, str] | None:
    chances = table["chance"].fill_nan(None).unique()
    return (chances[0], "chance") if len(chances) == 1 and chances[0] is not None else None
