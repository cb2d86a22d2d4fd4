"""The measures of a task that names none: answers to prompts with options or labels, beside right ones and people's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from probsense.analysis.arrays import Floats
from probsense.analysis.distributions.option_views import distribution
from probsense.analysis.human_choices.floors import FLOORS
from probsense.analysis.human_choices.measures import MEASURES, distributions
from probsense.analysis.inference.bounded import proportion_estimate
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate, mean_of_known
from probsense.core.errors import InputError
from probsense.core.records import Item, Json
from probsense.show.words import PEOPLE, read_words
from probsense.tasks.base import Answers, Method, Task
from probsense.tasks.results import Results
from probsense.tasks.shared.options import (
    OPTION_WORDS,
    option_estimates,
    option_notes,
    option_table,
    scored_by,
)
from probsense.tasks.shared.orders import by_place, names_of

PLAIN_WORDS: Final = read_words("probsense.tasks.shared", "plain_words.toml", base=OPTION_WORDS)
"""The words of tasks that bring none: those of options, labels and distances from people."""
LABEL_COLUMNS: Final = {
    **dict.fromkeys(("id", "cluster", "gold", "resp"), pl.String),
    **dict.fromkeys(("p_gold", "other"), pl.Float64),
}
"""Columns of the table of answers by labels: the right one, the most probable one, the share of the right one among the
labels, and the probability of everything else."""

DISTANCES: Final = {"total_variation": "total_variation", "squared_distance_corrected": "squared_corrected"}
"""The measures of distance from people, by the names of their estimates."""


def plain_results(
    task: Task, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json], seed: int
) -> Results:
    """Measure accuracy, label mass, and the distance from people, as far as items know of each.

    Parameters
    ----------
    task : Task
    items : sequence of Item
    method : {"options", "labels"}
    answers : Mapping of Request to Response
    by : Mapping
        What the estimates describe.
    seed : int
        Seeds the intervals that are drawn.

    Returns
    -------
    Results
        With options the estimates of :func:`~probsense.tasks.shared.options.option_estimates`; with labels "accuracy",
        "p_gold", "other_mass", and "label_mass" by ``label``; with people :data:`DISTANCES`; of people
        "accuracy", and the "total_variation" of another sample of as many.
    """
    if method == "options":
        scored = scored_by(task, answers)
        table = option_table([*map(by_place, items)], scored, "sum")
        shares = [distribution(scored(item)[0], "sum") for item in items]
        found, notes = option_estimates(table, by, "sum", seed=seed), option_notes(table)
    else:
        table, shares = _label_table(task, items, answers)
        found, notes = _label_estimates(table, items, shares, by), []
    coverage = [{"asked": len(items), "with_gold": table["gold"].count()}]
    return Results([*found, *_distances(items, shares, by)], coverage, notes, table)


def _label_table(task: Task, items: Sequence[Item], answers: Answers) -> tuple[pl.DataFrame, list[Floats]]:
    """Make a row for each item, and return the shares of its labels among each other; NaN where none has any."""
    rows, shares = [], []
    for item in items:
        response: Any = answers[task.requests(item, "labels", answers)[0]]
        mass = np.array([*response.mass.values()])
        total = mass.sum()
        own = mass / total if total > 0 else np.full(len(mass), np.nan)
        by_name = dict(zip(response.mass, own.tolist(), strict=True))
        best = max(by_name, key=by_name.__getitem__) if total > 0 else None
        rows.append((item.id, item.cluster, item.gold or None, best, by_name.get(item.gold), response.other))
        shares.append(own)
    return pl.DataFrame(rows, schema=LABEL_COLUMNS, orient="row"), shares


def _label_estimates(
    table: pl.DataFrame, items: Sequence[Item], shares: Sequence[Floats], by: Mapping[str, Json]
) -> list[Estimate]:
    """Estimate accuracy where something is right; the mass of each label, if all items have the same; and the rest."""
    found, names, clusters = [], names_of(items[0]), table["cluster"]
    judged = table.filter(pl.col("gold").is_not_null() & pl.col("p_gold").is_not_nan())
    if judged.height:
        right, own = (judged["gold"] == judged["resp"]).fill_null(False), judged["cluster"]
        chance = float(np.mean([1 / len(names_of(item)) for item in items if item.gold]))
        found = [
            proportion_estimate("accuracy", by, right, own, chance=chance),
            mean_estimate("p_gold", by, judged["p_gold"], own, chance=chance),
        ]
    if all(names_of(item) == names for item in items):
        for name, values in zip(names, np.stack(shares).T, strict=True):
            found += mean_of_known("label_mass", {**by, "label": name}, values, clusters)
    return [*found, mean_estimate("other_mass", by, table["other"], clusters)]


def _distances(items: Sequence[Item], shares: Sequence[Floats], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate distances from people's answers; of people, how often they are right, and another sample's distance."""
    pairs = zip(items, shares, strict=True)
    asked = [(item, own) for item, own in pairs if any(item.data.get("people", {}).values())]
    if not asked:
        return []
    most = max(len(own) for _, own in asked)
    counts, model = (np.full((len(asked), most), np.nan) for _ in range(2))
    for row, (item, own) in enumerate(asked):
        names = names_of(item)
        if strange := sorted({*item.data["people"]} - {*names}):
            raise InputError(f"people answered {strange[0]!r} to item {item.id!r}", expected=", ".join(names))
        counts[row, : len(names)] = [item.data["people"].get(name, 0) for name in names]
        model[row, : len(names)] = own
    pair = distributions(counts, model)
    clusters = [item.cluster for item, _ in asked]
    people = {**by, "model": PEOPLE}

    found: list[Estimate] = []
    if all(item.gold for item, _ in asked):
        right = [pair.p[row, names_of(item).index(item.gold)] for row, (item, _) in enumerate(asked)]
        found.append(mean_estimate("accuracy", people, right, clusters))
    for measure, name in DISTANCES.items():
        found += mean_of_known(measure, by, MEASURES[name].function(pair), clusters)
    return found + mean_of_known("total_variation", people, FLOORS["total_variation"](pair), clusters)
