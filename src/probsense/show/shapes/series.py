"""Estimates over a number, with their intervals: in one picture, or in a panel for each part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from probsense.show.chart import ChartWords
from probsense.show.shapes.axis import axis_of
from probsense.show.shapes.marks import DASHED, SHORTCUT, estimate_marks, fitted, intervals
from probsense.show.theme import INK, NARROW, Spec, by_model, labels, rows, specification, strings
from probsense.show.words import Words

if TYPE_CHECKING:
    import polars as pl

COLUMNS: Final = 3
"""How many panels stand side by side."""
BAND: Final = 18
"""How many pixels separate panels."""
PANEL, ALONE = 150, 260
"""Height of a panel, and of a picture without any."""


def series_chart(table: pl.DataFrame, width: int, chart: ChartWords, words: Words) -> Spec:
    """Draw estimates by a number, from left to right, with a dashed line at the landmark.

    Parameters
    ----------
    table : DataFrame
        model, part, value, low, high, chance, shortcut_ceiling. The column ``chart.by`` has the numbers, and each part
        a panel; without it, parts are ranges of numbers.
    width : int
    chart : ChartWords
    words : Words
    """
    import altair as alt

    style = words.measure(chart.measure)
    axis = axis_of(style, table, chart.up)
    paneled = chart.by in table.columns
    panels, models = labels(strings(table, "part"), 24), labels(strings(table, "model"))
    columns = min(COLUMNS if width > NARROW else 1, len(panels))
    wide = (width - 70) / columns - BAND
    hue, shape = by_model([*models.values()], width)
    records = estimate_marks(table, style, panels, models, axis, chart.by if paneled else "")
    number = "number" if paneled else "part"
    numbers = sorted(
        {row[number] for row in records}, key=lambda one: float(str(one).split("\N{EN DASH}")[0])
    )
    shift = alt.XOffset("model:N", sort=None, scale=alt.Scale(domain=[*models.values()], paddingOuter=0.5))
    angle = alt.Axis(labelAngle=0 if paneled or width > NARROW else -60)
    across = alt.X(f"{number}:O", title=chart.across, sort=numbers, axis=angle)
    base = alt.Chart().encode(x=across, xOffset=shift, description="tip:N")
    scale = alt.Scale(domain=axis.domain, nice=False) if paneled else alt.Undefined
    up = alt.Y("value:Q", title=axis.title, scale=scale)
    layers = intervals(base, up, hue, shape)
    if chart.lines:
        layers.insert(0, base.mark_line(aria=False).encode(y=up, color=hue))
    if SHORTCUT in table.columns:
        lane = wide / len(numbers) / (len(models) + 3)
        bar = base.mark_tick(aria=False, orient="horizontal", size=lane, thickness=3, color=INK, opacity=0.5)
        ceiling = bar.transform_filter(f"isValid(datum.{SHORTCUT})")
        layers.insert(0, ceiling.encode(y=alt.Y(f"{SHORTCUT}:Q", title=axis.title)))
    if axis.landmark is not None:
        level = alt.Chart().transform_calculate(level=str(axis.landmark * axis.scale)).mark_rule(**DASHED)
        layers.insert(0, level.encode(y=alt.Y("min(level):Q", title=axis.title)))
    about = chart.about.format(models=", ".join(models)) or (
        f"{style.title} by {'problem and ' if paneled else ''}{chart.by} for {', '.join(models)}."
        " Each line is an interval."
    )
    if not paneled:
        drawn = fitted(layers, width, ALONE).properties(data=rows(records))
        return specification(drawn, about)
    # A heading stands at one height, whatever the marks below it do.
    name = alt.Chart().mark_text(aria=False, align="left", fontWeight=600).encode(text="min(part):N")
    layers.append(name.encode(x=alt.value(0), y=alt.value(-12)))
    header = alt.Header(labelExpr="''", labelFontSize=1, labelPadding=0)
    facet = alt.Facet("part:N", sort=[*panels.values()], header=header)
    square = alt.layer(*layers, data=rows(records)).properties(width=wide, height=PANEL)
    return specification(square.facet(facet=facet, columns=columns, spacing=BAND), about)
