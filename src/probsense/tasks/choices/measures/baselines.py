"""Figures that need no model: how far people agree, and how far other people and simple answers are from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np

from probsense.analysis.human_choices import floors, halves
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
    found = []
    for name, functions, root in (
        (PEOPLE, floors.FLOORS, floors.root_js),
        (HALVES, halves.HALVES, halves.root_js),
    )[: 1 + halved]:
        about = {**by, "model": name}
        named: Functions = {
            **{NAMES[key]: function for key, function in functions.items() if key != "squared_corrected"},
            "root_jensen_shannon": partial(root, rng=rng),
        }
        shown = {key: function for key, function in named.items() if key in known}
        found += [*_zero(study, about), *estimates(own, study.people, shown, about)]
    as_many = np.nan_to_num(study.people.people, nan=np.inf)
    top = study.people.p.argmax(axis=1)[:, None]  # the first of equals
    all_on_top = (np.arange(study.people.p.shape[1]) == top).astype(np.float64)
    for name, pair in ((UNIFORM, study.people), (MAJORITY, study.beside(all_on_top, as_many))):
        found += estimates(study, pair, known, {**by, "model": name})
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
