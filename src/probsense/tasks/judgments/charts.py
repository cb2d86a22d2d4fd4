"""The charts that only judgments have, and which statements that of departures shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from probsense.show.chart import COLOURS, NARROW, Spec, by_model, labels, letters, rows, specification
from probsense.show.marks import SHARE, bracketed_ends, fitted, intervals, named_line
from probsense.show.measure import Measure, Unit
from probsense.show.text import counted, plain
from probsense.tasks.judgments.measures.estimates import PEOPLE

if TYPE_CHECKING:
    import altair as alt

SHOWN = 12
"""The most statements that are shown."""
FALSE = 0.05
"""The expected share of false departures among those that come first."""
LANE, TALL = 20, 130
"""Height of a rater's lane, and of the distribution of people, in pixels."""
BINS = 40
"""Bars in the distribution of people."""
CHANCE = 0.5
"""The score of guessing."""
PANELS, COLUMNS, CELLS = 6, 3, 24
"""The most models shown, how many panels stand side by side, and the cells along each side of a panel."""
SIDE = 280
"""The longest side of a panel, in pixels: a larger one would be empty."""
CORRELATION: Final = Measure("", unit=Unit(digits=2))


def farthest_from_people(table: pl.DataFrame) -> pl.DataFrame:
    """Choose the statements on which models depart most, and set people's shares beside the models' probabilities."""
    named, bare = pl.format("{}: {}", "statement_id", "statement"), pl.format("statement {}", "statement_id")
    first = table.sort(pl.col("p_adjusted") >= FALSE, -pl.col("value").abs(), maintain_order=True)
    first = first.unique("statement_id", maintain_order=True).head(SHOWN).select("statement_id")
    shown = first.join(table, on="statement_id", maintain_order="left_right")
    shown = shown.with_columns(part=pl.coalesce(named, bare))
    notes = [
        f", {value * 100:+z.1f} points from people (adjusted p = {p:.3f})"
        for value, p in shown.select("value", "p_adjusted").iter_rows()
    ]
    models = shown.select("part", "model", pl.Series("note", notes), value="probability")
    people = shown.unique("part", maintain_order=True).select(
        "part", pl.lit(PEOPLE).alias("model"), value="people", low="people_low", high="people_high"
    )
    return pl.concat([people, models], how="diagonal")


def among_people_chart(table: pl.DataFrame, width: int) -> Spec:
    """Draw the distribution of people and, below it, a lane for each model and simple rule, the best first.

    A band across the lanes is the middle half of people. Where nobody's answers are known but those of most people,
    the ceiling takes the place of the median: the majority itself gets everything right.

    Parameters
    ----------
    table : DataFrame
        kind ("person", "model", "baseline"), name, score, low, high: numbers from 0 to 1.
    width : int
        Width of the whole chart, in pixels.
    """
    import altair as alt

    table = table.with_columns(pl.col("score", "low", "high") * 100)
    people = table.filter(pl.col("kind") == "person")["score"]
    raters = table.filter(pl.col("kind") != "person").sort("score", descending=True, maintain_order=True)
    raters = raters.select(
        "name", "low", "high", pl.col("kind").replace("baseline", "simple rule"), value="score"
    )
    names = labels(raters["name"], 26 if width > NARROW else 16)
    lowest = min([*people, *raters["value"], *raters["low"].drop_nulls(), CHANCE * 100])
    scale = alt.Scale(domain=[max(0, math.floor(lowest / 10 - 1e-9) * 10), 100], nice=False)
    place = alt.X("value:Q", title="Common sense (%)", scale=scale)
    records = [
        {
            **row,
            "name": names[row["name"]],
            "tip": f"{plain(row['name'])}: {row['value']:z.1f} %{bracketed_ends(SHARE, row)}",
        }
        for row in raters.iter_rows(named=True)
    ]
    hue, shape = by_model(sorted({*raters["kind"]}), width, "kind")
    lanes = alt.Chart(rows(records)).encode(
        y=alt.Y("name:N", sort=[*names.values()], title=None, axis=alt.Axis(labelLimit=0)),
        description="tip:N",
    )
    known = {"chance": CHANCE * 100} | (
        {"median of people": people.median()} if len(people) else {"ceiling": 100}
    )
    lines = rows([{"value": score, "name": name} for name, score in known.items()])
    dashed, named = named_line(alt.Chart(lines).encode(x=place))
    below = [dashed, *intervals(lanes, place, hue, shape)]
    whose = f"{len(people):,} people and of " if len(people) else ""
    about = f"Common sense of {whose}{', '.join(names)}. Each line is an interval."
    size: dict[str, Any] = {"width": width - letters(names.values()) - 40}
    if not len(people):
        return specification(alt.layer(named, *below).properties(height={"step": LANE}, **size), about)
    bars, band = _distribution(people, scale)
    drawn = alt.vconcat(
        alt.layer(bars, dashed, named).properties(height=TALL, **size),
        alt.layer(band, *below).properties(height={"step": LANE}, **size),
        spacing=14,
    )
    return specification(drawn, about)


def _distribution(people: pl.Series, scale: alt.Scale) -> tuple[alt.Chart, alt.Chart]:
    """Draw how many people have how much, and the middle half of them."""
    import altair as alt

    counts, edges = np.histogram(people, BINS, scale["domain"])
    bins = [
        {
            "from": low,
            "to": high,
            "count": count,
            "tip": f"{count:,} people between {low:.3g} and {high:.3g} %",
        }
        for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False)
        if count
    ]
    axis = alt.X("from:Q", scale=scale, title=None, axis=alt.Axis(labels=False))
    bars = alt.Chart(rows(bins)).mark_bar(color=COLOURS[0], opacity=0.5, binSpacing=1)
    up = alt.Y("count:Q", title=f"{len(people):,} people", axis=alt.Axis(tickCount=3))
    low, high = np.quantile(people, [0.25, 0.75]).tolist()
    half = [{"from": low, "to": high, "tip": f"middle half of people: {low:.1f} to {high:.1f} %"}]
    band = alt.Chart(rows(half)).mark_rect(color=COLOURS[0], opacity=0.12)
    return (
        bars.encode(x=axis, x2="to:Q", y=up, y2=alt.Y2Datum(0), description="tip:N"),
        band.encode(x=alt.X("from:Q", scale=scale), x2="to:Q", description="tip:N"),
    )


def statements_chart(table: pl.DataFrame, width: int) -> Spec:
    """Draw a panel for each of the models that correlate best with people: how many statements are where.

    The darkness of a cell grows with the square root of their number.

    Parameters
    ----------
    table : DataFrame
        model, people, value (of a statement to people and within the model), r, low, high, ceiling.
    width : int
        Width of the whole chart, in pixels.
    """
    import altair as alt

    models = table.unique("model", maintain_order=True)
    models = models.sort("r", descending=True, nulls_last=True, maintain_order=True).head(PANELS)
    shown = {row["model"]: row for row in models.iter_rows(named=True)}
    columns = min(COLUMNS if width > NARROW else 2, len(shown))
    side = min((width - 70 - 16 * columns) / columns, SIDE)
    titles = {
        name: f"{label}\n{_correlation(shown[name])}" for name, label in labels(shown, int(side / 8)).items()
    }
    cells = (
        table.filter(pl.col("model").is_in([*shown]))
        .select("model", (pl.col("people", "value") * CELLS).floor().clip(0, CELLS - 1) * (100 / CELLS))
        .group_by("model", "people", "value", maintain_order=True)
        .len("count")
        .with_columns(share=(pl.col("count") / pl.col("count").max().over("model")).sqrt().round(2))
    )
    records = [
        {
            "panel": titles[model],
            **{"x": x, "x2": x + 100 / CELLS, "y": y, "y2": y + 100 / CELLS},
            **{"share": share, "tip": counted(count, "statement")},
        }
        for model, x, y, count, share in cells.iter_rows()
    ]
    ends: dict[str, Any] = {"axis": alt.Axis(values=[0, 50, 100]), "scale": alt.Scale(domain=[0, 100])}
    cell = alt.Chart().mark_rect(color=COLOURS[0])
    drawn = cell.encode(
        x=alt.X("x:Q", title="People (%)", **ends),
        y=alt.Y("y:Q", title="Model (%)", **ends),
        x2="x2",
        y2="y2",
        opacity=alt.Opacity("share:Q", scale=None, legend=None),
        description="tip:N",
    )
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    facet = alt.Facet("panel:N", sort=[*titles.values()], header=header)
    square = alt.layer(drawn, data=rows(records)).properties(width=side, height=side)
    about = f"Commonsensicality of statements to people and within each of these models: {', '.join(shown)}"
    return specification(square.facet(facet=facet, columns=columns, spacing=16), about)


def _correlation(row: Mapping[str, Any]) -> str:
    if row["r"] is None:
        return ""
    most = "" if row["ceiling"] is None else f"\nceiling {row['ceiling']:z.2f}"
    return f"r = {row['r']:z.2f}{bracketed_ends(CORRELATION, row)}{most}"


def pq_chart(table: pl.DataFrame, width: int) -> Spec:
    """Draw a stair for each population: what the best group of each size shares; dashed where more is possible."""
    import altair as alt

    names = labels(table["population"])
    known = table.with_columns(pl.col("p", "q", "q_bound", "low", "high") * 100)
    known = known.with_columns(before=pl.col("p").shift(1, fill_value=0.0).over("population"))
    records = [
        {
            **row,
            "name": f"{row['raters']:,.0f} {names[row['population']]}",
            "tip": (
                f"{row['p']:.3g} % of them share {row['q']:.3g} % of the statements{bracketed_ends(SHARE, row)}"
            ),
        }
        for row in known.iter_rows(named=True)
    ]
    hue, _ = by_model([*dict.fromkeys(str(row["name"]) for row in records)], width, "name")
    # A stair begins at the left edge, as high as its first step.
    steps = [{**row, "p": 0.0} for row in records if row["before"] == 0] + records
    across = alt.X("p:Q", title="Share of the raters (%)", scale=alt.Scale(domain=[0, 100]))
    up = alt.Y("q:Q", title="Share of the statements (%)", scale=alt.Scale(domain=[0, 100]))
    chart = alt.Chart(rows(records)).encode(
        x=alt.X("before:Q", title=across["title"]), x2="p:Q", color=hue, description="tip:N"
    )
    line = alt.Chart(rows(steps)).mark_line(interpolate="step-before", strokeWidth=2.5)
    layers = [
        chart.mark_rect(opacity=0.18).encode(y=alt.Y("low:Q", title=up["title"]), y2="high:Q"),
        chart.transform_filter("datum.q_bound > datum.q")
        .mark_rule(aria=False, strokeDash=[3, 3])
        .encode(y=alt.Y("q_bound:Q", title=up["title"])),
        line.encode(x=across, y=up, color=hue, description="name:N"),
    ]
    about = f"Share of statements that a share of raters has in common, for {', '.join(names)}"
    return specification(fitted(layers, width, 280), about)
