"""Finds the best groups of people for every size, by search or, where that is too large, greedily without a proof."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.definitions import Held
from probsense.analysis.agreement.pq.search import ROWS, Front, search, transposed, transposed_bound

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


def solve(held: Held, rng: np.random.Generator, effort: float) -> tuple[Front, NDArray[np.int64]]:
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


def _optimise(
    matrix: NDArray[np.bool_], rng: np.random.Generator, effort: float
) -> tuple[Front, NDArray[np.int64]]:
    front = Front.of(matrix)
    numbers = np.ascontiguousarray(matrix, dtype=np.float32)
    if len(matrix) > ROWS:
        greedy(numbers, front, rng)
    return front, search(numbers, front, effort=effort)
