"""Charts of models and simple rules among people: everyone's common sense as an individual."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from probsense.analysis.agreement.statements import person_scores
from probsense.analysis.inference.estimate import Estimate
from probsense.show.shapes.marks import intervals, named_line, percent
from probsense.show.text import plain
from probsense.show.theme import (
    COLOURS,
    NARROW,
    WIDE,
    Spec,
    by_model,
    labels,
    letters,
    rows,
    specification,
)
from probsense.tasks.judgments.measures.estimates import BASELINE, PEOPLE, overall
from probsense.tasks.judgments.people.study import Study

if TYPE_CHECKING:
    import altair as alt


def interval_words(row: Mapping[str, Any]) -> str:
    """Write the ends of the interval of a row, in per cent; "" if they are unknown."""
    low, high = known_or(row["low"]), known_or(row["high"])
    return "" if math.isnan(low + high) else f" [{low * 100:z.1f}, {high * 100:z.1f}]"


def known_or(value: float | None, otherwise: float = math.nan) -> float:
    """Return a value, or something else if it is None or NaN."""
    return otherwise if value is None or math.isnan(value) else value


LANE, TALL = 20, 130
"""Height of a rater's lane, and of the distribution of people, in pixels."""
BINS = 40
"""Bars in the distribution of people."""
CHANCE = 0.5
"""The score of guessing."""


def individuals(study: Study, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality as individuals: kind ("person", "model", "baseline"), name, score, low, high."""
    rows: list[tuple[str, str, float, float | None, float | None]] = []
    if study.persons:
        scores = person_scores(study.people).commonsensicality
        rows += [
            ("person", name, score, None, None)
            for name, score in zip(study.persons, scores.tolist(), strict=True)
            if score == score
        ]
    for estimate in overall(estimates, "commonsensicality"):
        name = str(estimate.by["model"])
        if name != PEOPLE and estimate.value == estimate.value:
            kind = "baseline" if name.startswith(BASELINE) else "model"
            known = estimate.low == estimate.low
            ends = (estimate.low, estimate.high) if known else (None, None)
            rows.append((kind, name.removeprefix(BASELINE), estimate.value, *ends))
    texts, numbers = (
        dict.fromkeys(("kind", "name"), pl.String),
        dict.fromkeys(("score", "low", "high"), pl.Float64),
    )
    return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")


def among_people_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
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

    raters = table.filter(pl.col("kind") != "person").sort("score", descending=True, maintain_order=True)
    people = table.filter(pl.col("kind") == "person")["score"].to_list()
    names = labels(raters["name"], 26 if width > NARROW else 16)
    lowest = min([*people, *raters["score"], *raters["low"].drop_nulls(), CHANCE])
    scale = alt.Scale(domain=[max(0, math.floor(lowest * 10 - 1e-9) * 10), 100], nice=False)
    place = alt.X("value:Q", title="Common sense (%)", scale=scale)
    kinds = {"model": "model", "baseline": "simple rule"}
    records = [
        {
            "name": names[row["name"]],
            "kind": kinds[row["kind"]],
            "tip": f"{plain(row['name'])}: {row['score'] * 100:z.1f} %{interval_words(row)}",
            **{
                key: percent(row[name])
                for key, name in (("value", "score"), ("low", "low"), ("high", "high"))
            },
        }
        for row in raters.iter_rows(named=True)
    ]
    hue, shape = by_model(
        [kind for kind in kinds.values() if kind in {row["kind"] for row in records}], width, "kind"
    )
    lanes = alt.Chart(rows(records)).encode(
        y=alt.Y("name:N", sort=[*names.values()], title=None, axis=alt.Axis(labelLimit=0)),
        description="tip:N",
    )
    inner = width - letters(names.values()) - 40
    last = {"median of people": median(people)} if people else {"ceiling": 1.0}
    lines = {"chance": CHANCE, **last}
    known = rows([{"value": score * 100, "name": name} for name, score in lines.items()])
    dashed, named = named_line(alt.Chart(known).encode(x=place))
    marks = intervals(lanes, place, hue, shape)
    whose = f"{len(people):,} people and of " if people else ""
    about = f"Common sense of {whose}{', '.join(names)}. Each line is an interval."
    if not people:
        below = alt.layer(dashed, named, *marks).properties(width=inner, height={"step": LANE})
        return specification(below, about)
    below = alt.layer(_middle_half(people, scale), dashed, *marks).properties(
        width=inner, height={"step": LANE}
    )
    above = alt.layer(_histogram(people, scale), dashed, named).properties(width=inner, height=TALL)
    return specification(alt.vconcat(above, below, spacing=14), about)


def _middle_half(people: Sequence[float], scale: alt.Scale) -> alt.Chart:
    import altair as alt

    low, high = (float(end) * 100 for end in np.quantile(people, [0.25, 0.75]))
    tip = f"middle half of people: {low:.1f} to {high:.1f} %"
    drawn: alt.Chart = (
        alt.Chart(rows([{"from": low, "to": high, "tip": tip}]))
        .mark_rect(color=COLOURS[0], opacity=0.12)
        .encode(x=alt.X("from:Q", scale=scale), x2="to:Q", description="tip:N")
    )
    return drawn


def _histogram(people: Sequence[float], scale: alt.Scale) -> alt.Chart:
    import altair as alt

    low, high = (end / 100 for end in scale["domain"])
    step = (high - low) / BINS
    counts = Counter(min(int((value - low) / step), BINS - 1) for value in people)
    bins = [
        {
            "from": (low + i * step) * 100,
            "to": (low + (i + 1) * step) * 100,
            "count": count,
            "tip": f"{count:,} people between {(low + i * step) * 100:.3g} and {(low + (i + 1) * step) * 100:.3g} %",
        }
        for i, count in sorted(counts.items())
    ]
    drawn: alt.Chart = (
        alt.Chart(rows(bins))
        .mark_bar(color=COLOURS[0], opacity=0.5, binSpacing=1)
        .encode(
            x=alt.X("from:Q", scale=scale, title=None, axis=alt.Axis(labels=False)),
            x2="to:Q",
            y=alt.Y("count:Q", title=f"{len(people):,} people", axis=alt.Axis(tickCount=3)),
            y2=alt.Y2Datum(0),
            description="tip:N",
        )
    )
    return drawn
