"""What all measures share: how answers are measured, what raters are called, and estimates made of draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from probsense.analysis.agreement.bootstrap import DRAWS, statement_bootstrap
from probsense.analysis.arrays import Floats, Ints
from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.analysis.inference.resampling import Replicates, intervals, share_intervals
from probsense.core.errors import InputError
from probsense.core.options import checked_seed
from probsense.core.records import Json

Policy: TypeAlias = Literal["split", "drop", "wrong", "separate"]
"""What becomes of answers that are neither yes nor no: :data:`probsense.analysis.distributions.label_mass.POLICIES`."""

PEOPLE = "people"
BASELINE = "baseline: "
TWO_WAY, STATEMENTS = "two-way bootstrap", "statement bootstrap"
OF_PEOPLE = ("percentile", "win_rate")
"""Measures that are shares of people, with score intervals."""
SCORES = ("consensus", "awareness", "commonsensicality")


@dataclass(frozen=True, slots=True)
class Settings:
    """How intervals are drawn.

    Attributes
    ----------
    draws : int
        Draws of each bootstrap.
    seed : int
        Seeds all draws.

    Raises
    ------
    InputError
        For a negative seed, or fewer than two draws.
    """

    draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.draws < 2:
            raise InputError(f"{self.draws} draws", expected="at least 2")

    def generator(self, use: int) -> np.random.Generator:
        """Return a generator of random numbers; each use has its own."""
        return np.random.default_rng([self.seed, use])


def bare_estimate(
    measure: str, by: Mapping[str, Json], value: float, n: int, clusters: int, method: str
) -> Estimate:
    """Make an estimate without an interval."""
    return Estimate(measure, by, value, math.nan, math.nan, math.nan, LEVEL, n, clusters, method)


def estimates_of(
    measure: str,
    names: Sequence[str],
    replicates: Replicates,
    n: Ints,
    clusters: Ints,
    method: str,
    by: Mapping[str, Json] | None = None,
) -> Iterator[Estimate]:
    """Make an estimate for each rater whose value is known.

    Parameters
    ----------
    measure : str
    names : sequence of str
        The raters.
    replicates : Replicates
        Their values, and what came out of each draw.
    n, clusters : ndarray of int, shape (raters,)
        Observations, and independent groups of them.
    method : str
    by : Mapping, optional
        Which part of the data the estimates describe.
    """
    shares = measure in OF_PEOPLE
    found = share_intervals(replicates, np.minimum(n, clusters)) if shares else intervals(replicates)
    for i, name in enumerate(names):
        if not math.isnan(found.value[i]):
            value, stderr, low, high = (float(x[i]) for x in found)
            whose, units = {"model": name, **(by or {})}, int(clusters[i])
            yield Estimate(measure, whose, value, stderr, low, high, LEVEL, int(n[i]), units, method)


def score_estimates(
    names: Sequence[str],
    answers: tuple[Floats, Floats],
    key: Floats,
    settings: Settings,
    use: int,
    method: str,
    by: Mapping[str, Json] | None = None,
) -> tuple[list[Estimate], dict[str, Replicates]]:
    """Score raters by what most people say, and draw statements for the intervals.

    Parameters
    ----------
    names : sequence of str
        The raters.
    answers : (ndarray, ndarray), shape (raters, statements)
        To the first and to the second question.
    key : ndarray, shape (statements,)
        What most people say.
    settings : Settings
    use : int
        Names the stream of random numbers.
    method : str
    by : Mapping, optional
        Which part of the data the estimates describe.

    Returns
    -------
    list of Estimate
        Those of :data:`SCORES`, the last first.
    dict of str to Replicates
        The draws behind them.
    """
    drawn = statement_bootstrap(*answers, key, settings.generator(use), draws=settings.draws)
    n = (~np.isnan(answers[0] + key)).sum(axis=1)
    parts = (estimates_of(name, names, drawn[name], n, n, method, by) for name in reversed(SCORES))
    return [*chain.from_iterable(parts)], drawn


def overall(estimates: Sequence[Estimate], measure: str) -> list[Estimate]:
    """Select the first estimate of each rater over all statements, whatever the prompting."""
    found: dict[object, Estimate] = {}
    for estimate in estimates:
        if estimate.measure == measure and set(estimate.by) - {"prompting"} == {"model"}:
            found.setdefault(estimate.by["model"], estimate)
    return [*found.values()]


def estimate_table(estimates: Sequence[Estimate], measure: str, keys: Sequence[str]) -> pl.DataFrame:
    chosen = [e for e in estimates if e.measure == measure]
    columns: Mapping[str, list[object]] = {key: [e.by[key] for e in chosen] for key in keys}
    numbers = {name: [getattr(e, name) for e in chosen] for name in ("value", "low", "high")}
    return pl.DataFrame({**columns, **numbers})
