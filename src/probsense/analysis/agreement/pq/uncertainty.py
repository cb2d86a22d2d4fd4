"""Estimates the uncertainty of a pq curve: its values with other people and other claims.

A curve is a maximum over groups, fitted to the people in the data. This decides how it can be resampled.

- *The bootstrap of people overestimates q.* A person who is drawn twice agrees with himself about everything, and only
  two thirds of the people are in a sample, so fewer people need to agree. The percentiles of such samples often do not
  contain the curve of the data.
- *The bootstrap of claims overestimates q*, too, but less: the best group in a sample is the one that the sample
  favours.
- *Half samples* without replacement (the default) count nobody twice. Their curves also lie above the curve of the
  data, because fewer people need to agree, so they give its standard error and nothing else. A sample of n of N
  without replacement has a variance in proportion to (1 − n/N)/n, which for n = N/2 is the 1/N of the whole sample
  (the delete-d jackknife: Shao & Wu 1989). The error is somewhat too large for an odd N, and towards p = 1.

For the same reason, curves of different numbers of people, or of models and people, are not comparable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.curve import pq_curve
from probsense.analysis.agreement.pq.definitions import Held
from probsense.analysis.inference.quantiles import Z
from probsense.analysis.inference.resampling import Intervals

DRAWS = 100
EFFORT = 1e8
"""Effort at which the search of a draw stops; a draw that is not exact is a little low."""


def half(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Draw half of them without replacement, rounded down but at least one."""
    return rng.permutation(size)[: max(size // 2, 1)]


def replicates(held: Held, rng: np.random.Generator, *, draws: int = DRAWS) -> NDArray[np.float64]:
    """Compute the curves of half samples of the people and of the claims.

    The i-th point of the curve of b people is that of the groups of k people with (k − 1)/(b − 1) ≥ (i − 1)/(N − 1):
    the same share of companions. Everybody agrees with himself, so the first member of a group counts for nothing.

    Parameters
    ----------
    held : ndarray of bool, shape (answers, people, claims)
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    ndarray, shape (draws, people)
        Values of q.
    """
    _, n, m = held.shape
    samples = (held[:, half(rng, n)][:, :, half(rng, m)] for _ in range(draws))
    return np.array([_read(pq_curve(sample, rng, effort=EFFORT).q, n) for sample in samples])


def band(value: NDArray[np.float64], replicates: NDArray[np.float64]) -> Intervals:
    """Compute normal intervals about a curve, or about its area, with the standard deviation of half samples.

    Parameters
    ----------
    value : ndarray, shape (...)
        q of the whole sample, or the area under it.
    replicates : ndarray, shape (draws, ...)
        The same for half samples.

    Returns
    -------
    Intervals
        NaN where all half samples have one value and the whole sample has another. For two people, for example, half
        is one person, who agrees with himself; this says nothing about two.
    """
    silent = (np.ptp(replicates, axis=0) == 0) & (replicates[0] != value)
    stderr = np.where(silent, np.nan, replicates.std(axis=0, ddof=1))
    reach = Z * stderr
    return Intervals(value, stderr, np.clip(value - reach, 0, 1), np.clip(value + reach, 0, 1))


def _read(q: NDArray[np.float64], points: int) -> NDArray[np.float64]:
    return q[-(-np.arange(points) * (len(q) - 1) // max(points - 1, 1))]
