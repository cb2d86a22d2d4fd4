"""The chart of distributions: for some frames, the shares of people's and models' answers in each cluster.

It is drawn from a tidy table of :mod:`probsense.tasks.frames.chart_tables`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from probsense.show.shapes import APART, bars
from probsense.show.text import plain
from probsense.show.theme import (
    CHARACTER,
    NARROW,
    WIDE,
    Spec,
    labels,
    letters,
    specification,
    strings,
)
from probsense.show.words import ILLUSTRATIVE, PEOPLE
from probsense.tasks.frames.chart_tables import NO_CLUSTER

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

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
