"""Draws the charts of frames, each from a tidy table of :mod:`probsense.tasks.frames.charts.tables`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

from probsense.analysis.open_answers.bound import LEVEL
from probsense.show.charts import said
from probsense.show.measure import Measure
from probsense.show.shapes import APART, axis_of, bars, forest
from probsense.show.tables import OVERALL
from probsense.show.text import plain
from probsense.show.theme import (
    CHARACTER,
    INK,
    NARROW,
    WIDE,
    Spec,
    by_model,
    labels,
    letters,
    rows,
    specification,
    strings,
)
from probsense.show.words import ILLUSTRATIVE, PEOPLE
from probsense.tasks.frames.charts.tables import NO_CLUSTER

if TYPE_CHECKING:
    import altair as alt
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


PANELS, CLUSTERS, MODELS = 4, 8, 3
"""Frames whose distributions are shown, and the clusters and models in each."""

GIVEN = (PEOPLE, ILLUSTRATIVE)
"""Whose shares models are compared with."""

Shares = Mapping[str, Mapping[str, float]]
"""Shares of answers by cluster and by whom."""


def distributions_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each of some frames: a row for each cluster, a bar for people and for each model."""
    import altair as alt
    import polars as pl

    given = [name for name in strings(table, "model") if name in GIVEN]
    models = [name for name in strings(table, "model") if name not in GIVEN][:MODELS]
    who = labels([*given, *models])
    frames = {name: table.filter(pl.col("frame") == name) for name in strings(table, "frame")}
    by_frame = {name: _shares(own, [*who]) for name, own in frames.items()}
    nearest = sorted(by_frame, key=lambda name: _distance(by_frame[name], models))
    shown = {name: _largest(by_frame[name]) for name in _spread(nearest, PANELS)}
    size = 24 if width > NARROW else 15
    inner = width - max(letters(labels(found, size).values()) for found in shown.values()) - 40
    longest = max(share for found in shown.values() for own in found.values() for share in own.values())
    scale = alt.Scale(domain=[0, math.ceil(max(longest, 0.1) * 10 - 1e-9) * 10], nice=False)
    panels = [
        _panel(found, who, scale, inner, size, last=name == [*shown][-1]).properties(
            title=wrap(plain(frames[name]["text"][0]), int(inner / CHARACTER))
        )
        for name, found in shown.items()
    ]
    about = f"Shares of the answers of {', '.join(who)} in each cluster, for {len(shown)} frames."
    return specification(alt.vconcat(*panels, spacing=APART), about)


def _panel(
    found: Shares, who: Mapping[str, str], scale: alt.Scale, width: float, size: int, *, last: bool
) -> alt.Chart:
    """Draw the shares of one frame; only the last panel has the title of the axis."""
    import altair as alt

    clusters = labels(found, size)
    records = [
        {
            "outcome": label,
            "model": who[name],
            "share": found[cluster].get(name, 0.0) * 100,
            "tip": plain(f"{name}, {cluster}: {found[cluster].get(name, 0.0) * 100:z.1f} %"),
        }
        for cluster, label in clusters.items()
        for name in who
    ]
    place = alt.X("share:Q", title="Share of the answers (%)" if last else None, scale=scale)
    return bars(records, [*clusters.values()], [*who.values()], place, width)


def _shares(own: pl.DataFrame, who: Sequence[str]) -> dict[str, dict[str, float]]:
    """Look up shares by cluster and by whom: people's largest cluster first, answers in no cluster last."""
    found: dict[str, dict[str, float]] = {}
    for row in own.iter_rows(named=True):
        if row["model"] in who:
            found.setdefault(row["cluster"], {})[row["model"]] = row["share"]
    ordered = sorted(
        found, key=lambda name: (name == NO_CLUSTER, -_of_people(found[name]), -sum(found[name].values()))
    )
    return {name: found[name] for name in ordered}


def _of_people(own: Mapping[str, float]) -> float:
    return sum(own.get(name, 0.0) for name in GIVEN)


def _distance(found: Shares, models: Sequence[str]) -> float:
    """Return the total variation between the first model and people: half the sum of the differences of shares."""
    return (
        sum(abs(_of_people(own) - own.get(models[0], 0.0)) for own in found.values()) / 2 if models else 0.0
    )


def _largest(found: Shares) -> Shares:
    """Keep the first clusters and the last one, and put those between them into one row."""
    if len(found) <= CLUSTERS:
        return found
    names = [*found]
    rest = names[CLUSTERS - 2 : -1]
    who = dict.fromkeys(name for cluster in rest for name in found[cluster])
    others = {name: sum(found[cluster].get(name, 0.0) for cluster in rest) for name in who}
    kept = {name: found[name] for name in names[: CLUSTERS - 2]}
    return {**kept, f"{len(rest)} others": others, names[-1]: found[names[-1]]}


def _spread(names: Sequence[str], most: int) -> list[str]:
    """Choose names at even distances, the first and the last among them."""
    if len(names) <= most:
        return [*names]
    return [names[round(i * (len(names) - 1) / (most - 1))] for i in range(most)]
