"""Tests whether larger models have more common sense: scores by number of parameters, from a table of sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from probsense.analysis.comparison.regression import size_effect
from probsense.analysis.inference.correlations import spearman
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import LEVEL, Z
from probsense.core.errors import InputError
from probsense.core.files.tables import read_table
from probsense.tasks.judgments.measures.estimates import overall
from probsense.tasks.judgments.measures.published import ALL_MODELS

MEASURES = ("commonsensicality", "group_r")
FEWEST = 5
"""An effect of size is estimated from at least this number of models."""
_EXPECTED = "the columns model, parameters (a number, in any unit) and family"


def read_sizes(path: Path) -> pl.DataFrame:
    """Read a table with the columns model, parameters and family, each model once.

    Raises
    ------
    InputError
        For a file that cannot be read, a column that is missing, a number that is none or not above 0, a model that
        stands twice.
    """
    table = read_table(path)
    table.columns("model", "parameters", "family", expected=_EXPECTED)
    parameters = table.numbers("parameters")
    table.refuse(
        ~((parameters > 0) & parameters.is_finite()).fill_null(False), "parameters", "a number above 0"
    )
    model, family = (table.texts(name).alias(name) for name in ("model", "family"))
    table.refuse_repeated(model.to_frame())
    return pl.DataFrame([model, parameters.alias("parameters"), family])


def size_estimates(
    estimates: Sequence[Estimate], models: Sequence[str], sizes: pl.DataFrame
) -> list[Estimate]:
    """Estimate what ten times the parameters add to scores (mixed model), and rank correlations with size.

    The intervals of rank correlations are those of Fieller, Hartley & Pearson (1957, Biometrika 44): artanh of
    Spearman's ρ has the variance 1.06/(n − 3), and artanh of Kendall's τ has .437/(n − 4).

    Parameters
    ----------
    estimates : sequence of Estimate
        A score that fewer than :data:`FEWEST` models with a size have is left out.
    models : sequence of str
        All models, with a score or without.
    sizes : DataFrame
        As from :func:`read_sizes`.

    Raises
    ------
    InputError
        If there are fewer than :data:`FEWEST` models with a size, or all are of one size or family.
    """
    from scipy.stats import kendalltau

    known = {name: (size, family) for name, size, family in sizes.iter_rows()}
    sized = sum(model in known for model in models)
    if sized < FEWEST:
        raise InputError(f"{sized} models with a size", expected=f"at least {FEWEST}")
    found = []
    for measure in MEASURES:
        scores = {str(e.by["model"]): e.value for e in overall(estimates, measure)}
        scored = [model for model in models if model in scores and model in known]
        if len(scored) < FEWEST:
            continue
        values = np.array([scores[model] for model in scored])
        parameters = np.array([known[model][0] for model in scored])
        families = [known[model][1] for model in scored]
        by, n = {"model": ALL_MODELS, "of": measure}, len(scored)
        slope = size_effect(values, parameters, families)
        ends = slope.stderr, slope.low, slope.high
        found.append(Estimate("size_effect", by, slope.slope, *ends, LEVEL, n, slope.families, "mixed model"))
        for name, rank, variance in (
            ("size_spearman", spearman(values, parameters).value, 1.06 / (n - 3)),
            ("size_kendall", float(kendalltau(values, parameters).statistic), 0.437 / (n - 4)),
        ):
            low = high = math.nan
            if abs(rank) < 1:
                z, half = math.atanh(rank), Z * math.sqrt(variance)
                low, high = math.tanh(z - half), math.tanh(z + half)
            found.append(Estimate(name, by, rank, math.nan, low, high, LEVEL, n, n, "ranks"))
    return found
