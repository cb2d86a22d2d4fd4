"""Finds the best groups of people for every size, over people or over claims, whichever are fewer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.definitions import Held
from probsense.analysis.agreement.pq.front import Front, transposed, transposed_bound
from probsense.analysis.agreement.pq.greedy import greedy
from probsense.analysis.agreement.pq.search import search
from probsense.analysis.agreement.pq.table import ROWS


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
