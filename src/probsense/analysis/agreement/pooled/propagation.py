"""Approximates the posterior of a crossed logistic model with known spreads, by expectation propagation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.given import MEAN_SD, Answers

_NODES, _WEIGHTS = hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_ROUNDS, _ENOUGH, _LEAST = 200, 1e-5, 1e-10
_DAMPED = 0.9
"""How far a round moves towards the new factors."""


class Factors(NamedTuple):
    """Hold the normal factors exp(shift·η − precision·η²/2) that stand for the answers; shapes (k,)."""

    precision: NDArray[np.float64]
    shift: NDArray[np.float64]


class Approximation(NamedTuple):
    """Hold the normal approximation of a posterior.

    Attributes
    ----------
    location, variance : ndarray, shape (statements,)
        Mean and variance of each statement's location μ + bᵢ, in log odds.
    leaning, leaning_variance : ndarray, shape (k,)
        Mean and variance of the leaning of each answer's person, as if the answer were not known.
    factors : Factors
    evidence : float
        Logarithm of the marginal likelihood.
    gradient : ndarray, shape (2,)
        Its derivatives by the logarithms of the spreads of people and of statements.
    """

    location: NDArray[np.float64]
    variance: NDArray[np.float64]
    leaning: NDArray[np.float64]
    leaning_variance: NDArray[np.float64]
    factors: Factors
    evidence: float
    gradient: NDArray[np.float64]


def no_factors(count: int) -> Factors:
    """Return factors to start from, which say next to nothing."""
    return Factors(np.full(count, _LEAST), np.zeros(count))


def approximate(answers: Answers, spreads: NDArray[np.float64], start: Factors) -> Approximation:
    """Approximate the posterior of P(person j says yes to statement i) = logistic(μ + bᵢ + θⱼ).

    Priors are μ ~ N(0, :data:`MEAN_SD`²), bᵢ ~ N(0, τ²) and θⱼ ~ N(0, σ²). Expectation propagation (Minka 2001,
    Uncertainty in Artificial Intelligence 17, 362–369) puts a normal factor in the place of each answer's
    probability, so that the moments of η = μ + bᵢ + θⱼ are right if one factor is replaced by the real thing. All
    factors are updated at once. As answers are log-concave in η, their precisions are never negative.

    Parameters
    ----------
    answers : Answers
    spreads : ndarray, shape (2,)
        σ and τ, both positive.
    start : Factors
        Such as those for other spreads near by.

    Returns
    -------
    Approximation
    """
    sign = 2 * answers.yes - 1
    factors = start
    for _ in range(_ROUNDS):
        joint = _joint(answers, spreads, factors)
        cavity_precision = 1 / joint.variance - factors.precision
        cavity_variance = 1 / cavity_precision
        cavity = (joint.mean / joint.variance - factors.shift) * cavity_variance
        chance, mean, variance = _tilted(cavity, cavity_variance, sign)
        precision = np.maximum(1 / variance - cavity_precision, _LEAST)
        shift = mean * (cavity_precision + precision) - cavity * cavity_precision
        moved = max(_largest(precision - factors.precision), _largest(shift - factors.shift))
        if moved < _ENOUGH:
            break
        factors = Factors(
            factors.precision + _DAMPED * (precision - factors.precision),
            factors.shift + _DAMPED * (shift - factors.shift),
        )
    whole = cavity_precision + factors.precision
    scale = np.log(chance) - 0.5 * (
        np.log(cavity_precision / whole)
        + (cavity * cavity_precision + factors.shift) ** 2 / whole
        - cavity**2 * cavity_precision
    )
    # The cavity's leaning, when the factor of one answer is taken away from the joint distribution.
    left = 1 - factors.precision * joint.variance
    leaning = joint.leaning - joint.covariance * (factors.shift - factors.precision * joint.mean) / left
    return Approximation(
        joint.location,
        joint.location_variance,
        leaning,
        joint.leaning_variance + joint.covariance**2 * factors.precision / left,
        factors,
        float(scale.sum()) + joint.evidence,
        joint.gradient,
    )


class _Joint(NamedTuple):
    """Moments of η (mean, variance) and of its person's leaning for each answer; moments of locations."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    leaning: NDArray[np.float64]
    leaning_variance: NDArray[np.float64]
    covariance: NDArray[np.float64]
    location: NDArray[np.float64]
    location_variance: NDArray[np.float64]
    evidence: float
    gradient: NDArray[np.float64]


def _joint(answers: Answers, spreads: NDArray[np.float64], factors: Factors) -> _Joint:
    """Multiply the priors and the factors.

    The larger kind of unit is eliminated, because no two of its units meet in an answer. What is left is a dense matrix
    of the smaller kind and the mean.
    """
    from scipy.linalg import cho_factor
    from scipy.linalg.lapack import dpotri
    from scipy.sparse import csr_array

    sizes, places = (answers.people, answers.statements), (answers.person, answers.statement)
    many = int(sizes[1] >= sizes[0])  # 1: statements are eliminated, 0: people
    few = 1 - many
    row, column, rows, columns = places[many], places[few], sizes[many], sizes[few]
    precision, shift = factors
    by_row, by_column = np.bincount(row, precision, rows), np.bincount(column, precision, columns)
    cross = csr_array((precision, (row, column)), shape=(rows, columns))
    diagonal = by_row + spreads[many] ** -2
    scaled = cross.multiply(1 / diagonal[:, None]).tocsr()
    own = by_row / diagonal

    dense = np.empty((columns + 1, columns + 1))
    dense[:-1, :-1] = np.diag(by_column + spreads[few] ** -2) - (cross.T @ scaled).toarray()
    dense[:-1, -1] = dense[-1, :-1] = by_column - cross.T @ own
    dense[-1, -1] = precision.sum() + MEAN_SD**-2 - by_row @ own
    factor = cho_factor(dense, lower=True)
    below = np.tril(dpotri(factor[0], lower=1)[0])
    covariance = below + np.tril(below, -1).T

    shift_row, shift_column = np.bincount(row, shift, rows), np.bincount(column, shift, columns)
    pulled = np.append(shift_column - scaled.T @ shift_row, shift.sum() - own @ shift_row)
    rest = covariance @ pulled
    mean_row = shift_row / diagonal - scaled @ rest[:-1] - own * rest[-1]
    mean_column, mean = rest[:-1], rest[-1]

    with_rest = -(
        scaled @ covariance[:-1] + np.outer(own, covariance[-1])
    )  # covariance of rows with the rest
    variance_row = 1 / diagonal - (scaled * with_rest[:, :-1]).sum(axis=1) - own * with_rest[:, -1]
    variance_column, variance = np.diag(covariance)[:-1], covariance[-1, -1]
    row_mean, column_mean = with_rest[:, -1], covariance[:-1, -1]
    met = with_rest[row, column]

    eta = mean + mean_row[row] + mean_column[column]
    eta_variance = (
        variance_row[row]
        + variance_column[column]
        + variance
        + 2 * (met + row_mean[row] + column_mean[column])
    )
    person = (mean_row[row], variance_row[row], row_mean[row])
    if few == 0:
        person = (mean_column[column], variance_column[column], column_mean[column])
    statement = (mean_row, variance_row, row_mean) if many else (mean_column, variance_column, column_mean)
    squares = {many: (mean_row, variance_row), few: (mean_column, variance_column)}
    logdet = np.log(diagonal).sum() + 2 * np.log(np.diag(factor[0])).sum()
    prior = 2 * float(np.asarray(sizes) @ np.log(spreads)) + 2 * np.log(MEAN_SD)
    return _Joint(
        eta,
        eta_variance,
        person[0],
        person[1],
        person[1] + met + person[2],
        mean + statement[0],
        variance + statement[1] + 2 * statement[2],
        float(shift @ eta - logdet - prior) / 2,
        np.array(
            [((squares[kind][0] ** 2 + squares[kind][1]) / spreads[kind] ** 2 - 1).sum() for kind in (0, 1)]
        ),
    )


def _tilted(
    mean: NDArray[np.float64], variance: NDArray[np.float64], sign: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute the mass, mean and variance of N(mean, variance) times logistic(sign·η), by Gauss–Hermite quadrature."""
    from scipy.special import expit

    eta = mean[:, None] + np.sqrt(variance)[:, None] * _NODES
    weight = _WEIGHTS * expit(sign[:, None] * eta)
    mass = weight.sum(axis=1)
    found = (weight * eta).sum(axis=1) / mass
    return mass, found, (weight * (eta - found[:, None]) ** 2).sum(axis=1) / mass


def _largest(change: NDArray[np.float64]) -> float:
    return float(np.abs(change).max(initial=0.0))
