"""Computes intervals, and paired differences between models, from bootstrap replicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.proportions import effective_wilson
from probsense.analysis.inference.quantiles import normal_quantile
from probsense.analysis.inference.resampling import batches, times_drawn

CELLS = 1 << 19
"""Number of statements times draws that are in memory at the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Hold estimates together with their values in each draw of a bootstrap.

    Attributes
    ----------
    value : ndarray, of any shape
        Estimates from all data.
    draws : ndarray, shape (draws, ...)
        The same estimates from data drawn with replacement.
    """

    value: NDArray[np.float64]
    draws: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Hold estimates with their standard errors and intervals, all of one shape."""

    value: NDArray[np.float64]
    stderr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def intervals(
    replicates: Replicates,
    *,
    level: float = 0.95,
) -> Intervals:
    """Compute normal intervals with the bootstrap standard error, value ± z·s (Efron & Tibshirani 1993, chapter 13).

    Quantiles of the draws would be biased. People drawn with replacement are fewer different people, so their majority
    is noisier than the real one, and agreement with it is lower in nearly every draw.

    Parameters
    ----------
    replicates : Replicates
    level : float
        Nominal coverage.

    Returns
    -------
    Intervals
        NaN where fewer than two draws have a known estimate.
    """
    stderr = _stderr(replicates.draws)
    half = normal_quantile(level) * stderr
    value = replicates.value
    return Intervals(value, stderr, value - half, value + half)


def share_intervals(replicates: Replicates, units: int, *, level: float = 0.95) -> Intervals:
    """Compute score intervals of shares of people, with the effective number that the bootstrap error gives.

    See :func:`~probsense.analysis.inference.proportions.effective_wilson`. A normal interval of such a share is cut
    off at 0 or 1, and is empty where nobody, or everybody, is beaten in every draw.

    Parameters
    ----------
    replicates : Replicates
        Shares of shape (models,).
    units : int
        People or statements, whichever are fewer.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Intervals
        NaN where fewer than two draws have a known share, and for a single unit.
    """
    value, stderr = replicates.value, _stderr(replicates.draws)
    low, high = np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    for i, (share, error) in enumerate(zip(value.tolist(), stderr.tolist(), strict=True)):
        low[i], high[i] = effective_wilson(share, error, most=units, units=units, level=level)
    return Intervals(value, stderr, low, high)


def differences(replicates: Replicates) -> Replicates:
    """Compute the paired differences between all models: in each draw they saw the same statements and people.

    Parameters
    ----------
    replicates : Replicates
        Estimates of shape (models,).

    Returns
    -------
    Replicates
        Differences of shape (models, models): the estimate of the row less that of the column.
    """
    value, draws = replicates.value, replicates.draws
    return Replicates(value[:, None] - value[None], draws[:, :, None] - draws[:, None, :])


def transformed(
    replicates: Replicates, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Replicates:
    """Apply a function to estimates, in every draw."""
    return Replicates(function(replicates.value), function(replicates.draws))


def times_in_parts(rng: np.random.Generator, n: int, draws: int) -> Iterator[NDArray[np.float64]]:
    """Yield :func:`~probsense.analysis.inference.resampling.times_drawn` of all draws, some at a time."""
    for some in batches(draws, n, CELLS):
        yield times_drawn(rng, n, some)


def _stderr(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(draws)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(known, draws - np.where(known, draws, 0).sum(axis=0) / count, 0)
        return np.where(count > 1, np.sqrt((apart**2).sum(axis=0) / (count - 1)), np.nan)
