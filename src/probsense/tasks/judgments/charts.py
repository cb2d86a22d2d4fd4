"""The chart of models among people, which only judgments have, and what is drawn in those of statements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from probsense.analysis.inference.bounded import share_curve
from probsense.show.chart import COLOURS, NARROW, Spec, by_model, labels, letters, rows, specification
from probsense.show.marks import SHARE, bracketed_ends, intervals, named_line
from probsense.show.text import plain
from probsense.tasks.judgments.measures.estimates import PEOPLE

if TYPE_CHECKING:
    import altair as alt

SHOWN = 12
"""The most statements that are shown."""
MODELS = 3
"""The most models whose statements are shown."""
FALSE = 0.05
"""The expected share of false departures among those that come first."""
LANE, TALL = 20, 130
"""Height of a rater's lane, and of the distribution of people, in pixels."""
BINS = 40
"""Bars in the distribution of people."""
CHANCE = 0.5
"""The score of guessing."""


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


def in_bins(table: pl.DataFrame) -> pl.DataFrame:
    """Put statements into bins of their common sense within a model, with the mean of that to people.

    Only the models are shown that correlate best with people.
    """
    r = pl.corr("value", "people").fill_nan(None)
    models = table.group_by("model", maintain_order=True).agg(r=r)
    best = models.sort("r", descending=True, nulls_last=True, maintain_order=True).head(MODELS)
    found = []
    for name in best["model"]:
        own = table.filter(model=name)
        curve = share_curve(own["value"].to_numpy()[:, None], own["people"].to_numpy()[:, None])
        found.append(curve.table("statements", model=name))
    return pl.concat(found)


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
