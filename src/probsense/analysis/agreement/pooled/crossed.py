"""Estimates the share of everybody who says yes to each statement, by a crossed logistic model (a Rasch model)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.model import (
    CELLS,
    EDGES,
    MEAN_SD,
    SPREADS,
    Answers,
    Shares,
    Spread,
    first_answers,
    second_answers,
)

_NODES, _WEIGHTS = hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_ROUNDS, _ENOUGH, _LEAST = 200, 1e-5, 1e-10
_DAMPED = 0.9
"""How far a round moves towards the new factors."""
_BOUNDS = (-4.0, 2.5)
"""Bounds of the logarithms of spreads."""
_STEP = 0.05
_NARROW, _WIDE = 0.05, 0.4
"""Below the first standard deviation of a logarithm one point is enough, and above the second one it takes five."""
_NEXT_TO_NOTHING = 1e-4
_LEANINGS, _LEANING_WEIGHTS = hermegauss(7)
_LEANING_WEIGHTS = _LEANING_WEIGHTS / _LEANING_WEIGHTS.sum()
_GRID = np.linspace(-6, 6, 73)
"""Where a location's density is computed, in standard deviations from its mean."""
_Z = 1.959963984540054


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

    Priors are μ ~ N(0, s²) with s = :data:`MEAN_SD`, bᵢ ~ N(0, τ²) and θⱼ ~ N(0, σ²). Expectation propagation
    (Minka 2001, Uncertainty in Artificial Intelligence 17, 362–369) puts a normal factor in the place of each answer's
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

    The larger kind of unit is eliminated, because no two of its units meet in an answer. There remains a dense matrix
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


def pooled_shares(people: People, *, second: bool = False) -> Shares:
    """Estimate the share of everybody who says yes to a question about each statement.

    The model is P(person j says yes to statement i) = logistic(μ + bᵢ + θⱼ): statements have locations, people lean
    towards yes or no, both normally distributed (Rasch 1960, with both kinds of parameters random as in De Boeck 2008,
    Psychometrika 73, 533–559). The share of everybody is ∫ logistic(μ + bᵢ + θ) N(θ; 0, σ²) dθ: people are a sample
    of more people. Most of everybody say yes if μ + bᵢ is above 0.

    The posterior given both spreads comes from :func:`~probsense.analysis.agreement.pooled.crossed.approximate`;
    each location's distribution is then computed on a grid, with the real probability of every answer in place of its
    factor (Cseke & Heskes 2011, Journal of Machine Learning Research 12, 417–454). The logarithms of the spreads have
    half-normal priors of the spreads with scales :data:`SPREADS`, and are integrated out by adaptive Gauss–Hermite
    quadrature: one, three or five points a direction around their mode, with the marginal likelihood of each.

    Parameters
    ----------
    people : People
        A few answers to each statement are enough.
    second : bool
        Whether to take the second question instead of the first one.

    Returns
    -------
    Shares
        A statement without an answer has the distribution of statements.
    """
    answers = second_answers(people) if second else first_answers(people)
    points, weights, found, error = _spreads(answers)
    mass = np.zeros((answers.statements, CELLS))
    for point, weight, approximation in zip(points, weights, found, strict=True):
        mass += weight * _mass(answers, float(np.exp(point[0])), approximation)
    mean = weights @ points
    spreads = [
        Spread(*np.exp([at, at - _Z * sd, at + _Z * sd]).tolist()) for at, sd in zip(mean, error, strict=True)
    ]
    return Shares(mass / mass.sum(axis=1, keepdims=True), *spreads)


def share_of_everybody(location: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    """Compute the share who say yes among people with normally distributed leanings.

    Parameters
    ----------
    location : ndarray
        In log odds.
    spread : float
        Standard deviation of leanings.
    """
    from scipy.special import expit

    nodes, weights = hermegauss(31)
    return np.asarray(expit(location[..., None] + spread * nodes) @ (weights / weights.sum()))


class _Found(NamedTuple):
    """Points of the logarithms of both spreads (points, 2), their weights, the approximation at each; errors (2,)."""

    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    found: list[Approximation]
    error: NDArray[np.float64]


def _spreads(answers: Answers) -> _Found:
    """Find the mode of the posterior of the logarithms of both spreads, and points around it."""
    from scipy.optimize import minimize

    start = no_factors(len(answers.yes))

    def at(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], Approximation]:
        nonlocal start
        spreads = np.exp(x)
        found = approximate(answers, spreads, start)
        start = found.factors
        squares = (spreads / SPREADS) ** 2
        # The density of log σ is that of σ, times σ.
        return found.evidence + float((x - squares / 2).sum()), found.gradient + 1 - squares, found

    def loss(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient, _ = at(x)
        return -value, -gradient

    best = minimize(
        loss,
        np.log([0.5, 1.2]),
        jac=True,
        method="L-BFGS-B",
        bounds=[_BOUNDS, _BOUNDS],
        options={"ftol": 1e-7, "gtol": 1e-2},
    ).x
    steps = _STEP * np.eye(2)
    curvature = np.array([(at(best - step)[1] - at(best + step)[1]) / (2 * _STEP) for step in steps])
    values, axes = np.linalg.eigh((curvature + curvature.T) / 2)
    # A flat direction, such as that of a spread near 0, is taken to be no wider than one unit of the logarithm.
    width = axes / np.sqrt(np.maximum(values, 1.0))
    nodes, node_weights = hermegauss(1 if width.max() < _NARROW else 5 if width.max() > _WIDE else 3)
    away = np.array([(x, y) for x in nodes for y in nodes])
    weight = np.array([x * y for x in node_weights for y in node_weights])
    points = np.clip(best + away @ width.T, *_BOUNDS)
    found = [at(point) for point in points]
    logs = np.array([value for value, _, _ in found]) + (away**2).sum(axis=1) / 2
    weight = weight * np.exp(logs - logs.max())
    kept = np.flatnonzero(weight > _NEXT_TO_NOTHING * weight.max())
    points, weight = points[kept], weight[kept] / weight[kept].sum()
    error = np.sqrt((width**2).sum(axis=1))
    if len(nodes) > 1:
        error = np.sqrt(weight @ (points - weight @ points) ** 2)
    return _Found(points, weight, [found[i][2] for i in kept], error)


def _mass(answers: Answers, spread: float, found: Approximation) -> NDArray[np.float64]:
    """Compute the probability of each cell of shares, shape (statements, CELLS)."""
    error = np.sqrt(found.variance)
    location = found.location[:, None] + error[:, None] * _GRID
    density = np.exp(_log_density(answers, location, found))
    below = np.zeros_like(density)
    below[:, 1:] = np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1)
    below /= below[:, -1:]
    wide = np.linspace(-30, 30, 3001)
    edges = np.interp(EDGES[1:-1], share_of_everybody(wide, spread), wide)
    inner = [
        np.interp((edges - at) / sd, _GRID, row)
        for at, sd, row in zip(found.location, error, below, strict=True)
    ]
    return np.diff(np.asarray(inner), axis=1, prepend=0.0, append=1.0)


def _log_density(
    answers: Answers, location: NDArray[np.float64], found: Approximation
) -> NDArray[np.float64]:
    """Compute the logarithm of the density of locations, shape (statements, points), up to a factor.

    It is the normal one, with each answer's factor replaced by its probability, both given that person's leaning as the
    person's other answers tell it.
    """
    from scipy.special import expit

    density = np.repeat(-(_GRID**2)[None] / 2, len(location), axis=0)
    sign = 2 * answers.yes - 1
    factors = found.factors
    chance = np.zeros((len(sign), location.shape[1]))
    at = location[answers.statement]
    for node, weight in zip(_LEANINGS, _LEANING_WEIGHTS, strict=True):
        leaning = found.leaning + np.sqrt(found.leaning_variance) * node
        chance += weight * expit(sign[:, None] * (at + leaning[:, None]))
    # The factor, averaged over the leaning: normal in the location.
    whole = 1 + factors.precision * found.leaning_variance
    shift = (factors.shift - factors.precision * found.leaning) / whole
    factor = shift[:, None] * at - (factors.precision / whole)[:, None] * at**2 / 2
    np.add.at(density, answers.statement, np.log(chance) - factor)
    return np.asarray(density - density.max(axis=1, keepdims=True))
