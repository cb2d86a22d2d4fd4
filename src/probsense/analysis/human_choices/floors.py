"""Estimates the noise floor: how far another sample of as many people would lie from these.

Two samples of n people from the same population differ by chance. The expectation of a distance between them depends on
the shares π of everybody, which nobody knows. The squared distance has an unbiased estimate in closed form. Other
distances are sums over options (or cut points of a scale) of a term whose expectation is a polynomial g(π) of degree
2n. From n people, exactly the polynomials of degree n have unbiased estimates: combinations of what subsamples without
replacement give, of which halves are the largest that come in pairs. :func:`option_floor` takes the one whose
expectation is nearest to g, for all π. It thus extrapolates from subsamples of all sizes to n. Halves alone would take
a rate for granted, and with 8 people miss what an option adds to Jensen–Shannon by a fifth to a half.
:mod:`~probsense.analysis.human_choices.joint` does the same from all options at once.

A normalised distance is (a − f)/(b − f) of means over questions: of the model's distance a, of the noise floor f and of
what lies far, b. It is 0 for another sample of as many people, and 1 for the uniform distribution, as in published
scores, or for people's answers to other questions with as many options, which know how often people choose which place.
A model that knows everybody's shares comes out below 0, because other people have noise of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from probsense.analysis.arrays import Floats, Ints, ratio
from probsense.analysis.distributions import divergence
from probsense.analysis.human_choices import halves, joint
from probsense.analysis.human_choices.measures import (
    MEASURES,
    PSEUDOCOUNT,
    Distributions,
    sampling_variance,
    uniform,
)

FEWEST: Final = 2
"""One person tells nothing of how people differ."""
NODES: Final = 100
"""With more people than this, the estimate is computed at so many counts and interpolated between them."""
MOST: Final = 2000
"""With more people than this, floors shrink at the rate of large samples."""
STEP: Final = 1.02
"""Above :data:`NODES`, numbers of people whose ratio is less share an estimate, up to the rate."""
RIDGE: Final = 2.5e-6
"""Keeps the estimate from swinging between neighbouring counts for the last ten-thousandth of accuracy."""


class Term(NamedTuple):
    """Describe what an option adds to a distance between two samples.

    Attributes
    ----------
    expected : callable
        Function of n and of probabilities of the numbers 0 … n, shape (shares, n + 1), and of those of 0 … 2n, that
        returns g at these shares.
    rate : float
        The power of n at which it shrinks in large samples.
    """

    expected: Callable[[int, Floats, Floats], Floats]
    rate: float


def _absolute(n: int, once: Floats, twice: Floats) -> Floats:
    """Compute ½E|X − Y|/n = Σ F(k)(1 − F(k))/n for the distribution function F of X and Y."""
    below = np.cumsum(once, axis=1)[:, :-1]
    return np.asarray((below * (1 - below)).sum(axis=1) / n)


def _js(n: int, once: Floats, twice: Floats) -> Floats:
    """Compute E f(X/n) − E f((X + Y)/2n) with f(x) = x log x."""
    x, z = np.arange(n + 1) / n, np.arange(2 * n + 1) / (2 * n)
    return np.asarray(once @ xlogy(x, x) - twice @ xlogy(z, z))


def _kl(n: int, once: Floats, twice: Floats) -> Floats:
    """Compute E f(X/n) − E(X/n) E log (Y + 1)/(n + 1), without the log (n + K)/(n + 1) that options have in common."""
    x = np.arange(n + 1)
    smoothed = np.log((x + PSEUDOCOUNT) / (n + PSEUDOCOUNT))
    return np.asarray(once @ xlogy(x / n, x / n) - (once @ x) / n * (once @ smoothed))


ABSOLUTE: Final = Term(_absolute, 0.5)
JS: Final = Term(_js, 1.0)
KL: Final = Term(_kl, 1.0)


def _binomial(n: int, shares: Floats) -> Floats:
    """Return the probabilities of 0 … n, shape (shares, n + 1)."""
    k, pi = np.arange(n + 1), shares[:, None]
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(np.exp(ways + xlogy(k, pi) + xlog1py(n - k, -pi)))


def _angle(shares: Floats) -> Floats:
    """Return angles on whose scale a share has about the same error everywhere."""
    return np.arcsin(np.sqrt(np.clip(shares, 0, 1)))


def _nodes(n: int) -> Floats:
    """Return the shares at which the estimate is computed: those of all counts, or of some."""
    if n <= NODES:
        return np.arange(n + 1) / n
    few = np.arange(NODES // 6) / n
    even = np.round(n * np.sin(np.linspace(0, np.pi / 2, 2 * NODES // 3)) ** 2) / n
    return np.unique(np.concatenate([few, even, 1 - few]))


@lru_cache(maxsize=1024)
def _estimates(term: Term, n: int) -> tuple[Floats, Floats]:
    """Return shares of n people, and the estimate of g from each.

    The values are the least squares solution of E h(X/n) = g(π) over an even grid of angles, with h equal to g where
    all people agree.
    """
    nodes = _nodes(n)
    grid = np.sin(np.linspace(0, np.pi / 2, 4 * len(nodes))) ** 2
    once, twice = _binomial(n, grid), _binomial(2 * n, grid)
    g = term.expected(n, once, twice)
    # Row k says how the value at a count k is interpolated between the nodes.
    shares = _angle(np.arange(n + 1) / n)
    between = np.stack([np.interp(shares, _angle(nodes), row) for row in np.eye(len(nodes))], axis=1)
    matrix = once @ between
    ends = matrix[:, [0, -1]] @ g[[0, -1]]
    inner = matrix[:, 1:-1]
    normal = inner.T @ inner / len(grid) + RIDGE * np.eye(inner.shape[1])
    values = np.concatenate([g[:1], np.linalg.solve(normal, inner.T @ (g - ends) / len(grid)), g[-1:]])
    return nodes, values


def option_floor(term: Term, shares: Floats, people: Floats) -> Floats:
    """Estimate what options add to the distance of another sample of as many people.

    Parameters
    ----------
    term : Term
    shares : ndarray, shape (questions, options)
        Shares of people who chose the options, or of those who chose one up to here on a scale.
    people : ndarray, shape (questions,)
        Number of people; NaN if unknown.

    Returns
    -------
    ndarray, shape (questions, options)
        NaN where there are fewer than two people.
    """
    found = np.full(shares.shape, np.nan)
    sizes, place = np.unique(_sizes(people), return_inverse=True)
    for i, n in enumerate(sizes.tolist()):
        if n >= FEWEST:
            rows = np.flatnonzero(place == i)
            nodes, values = _estimates(term, int(n))
            at = np.interp(_angle(shares[rows]), _angle(nodes), values)
            found[rows] = at * ((n / people[rows]) ** term.rate)[:, None]
    return found


def _sizes(people: Floats) -> Floats:
    """Return the number of people for which the estimate is computed, 0 for too few."""
    n = np.nan_to_num(people)
    with np.errstate(divide="ignore"):
        step = np.round(np.log(np.maximum(n, 1)) / np.log(STEP))
    return np.where(n <= NODES, np.round(n), np.minimum(np.round(STEP**step), MOST))


def total_variation(pair: Distributions) -> Floats:
    """Estimate the floor of the total variation, shape (questions,)."""
    return np.asarray(option_floor(ABSOLUTE, pair.p, pair.people).sum(axis=1))


def js(pair: Distributions) -> Floats:
    """Estimate the floor of the Jensen–Shannon divergence in nats, shape (questions,)."""
    found = option_floor(JS, pair.p, pair.people).sum(axis=1)
    few = _of_few(_js_of_all, pair)
    return np.where(np.isnan(few), found, few)


def _js_of_all(n: int, shares: Floats) -> Floats:
    """Compute the expected divergence of two samples, one option at a time, shape (rows,)."""
    options, place = np.unique(shares, return_inverse=True)
    once, twice = _binomial(n, options), _binomial(2 * n, options)
    return np.asarray(_js(n, once, twice)[place.reshape(shares.shape)].sum(axis=1))


def kl(pair: Distributions) -> Floats:
    """Estimate the floor of KL(p ‖ q) in nats, where q comes from n people and is smoothed, shape (questions,)."""
    options = pair.exists.sum(axis=1)
    common = np.log1p(PSEUDOCOUNT * (np.maximum(options, 1) - 1) / (pair.people + PSEUDOCOUNT))
    return np.asarray(option_floor(KL, pair.p, pair.people).sum(axis=1) + common)


def wasserstein(pair: Distributions) -> Floats:
    """Estimate the floor of the 1-Wasserstein distance, shape (questions,)."""
    steps = pair.exists.sum(axis=1) - 1
    up_to = np.where(pair.exists, np.cumsum(pair.p, axis=1), 0)
    return ratio(2 * option_floor(ABSOLUTE, up_to, pair.people).sum(axis=1), steps)


def squared(pair: Distributions) -> Floats:
    """Return the unbiased estimate of the floor of the squared distance, 2 Σ p(1 − p)/(n − 1)."""
    return 2 * sampling_variance(pair.p, pair.people)


def squared_corrected(pair: Distributions) -> Floats:
    """Return 0: what is corrected for the noise of both samples is expected there for others, and for everybody."""
    return 0 * sampling_variance(pair.p, pair.people)


def expected_agreement(pair: Distributions) -> Floats:
    """Return the unbiased estimate of the probability that two people agree, (n Σ p² − 1)/(n − 1)."""
    n = np.where(pair.people >= FEWEST, pair.people, np.nan)
    return np.asarray((n * (pair.p**2).sum(axis=1) - 1) / (n - 1))


def root_js(pair: Distributions, rng: np.random.Generator) -> Floats:
    """Estimate the floor of the root of the divergence, which no sum over options gives.

    Few people have the estimate of :mod:`~probsense.analysis.human_choices.joint`. With more, it comes from halves, at
    the rate at which the divergence itself shrinks.

    Parameters
    ----------
    pair : Distributions
    rng : numpy.random.Generator
        For the halves of people.

    Returns
    -------
    ndarray, shape (questions,)
    """
    found = _of_few(_ROOT_OF_PAIRS, pair)
    rest = np.isnan(found)
    found[rest] = _root_from_halves(pair.where(rest), rng)
    return found


def _root(p: Floats, q: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(divergence.js(p, q), 0)))


_ROOT_OF_PAIRS: Final[joint.Expected] = partial(joint.between, _root)


def _of_few(expected: joint.Expected, pair: Distributions) -> Floats:
    """Estimate the floor of a distance from all answers at once where these can be listed; NaN elsewhere."""
    found = np.full(len(pair.p), np.nan)
    counts, options = np.round(np.nan_to_num(pair.p * pair.people[:, None])), pair.exists.sum(axis=1)
    whole = (pair.people >= FEWEST) & (counts.sum(axis=1) == pair.people)
    for people, size in np.unique(np.column_stack([pair.people, options])[whole], axis=0).tolist():
        if joint.is_listed(n := round(people), k := round(size)):
            rows = whole & (pair.people == people) & (options == size)
            own = counts[rows][pair.exists[rows]].reshape(-1, k)
            found[rows] = joint.floor(expected, own.astype(np.int64), n)
    return found


def _root_from_halves(pair: Distributions, rng: np.random.Generator) -> Floats:
    """Scale what halves give as the root of the divergence shrinks, on the average over questions of as many people."""
    found = halves.root_js(pair, rng)
    whole, half = js(pair), halves.js(pair)
    sizes, place = np.unique(_sizes(pair.people), return_inverse=True)
    known = ~np.isnan(whole + half)
    above, below = (np.bincount(place[known], x[known], len(sizes)) for x in (whole, half))
    rate = np.sqrt(np.maximum(above, 0) / np.where(below > 0, below, np.inf))
    return np.asarray(found * rate[place])


FLOORS: Final[Mapping[str, Callable[[Distributions], Floats]]] = {
    "squared_corrected": squared_corrected,
    "total_variation": total_variation,
    "js": js,
    "kl": kl,
    "squared": squared,
    "wasserstein": wasserstein,
    "expected_agreement": expected_agreement,
}
"""The floors that need no random halves, by the names of their measures: functions that return an array of shape
(questions,), NaN where fewer than two people answered or nobody knows how many. The model's shares play no part."""


NOISY: Final = 0.5
"""From this share of the uniform distribution's distance on, the noise of few people leaves too little of it: a
normalised distance then has the corrected squared distance, whose noise floor is 0."""
OTHERS: Final = 50
"""With how many other questions each is compared at most."""


def from_uniform(name: str, pair: Distributions) -> Floats:
    """Measure the uniform distribution in the model's place.

    Parameters
    ----------
    name : str
        One of :data:`~probsense.analysis.human_choices.measures.MEASURES`.
    pair : Distributions

    Returns
    -------
    ndarray, shape (questions,)
    """
    exact = np.full(len(pair.answers), np.inf)
    return MEASURES[name].function(pair._replace(q=uniform(pair.exists), answers=exact, variance=None))


def from_others(name: str, pair: Distributions, rng: np.random.Generator) -> Floats:
    """Measure people's answers to other questions with as many options in the model's place.

    Questions are put into a random order, and each is compared with those that come 1, 2, … places later, up to
    :data:`OTHERS` of them, or with all. A mean over pairs depends on each question twice, as one that is left and as
    one that is reached (Hoeffding 1948). So a question's value is the mean of its pairs of the first kind, plus by how
    much those of the second kind differ from the mean of all. These values have the mean of all pairs, and their
    spread tells its error.

    Parameters
    ----------
    name : str
        One of :data:`~probsense.analysis.human_choices.measures.MEASURES`.
    pair : Distributions
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (questions,)
        NaN where nobody answered, and where no other question has as many options.
    """
    left, reached = (np.full(len(pair.p), np.nan) for _ in range(2))
    for alike in _alike(pair):
        order = rng.permutation(alike)
        shifts = min(OTHERS, len(order) - 1)
        if shifts < 1:
            continue
        sums = np.zeros((2, len(order)))
        own = pair.where(order)
        shares = _places(own)
        for shift in range(1, shifts + 1):
            theirs = np.zeros(own.p.shape)
            theirs[own.exists] = np.roll(shares, -shift, axis=0).ravel()
            moved = own._replace(q=theirs, answers=np.roll(own.people, -shift), variance=None)
            apart = MEASURES[name].function(moved)
            sums += apart, np.roll(apart, shift)
        left[order], reached[order] = sums / shifts
    return left + reached - np.nanmean(reached) if not np.isnan(left).all() else left


def _alike(pair: Distributions) -> Iterator[Ints]:
    """Yield the questions that have as many options and that people answered."""
    known, options = ~np.isnan(pair.p).any(axis=1), pair.exists.sum(axis=1)
    for number in np.unique(options[known]):
        yield np.flatnonzero(known & (options == number))


def _places(pair: Distributions) -> Floats:
    """Return people's shares of questions that have as many options, without the options that they do not have."""
    return np.asarray(pair.p[pair.exists].reshape(len(pair.p), -1))


def is_noisy(floor: Floats, level: Floats) -> bool:
    """Tell whether people are so few that their noise takes too much of the distance of the uniform distribution.

    Parameters
    ----------
    floor, level : ndarray, shape (questions,)
        Of another sample of as many people, and of the uniform distribution; NaN where unknown.
    """
    known = ~np.isnan(floor + level)
    return bool(known.any() and floor[known].sum() > NOISY * level[known].sum())


def simbench(apart: Floats, level: Floats, sets: NDArray[np.generic]) -> Floats:
    """Compute what each question adds to SimBench's score, 100·(1 − mean TV/mean TV of uniform).

    Both means are within a data set, and the score of all is the mean over questions.

    Parameters
    ----------
    apart, level : ndarray, shape (questions,)
        Total variation of the model, and of the uniform distribution.
    sets : ndarray, shape (questions,)
        The data set of each question.

    Returns
    -------
    ndarray, shape (questions,)
        Values whose mean is the score, and whose spread within data sets is that of the linearised ratio. NaN where
        either distance is unknown.
    """
    found = np.full(len(apart), np.nan)
    known = ~np.isnan(apart + level)
    _, place = np.unique(sets[known], return_inverse=True)
    count = np.bincount(place)
    ours, theirs = (np.bincount(place, x[known]) / count for x in (apart, level))
    share = ratio(ours, theirs)[place]
    found[known] = 100 * (1 - share - ratio(apart[known] - share * level[known], theirs[place]))
    return found
