"""Computes the pq curve: the largest share q of claims that a share p of people has in common.

For N people and M claims, q*(p) = max {|S| / M : a group P of people, |P| ≥ pN, shares every claim of S}. The groups
are the largest bicliques of the graph of people and answers (Whiting & Watts 2024, PNAS 121(4) e2309535121).

The functions work on one array ``held`` of shape (answers, people, claims), which tells whether a person holds that
answer to that claim. A group shares a claim if all of the group hold the same answer to it. A person holds at most one
answer to a claim.

A larger group has less in common than a smaller one, whoever is added. Do not compare a curve with a model with the
curve without it.

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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq_search import EFFORT, ROWS, Front, search, transposed, transposed_bound
from probsense.analysis.arrays import Bools, Floats, Ints
from probsense.analysis.inference.estimate import Z
from probsense.analysis.inference.resampling import Intervals
from probsense.core.errors import InputError

Held = Bools

ANSWERS = 16
"""A scale with more points is taken for probabilities, on which nobody agrees exactly."""


def same_answer(q1: Floats, q2: Floats | None = None) -> Held:
    """Count a claim as held in common if the answers are the same, whichever they are.

    Parameters
    ----------
    q1 : ndarray, shape (people, claims)
        Answers to "do you agree?": 0 and 1, or the points of a longer scale.
    q2 : ndarray, shape (people, claims), optional
        Answers to "would most people agree?". If they are given, a person holds an answer only if the person also
        expects it of most people. A group that shares a claim then agrees on it and knows that it does.

    Returns
    -------
    ndarray of bool, shape (answers, people, claims)
        One layer for each different answer in ``q1``, in increasing order.

    Raises
    ------
    InputError
        If answers are missing, arrays differ in shape, or there are more than :data:`ANSWERS` different answers.
    """
    q2 = q1 if q2 is None else q2
    if q1.shape != q2.shape:
        raise InputError(f"answers of shape {q2.shape} beside answers of shape {q1.shape}")
    if absent := int((np.isnan(q1) | np.isnan(q2)).sum()):
        raise InputError(f"{absent} answers are missing", expected="answers of everybody to every claim")
    values = np.unique(q1)
    if len(values) > ANSWERS:
        raise InputError(
            f"{len(values)} different answers", expected="answers such as 0 and 1, not probabilities"
        )
    answers = values[:, None, None]
    return np.asarray((q1 == answers) & (q2 == answers))


STARTS = 32
"""Number of rows from which groups are grown."""


def greedy(matrix: NDArray[np.float32], front: Front, rng: np.random.Generator) -> None:
    """Offer good groups of every size to a front.

    Chains of groups shrink from all rows and grow from single ones, one row at a time, and keep as many columns as
    possible.

    Parameters
    ----------
    matrix : ndarray of 0 and 1, shape (rows, columns)
    front : Front
    rng : numpy.random.Generator
    """
    _shrink(matrix, front)
    for start in rng.permutation(len(matrix))[:STARTS]:
        _grow(matrix, int(start), front)


def _shrink(matrix: NDArray[np.float32], front: Front) -> None:
    """Start from all rows and repeatedly leave out the row that alone keeps most columns from being shared."""
    group = np.ones(len(matrix), dtype=bool)
    lacks = 1 - matrix
    lacking = lacks.sum(axis=0)
    breadth = matrix.sum(axis=1)
    for _ in range(len(matrix) - 1):
        members = np.flatnonzero(group)
        gain = lacks[np.ix_(members, lacking == 1)].sum(axis=1)
        worst = members[np.lexsort((breadth[members], -gain))[0]]
        group[worst] = False
        lacking -= lacks[worst]
        front.offer(group, int((lacking == 0).sum()))


def _grow(matrix: NDArray[np.float32], start: int, front: Front) -> None:
    """Start from one row and repeatedly add the row that keeps most columns shared."""
    group = np.zeros(len(matrix), dtype=bool)
    best, part = start, matrix
    while part[best].any():
        group[best] = True
        part = part[:, part[best] > 0]
        front.offer(group, part.shape[1])
        if group.all():
            return
        best = int(np.where(group, -1, part.sum(axis=1)).argmax())


def solve(held: Held, rng: np.random.Generator, effort: float) -> tuple[Front, Ints]:
    """Find the groups of people that share the most claims.

    Parameters
    ----------
    held : ndarray of bool, shape (answers, people, claims)
    rng : numpy.random.Generator
        Generator of the heuristic that precedes the search.
    effort : float
        Number of additions at which the search stops.

    Returns
    -------
    Front
        Front over people; its entry of the empty group means nothing.
    ndarray of int, shape (people + 1,)
        Proven upper bound on the number of claims that k people share.
    """
    answers, people, claims = held.shape
    # Nobody holds two answers to a claim, so a group shares as many claims as it shares answers.
    matrix = held.transpose(1, 0, 2).reshape(people, answers * claims)
    if people <= claims:
        return _optimise(matrix, rng, effort)
    front, bound = _optimise(matrix.T, rng, effort)
    return transposed(front, matrix), np.minimum(transposed_bound(bound, people), claims)


def _optimise(matrix: Bools, rng: np.random.Generator, effort: float) -> tuple[Front, Ints]:
    front = Front.of(matrix)
    numbers = np.ascontiguousarray(matrix, dtype=np.float32)
    if len(matrix) > ROWS:
        greedy(numbers, front, rng)
    return front, search(numbers, front, effort=effort)


class Curve(NamedTuple):
    """Hold what groups of k = 1, …, N people have in common.

    Attributes
    ----------
    claims : int
        Number of claims, M.
    shared : ndarray of int, shape (N,)
        Number of claims shared by the best group found of at least k people; never rises with k.
    bound : ndarray of int, shape (N,)
        Proven upper bound on the number of claims that any group of k people shares; never rises with k.
    group : ndarray of bool, shape (N, N)
        The best group found of at least k people.
    """

    claims: int
    shared: Ints
    bound: Ints
    group: Bools

    @property
    def p(self) -> Floats:
        """Return the shares of people: 1/N, 2/N, …, 1."""
        return np.arange(1, len(self.shared) + 1) / len(self.shared)

    @property
    def q(self) -> Floats:
        """Return the shares of claims q*(p), exact wherever they reach :attr:`q_bound`."""
        return self.shared / self.claims

    @property
    def q_bound(self) -> Floats:
        """Return proven upper bounds of q*(p)."""
        return self.bound / self.claims

    @property
    def area(self) -> float:
        """Return the area under q*(p) for 0 < p ≤ 1, which is the mean of q because the curve is a step for each
        person.
        """
        return float(self.q.mean())


def pq_curve(held: Held, rng: np.random.Generator, *, effort: float = EFFORT) -> Curve:
    """Compute the curve for every p = k/N.

    The curve is exact where the search comes to its end: for some forty people and any number of claims, or the other
    way round, and for more people if they agree. Otherwise the truth lies between ``shared`` and ``bound``.

    Parameters
    ----------
    held : ndarray of bool, shape (answers, people, claims)
        Who holds which answer, as from :func:`same_answer`.
    rng : numpy.random.Generator
        Generator of the heuristic that precedes the search. An exact curve does not depend on it, but it may decide
        between equally good groups.
    effort : float
        Number of additions at which the search stops; with 0, only the heuristic and a bound without search remain.

    Raises
    ------
    InputError
        If there are no people or no claims.
    """
    _, people, claims = held.shape
    if not people or not claims:
        raise InputError(f"{people} people and {claims} claims", expected="at least one of each")
    front, bound = solve(held, rng, effort)
    return Curve(claims, front.shared[1:], bound[1:], front.group[1:])


DRAWS = 100
DRAW_EFFORT = 1e8
"""Effort at which the search of a draw stops; a draw that is not exact is a little low."""


def half(rng: np.random.Generator, size: int) -> Ints:
    """Draw half of them without replacement, rounded down but at least one."""
    return rng.permutation(size)[: max(size // 2, 1)]


def replicates(held: Held, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
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
    return np.array([_read(pq_curve(sample, rng, effort=DRAW_EFFORT).q, n) for sample in samples])


def band(value: Floats, replicates: Floats) -> Intervals:
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


def _read(q: Floats, points: int) -> Floats:
    return q[-(-np.arange(points) * (len(q) - 1) // max(points - 1, 1))]
