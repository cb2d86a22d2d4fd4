"""Charts of WorldSense: a measure by number of entities, and by skin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from probsense.show.chart import ChartKind
from probsense.show.charts import first_methods
from probsense.show.estimate_charts import (
    NUMBERS,
    SHORTCUT,
    TEXTS,
    common_chance,
    grid_table,
    measure_chart,
    measure_table,
    said,
)
from probsense.show.forest import axis_of, intervals
from probsense.show.measure import Measure
from probsense.show.tables import grid
from probsense.show.text import plain
from probsense.show.theme import INK, NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.show.words import Words
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

COLUMNS: Final = 3
"""How many panels stand side by side."""
BAND: Final = 18
"""How many pixels separate panels."""


def size_and_skin_charts(measures: Sequence[str], words: Words) -> dict[str, ChartKind]:
    """Make the kinds of charts by size and by skin of each measure.

    Parameters
    ----------
    measures : sequence of str
    words : Words
        With the words of these measures.
    """
    found = {}
    for name in measures:
        style = words.measure(name)
        bars = (
            f" Bars are shortcut ceilings: what {words.shortcut.name} reaches." if name == "accuracy" else ""
        )
        landmark = style.landmark.name if style.landmark else "chance"
        found[f"{name}_by_size"] = ChartKind(
            f"{style.title} by size",
            f"Each problem with each number of entities.{bars} The dashed line is {landmark}.",
            partial(sizes_chart, style),
            TEXTS,
            (*NUMBERS, "size"),
            partial(_by_first_method, name, partial(sizes_table, words=words)),
        )
        found[f"{name}_by_skin"] = ChartKind(
            f"{style.title} by skin",
            "The same problems in the words of each skin: what holds in one world only is no reasoning.",
            partial(measure_chart, style),
            TEXTS,
            NUMBERS,
            partial(skins_table, measure=name, words=words),
        )
    return found


def _by_first_method(
    measure: str,
    table: Callable[[Sequence[Estimate], str, str], pl.DataFrame],
    estimates: Sequence[Estimate],
) -> pl.DataFrame:
    import polars as pl

    method = first_methods(estimates).get(measure)
    return pl.DataFrame() if method is None else table(estimates, measure, method)


def skins_table(estimates: Sequence[Estimate], *, measure: str, words: Words) -> pl.DataFrame:
    """Arrange the estimates by skin as a tidy table, empty if there is one skin only."""
    import polars as pl

    skins = [e for e in estimates if e.measure == measure and "skin" in e.by]
    if not skins:
        return pl.DataFrame()
    return measure_table(skins, measure, skins[0].method, words)


def sizes_table(estimates: Sequence[Estimate], measure: str, method: str, *, words: Words) -> pl.DataFrame:
    """Arrange the estimates by problem and size as a tidy table with a column "size"."""
    import polars as pl

    sized = [e for e in estimates if (e.measure, e.method) == (measure, method) and "size" in e.by]
    of_sizes = [
        grid_table(grid(own, measure, method, words), measure).with_columns(size=pl.lit(size))
        for size in sorted({int(str(e.by["size"])) for e in sized})
        if (own := [_without_size(e) for e in sized if e.by["size"] == size])
    ]
    # Sizes without a known shortcut ceiling lack its column.
    return pl.concat(of_sizes, how="diagonal") if of_sizes else pl.DataFrame()


def _without_size(estimate: Estimate) -> Estimate:
    return replace(estimate, by={key: value for key, value in estimate.by.items() if key != "size"})


def sizes_chart(style: Measure, table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each problem: estimates by size, with their intervals."""
    import altair as alt

    axis = axis_of(style, common_chance(table))
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
            "tip": plain(f"{row['model']}, {row['part']}, {row['size']:g}: {said(style, row)}"),
            **{name: axis.at(row.get(name)) for name in ("value", "low", "high", SHORTCUT)},
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
    if SHORTCUT in table.columns:
        lane = wide / len({row["size"] for row in records}) / (len(models) + 3)
        bar = chart.mark_tick(aria=False, orient="horizontal", size=lane, thickness=3, color=INK, opacity=0.5)
        known = bar.transform_filter(f"isValid(datum.{SHORTCUT})")
        layers.insert(0, known.encode(y=alt.Y(f"{SHORTCUT}:Q", title=axis.title)))
    if axis.landmark is not None:
        level = alt.Chart().encode(y="min(level):Q")
        layers.insert(0, level.mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65))
    # A heading stands at one height, whatever the marks below it do.
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
