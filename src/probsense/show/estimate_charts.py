"""Charts of estimates: forests, with a row for each part, and series over a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from probsense.show import marks
from probsense.show.chart import (
    GRID,
    INK,
    NARROW,
    PAPER,
    ChartWords,
    Spec,
    by_model,
    labels,
    rows,
    specification,
    strings,
)
from probsense.show.marks import DASHED, SHORTCUT, Axis
from probsense.show.measure import Measure
from probsense.show.tables import OVERALL
from probsense.show.words import GIVEN, Words

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

LANE = 16
"""Height of one model's lane within a part."""
SHORTCUTS = "shortcuts"
"""The name of a shortcut ceiling in a chart."""
RIGHT = 0.8
"""The part of the axis beyond which the name of a bar stands to its left."""


def forest_chart(table: pl.DataFrame, width: int, chart: ChartWords, words: Words) -> Spec:
    """Draw parts as rows, the overall estimate first, with a dashed line at the landmark of the measure.

    That is chance, if it is the same for all and the measure has none. A bar beside an estimate is its shortcut
    ceiling, where that is known.

    Parameters
    ----------
    table : DataFrame
        model, part (null for an overall estimate), value, low, high; where known measure, by, chance, shortcut_ceiling
        and note (what else is to be said of a mark).
    width : int
    chart : ChartWords
    words : Words
    """
    if chart.by in table.columns:
        table = table.rename({chart.by: "part"})
    style = words.measure(chart.measure or table["measure"][0])
    parts = labels(strings(table, "part"), chart.letters_at(width))
    models = labels(strings(table, "model"))
    others = [name for name in models if name not in GIVEN]
    about = chart.about.format(title=style.title, models=", ".join(others), parts=", ".join(parts)) or (
        f"{style.title} by {table['by'][0]} for {', '.join(models)}."
        " Each mark is an estimate, each line its interval."
    )
    together = 0 < chart.lanes < len(others)
    if together:
        models |= dict.fromkeys(others, "each model")
    axis = marks.axis_of(style, table, chart.across)
    if chart.step:
        axis = axis.between(table, chart.step)
    return specification(
        forest(table, style, parts, models, axis, width, chart.gap, 0.5 if together else 1.0), about
    )


def forest(
    table: pl.DataFrame,
    style: Measure,
    parts: Mapping[str, str],
    models: Mapping[str, str],
    axis: Axis,
    width: int,
    gap: float,
    opacity: float = 1.0,
) -> alt.LayerChart:
    """Draw estimates of parts and models.

    Parameters
    ----------
    table : DataFrame
        As for :func:`forest_chart`. Marks are hollow where the interval is unknown, and arrows where the value lies
        beyond the axis; rows without a value, and those of other parts, are left out.
    style : Measure
        How values are written.
    parts, models : Mapping of str to str
        The label of each, in order; models with the same label share a lane.
    axis : Axis
    width : int
        Width of the whole chart, in pixels.
    gap : float
        What is left between parts, in pixels.
    opacity : float
        Opacity of whiskers and marks, below 1 for several in a lane.
    """
    import altair as alt

    whole = {None: OVERALL} if table["part"].null_count() else {}
    drawn = marks.estimate_marks(table, style, {**whole, **parts}, models, axis)
    lanes, names = [*dict.fromkeys(models.values())], [*whole.values(), *parts.values()]
    hue, shape = by_model(lanes, width)
    lane = alt.YOffset("model:N", sort=None, scale=alt.Scale(domain=lanes, paddingOuter=gap / LANE / 2))
    place = alt.X("value:Q", title=axis.title, scale=alt.Scale(domain=axis.domain, nice=False))
    base = alt.Chart(rows(drawn)).encode(y=_rows_of(names), yOffset=lane, description="tip:N")
    ceilings = [row for row in drawn if row[SHORTCUT] is not None]
    ground = alt.Chart(rows([{"part": part} for part in names if part == OVERALL]))
    layers = [ground.mark_rect(aria=False, color=GRID, opacity=0.4).encode(y=_rows_of(names))]
    if axis.landmark is not None:
        point = alt.Chart(rows([{"x": axis.landmark * axis.scale, "name": axis.name}]))
        line = point.encode(x=alt.X("x:Q", title=axis.title))
        layers += marks.named_line(line, align="right" if ceilings else "center")
    if ceilings:
        layers += _shortcut_ceilings(base, ceilings, axis)
    layers += marks.intervals(base.transform_filter("!isValid(datum.beyond)"), place, hue, shape, opacity)
    if any("beyond" in row for row in drawn):
        layers += _arrows(base, place, hue)
    return marks.fitted(layers, width, len(names) * (LANE * len(lanes) + gap))


def _arrows(base: alt.Chart, place: alt.X, hue: alt.Color) -> list[alt.Chart]:
    """Draw an arrow with its number at the end of the axis for each value that lies beyond it."""
    import altair as alt

    there = base.transform_filter("isValid(datum.beyond)").encode(x=place, text="beyond:N")
    letters: dict[str, Any] = {
        "align": alt.ExprRef("datum.align"),
        "dx": alt.ExprRef("datum.align == 'left' ? 4 : -4"),
        "fontSize": 11.5,
        "fontWeight": 600,
    }
    # What lies below the letters is kept from running through them.
    return [
        there.mark_text(**letters, aria=False, stroke=PAPER, strokeWidth=4),
        there.mark_text(**letters).encode(color=hue),
    ]


def _shortcut_ceilings(base: alt.Chart, ceilings: Sequence[Mapping[str, Any]], axis: Axis) -> list[alt.Chart]:
    """Draw a bar at each shortcut ceiling, with its name above the first."""
    import altair as alt

    first = max(row[SHORTCUT] for row in ceilings if row["part"] == ceilings[0]["part"])
    place = alt.X(f"{SHORTCUT}:Q", title=axis.title)
    # The name stands away from chance, and within the chart.
    align: Literal["left", "right"] = "left" if first < axis.domain[1] * RIGHT else "right"
    name = alt.Chart(rows([{SHORTCUT: first, "name": SHORTCUTS}])).mark_text(
        aria=False, baseline="bottom", dy=-4, align=align
    )
    known = base.transform_filter(f"isValid(datum.{SHORTCUT})")
    return [
        known.mark_tick(aria=False, orient="vertical", size=LANE, thickness=3, color=INK, opacity=0.5).encode(
            x=place
        ),
        name.encode(x=place, y=alt.value(0), text="name:N"),
    ]


def _rows_of(parts: Sequence[str]) -> alt.Y:
    import altair as alt

    return alt.Y(
        "part:N",
        sort=None,
        title=None,
        scale=alt.Scale(domain=[*parts], padding=0),
        axis=alt.Axis(
            grid=True,
            zindex=0,  # below the names of bars, which stand between rows
            tickBand="extent",
            labelLimit=0,
            labelFontWeight=alt.condition(
                "datum.index == 0 && datum.value == 'Overall'", alt.value(700), alt.value(400)
            ),
        ),
    )


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
    axis = marks.axis_of(style, table, chart.up)
    paneled = chart.by in table.columns
    panels, models = labels(strings(table, "part"), 24), labels(strings(table, "model"))
    columns = min(COLUMNS if width > NARROW else 1, len(panels))
    wide = (width - 70) / columns - BAND
    hue, shape = by_model(models.values(), width)
    records = marks.estimate_marks(table, style, panels, models, axis, chart.by if paneled else "")
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
    layers = marks.intervals(base, up, hue, shape)
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
        drawn = marks.fitted(layers, width, ALONE).properties(data=rows(records))
        return specification(drawn, about)
    # A heading stands at one height, whatever the marks below it do.
    name = alt.Chart().mark_text(aria=False, align="left", fontWeight=600).encode(text="min(part):N")
    layers.append(name.encode(x=alt.value(0), y=alt.value(-12)))
    header = alt.Header(labelExpr="''", labelFontSize=1, labelPadding=0)
    facet = alt.Facet("part:N", sort=[*panels.values()], header=header)
    square = alt.layer(*layers, data=rows(records)).properties(width=wide, height=PANEL)
    return specification(square.facet(facet=facet, columns=columns, spacing=BAND), about)
