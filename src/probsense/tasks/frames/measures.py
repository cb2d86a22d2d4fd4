"""What a comparison found, as estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.open_answers.questions import Counts
from probsense.analysis.open_answers.results import ReplicatedEstimate
from probsense.core.records import Json
from probsense.tasks.frames.compare import MAX_ANSWERS, Compared

LEVEL: Final = 0.95
RAREFIED: Final = "rarefied"
PROTOQA: Final = "protoqa"


def compared_estimates(compared: Compared, by: Mapping[str, Json]) -> list[Estimate]:
    """Return every estimate over all questions, then every estimate of each question.

    Parameters
    ----------
    compared : Compared
    by : Mapping
        What all estimates have in their ``by``; those of single questions have the key "frame", too.
    """
    results = compared.results
    n = len(results.questions)
    return [
        *(estimate(name, by, figure, n=n) for name, figure in results.overall.items()),
        *means({MAX_ANSWERS: compared.max_answers}, by, PROTOQA),
        *(
            estimate(name, {**by, "frame": question.id}, figure, n=question.answers)
            for question in results.questions
            for name, figure in question.estimates.items()
        ),
        *singles({MAX_ANSWERS: compared.max_answers}, by, PROTOQA),
    ]


def own_estimates(given: Mapping[str, Counts], by: Mapping[str, Json]) -> list[Estimate]:
    """Describe answers without people's: the share of empty ones, and the entropy of the different strings."""
    shares = {name: np.array([*own.values()]) / sum(own.values()) for name, own in given.items()}
    found = {
        "empty_rate": {name: own.get("", 0) / sum(own.values()) for name, own in given.items()},
        "entropy": {name: float(-(p * np.log(p)).sum()) for name, p in shares.items()},
    }
    return means(found, by, "clustered")


def estimate(
    measure: str, by: Mapping[str, Json], figure: ReplicatedEstimate, *, n: int, method: str = RAREFIED
) -> Estimate:
    """Make an estimate of a value with its replicates: their percentiles are the interval."""
    low, high = figure.interval(LEVEL)
    return Estimate(measure, by, figure.value, figure.stderr, low, high, LEVEL, n, n, method)


def means(values: Mapping[str, Mapping[str, float]], by: Mapping[str, Json], method: str) -> list[Estimate]:
    """Estimate the mean over questions of each measure that any question has, with its t interval."""
    return [
        replace(mean_estimate(name, by, [*own.values()], range(len(own)), level=LEVEL), method=method)
        for name, own in values.items()
        if own
    ]


def singles(values: Mapping[str, Mapping[str, float]], by: Mapping[str, Json], method: str) -> list[Estimate]:
    """Return each question's value of each measure; a single list of answers has no known interval."""
    unknown = ReplicatedEstimate(np.nan, np.zeros(0))
    return [
        estimate(name, {**by, "frame": question}, replace(unknown, value=value), n=1, method=method)
        for name, own in values.items()
        for question, value in own.items()
    ]
