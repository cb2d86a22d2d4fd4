"""Estimates the noise floor of a distance of few people from all their answers at once.

The estimate is a function of how many people chose the most frequent option, the second, and so on, the one whose
expectation is nearest to the floor for all shares of everybody; see :mod:`~probsense.analysis.human_choices.floors`.
It takes no sum over options, and is nearer with very few people than one that does. What is expected of a distance that
is itself a sum over options follows from one option at a time; that of any other is a sum over all pairs of answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from scipy.special import gammaln

from probsense.analysis.arrays import Floats, Ints

Distance = Callable[[Floats, Floats], Floats]
"""A function of two arrays of shares, along the last axis, that does not depend on the order of options."""
Expected = Callable[[int, Floats], Floats]
"""A function of n and of shares of everybody, shape (rows, options), that returns the floor at each row."""

CELLS: Final = 1 << 24
"""The most numbers in all pairs of ways to answer a question for which they are listed."""
FINER: Final = 3
"""The shares of everybody at which expectations are compared are as many times finer than people's."""
RIDGE: Final = 1e-5
"""Keeps the estimate from swinging for the last thousandth of accuracy."""


def all_counts(n: int, options: int) -> Ints:
    """List the numbers of n people by option, shape (ways, options): where the bars stand among n stars."""
    places = n + options - 1
    bars = np.array([*combinations(range(places), options - 1)], dtype=np.int64).reshape(-1, options - 1)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, places)))
    return np.asarray(np.diff(edges, axis=1) - 1)


def partitions(n: int, parts: int) -> list[tuple[int, ...]]:
    """List the ways to write n as a sum of so many numbers, none larger than the one before; zeros come last."""

    def below(rest: int, places: int, most: int) -> Iterator[tuple[int, ...]]:
        if places == 1:
            yield (rest,)
            return
        for first in range(min(rest, most), -(-rest // places) - 1, -1):
            yield from ((first, *others) for others in below(rest - first, places - 1, first))

    return [*below(n, parts, n)]


def is_listed(n: int, options: int) -> bool:
    """Tell whether so many people and options are few enough for :func:`estimates`."""
    return math.comb(n + options - 1, options - 1) ** 2 * options <= CELLS


def _chances(n: int, ways: Ints, shares: Floats) -> Floats:
    """Compute the multinomial probabilities of ways to answer, shape (rows of shares, ways)."""
    # The logarithm of 0 stays finite, so that 0 people add 0.
    logs = np.log(np.maximum(shares, np.finfo(np.float64).tiny)) @ ways.T
    return np.asarray(np.exp(gammaln(n + 1) - gammaln(ways + 1).sum(axis=1) + logs))


def between(distance: Distance, n: int, shares: Floats) -> Floats:
    """Compute the expected distance of two samples of n people over all pairs of ways to answer, shape (rows,)."""
    ways = all_counts(n, shares.shape[1])
    chance = _chances(n, ways, shares)
    apart = np.array([distance(one, ways / n) for one in ways / n])
    return np.asarray(((chance @ apart) * chance).sum(axis=1))


@lru_cache(maxsize=256)
def estimates(expected: Expected, n: int, options: int) -> tuple[Ints, Floats]:
    """Return all numbers of people by option, the largest first, and the estimate of the floor from each.

    The values are the least squares solution of E h(X) = E d(X/n, Y/n) for X and Y multinomial, over a lattice of
    shares. They are 0 where all people agree.

    Parameters
    ----------
    expected : callable
    n, options : int
        At least two of each.
    """
    ways = all_counts(n, options)
    sorted_ways = -np.sort(-ways, axis=1)
    kinds, kind = np.unique(sorted_ways, axis=0, return_inverse=True)
    finer = max(FINER * n, 4 * FINER)
    shares = np.array(partitions(finer, options)) / finer
    of_kind = np.zeros((len(kinds), len(shares)))
    np.add.at(of_kind, kind.ravel(), _chances(n, ways, shares).T)
    inner = of_kind[kinds[:, 0] < n].T
    normal = inner.T @ inner / len(shares) + RIDGE * np.eye(inner.shape[1])
    values = np.zeros(len(kinds))
    values[kinds[:, 0] < n] = np.linalg.solve(normal, inner.T @ expected(n, shares) / len(shares))
    return kinds, values


def floor(expected: Expected, counts: Ints, n: int) -> Floats:
    """Estimate the floor from the numbers of n people by option.

    Parameters
    ----------
    expected : callable
    counts : ndarray of int, shape (questions, options)
        Rows sum to n.
    n : int

    Returns
    -------
    ndarray, shape (questions,)
    """
    kinds, values = estimates(expected, n, counts.shape[1])
    own = -np.sort(-counts, axis=1)
    _, place = np.unique(np.concatenate([kinds, own]), axis=0, return_inverse=True)
    return np.asarray(values[place.ravel()[len(kinds) :]])
