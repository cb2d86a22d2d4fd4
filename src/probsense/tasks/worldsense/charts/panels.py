"""Charts of WorldSense: a measure by number of entities, by depth of inference and by skin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import ChartKind
from probsense.show.charts import (
    SHORTCUT,
    common_chance,
    first_methods,
    grid_table,
    measure_chart,
    measure_table,
    said,
)
from probsense.show.measure import Measure
from probsense.show.shapes.forest import axis_of
from probsense.show.shapes.marks import DASHED, intervals
from probsense.show.tables import grid
from probsense.show.text import plain
from probsense.show.theme import INK, NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.show.words import Words, WordsFile

if TYPE_CHECKING:
    import polars as pl


COLUMNS: Final = 3
"""How many panels stand side by side."""

BAND: Final = 18
"""How many pixels separate panels."""

TITLES: Final = {"size": "Entities", "depth": "Facts that an answer takes"}
"""What a chart shows from left to right: keys of ``by``, and how their axes are called."""


def worldsense_charts(measures: Sequence[str], file: WordsFile) -> dict[str, ChartKind]:
    """Make the kinds of charts by size, by depth and by skin of each measure, with their words from the file."""
    words = Words(title="", measures=file.measures, parts=("problem", "skin"))
    found = {}
    for measure in measures:
        style = words.measure(measure)
        for scale in TITLES:
            found[f"{measure}_by_{scale}"] = file.chart(
                f"{measure}_by_{scale}",
                partial(scale_chart, style, scale),
                table=partial(scale_table, scale, measure=measure, words=words),
            )
        found[f"{measure}_by_skin"] = file.chart(
            f"{measure}_by_skin",
            partial(measure_chart, style),
            table=partial(skins_table, measure=measure, words=words),
        )
    return found


def skins_table(estimates: Sequence[Estimate], *, measure: str, words: Words) -> pl.DataFrame:
    """Arrange the estimates by skin as a tidy table, empty if there is one skin only."""
    import polars as pl

    skins = [e for e in estimates if e.measure == measure and "skin" in e.by]
    if not skins:
        return pl.DataFrame()
    return measure_table(skins, measure, skins[0].method, words)


def scale_table(scale: str, estimates: Sequence[Estimate], *, measure: str, words: Words) -> pl.DataFrame:
    """Arrange the estimates by problem and size, or by problem and depth, as a tidy table with a column for these.

    They are those of the method that comes first.
    """
    import polars as pl

    (other,) = TITLES.keys() - {scale}
    fit = [e for e in estimates if e.measure == measure and scale in e.by and other not in e.by]
    method = first_methods(fit).get(measure, "")
    chosen = [e for e in fit if e.method == method]
    found = [
        grid_table(grid(own, measure, method, words), measure).with_columns(pl.lit(number).alias(scale))
        for number in sorted({int(str(e.by[scale])) for e in chosen})
        if (own := [_without(scale, e) for e in chosen if e.by[scale] == number])
    ]
    # Sizes without a known shortcut ceiling lack its column.
    return pl.concat(found, how="diagonal") if found else pl.DataFrame()


def _without(key: str, estimate: Estimate) -> Estimate:
    return replace(estimate, by={name: value for name, value in estimate.by.items() if name != key})


def scale_chart(style: Measure, scale: str, table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each problem: estimates by size or by depth, with their intervals."""
    import altair as alt

    axis = axis_of(style, common_chance(table))
    problems, models = labels(strings(table, "part"), 24), labels(strings(table, "model"))
    columns = min(COLUMNS if width > NARROW else 1, len(problems))
    wide = (width - 70) / columns - BAND
    hue, shape = by_model([*models.values()], width)
    records = [
        {
            "problem": problems[row["part"]],
            "model": models[row["model"]],
            scale: int(row[scale]),
            "level": None if axis.landmark is None else axis.landmark * axis.scale,
            "tip": plain(f"{row['model']}, {row['part']}, {row[scale]:g}: {said(style, row)}"),
            **{name: axis.at(row.get(name)) for name in ("value", "low", "high", SHORTCUT)},
        }
        for row in table.iter_rows(named=True)
        if row["part"] is not None
    ]
    domain = alt.Scale(domain=[axis.low * axis.scale, axis.high * axis.scale], nice=False)
    shift = alt.XOffset("model:N", sort=None, scale=alt.Scale(domain=[*models.values()], paddingOuter=0.5))
    chart = alt.Chart().encode(
        x=alt.X(f"{scale}:O", title=TITLES[scale], axis=alt.Axis(labelAngle=0)),
        xOffset=shift,
        description="tip:N",
    )
    place = alt.Y("value:Q", title=axis.title, scale=domain)
    layers = intervals(chart, place, hue, shape)
    if SHORTCUT in table.columns:
        lane = wide / len({row[scale] for row in records}) / (len(models) + 3)
        bar = chart.mark_tick(aria=False, orient="horizontal", size=lane, thickness=3, color=INK, opacity=0.5)
        known = bar.transform_filter(f"isValid(datum.{SHORTCUT})")
        layers.insert(0, known.encode(y=alt.Y(f"{SHORTCUT}:Q", title=axis.title)))
    if axis.landmark is not None:
        level = alt.Chart().encode(y="min(level):Q")
        layers.insert(0, level.mark_rule(**DASHED))
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
    about = f"{style.title} by problem and {scale} for {', '.join(models)}. Each line is an interval."
    return specification(panels, about)
