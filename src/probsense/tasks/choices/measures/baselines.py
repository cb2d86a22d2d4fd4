"""Figures that need no model: how far people agree, and how far other people and simple answers are from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np

from probsense.analysis.human_choices import floors, halves
from probsense.analysis.human_choices.distributions import Distributions, Floats
from probsense.analysis.human_choices.measures import entropy, majority_share, people_entropy
from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import Json
from probsense.tasks.choices.measures.estimates import NAMES, Functions, Study, distances, estimates

PEOPLE, HALVES, UNIFORM, MAJORITY = "people", "halves", "uniform", "majority"
BY_DEFINITION: Final = "by definition"


def people_estimates(study: Study, by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how far people agree with one another."""
    found: Functions = {
        "entropy": lambda pair: entropy(pair.p),
        "entropy_corrected": lambda pair: np.where(pair.people > 0, people_entropy(pair), np.nan),
        "majority_share": majority_share,
    }
    return estimates(study, study.people, found, {**by, "model": PEOPLE}, parts=False)


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
    known = distances(study)
    people, half = {**by, "model": PEOPLE}, {**by, "model": HALVES}
    found = [*_zero(study, people), *estimates(own, study.people, _kept(floor_functions(rng), known), people)]
    if halved:
        found += _zero(study, half)
        found += estimates(own, study.people, _kept(half_functions(rng), known), half)
    as_many = np.nan_to_num(study.people.people, nan=np.inf)
    pairs = {
        UNIFORM: study.people,
        MAJORITY: study.beside(top_answers(study.people), as_many),
    }
    for name, pair in pairs.items():
        found += estimates(study, pair, known, {**by, "model": name})
    return found


def _kept(functions: Functions, known: Functions) -> Functions:
    return {name: function for name, function in functions.items() if name in known}


def _zero(study: Study, by: Mapping[str, Json]) -> list[Estimate]:
    """Say that the squared distance of people from people is 0 without the noise of both sides; it is no estimate."""
    known = int((study.people.people >= floors.FEWEST).sum())
    if not known:
        return []
    clusters = len({*study.clusters.tolist()})
    return [
        Estimate("squared_distance_corrected", by, 0.0, 0.0, 0.0, 0.0, 0.95, known, clusters, BY_DEFINITION)
    ]


def top_answers(pair: Distributions) -> Floats:
    """Give everything to the most frequent answer, the first of equals."""
    return np.asarray(np.arange(pair.p.shape[1]) == pair.p.argmax(axis=1)[:, None], dtype=np.float64)


def floor_functions(rng: np.random.Generator) -> Functions:
    """Return the noise floors: distances of another sample of as many people."""
    found = {NAMES[name]: function for name, function in floors.FLOORS.items() if name != "squared_corrected"}
    return {**found, "root_jensen_shannon": partial(floors.root_js, rng=rng)}


def half_functions(rng: np.random.Generator) -> Functions:
    """Return the expected distances between one half of the people and the other.

    The root of the Jensen–Shannon divergence is a mean over random halves.
    """
    found = {NAMES[name]: function for name, function in halves.HALVES.items()}
    return {**found, "root_jensen_shannon": partial(halves.root_js, rng=rng)}
