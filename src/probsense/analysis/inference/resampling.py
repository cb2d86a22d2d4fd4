"""Draws with replacement, as the number of times that each unit is drawn.

Published estimates depend on the random streams of these functions to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

MANY = 100_000
"""With more clusters than these, sums of what is drawn are taken from their normal limit, which then is closer than
thousands of draws can tell, and takes no time."""


def redrawn_counts(
    rng: np.random.Generator, counts: NDArray[np.int64] | NDArray[np.float64], draws: int
) -> NDArray[np.int64]:
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


def times_drawn(rng: np.random.Generator, n: int, draws: int) -> NDArray[np.float64]:
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


def index_times_drawn(rng: np.random.Generator, n: int, draws: int) -> NDArray[np.float64]:
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


def normal_sums(rng: np.random.Generator, totals: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
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
