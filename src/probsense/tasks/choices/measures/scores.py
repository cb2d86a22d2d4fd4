"""Scores that need more than one distance of a question: normalised distances, SimBench's score, calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from probsense.analysis.human_choices import estimates as linear
from probsense.analysis.human_choices import floors, normalised
from probsense.analysis.human_choices.distributions import Distributions
from probsense.analysis.human_choices.estimates import Values
from probsense.analysis.human_choices.measures import (
    calibration,
    entropy_correlation,
    squared_corrected,
    total_variation,
)
from probsense.analysis.inference.correlations import fisher_interval
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json
from probsense.tasks.choices.measures.estimates import PLUG_IN, Study, estimated

BASE: Final = "total_variation"
"""The distance that normalised ones are made of."""


def score_estimates(
    study: Study, pair: Distributions, by: Mapping[str, Json], rng: np.random.Generator
) -> list[Estimate]:
    """Estimate what sets the total variation between two landmarks, and how spreads go together.

    Parameters
    ----------
    study : Study
    pair : Distributions
        A model beside people.
    by : Mapping
    rng : numpy.random.Generator
        For the choice of other questions.

    Returns
    -------
    list of Estimate
        "normalised" (0: as many other people, 1: equal shares) or, where people are too few for it,
        "normalised_squared" (of the corrected squared distance; 0: everybody); "normalised_others" (1: people's answers
        to other questions with as many options), "simbench_score" and "entropy_correlation". A normalised distance is
        left out where other people are no nearer than what lies at 1.
    """
    apart, floor = Values(total_variation(pair)), Values(floors.total_variation(pair))
    level = Values(normalised.from_uniform(BASE, pair))
    others = Values(normalised.from_others(BASE, pair, rng))
    of_uniform = "normalised", apart, floor, level
    if normalised.is_noisy(floor.values, level.values):
        nearest, furthest = squared_corrected(pair), normalised.from_uniform("squared_corrected", pair)
        of_uniform = "normalised_squared", Values(nearest), Values(0 * nearest), Values(furthest)
    found = []
    for name, near, least, far in (of_uniform, ("normalised_others", apart, floor, others)):
        all_three = Values(near.values + least.values + far.values)
        found += estimated(name, all_three, linear.normalised(near, least, far, study.clusters), by)
    sets = np.array([item.data["data"] for item in study.items], dtype=np.str_)
    score = normalised.simbench(apart.values, level.values, sets)
    known = ~np.isnan(score)
    if known.any():
        one = mean_estimate("simbench_score", by, score[known], study.clusters[known])
        found.append(replace(one, method=PLUG_IN))
    return [*found, *_spreads(study, pair, by)]


def _spreads(study: Study, pair: Distributions, by: Mapping[str, Json]) -> list[Estimate]:
    """Correlate the ranks of the entropies of the model and of people."""
    r = entropy_correlation(pair)
    if not np.isfinite(r.value):
        return []
    known = ~np.isnan(pair.p + pair.q).any(axis=1)
    n, clusters = int(known.sum()), len(np.unique(study.clusters[known]))
    low, high = fisher_interval(r.value, clusters)
    return [
        Estimate("entropy_correlation", by, r.value, np.nan, low, high, 0.95, n, clusters, "ranks", p=r.p)
    ]


def calibrated(
    study: Study, pair: Distributions, by: Mapping[str, Json]
) -> tuple[pl.DataFrame, list[Estimate]]:
    """Compare the shares that a model gives with people's, in bins of the model's share.

    Returns
    -------
    DataFrame
        A row for each bin that has options: :meth:`~probsense.analysis.inference.proportions.ShareCurve.table`.
    list of Estimate
        "calibration_error".
    """
    curve = calibration(pair)
    table = curve.table("options", model=str(by["model"]))
    if table.is_empty():
        return table, []
    known = ~np.isnan(pair.p + pair.q).any(axis=1)
    one = mean_estimate("calibration_error", by, curve.gap, study.clusters[known])
    return table, [replace(one, method=PLUG_IN)]
