"""Counts how often intervals hold the truth, for all studies of coverage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.people.study import Study

Rng = np.random.Generator
Floats = NDArray[np.float64]
SKINS_DRAWN = 400_000
"""Skins whose mean is the truth over all skins."""


class Interval(NamedTuple):
    """An interval for a data set, and the truth behind it."""

    low: float
    high: float
    truth: float


class Both(NamedTuple):
    """Estimates over questions, and over questions and skins."""

    questions: Estimate
    skins: Estimate


class Covered(NamedTuple):
    """The shares of sets whose intervals hold the truth, and the mean half-widths of these intervals."""

    questions: float
    skins: float
    half_questions: float
    half_skins: float


class OverSkins(Protocol):
    """A study of WorldSense whose truth is a mean over all skins."""

    def truth(self) -> float:
        """Compute the truth."""

    def draw(self, rng: Rng) -> Both:
        """Ask a model once."""


def held(low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> float:
    """Compute the share of intervals that hold the truth."""
    return float(np.mean((np.asarray(low) <= truth) & (truth <= np.asarray(high))))


def coverage(draw: Callable[[Rng], Interval], replications: int, seed: int) -> float:
    """Compute the share of the data sets whose interval covers the truth."""
    rng = np.random.default_rng(seed)
    return held(*np.transpose([draw(rng) for _ in range(replications)]))


def coverage_over_skins(study: OverSkins, replications: int, seed: int) -> Covered:
    """Compute the shares of the sets whose intervals hold the truth, and the mean half-widths."""
    rng, truth = np.random.default_rng(seed), study.truth()
    drawn = [study.draw(rng) for _ in range(replications)]
    low, high = (np.array([[getattr(e, end) for e in both] for both in drawn]) for end in ("low", "high"))
    shares = (held(low[:, k], high[:, k], truth) for k in range(2))
    return Covered(*shares, *map(float, ((high - low) / 2).mean(axis=0)))


def among_people(models: Sequence[str], people: People, first: Floats, second: Floats | None = None) -> Study:
    """Set models beside people; ``first`` and ``second`` are probabilities of yes, shape (models, statements)."""
    unknown = np.full((*first.shape, 3), np.nan)
    mass = {"q1": _mass(first), "q2": unknown if second is None else _mass(second), "q3": unknown}
    names = tuple(map(str, range(people.people)))
    return Study(tuple(models), np.arange(people.statements), mass, "split", False, people, names)


def _mass(yes: Floats) -> Floats:
    return np.stack([yes, 1 - yes, np.zeros_like(yes)], axis=2)
