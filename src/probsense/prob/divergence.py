"""How far one distribution lies from another, in nats where logarithms enter.

All take people's distribution p first and the model's q second, along the last axis; all but :func:`emd` work on
any leading axes that broadcast.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.errors import InputError

TOTALS_AGREE = 1e-8
"""Masses to be carried from one place to another may differ by so much in all, relative to the first."""


def kl(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Kullback–Leibler divergence KL(p ‖ q) = Σ p log(p/q), with 0 log 0 = 0 (Kullback & Leibler 1951).

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        Nats, from 0; infinite where q is 0 and p is not.
    """
    from scipy.special import rel_entr

    return np.asarray(rel_entr(p, q).sum(axis=-1))


def js(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Jensen–Shannon divergence (KL(p ‖ m) + KL(q ‖ m))/2 with m = (p + q)/2 (Lin 1991).

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        Nats, from 0 to log 2.
    """
    p, q = _floats(p), _floats(q)
    middle = (p + q) / 2
    return (kl(p, middle) + kl(q, middle)) / 2


def total_variation(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Total variation distance Σ|p − q|/2: the mass that lies elsewhere.

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        From 0 to 1.
    """
    return np.asarray(np.abs(np.subtract(p, q)).sum(axis=-1) / 2)


def hellinger(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Hellinger distance √(Σ(√p − √q)²/2).

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        From 0 to 1.
    """
    return np.asarray(np.sqrt((np.subtract(np.sqrt(p), np.sqrt(q)) ** 2).sum(axis=-1) / 2))


def emd(p: ArrayLike, q: ArrayLike, cost: ArrayLike) -> float:
    """Earth mover's distance: the least cost of carrying p to q, solved exactly (Kantorovich 1942).

    The linear program min Σᵢⱼ costᵢⱼ xᵢⱼ with Σⱼ xᵢⱼ = pᵢ, Σᵢ xᵢⱼ = qⱼ and x ≥ 0, over the places that have mass.

    Parameters
    ----------
    p : array_like, shape (n,)
        Masses at the places of departure.
    q : array_like, shape (m,)
        Masses at the places of arrival.
    cost : array_like, shape (n, m)
        Cost of carrying one unit of mass.

    Returns
    -------
    float
        In the units of the cost, for a total mass of 1.

    Raises
    ------
    InputError
        For masses below 0 or not finite, totals that differ or are 0, and costs that are not finite or not of shape
        (n, m).
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye, kron, vstack

    supply, demand, costs = _floats(p), _floats(q), _floats(cost)
    total = _total_mass(supply)
    if not math.isclose(total, _total_mass(demand), rel_tol=TOTALS_AGREE):
        raise InputError(f"masses of {total:g} and {demand.sum():g} in all", expected="two of the same total")
    shape = (len(supply), len(demand))
    if costs.shape != shape or not np.isfinite(costs).all():
        raise InputError(f"costs of shape {costs.shape}", expected=f"finite costs of shape {shape}")
    costs = costs[np.ix_(supply > 0, demand > 0)]
    supply, demand = supply[supply > 0] / total, demand[demand > 0] / demand.sum()
    # The last constraint follows from the others; leaving it out keeps rounding from contradicting them.
    leave = kron(eye(len(supply)), np.ones((1, len(demand))))
    arrive = kron(np.ones((1, len(supply))), eye(len(demand)))
    constraints = vstack([leave, arrive], format="csr")[:-1]
    masses = np.concatenate([supply, demand])[:-1]
    return float(linprog(costs.ravel(), A_eq=constraints, b_eq=masses).fun)


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def _total_mass(mass: NDArray[np.float64]) -> float:
    total = float(mass.sum())
    if mass.ndim != 1 or not 0 < total < math.inf or mass.min() < 0:
        raise InputError("masses that are no distribution", expected="numbers from 0, not all of them 0")
    return total
