"""What answers amount to: the same function measures a run and recorded results."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.proportions import proportion_estimate
from probsense.core.records import Json
from probsense.tasks.results import Results

COLUMNS = {
    "model": pl.String,
    "prompting": pl.String,
    "id": pl.String,
    "cluster": pl.String,
    "factor": pl.Float64,
    "position": pl.String,
    "gold": pl.String,
    "resp": pl.String,
    "p_gold": pl.Float64,
}
"""Columns of the table, which has a row for each question: who was asked how; the question, its pair, and how many
times as heavy the heavier thing is; where the right thing is named (first or second); the right answer, the given one,
and the probability of the right one."""


def measured(table: pl.DataFrame) -> Results:
    """Measure the answers of one model or several.

    Parameters
    ----------
    table : DataFrame
        With :data:`COLUMNS`.
    """
    estimates, coverage = [], []
    for (model, prompting), own in table.group_by("model", "prompting", maintain_order=True):
        by: dict[str, Json] = {"model": str(model), "prompting": str(prompting)}
        estimates += _estimates(own, by)
        turned = own.group_by("cluster").agg(pl.col("resp").n_unique() > 1)["resp"]
        coverage.append(
            {**by, "asked": own.height, "pairs": len(turned), "decided by order": int(turned.sum())}
        )
    by_factor = table.group_by("model", "cluster", "factor", maintain_order=True).agg(pl.mean("p_gold"))
    return Results(estimates, coverage, table=table, tables={"p_gold_by_factor": by_factor})


def _estimates(table: pl.DataFrame, by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the measures overall, and the accuracy by where the right thing is named."""
    right, first = table["gold"] == table["resp"], table["position"] == "first"
    clusters = table["cluster"]
    return [
        proportion_estimate("accuracy", by, right, clusters, chance=0.5),
        mean_estimate("p_gold", by, table["p_gold"], clusters, chance=0.5),
        proportion_estimate("named_first", by, right == first, clusters),
        *(
            proportion_estimate(
                "accuracy", {**by, "position": name}, right.filter(own), clusters.filter(own), chance=0.5
            )
            for name, own in {"first": first, "second": ~first}.items()
        ),
    ]


def item_scores(table: pl.DataFrame) -> ItemScores:
    """Score each question of one model for comparisons: whether the answer is right, and how probable the right one is.

    Parameters
    ----------
    table : DataFrame
        With :data:`COLUMNS`.
    """
    items = table.select("cluster", "gold", item="id", label="resp", text="id", part="position")
    right = (pl.col("gold") == pl.col("resp")).alias("accuracy")
    return ItemScores(items, table.select(right, "p_gold"))
