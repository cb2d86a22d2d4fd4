"""Estimates the share of everybody who says yes to each statement, by a crossed logistic model (a Rasch model)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.given import SPREADS, Answers, first_answers, second_answers
from probsense.analysis.agreement.pooled.propagation import Approximation, approximate, no_factors
from probsense.analysis.agreement.pooled.shares import CELLS, EDGES, Shares, Spread

_BOUNDS = (-4.0, 2.5)
"""Bounds of their logarithms."""
_STEP = 0.05
_NARROW, _WIDE = 0.05, 0.4
"""Below the first standard deviation of a logarithm one point is enough, and above the second one it takes five."""
_NEXT_TO_NOTHING = 1e-4
_LEANINGS, _LEANING_WEIGHTS = hermegauss(7)
_LEANING_WEIGHTS = _LEANING_WEIGHTS / _LEANING_WEIGHTS.sum()
_GRID = np.linspace(-6, 6, 73)
"""Where a location's density is computed, in standard deviations from its mean."""
_Z = 1.959963984540054


def pooled_shares(people: People, *, second: bool = False) -> Shares:
    """Estimate the share of everybody who says yes to a question about each statement.

    The model is P(person j says yes to statement i) = logistic(μ + bᵢ + θⱼ): statements have locations, people lean
    towards yes or no, both normally distributed (Rasch 1960, with both kinds of parameters random as in De Boeck 2008,
    Psychometrika 73, 533–559). The share of everybody is ∫ logistic(μ + bᵢ + θ) N(θ; 0, σ²) dθ: people are a sample
    of more people. Most of everybody say yes if μ + bᵢ is above 0.

    The posterior given both spreads comes from :func:`~probsense.analysis.agreement.pooled.propagation.approximate`;
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
