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
    fine = ((parameters > 0) & parameters.is_finite()).fill_null(False)
    table.refuse(~fine, "parameters", "a number above 0")
    model, family = (table.texts(name).alias(name) for name in ("model", "family"))
    table.refuse_repeated(model.to_frame())
    return pl.DataFrame([model, parameters.alias("parameters"), family])


def size_estimates(
    estimates: Sequence[Estimate], models: Sequence[str], sizes: pl.DataFrame
) -> list[Estimate]:
    """Estimate what ten times the parameters add to scores (mixed model), and the rank correlation with size.

    The interval of the rank correlation is that of Fieller, Hartley & Pearson (1957, Biometrika 44): artanh of
    Spearman's ρ has the variance 1.06/(n − 3).

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
    known = {name: (size, family) for name, size, family in sizes.iter_rows()}
    sized = sum(model in known for model in models)
    if sized < FEWEST:
        raise InputError(f"{sized} models with a size", expected=f"at least {FEWEST}")
    found = []
    for measure in MEASURES:
        scored = [e for e in overall(estimates, measure) if e.by["model"] in known]
        if len(scored) < FEWEST:
            continue
        parameters, families = zip(*(known[str(e.by["model"])] for e in scored), strict=True)
        values, by, n = np.array([e.value for e in scored]), {"model": ALL_MODELS, "of": measure}, len(scored)
        slope = size_effect(values, np.array(parameters), families)
        ends = slope.stderr, slope.low, slope.high
        found.append(Estimate("size_effect", by, slope.slope, *ends, LEVEL, n, slope.families, "mixed model"))
        rank = spearman(values, np.array(parameters)).value
        low = high = math.nan
        if abs(rank) < 1:
            half = Z * math.sqrt(1.06 / (n - 3))
            low, high = (math.tanh(math.atanh(rank) + side * half) for side in (-1, 1))
        found.append(Estimate("size_spearman", by, rank, math.nan, low, high, LEVEL, n, n, "ranks"))
    return found
