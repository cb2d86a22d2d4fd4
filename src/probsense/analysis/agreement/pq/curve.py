"""Computes the pq curve: the largest share q of claims that a share p of people has in common.

For N people and M claims, q*(p) = max {|S| / M : a group P of people, |P| ≥ pN, shares every claim of S}. The groups
are the largest bicliques of the graph of people and answers (Whiting & Watts 2024, PNAS 121(4) e2309535121).

A larger group has less in common than a smaller one, whoever is added. Do not compare a curve with a model with the
curve without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.definitions import Held
from probsense.analysis.agreement.pq.groups import solve
from probsense.analysis.agreement.pq.search import EFFORT
from probsense.core.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
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
    shared: NDArray[np.int64]
    bound: NDArray[np.int64]
    group: NDArray[np.bool_]

    @property
    def p(self) -> NDArray[np.float64]:
        """Return the shares of people: 1/N, 2/N, …, 1."""
        return np.arange(1, len(self.shared) + 1) / len(self.shared)

    @property
    def q(self) -> NDArray[np.float64]:
        """Return the shares of claims q*(p), exact wherever they reach :attr:`q_bound`."""
        return self.shared / self.claims

    @property
    def q_bound(self) -> NDArray[np.float64]:
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
        Who holds which answer, from :mod:`~probsense.analysis.agreement.pq.definitions`.
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
