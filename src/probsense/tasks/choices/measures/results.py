"""Everything that a model's answers amount to: estimates, the table of items, notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from probsense.analysis.human_choices.measures import entropy, model_entropy, people_entropy
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.proportions import proportion_estimate
from probsense.core.records import Item, Json
from probsense.tasks.choices.asking.answers import Given
from probsense.tasks.choices.asking.orders import Order
from probsense.tasks.choices.asking.prompts import LETTERS
from probsense.tasks.choices.items import Floats, padded
from probsense.tasks.choices.measures.estimates import (
    Study,
    baseline_estimates,
    estimates,
    people_estimates,
    study_of,
    values_of,
)
from probsense.tasks.choices.measures.notes import people_notes, people_warnings
from probsense.tasks.results import Results

LEAST: Final = 0.5
"""Below this share of answers that are options, a warning says so."""
COLUMNS: Final = {
    "id": pl.String,
    "cluster": pl.String,
    "data": pl.String,
    "group": pl.String,
    "options": pl.Int64,
    "people": pl.Float64,
    "people_entropy": pl.Float64,
    "gold": pl.Int64,
    "resp": pl.Int64,
    "covered": pl.Float64,
}
"""Columns of a run's table: what was asked, beside how many people and how spread their answers; the index of the right
option (null for none), and of the most probable one (null where no answer counts), and how much of the answers are
options (null where they were scored). After them comes a column for each measure."""


def measured(
    items: Sequence[Item],
    given: Sequence[Given],
    by: Mapping[str, Json],
    *,
    orders: Sequence[Sequence[Order]],
    drop: Sequence[str] = (),
    illustrative: bool = False,
    seed: int = 0,
) -> Results:
    """Measure one model's answers beside people's.

    Parameters
    ----------
    items : sequence of Item
    given : sequence of Given
        The answers to each.
    by : Mapping
        The model's name and how it was asked.
    orders : sequence of sequence of Order
        In which the options of each item were shown.
    drop : sequence of str
        Options that were left out.
    illustrative : bool
        Whether nobody was asked, and the answers of people are made up.
    seed : int
        Seeds the random halves of the people.

    Returns
    -------
    Results
        First people's own figures and those that need no model, then the model's.
    """
    study = study_of(items)
    answered = np.array([one.answers for one in given])
    pair = study.beside(padded(items, [one.shares for one in given]), answered)
    values = values_of(study, pair)
    own = {**values, "entropy": entropy(pair.q), "entropy_corrected": model_entropy(pair)}
    found = [
        *people_estimates(study, by),
        *baseline_estimates(study, by, np.random.default_rng([seed, 6])),
        *estimates(study, own, by),
        *_gold_estimates(study, given, by),
        *_order_estimates(study, given, orders, by),
        *_covered_estimates(study, given, by),
    ]
    effect = [_effect(one.by_order) for one in given]
    table = _table(items, given, people_entropy(study.people)).with_columns(
        *(pl.Series(name, column, pl.Float64, nan_to_null=True) for name, column in values.items()),
        pl.Series("order_effect", effect, pl.Float64, nan_to_null=True),
    )
    silent = int(np.isnan(pair.q).any(axis=1).sum())
    coverage: dict[str, Json] = {"asked": len(items), "measured": len(items) - silent}
    notes = people_notes(items, drop=drop)
    if illustrative:
        notes.insert(0, "ProbSense's own example questions were asked; --data FILE asks yours")
    if silent:
        notes.append(
            f"{silent:,} of {len(items):,} questions got no answer that is an option, and count nowhere"
        )
    first = ["the answers of people are made up: nobody was asked"] if illustrative else []
    return Results(
        found,
        [coverage],
        notes,
        table,
        warnings=[*first, *_warnings(given), *people_warnings(items)],
        illustrative=illustrative,
    )


def _table(items: Sequence[Item], given: Sequence[Given], spread: Floats) -> pl.DataFrame:
    rows = [
        (
            item.id,
            item.cluster,
            item.data["data"],
            item.data["group"],
            len(item.data["options"]),
            item.data["people"],
            float(own),
            int(item.gold) if item.gold else None,
            None if np.isnan(one.shares).any() else int(one.shares.argmax()),
            None if np.isnan(one.covered) else one.covered,
        )
        for item, one, own in zip(items, given, spread, strict=True)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _gold_estimates(study: Study, given: Sequence[Given], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the accuracy where some option is right."""
    chosen = [
        (one.shares.argmax() == int(item.gold), 1 / len(one.shares), item.cluster)
        for item, one in zip(study.items, given, strict=True)
        if item.gold and not np.isnan(one.shares).any()
    ]
    if not chosen:
        return []
    right, chance, clusters = zip(*chosen, strict=True)
    return [proportion_estimate("accuracy", by, right, clusters, chance=float(np.mean(chance)))]


def _effect(by_order: Floats) -> float:
    """Compute the variance of an option's share between the places where it stood, in the mean over the options."""
    return float(by_order.var(axis=0, ddof=1).mean()) if len(by_order) > 1 else float("nan")


def _order_estimates(
    study: Study, given: Sequence[Given], orders: Sequence[Sequence[Order]], by: Mapping[str, Json]
) -> list[Estimate]:
    """Estimate how much the order of the options matters, and how much each place pulls."""
    effects = np.array([_effect(one.by_order) for one in given])
    known = ~np.isnan(effects)
    if not known.any():
        return []
    found = [mean_estimate("order_effect", by, effects[known], study.clusters[known])]
    pulls: dict[int, list[tuple[float, str]]] = {}
    for one, own, cluster in zip(given, orders, study.clusters.tolist(), strict=True):
        if len(one.by_order):
            shown = np.array([row[list(order)] for row, order in zip(one.by_order, own, strict=True)])
            for place, pull in enumerate((shown.mean(axis=0) - 1 / shown.shape[1]).tolist()):
                pulls.setdefault(place, []).append((pull, cluster))
    for place, own_pulls in sorted(pulls.items()):
        values, clusters = zip(*own_pulls, strict=True)
        found.append(mean_estimate("place_pull", {**by, "place": LETTERS[place]}, values, clusters))
    return found


def _covered_estimates(study: Study, given: Sequence[Given], by: Mapping[str, Json]) -> list[Estimate]:
    covered = np.array([one.covered for one in given])
    if np.isnan(covered).any():
        return []
    return [mean_estimate("covered", by, covered, study.clusters)]


def _warnings(given: Sequence[Given]) -> list[str]:
    """Warn where most of what the model answered is no option."""
    covered = float(np.mean([one.covered for one in given]))
    if not covered < LEAST:
        return []
    return [
        f"only {100 * covered:.1f} % of the answers are options: what follows rests on these, and says little of the "
        "model; another prompt format or method may get more"
    ]
