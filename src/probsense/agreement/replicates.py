"""Figures with their bootstrap replicates: intervals, and differences between models from the same draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.stats.quantiles import normal_quantile
from probsense.stats.resampling import batches, times_drawn

CELLS = 1 << 19
"""Statements times draws that are worked on at the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Figures, and what they are in each draw of a bootstrap.

    Attributes
    ----------
    value : ndarray, of any shape
        From all data.
    draws : ndarray, shape (draws, ...)
        The same figures from data drawn with replacement.
    """

    value: NDArray[np.float64]
    draws: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Figures with their standard errors and intervals, all of one shape."""

    value: NDArray[np.float64]
    stderr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def intervals(
    replicates: Replicates,
    *,
    level: float = 0.95,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Intervals:
    """Normal intervals with the bootstrap standard error, value ± z·s (Efron & Tibshirani 1993, chapter 13).

    Quantiles of the draws themselves would not do: people drawn with replacement are fewer different people, their
    majority is noisier than the real one, and agreement with it lower in nearly every draw.

    Parameters
    ----------
    replicates : Replicates
    level : float
        Nominal coverage.
    within : tuple of float
        What the figure cannot leave: intervals are cut off there.

    Returns
    -------
    Intervals
        NaN with fewer than two draws in which the figure is known.
    """
    stderr = _stderr(replicates.draws)
    half = normal_quantile(level) * stderr
    value = replicates.value
    return Intervals(value, stderr, np.maximum(value - half, within[0]), np.minimum(value + half, within[1]))


def differences(replicates: Replicates) -> Replicates:
    """Differences between all models, paired: in each draw they saw the same statements and people.

    Parameters
    ----------
    replicates : Replicates
        Of shape (models,).

    Returns
    -------
    Replicates
        Of shape (models, models): the row's figure less the column's.
    """
    value, draws = replicates.value, replicates.draws
    return Replicates(value[:, None] - value[None], draws[:, :, None] - draws[:, None, :])


def transformed(
    replicates: Replicates, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Replicates:
    """A function of figures, in every draw."""
    return Replicates(function(replicates.value), function(replicates.draws))


def times_in_parts(rng: np.random.Generator, n: int, draws: int) -> Iterator[NDArray[np.float64]]:
    """Yield :func:`~probsense.stats.resampling.times_drawn` of all draws, some at a time."""
    for some in batches(draws, n, CELLS):
        yield times_drawn(rng, n, some)


def _stderr(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(draws)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(known, draws - np.where(known, draws, 0).sum(axis=0) / count, 0)
        return np.where(count > 1, np.sqrt((apart**2).sum(axis=0) / (count - 1)), np.nan)
