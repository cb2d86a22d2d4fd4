"""Estimates from runs how models answer: how often right, how alike, and how unevenly over settings and forms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from probsense.analysis.comparison.aligned import Aligned
from probsense.analysis.comparison.scores import ItemScores, Scores


def pilot_answering(
    pilots: list[ItemScores], measure: str = "accuracy"
) -> tuple[Mapping[str, float], list[str]]:
    """Estimate from runs how models answer.

    Parameters
    ----------
    pilots : list of ItemScores
        One for each run.
    measure : str
        The column with hits.

    Returns
    -------
    Mapping of str to float
        By the name of the attribute of :class:`Answering`, what the runs tell: correlations are those of residuals
        from the means of strata, over pairs of siblings, and over questions that two runs have in common. The variance
        between settings is that of their means, less the one that clusters explain (method of moments, not below 0);
        that between forms is the mean product of the residuals, within right answers, of two clusters' answers in one
        stratum and form, since most forms have few answers.
    list of str
        Notes on what they do not tell.
    """
    found: dict[str, list[float]] = {}
    residuals = []
    for pilot in pilots:
        scores = Scores("", "", "", "", pilot.items, pilot.scores)
        table = scores.of(measure)
        aligned = Aligned(measure, ("",), table, table["score"].to_numpy()[None], (), (0,))
        found.setdefault("accuracy", []).append(float(aligned.weights @ aligned.values[0]) / table.height)
        stratum = pl.col("stratum").fill_null("")
        rest = table.with_columns(rest=pl.col("score") - pl.col("score").mean().over(stratum))
        residuals.append(rest)
        for name, value in _alone(rest):
            found.setdefault(name, []).append(value)
    for i, first in enumerate(residuals):
        for second in residuals[i + 1 :]:
            both = first.join(second.select("item", "rest"), on="item", suffix="_second")
            a, b = both["rest"].to_numpy(), both["rest_second"].to_numpy()
            if len(a) > 2 and a.any() and b.any():
                together = float((a * b).mean() / math.sqrt((a * a).mean() * (b * b).mean()))
                found.setdefault("shared", []).append(min(max(together, 0.0), 1.0))
    told = {name: float(np.mean(values)) for name, values in found.items()}
    notes = []
    if pilots and "shared" not in told:
        notes.append(
            "one pilot does not tell how far models err on the same questions: a second model's would"
            if len(pilots) == 1
            else "the pilots have no questions in common, so they do not tell how far models err on the same ones"
        )
    return told, notes


def _alone(rest: pl.DataFrame) -> Iterator[tuple[str, float]]:
    """Estimate what the residuals of one run tell."""
    square = float((rest["rest"].to_numpy() ** 2).mean())
    if not square:
        return
    sums = rest.group_by("cluster", "setting").agg(
        total=pl.col("rest").sum(), squares=(pl.col("rest") ** 2).sum(), n=pl.len()
    )
    pairs = int((sums["n"] * (sums["n"] - 1)).sum())
    if pairs:
        products = (sums["total"].to_numpy() ** 2 - sums["squares"].to_numpy()).sum()
        yield "alike", float(products) / pairs / square
    if sums["setting"].null_count() == 0 and sums["setting"].n_unique() > 1:
        settings = sums.group_by("setting").agg(
            mean=pl.col("total").sum() / pl.col("n").sum(),
            error=(pl.col("total") ** 2).sum() / pl.col("n").sum() ** 2,
        )
        between = (settings["mean"].to_numpy() ** 2 - settings["error"].to_numpy()).mean()
        yield "uneven", math.sqrt(max(float(between), 0.0))
    if rest["form"].null_count() == 0:
        # Forms with different right answers are of fixed kinds.
        own = pl.col("rest") - pl.col("rest").mean().over("stratum", "gold")
        cells = rest.with_columns(rest=own).group_by("stratum", "form", "cluster")
        total, n = pl.col("total"), pl.col("n").cast(pl.Float64)
        forms = (
            cells.agg(total=pl.col("rest").sum(), n=pl.len())
            .group_by("stratum", "form")
            .agg(products=total.sum() ** 2 - (total**2).sum(), pairs=n.sum() ** 2 - (n**2).sum())
        )
        if (forms["pairs"] > 0).any():
            products, couples = (float(forms[name].to_numpy().sum()) for name in ("products", "pairs"))
            yield "uneven_forms", math.sqrt(max(products / couples, 0.0))
