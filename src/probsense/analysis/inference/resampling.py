"""Draws with replacement, and computes intervals from what the draws give.

Published estimates depend on the random streams of these functions to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from probsense.analysis.arrays import Floats, Ints, filled, ratio
from probsense.analysis.inference.bounded import effective_wilson
from probsense.analysis.inference.estimate import LEVEL, Z

MANY = 100_000
"""With more clusters than these, sums of what is drawn are taken from their normal limit, which then is closer than
thousands of draws can tell, and takes no time."""


def redrawn_counts(rng: np.random.Generator, counts: Ints | Floats, draws: int) -> Ints:
    """Draw as many observations as there are from their own distribution (multinomial bootstrap).

    Parameters
    ----------
    rng : numpy.random.Generator
    counts : ndarray of whole numbers, shape (categories,)
        Number of observations in each category, at least one in all.
    draws : int

    Returns
    -------
    ndarray of int, shape (draws, categories)
    """
    total = int(counts.sum())
    return np.asarray(rng.multinomial(total, counts / total, size=draws))


def times_drawn(rng: np.random.Generator, n: int, draws: int) -> Floats:
    """Count how often each of n units comes in n draws with replacement.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
        Number of units, at least 1.
    draws : int

    Returns
    -------
    ndarray, shape (draws, n)
    """
    return redrawn_counts(rng, np.ones(n, dtype=np.int64), draws).astype(np.float64)


def index_times_drawn(rng: np.random.Generator, n: int, draws: int) -> Floats:
    """Count as :func:`times_drawn` does, from another random stream: that of the indices of the units drawn.

    Estimates of cluster bootstraps are published with this stream.

    Parameters
    ----------
    rng, n, draws
        As for :func:`times_drawn`.

    Returns
    -------
    ndarray, shape (draws, n)
    """
    drawn = rng.integers(n, size=(draws, n)) + n * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)


def normal_sums(rng: np.random.Generator, totals: Floats, draws: int) -> Floats:
    """Draw the sums of as many rows as there are, drawn with replacement, from their normal limit.

    By the central limit theorem the sums of n rows tₖ are normal with the mean Σ tₖ and the covariance
    Σ (tₖ − t̄)(tₖ − t̄)ᵀ.

    Parameters
    ----------
    rng : numpy.random.Generator
    totals : ndarray, shape (n, k)
    draws : int

    Returns
    -------
    ndarray, shape (draws, k)
    """
    apart = totals - totals.mean(axis=0)
    return rng.multivariate_normal(totals.sum(axis=0), apart.T @ apart, size=draws, method="eigh")


def batches(draws: int, width: int, cells: int) -> Iterator[int]:
    """Divide draws into batches that fit into memory.

    Parameters
    ----------
    draws : int
    width : int
        Numbers that one draw needs, at least 1.
    cells : int
        Numbers that may be in memory at the same time; a batch has at least one draw.

    Yields
    ------
    int
        Number of draws in each batch.
    """
    step = max(cells // width, 1)
    for start in range(0, draws, step):
        yield min(step, draws - start)


DRAWS = 2000
CELLS = 1 << 22
"""Number of draws times clusters that are in memory at the same time."""


def cluster_bootstrap(
    totals: Floats, statistic: Callable[[Floats], Floats], rng: np.random.Generator, *, draws: int = DRAWS
) -> tuple[float, float, float]:
    """Compute the interval of a statistic of sums by drawing whole clusters with replacement (Efron 1979).

    The sums of more than :data:`MANY` clusters are drawn from their normal limit.

    Parameters
    ----------
    totals : ndarray, shape (clusters, k)
        Contribution of each cluster to the k sums on which the statistic depends.
    statistic : callable
        Function that maps sums, shape (draws, k), to the statistic, shape (draws,).
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    (float, float, float)
        The standard error and both ends; NaN for a single cluster.
    """
    clusters = len(totals)
    if clusters < 2:
        return math.nan, math.nan, math.nan
    if clusters > MANY:
        found = statistic(normal_sums(rng, totals, draws))
    else:
        found = np.concatenate(
            [
                statistic(index_times_drawn(rng, clusters, some) @ totals)
                for some in batches(draws, clusters, CELLS)
            ]
        )
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(found.std(ddof=1)), float(low), float(high)


REPLICATE_CELLS = 1 << 19
"""Number of statements times draws that are in memory at the same time."""


class Replicates(NamedTuple):
    """Hold estimates together with their values in each draw of a bootstrap.

    Attributes
    ----------
    value : ndarray, of any shape
        Estimates from all data.
    draws : ndarray, shape (draws, ...)
        The same estimates from data drawn with replacement.
    """

    value: Floats
    draws: Floats

    @classmethod
    def of(cls, parts: Iterable[Floats]) -> Replicates:
        """Gather estimates from all data, of shape (1, ...), and those of draws, as by :func:`times_in_parts`."""
        (value,), *draws = parts
        return cls(value, np.concatenate(draws))


def gathered(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Replicates]:
    """Gather several estimates by name, from all data and from draws, as :meth:`Replicates.of` does each."""
    return {name: Replicates.of(part[name] for part in parts) for name in parts[0]}


class Intervals(NamedTuple):
    """Hold estimates with their standard errors and intervals, all of one shape."""

    value: Floats
    stderr: Floats
    low: Floats
    high: Floats


def intervals(replicates: Replicates) -> Intervals:
    """Compute normal intervals with the bootstrap standard error, value ± z·s (Efron & Tibshirani 1993, chapter 13).

    Quantiles of the draws would be biased. People drawn with replacement are fewer different people, so their majority
    is noisier than the real one, and agreement with it is lower in nearly every draw.

    Parameters
    ----------
    replicates : Replicates

    Returns
    -------
    Intervals
        NaN where fewer than two draws have a known estimate.
    """
    stderr = _stderr(replicates.draws)
    half = Z * stderr
    value = replicates.value
    return Intervals(value, stderr, value - half, value + half)


def share_intervals(replicates: Replicates, units: Ints) -> Intervals:
    """Compute score intervals of shares of people, with the effective number that the bootstrap error gives.

    See :func:`~probsense.analysis.inference.bounded.effective_wilson`. A normal interval of such a share is cut
    off at 0 or 1, and is empty where nobody, or everybody, is beaten in every draw.

    Parameters
    ----------
    replicates : Replicates
        Shares of shape (models,).
    units : ndarray of int, shape (models,)
        People or statements of each model, whichever are fewer.

    Returns
    -------
    Intervals
        NaN where fewer than two draws have a known share, and for a single unit.
    """
    value, stderr = replicates.value, _stderr(replicates.draws)
    each = zip(value.tolist(), stderr.tolist(), units.tolist(), strict=True)
    ends = [effective_wilson(share, error, most=own, units=own) for share, error, own in each]
    return Intervals(value, stderr, *np.reshape(ends, (-1, 2)).T)


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


def transformed(replicates: Replicates, function: Callable[[Floats], Floats]) -> Replicates:
    """Apply a function to estimates, in every draw."""
    return Replicates(function(replicates.value), function(replicates.draws))


def times_in_parts(rng: np.random.Generator, n: int, draws: int) -> Iterator[Floats]:
    """Yield how often each of n units comes: once in all data, then :func:`times_drawn`, some draws at a time."""
    yield np.ones((1, n))
    for some in batches(draws, n, REPLICATE_CELLS):
        yield times_drawn(rng, n, some)


def _stderr(draws: Floats) -> Floats:
    count = (~np.isnan(draws)).sum(axis=0)
    apart = filled(draws - ratio(filled(draws).sum(axis=0), count))
    return np.sqrt(ratio((apart**2).sum(axis=0), count - 1))
