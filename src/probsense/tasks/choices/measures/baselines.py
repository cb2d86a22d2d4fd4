"""Baselines that need no model (other people, equal shares, the majority), and where a model stands between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import polars as pl

from probsense.analysis.human_choices import estimates as linear
from probsense.analysis.human_choices import floors, halves, measures
from probsense.analysis.human_choices.estimates import Values
from probsense.analysis.human_choices.measures import Distributions
from probsense.analysis.inference.correlations import fisher_interval
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json
from probsense.tasks.choices.measures.estimates import NAMES, PLUG_IN, Functions, Study, estimated

PEOPLE, HALVES, UNIFORM, MAJORITY = "people", "halves", "uniform", "majority"
BY_DEFINITION: Final = "by definition"
BASE: Final = "total_variation"
"""The distance that normalised ones are made of."""


def people_estimates(study: Study, by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how far people agree with one another."""
    found: Functions = {
        "entropy": lambda pair: measures.entropy(pair.p),
        "entropy_corrected": lambda pair: np.where(pair.people > 0, measures.people_entropy(pair), np.nan),
        "majority_share": measures.majority_share,
    }
    return study.estimates(study.people, found, {**by, "model": PEOPLE}, parts=False)


def baseline_estimates(
    study: Study, by: Mapping[str, Json], rng: np.random.Generator, *, halved: bool = False
) -> list[Estimate]:
    """Estimate the distances of other people, of halves of the people, and of answers that need no model.

    Parameters
    ----------
    study : Study
    by : Mapping
        What else the estimates describe.
    rng : numpy.random.Generator
        For the distances that no sum gives.
    halved : bool
        Whether to add the distances between halves.

    Returns
    -------
    list of Estimate
        With "model": "people" (another sample of as many people, the noise floor), "halves" (one half of the people
        from the other), "uniform" (equal shares) and "majority" (all of it on the most frequent answer, the first of
        equals, as if as many had been asked).
    """
    own = study._replace(answers=None)  # Random halves would move with every answer that is left out.
    known = study.distances
    found = []
    for name, functions, root in (
        (PEOPLE, floors.FLOORS, floors.root_js),
        (HALVES, halves.HALVES, halves.root_js),
    )[: 1 + halved]:
        about = {**by, "model": name}
        named = {NAMES[key]: function for key, function in functions.items() if key != "squared_corrected"}
        named["root_jensen_shannon"] = partial(root, rng=rng)
        shown = {key: function for key, function in named.items() if key in known}
        found += [*_zero(study, about), *own.estimates(study.people, shown, about)]
    as_many = np.nan_to_num(study.people.people, nan=np.inf)
    top = study.people.p.argmax(axis=1)[:, None]  # the first of equals
    all_on_top = (np.arange(study.people.p.shape[1]) == top).astype(np.float64)
    for name, pair in ((UNIFORM, study.people), (MAJORITY, study.beside(all_on_top, as_many))):
        found += study.estimates(pair, known, {**by, "model": name})
    return found


def _zero(study: Study, by: Mapping[str, Json]) -> list[Estimate]:
    """Say that the squared distance of people from people is 0 without the noise of both sides; it is no estimate."""
    known = int((study.people.people >= floors.FEWEST).sum())
    if not known:
        return []
    clusters = len({*study.clusters.tolist()})
    return [
        Estimate("squared_distance_corrected", by, 0.0, 0.0, 0.0, 0.0, 0.95, known, clusters, BY_DEFINITION)
    ]


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
    apart, floor = Values(measures.total_variation(pair)), Values(floors.total_variation(pair))
    level = Values(floors.from_uniform(BASE, pair))
    others = Values(floors.from_others(BASE, pair, rng))
    of_uniform = "normalised", apart, floor, level
    if floors.is_noisy(floor.values, level.values):
        nearest = measures.squared_corrected(pair)
        furthest = floors.from_uniform("squared_corrected", pair)
        of_uniform = "normalised_squared", Values(nearest), Values(0 * nearest), Values(furthest)
    found = []
    for name, near, least, far in (of_uniform, ("normalised_others", apart, floor, others)):
        all_three = Values(near.values + least.values + far.values)
        found += estimated(name, all_three, linear.normalised(near, least, far, study.clusters), by)
    sets = np.array([item.data["data"] for item in study.items], dtype=np.str_)
    score = floors.simbench(apart.values, level.values, sets)
    known = ~np.isnan(score)
    if known.any():
        one = mean_estimate("simbench_score", by, score[known], study.clusters[known])
        found.append(replace(one, method=PLUG_IN))
    return [*found, *_spreads(study, pair, by)]


def _spreads(study: Study, pair: Distributions, by: Mapping[str, Json]) -> list[Estimate]:
    """Correlate the ranks of the entropies of the model and of people."""
    r = measures.entropy_correlation(pair)
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
        A row for each bin that has options: :meth:`~probsense.analysis.inference.bounded.ShareCurve.table`.
    list of Estimate
        "calibration_error".
    """
    curve = measures.calibration(pair)
    table = curve.table("options", model=str(by["model"]))
    if table.is_empty():
        return table, []
    known = ~np.isnan(pair.p + pair.q).any(axis=1)
    one = mean_estimate("calibration_error", by, curve.gap, study.clusters[known])
    return table, [replace(one, method=PLUG_IN)]
