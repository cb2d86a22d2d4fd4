"""How certain a pq curve is: what it would have been with other people and other claims.

A curve is a maximum over groups, fitted to the people at hand, and this decides how it may be resampled.

- *The bootstrap of people over-states q.* Whoever is drawn twice agrees with himself about everything, and as only
  two thirds of the people are in a sample at all, there are fewer to agree. Often the percentiles of such samples do
  not even contain the curve they were drawn for.
- *The bootstrap of claims over-states q*, too, if less: the best group in a sample is the one that the sample
  favours.
- *Half samples* without replacement (the default) count nobody twice. Their level is above that of the curve as well,
  since fewer people need to agree, so they give its standard error and nothing else: n of N without replacement have
  a variance in proportion to (1 − n/N)/n, which for n = N/2 is the 1/N of the whole sample (the delete-d jackknife:
  Shao & Wu 1989). For an odd N, and towards p = 1, the error is somewhat too large.

For the same reason the curves of different numbers of people, or of models and people, cannot be compared as they
are: draw as many of each (:func:`rarefied`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.agreement.pq.curve import pq_curve
from probsense.agreement.pq.definitions import Held
from probsense.errors import InputError
from probsense.stats.quantiles import normal_quantile

DRAWS = 200
EFFORT = 1e9
"""Where the search of a draw stops; a draw that is not exact is a little low."""

Sampler = Callable[[np.random.Generator, int], NDArray[np.int64]]
"""From the number of people or claims to the indices of those drawn."""


class Band(NamedTuple):
    """Standard errors and intervals: of q for every p of a curve, shape (N,), or of its area, shape ().

    NaN where unknown.
    """

    stderr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def half(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Half of them (rounded down, at least one), none twice."""
    return rng.permutation(size)[: max(size // 2, 1)]


def everyone(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """All of them."""
    return np.arange(size)


def some(number: int) -> Sampler:
    """A sampler of a number of them, none twice."""

    def draw(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        if number > size:
            raise InputError(f"cannot draw {number} of {size}", expected="no more than there are")
        return rng.permutation(size)[:number]

    return draw


def replicates(
    held: Held,
    rng: np.random.Generator,
    *,
    people: Sampler = half,
    claims: Sampler = half,
    points: int | None = None,
    draws: int = DRAWS,
    effort: float = EFFORT,
) -> NDArray[np.float64]:
    """Curves of samples of the people and of the claims.

    Parameters
    ----------
    held : ndarray of bool, shape (answers, people, claims)
    rng : numpy.random.Generator
    people, claims : callable
        How each of them is sampled.
    points : int, optional
        How many points of each curve are read off; by default there are as many as people. The i-th point of a
        curve of b people is that of the groups of k people with (k − 1) / (b − 1) ≥ (i − 1) / (points − 1): the same
        share of companions. Everybody agrees with himself, so the first of a group counts for nothing.
    draws : int
    effort : float
        Where the search in one draw stops, in additions.

    Returns
    -------
    ndarray, shape (draws, points)
        Values of q.
    """
    _, n, m = held.shape
    samples = (held[:, people(rng, n)][:, :, claims(rng, m)] for _ in range(draws))
    return np.array([_read(pq_curve(sample, rng, effort=effort).q, points or n) for sample in samples])


def band(value: NDArray[np.float64], replicates: NDArray[np.float64], *, level: float = 0.95) -> Band:
    """Normal intervals about a curve, or about its area, with the standard deviation of half samples.

    Parameters
    ----------
    value : ndarray, shape (...)
        q of the whole sample, or the area under it.
    replicates : ndarray, shape (draws, ...)
        The same for half samples.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Band
        NaN where all half samples have one value, and the whole another: of two people in all, half are one, who
        agrees with himself, and that says nothing about two.
    """
    silent = (np.ptp(replicates, axis=0) == 0) & (replicates[0] != value)
    stderr = np.where(silent, np.nan, replicates.std(axis=0, ddof=1))
    reach = normal_quantile(level) * stderr
    return Band(stderr, np.clip(value - reach, 0, 1), np.clip(value + reach, 0, 1))


def rarefied(
    held: Held,
    rng: np.random.Generator,
    people: int,
    *,
    draws: int = DRAWS,
    effort: float = EFFORT,
) -> NDArray[np.float64]:
    """The curve that is to be expected of fewer people, so that it can be set beside that of so many others.

    Parameters
    ----------
    held, rng, draws, effort
        As in :func:`replicates`.
    people : int
        How many of the people are drawn each time, none twice; the claims stay.

    Returns
    -------
    ndarray, shape (people,)
        Mean of q*(k / people) over draws, an unbiased estimate.
    """
    found = replicates(
        held, rng, people=some(people), claims=everyone, points=people, draws=draws, effort=effort
    )
    mean: NDArray[np.float64] = found.mean(axis=0)
    return mean


def _read(q: NDArray[np.float64], points: int) -> NDArray[np.float64]:
    return q[-(-np.arange(points) * (len(q) - 1) // max(points - 1, 1))]
