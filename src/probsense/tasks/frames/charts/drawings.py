"""Draws the charts of frames, each from a tidy table of :mod:`probsense.tasks.frames.charts.tables`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from probsense.show.charts import forest_of_parts
from probsense.show.measure import Measure
from probsense.show.shapes.distributions import Distribution, distributions
from probsense.show.shapes.forest import axis_of
from probsense.show.theme import NARROW, WIDE, Spec, labels, specification, strings
from probsense.show.words import ILLUSTRATIVE, PEOPLE
from probsense.tasks.frames.charts.tables import NO_CLUSTER

if TYPE_CHECKING:
    import polars as pl


ROWS = 60
"""Frames that the forest shows at most: the nearest to people and the farthest."""
FARTHEST = 10.0
"""Where the forest ends; a value beyond it stands at its edge."""


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
    table = table.filter(pl.col("measure") == measure).rename({"frame": "part"})
    models = strings(table, "model")
    first = table.filter((pl.col("model") == models[0]) & pl.col("part").is_not_null())
    frames = first.sort("value", nulls_last=True, maintain_order=True)["part"].to_list()
    if len(frames) > ROWS:
        frames = [*frames[: ROWS // 2], *frames[-(ROWS // 2) :]]
    shown = table.filter(pl.col("part").is_null() | pl.col("part").is_in(frames))
    low, high = _ends(shown.iter_rows(named=True))
    axis = replace(axis_of(style), low=low, high=high)
    drawn = forest_of_parts(style, table, labels(frames, 24 if width > NARROW else 15), axis, width)
    about = f"{style.title} of each frame, for {', '.join(models)}. Each line is an interval."
    return specification(drawn, about)


def _ends(records: Iterable[Mapping[str, float | None]]) -> tuple[float, float]:
    """Find round ends for the axis."""
    found = [row[name] for row in records for name in ("value", "low", "high")]
    ends = [value for value in found if value is not None and math.isfinite(value)]
    low, high = min([0.0, *ends]), max([0.1, *ends])
    step = 0.1 if high - low < 1.2 else 0.5
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return max(low, -FARTHEST), min(high, FARTHEST)


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
    import polars as pl

    given = [name for name in strings(table, "model") if name in GIVEN]
    models = [name for name in strings(table, "model") if name not in GIVEN][:MODELS]
    who = labels([*given, *models])
    frames = {name: table.filter(pl.col("frame") == name) for name in strings(table, "frame")}
    by_frame = {name: _shares(own, [*who]) for name, own in frames.items()}
    nearest = sorted(by_frame, key=lambda name: _distance(by_frame[name], models))
    shown = {name: _largest(by_frame[name]) for name in _spread(nearest, PANELS)}
    longest = max(share for found in shown.values() for own in found.values() for share in own.values())
    panels = [
        Distribution(
            frames[name]["text"][0],
            [(cluster, whose, own.get(whose, 0.0)) for cluster, own in found.items() for whose in who],
        )
        for name, found in shown.items()
    ]
    most = math.ceil(max(longest, 0.1) * 10 - 1e-9) * 10
    about = f"Shares of the answers of {', '.join(who)} in each cluster, for {len(shown)} frames."
    return specification(distributions(panels, who, "Share of the answers (%)", most, width), about)


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
