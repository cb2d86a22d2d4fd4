"""Fits a two-parameter logistic to right and wrong answers: how hard items are, and how well they tell models apart.

Model j gets item i right with the probability 1 / (1 + exp(−(aᵢ θⱼ + cᵢ))) (Birnbaum 1968). Models are few and items
are many, so the parameters of the items (aᵢ, cᵢ), not those of the models, are drawn from a population: a bivariate
normal distribution, and with a probability of π its mirror image (−aᵢ, −cᵢ), which is what an item becomes if its label
is turned. They are integrated over a grid (marginal likelihood; Bock & Aitkin 1981, Psychometrika 46, 443–459), so that
items with few answers borrow from the others. Abilities have a standard normal prior and the errors of Laplace's
approximation. They are scaled to a mean of 0 and a standard deviation of 1, so a discrimination is per standard
deviation between these models.

Simulations are in ``benchmarks/studies/items.py``. Per cent of discriminations and difficulties that intervals of 95 %
cover, where discriminations are normal, 5 % of the labels are turned, and discriminations are log-normal (± 0.4 to 3,
from 2 to 60 sets each):

================  ============  ============  ============
models × items    normal        5 % turned    log-normal
================  ============  ============  ============
4 × 50            97.6, 95.6    95.3, 95.2    96.3, 95.4
8 × 200           96.4, 95.9    96.6, 95.6    94.7, 95.5
8 × 5,000         95.0, 95.0    95.6, 95.0
30 × 200          94.5, 95.6    94.8, 96.0
100 × 50          96.7, 97.0
================  ============  ============  ============

With 5 % of 500 labels turned, the order by the probability of a negative discrimination has areas under the ROC curve
of 0.88 [0.85, 0.90] for 4 models, 0.94 [0.92, 0.96] for 8, 0.98 [0.98, 0.99] for 20 and 1.00 [0.99, 1.00] for 50.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST: Final = 4
"""The fewest models for which there is anything to fit."""
REACH, STEP, FINER = 5.0, 0.5, 2.5
"""The grid reaches so many standard deviations of the population, in such steps; those of easiness are at most
``FINER`` / √models, because the more models there are, the narrower its distribution is for an item. At a reach of 4,
what is cut off would make every round's spread 0.3 % too small, which adds up to a half where models are few."""
PRIOR, PRIOR_ITEMS = np.diag([0.5**2, 1.5**2]), 5.0
"""The population varies as if so many more items were known to vary so much: with few items its spread would be 0."""
PRIOR_TURNED = (0.5, 10.0)
"""Turned labels among items that are counted besides: the share stays between 0 and 1."""
TOLERANCE, ROUNDS = 5e-5, 500
"""The fit ends when no parameter moves by more in a round, or after so many rounds."""
CELLS = 4_000_000
"""Numbers that are in memory at once."""
ENDS, TAIL = 100, 0.025
"""Places at which distributions of discriminations are known for their quantiles, and what is beyond either end."""
FIRST: Final = 5_000
"""Of more items, so many are fitted first, from where the fit of all begins."""
GROUPS, JACKKNIFED = 10, 5_000
"""So many groups of items are left out, one after another, for the error of everything that items share; of more items
than ``JACKKNIFED`` this is nothing beside their own errors."""


class Population(NamedTuple):
    """Hold the abilities of models, and the population of items.

    Attributes
    ----------
    ability, variance : ndarray, shape (models,)
        Abilities, and the squares of their standard errors.
    mean, cov : ndarray, shape (2,) and (2, 2)
        Of discriminations and easiness.
    turned : float
        The share of items that are mirror images.
    """

    ability: Floats
    variance: Floats
    mean: Floats
    cov: Floats
    turned: float

    def moved(self, other: Population) -> float:
        """Return the largest difference from other parameters."""
        pairs = zip(self, other, strict=True)
        return max(float(np.abs(np.asarray(one) - np.asarray(two)).max()) for one, two in pairs)


@dataclass(frozen=True, eq=False)
class ItemFit:
    """Hold what was fitted.

    Attributes
    ----------
    population : Population
    discrimination, discrimination_stderr : ndarray, shape (items,)
        By how much the log-odds of a right answer rise with a standard deviation of ability; mean and standard
        deviation given the answers.
    difficulty, difficulty_stderr : ndarray, shape (items,)
        Log-odds with which a model of mean ability is wrong: −cᵢ. (The ability at which half are right is the
        difficulty divided by the discrimination, and unknown where that may be 0.)
    low, high : ndarray, shape (items,)
        Ends of the 95 % interval of the discrimination.
    negative : ndarray, shape (items,)
        Probability that the discrimination is negative.
    information : ndarray, shape (items,)
        What an answer of a model of mean ability is expected to tell of its ability (Fisher): a² p (1 − p).
    """

    population: Population
    discrimination: Floats
    discrimination_stderr: Floats
    difficulty: Floats
    difficulty_stderr: Floats
    low: Floats
    high: Floats
    negative: Floats
    information: Floats


def fit_items(
    right: Floats, clusters: NDArray[np.int64] | None = None, *, jackknifed: bool = True
) -> ItemFit:
    """Fit the two-parameter logistic; nothing is random.

    Parameters
    ----------
    right : ndarray, shape (models, items)
        1 for right, 0 for wrong, NaN where there is no answer.
    clusters : ndarray of int, shape (items,), optional
        Items that depend on each other, which are left out together; by default none do.
    jackknifed : bool
        Whether errors are wanted, too, that rest on the jackknife.

    Notes
    -----
    Errors of an item are those given the abilities and the population. To their squares those of a jackknife are added,
    which fits these without a tenth of the items, ten times (Efron & Stein 1981, Annals of Statistics 9, 586–596).
    """
    items = right.shape[1]
    population = fit_population(right)
    found = _describe(right, population)
    own = np.arange(items) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    # Neighbours are often alike, so every tenth of them is left out and not every tenth part.
    group = own % min(GROUPS, own.max() + 1)
    variance = found.variance
    if jackknifed and items <= JACKKNIFED and group.max():
        parts = range(group.max() + 1)
        fits = [fit_population(right[:, group != out], population) for out in parts]
        variance = variance + (len(parts) - 1) * np.var([_describe(right, one).mean for one in fits], axis=0)
    stderr = np.sqrt(variance)
    wider = np.sqrt(variance[:, 0] / np.maximum(found.variance[:, 0], np.finfo(np.float64).tiny))
    slope, easiness = found.mean.T
    return ItemFit(
        population,
        slope,
        stderr[:, 0],
        -easiness,
        stderr[:, 1],
        slope - (slope - found.low) * wider,
        slope + (found.high - slope) * wider,
        found.negative,
        found.information,
    )


def abilities(right: Floats, discrimination: Floats, difficulty: Floats) -> Floats:
    """Estimate abilities from some items whose parameters are known, with a standard normal prior: the mode.

    Parameters
    ----------
    right : ndarray, shape (models, items)
    discrimination, difficulty : ndarray, shape (items,)

    Returns
    -------
    ndarray, shape (models,)
    """
    known = ~np.isnan(right)
    given, asked = np.where(known, right, 0.0), known.astype(np.float64)
    found = np.zeros(len(right))
    for _ in range(ROUNDS):
        before = found
        found, _ = _newton(found, discrimination, -difficulty, given, asked)
        if np.abs(found - before).max() < TOLERANCE:
            break
    return found


def fit_population(right: Floats, start: Population | None = None) -> Population:
    """Fit abilities and the population of items by expectation and maximisation.

    Parameters
    ----------
    right : ndarray, shape (models, items)
    start : Population, optional
        Where to begin; by default, at the log-odds of the shares of right answers.
    """
    items = right.shape[1]
    if start is None and items > FIRST:
        start = fit_population(right[:, np.arange(FIRST) * items // FIRST])
    patterns = Patterns.of(right)
    found = _start(right) if start is None else start
    for _ in range(ROUNDS):
        before, found = found, _improved(patterns, found)
        if found.moved(before) < TOLERANCE:
            break
    return found


class Patterns(NamedTuple):
    """Different columns of answers, of which few models have few.

    Attributes
    ----------
    right, asked : ndarray, shape (patterns, models)
        1 for a right answer, and for any answer.
    number : ndarray, shape (patterns,)
        How many items have each.
    place : ndarray of int, shape (items,)
        The pattern of each item.
    """

    right: Floats
    asked: Floats
    number: Floats
    place: NDArray[np.int64]

    @classmethod
    def of(cls, right: Floats) -> Patterns:
        known = ~np.isnan(right)
        codes = np.ascontiguousarray(np.where(known, right, 2).astype(np.uint8).T)
        _, first, place, count = np.unique(
            codes.view(np.dtype((np.void, len(right)))).ravel(),
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        asked = known.T[first].astype(np.float64)
        return cls(np.where(known, right, 0.0).T[first], asked, count.astype(np.float64), place)

    def parts(self, points: int) -> Iterator[slice]:
        """Cut the patterns into parts that fit into memory with so many points of a grid."""
        some = max(1, CELLS // points)
        return (slice(begin, begin + some) for begin in range(0, len(self.number), some))


class Nodes(NamedTuple):
    """Points of the grid: discriminations, easiness, log weights, and 1, or −1 for mirror images."""

    slope: Floats
    easiness: Floats
    weight: Floats
    sign: Floats


def grid_of(population: Population) -> Nodes:
    models = len(population.ability)
    sides = [
        np.linspace(-REACH, REACH, 2 * int(np.ceil(REACH / step)) + 1)
        for step in (STEP, min(STEP, FINER / np.sqrt(models)))
    ]
    z = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    z = z[(z * z).sum(axis=1) <= REACH**2]
    weight = -(z * z).sum(axis=1) / 2
    weight -= np.log(np.exp(weight).sum())
    z /= np.sqrt(np.exp(weight) @ z**2)
    points = population.mean + z @ np.linalg.cholesky(population.cov).T
    sign = np.repeat([1.0, -1.0], len(z))
    slope, easiness = (np.concatenate([points, points]) * sign[:, None]).T
    shares = np.log([1 - population.turned, population.turned])
    return Nodes(slope, easiness, np.concatenate([weight, weight]) + np.repeat(shares, len(z)), sign)


def weights_of(patterns: Patterns, population: Population, nodes: Nodes) -> Iterator[tuple[slice, Floats]]:
    """Compute the distribution of each pattern's parameters over the grid, some patterns at a time."""
    log_odds, p = odds_of(population.ability, nodes.slope, nodes.easiness)
    loss = loss_of(log_odds, p, population, nodes)
    every = bool(patterns.asked.all())
    for part in patterns.parts(len(nodes.slope)):
        found = patterns.right[part] @ log_odds + nodes.weight
        found -= loss.sum(axis=0) if every else patterns.asked[part] @ loss
        found = np.exp(found - found.max(axis=1, keepdims=True))
        yield part, found / found.sum(axis=1, keepdims=True)


def loss_of(log_odds: Floats, p: Floats, population: Population, nodes: Nodes) -> Floats:
    """Compute the mean of log(1 + exp) over what is not known of the ability, to the second order."""
    return np.logaddexp(0, log_odds) + population.variance[:, None] / 2 * nodes.slope**2 * p * (1 - p)


def _improved(patterns: Patterns, population: Population) -> Population:
    """Make one round: the distribution of items by the parameters, and the parameters by these."""
    nodes = grid_of(population)
    given = np.zeros((len(population.ability), len(nodes.slope)))
    asked = np.zeros_like(given)
    total = np.zeros(len(nodes.slope))
    for part, weights in weights_of(patterns, population, nodes):
        counted = weights * patterns.number[part, None]
        given += patterns.right[part].T @ counted
        asked += patterns.asked[part].T @ counted
        total += counted.sum(axis=0)
    items = total.sum()
    points = np.stack([nodes.slope, nodes.easiness], axis=1) * nodes.sign[:, None]
    mean = total @ points / items
    cov = ((points - mean).T @ ((points - mean) * total[:, None]) + PRIOR_ITEMS * PRIOR) / (
        items + PRIOR_ITEMS
    )
    turned = (total[nodes.sign < 0].sum() + PRIOR_TURNED[0]) / (items + PRIOR_TURNED[1])
    ability = population.ability
    for _ in range(2):
        ability, variance = _newton(ability, nodes.slope, nodes.easiness, given, asked)
    return _standardised(Population(ability, variance, mean, cov, float(turned)))


def _standardised(population: Population) -> Population:
    """Scale abilities to a mean of 0 and a variance, with their errors, of 1; items keep their probabilities."""
    ability, variance = population.ability, population.variance
    centre = ability.mean()
    scale = np.sqrt(((ability - centre) ** 2 + variance).mean())
    turn = np.array([[scale, 0.0], [centre, 1.0]])
    return Population(
        (ability - centre) / scale,
        variance / scale**2,
        turn @ population.mean,
        turn @ population.cov @ turn.T,
        population.turned,
    )


def _newton(
    ability: Floats, slope: Floats, easiness: Floats, given: Floats, asked: Floats
) -> tuple[Floats, Floats]:
    """Make a step to the mode of abilities, and compute their variances; columns are items or points of the grid."""
    _, p = odds_of(ability, slope, easiness)
    gradient = ((given - asked * p) * slope).sum(axis=1) - ability
    curvature = (asked * p * (1 - p) * slope**2).sum(axis=1) + 1
    return ability + np.clip(gradient / curvature, -1, 1), 1 / curvature


def odds_of(ability: Floats, slope: Floats, easiness: Floats) -> tuple[Floats, Floats]:
    """Compute log-odds and probabilities of right answers, shape (models, items)."""
    from scipy.special import expit

    log_odds = ability[:, None] * slope + easiness
    return log_odds, expit(log_odds)


def _start(right: Floats) -> Population:
    known = ~np.isnan(right)
    share = (np.where(known, right, 0.0).sum(axis=1) + 0.5) / (known.sum(axis=1) + 1)
    log_odds = np.log(share / (1 - share))
    spread = float(log_odds.std())
    ability = (log_odds - log_odds.mean()) / (spread or 1.0)
    mean = np.array([max(spread, 0.5), float(log_odds.mean())])
    return Population(ability, np.zeros(len(right)), mean, PRIOR, PRIOR_TURNED[0] / PRIOR_TURNED[1])


class _Described(NamedTuple):
    """Hold what is known of items: means and variances of (a, c), shape (items, 2); the rest has shape (items,)."""

    mean: Floats
    variance: Floats
    low: Floats
    high: Floats
    negative: Floats
    information: Floats


def _describe(right: Floats, population: Population) -> _Described:
    """Describe the distribution of each item's parameters; the interval is between quantiles of its discrimination."""
    patterns, nodes = Patterns.of(right), grid_of(population)
    points = np.stack([nodes.slope, nodes.easiness], axis=1)
    p = odds_of(np.zeros(1), nodes.slope, nodes.easiness)[1][0]
    cell = STEP * np.sqrt(population.cov[0, 0])
    ends = np.linspace(nodes.slope.min() - cell, nodes.slope.max() + cell, ENDS)
    # A point of the grid stands for a cell around it, over which its weight is spread evenly.
    below = np.clip((np.append(ends, 0.0) - nodes.slope[:, None]) / cell + 0.5, 0, 1)
    told = np.column_stack([points, points**2, nodes.slope**2 * p * (1 - p), below])
    rows = []
    for _, weights in weights_of(patterns, population, nodes):
        known, up_to = np.split(weights @ told, [5], axis=1)
        sides = [_quantile(ends, up_to[:, :ENDS], share) for share in (TAIL, 1 - TAIL)]
        rows.append(np.column_stack([known, *sides, up_to[:, ENDS]]))
    found = np.concatenate(rows)[patterns.place]
    mean, square = found[:, :2], found[:, 2:4]
    information, low, high, negative = found[:, 4:].T
    return _Described(mean, np.maximum(square - mean**2, 0), low, high, negative, information)


def _quantile(ends: Floats, up_to: Floats, share: float) -> Floats:
    """Find where distributions, given at the same places, reach a share; shape (rows,)."""
    after = np.clip((up_to < share).sum(axis=1), 1, len(ends) - 1)
    rows = np.arange(len(up_to))
    left, right = up_to[rows, after - 1], up_to[rows, after]
    within = (share - left) / np.maximum(right - left, np.finfo(np.float64).tiny)
    return np.asarray(ends[after - 1] + np.clip(within, 0, 1) * (ends[1] - ends[0]))
