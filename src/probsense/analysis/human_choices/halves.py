"""Computes how far one half of the people lies from the other, as an expectation over all ways to halve them.

A half is a draw without replacement, so its number of yes is hypergeometric, and every expectation over halves is an
exact sum: no split is drawn at random, but for the root of the Jensen–Shannon divergence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from scipy.special import xlogy

from probsense.analysis.arrays import Floats, Ints, ratio
from probsense.analysis.distributions import divergence
from probsense.analysis.human_choices.measures import PSEUDOCOUNT, Distributions

FEWEST_RATERS: Final = 2
"""One rater has no halves."""
SPREAD: Final = 8
"""Halves that lie more standard deviations than this from their mean do not count."""


class Halves(NamedTuple):
    """Hold every way in which the raters of a statement can be halved, with its probability.

    Attributes
    ----------
    weight : ndarray, shape (statements, ways)
        Probabilities, which sum to 1 over the ways; NaN for a statement with a single rater or none.
    first, second : ndarray, shape (statements, ways)
        Shares of yes in a half of ⌊n/2⌋ raters, and in the rest.
    size : ndarray, shape (statements, 1)
        Number of raters in the first half.
    """

    weight: Floats
    first: Floats
    second: Floats
    size: Floats

    def mean(self, values: Floats) -> Floats:
        """Return the expectation over halves of values of shape (statements, ways), shape (statements,)."""
        return np.asarray((self.weight * values).sum(axis=1))


def halves(yes: Floats, asked: Floats) -> Halves:
    """List all halves of the raters of each statement.

    Of n raters of whom k say yes, j are in a half of m with probability C(m, j)·C(n − m, k − j)/C(n, k).

    Parameters
    ----------
    yes, asked : ndarray, shape (statements,)
        Numbers of people who say yes, and of people who answer.

    Returns
    -------
    Halves
    """
    from scipy.special import gammaln

    known = asked >= FEWEST_RATERS
    n = np.where(known, asked, FEWEST_RATERS)[:, None]
    k = np.where(known, yes, 0)[:, None]
    m = np.floor(n / 2)
    middle, spread = m * k / n, np.sqrt(k * m * (n - k) * (n - m) / (n * n * (n - 1)))
    lowest = np.maximum(np.maximum(0, k - (n - m)), np.floor(middle - SPREAD * spread))
    highest = np.minimum(np.minimum(k, m), np.ceil(middle + SPREAD * spread))
    j = lowest + np.arange(int((highest - lowest).max(initial=0)) + 1)
    possible, j = j <= highest, np.minimum(j, highest)

    def log_choose(whole: Floats, part: Floats) -> Floats:
        return np.asarray(gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1))

    weight = np.where(possible, np.exp(log_choose(m, j) + log_choose(n - m, k - j) - log_choose(n, k)), 0)
    weight = np.where(known[:, None], weight / weight.sum(axis=1, keepdims=True), np.nan)
    return Halves(weight, j / m, (k - j) / (n - m), m)


SPLITS: Final = 100
"""How often people are halved at random, where no sum gives the expectation."""

Term: TypeAlias = Callable[[Floats, Floats, Floats], Floats]
"""What an option adds to a distance, from its shares in both halves and the number of people in the second."""


def _absolute(first: Floats, second: Floats, size: Floats) -> Floats:
    """Compute ½|x − y|, of which the total variation is the sum."""
    return np.abs(first - second) / 2


def _js(first: Floats, second: Floats, size: Floats) -> Floats:
    """Compute ½(x log x + y log y) − m log m with m = (x + y)/2, of which the divergence is the sum."""
    middle = (first + second) / 2
    return np.asarray((xlogy(first, first) + xlogy(second, second)) / 2 - xlogy(middle, middle))


def _kl(first: Floats, second: Floats, size: Floats) -> Floats:
    """Compute x log x − x log(b·y + 1), of which the divergence is the sum, and log(b + K)."""
    return np.asarray(xlogy(first, first) - xlogy(first, second * size + PSEUDOCOUNT))


def _over_options(term: Term, counts: Floats, people: Floats) -> Floats:
    """Sum the expectation of a term over the last axis of counts; a half of an option's counts is hypergeometric."""
    n = np.broadcast_to(people[:, None], counts.shape)
    pairs, place = np.unique(np.column_stack([counts.ravel(), n.ravel()]), axis=0, return_inverse=True)
    ways = halves(*np.round(pairs).T)
    second = np.where(np.isnan(pairs[:, 1]), FEWEST_RATERS, pairs[:, 1])[:, None] - ways.size
    found = ways.mean(term(ways.first, ways.second, second))
    return np.asarray(found[place.ravel()].reshape(counts.shape).sum(axis=1))


def _counts(pair: Distributions) -> Floats:
    return np.nan_to_num(pair.p * pair.people[:, None])


def total_variation(pair: Distributions) -> Floats:
    """Return the expected total variation between halves, shape (questions,)."""
    return _over_options(_absolute, _counts(pair), pair.people)


def js(pair: Distributions) -> Floats:
    """Return the expected Jensen–Shannon divergence between halves in nats, shape (questions,)."""
    return _over_options(_js, _counts(pair), pair.people)


def wasserstein(pair: Distributions) -> Floats:
    """Return the expected 1-Wasserstein distance between halves, shape (questions,)."""
    steps = pair.exists.sum(axis=1) - 1
    up_to = np.where(pair.exists, np.cumsum(_counts(pair), axis=1), 0)
    return ratio(2 * _over_options(_absolute, up_to, pair.people), steps)


def kl(pair: Distributions) -> Floats:
    """Return the expected KL divergence in nats of the larger half, smoothed, from the smaller, shape (questions,)."""
    size = pair.people - np.floor(pair.people / 2)
    common = np.log(np.maximum(size + PSEUDOCOUNT * pair.exists.sum(axis=1), PSEUDOCOUNT))
    return np.asarray(_over_options(_kl, _counts(pair), pair.people) + common)


def squared(pair: Distributions) -> Floats:
    """Return the expected squared distance between halves of a and b of n people, n²/(ab(n − 1)) Σ p(1 − p)."""
    n = np.where(pair.people >= FEWEST_RATERS, pair.people, np.nan)
    half = np.floor(n / 2)
    return np.asarray(n**2 / (half * (n - half) * (n - 1)) * (pair.p * (1 - pair.p)).sum(axis=1))


def root_js(pair: Distributions, rng: np.random.Generator, *, splits: int = SPLITS) -> Floats:
    """Estimate the expected root of the divergence between halves by random halves without replacement.

    Parameters
    ----------
    pair : Distributions
    rng : numpy.random.Generator
    splits : int
        Number of random halves of each question. Questions with the same counts, in any order, share theirs.

    Returns
    -------
    ndarray, shape (questions,)
    """
    counts = np.sort(np.round(_counts(pair)), axis=1)
    known = ~(pair.people < FEWEST_RATERS) & ~np.isnan(pair.people + pair.p.sum(axis=1))
    found = np.full(len(counts), np.nan)
    if not known.any():
        return found
    alike, place = np.unique(counts[known], axis=0, return_inverse=True)
    total = np.zeros(len(alike))
    for first, second in random_halves(alike.astype(np.int64), rng, splits):
        total += np.sqrt(np.maximum(divergence.js(first, second), 0))
    found[known] = (total / splits)[place.ravel()]
    return found


def random_halves(counts: Ints, rng: np.random.Generator, splits: int) -> Iterator[tuple[Floats, Floats]]:
    """Halve people at random, and yield the shares of both halves, each of shape (questions, options).

    Parameters
    ----------
    counts : ndarray of int, shape (questions, options)
        At least two people in each row.
    rng : numpy.random.Generator
    splits : int
    """
    n = counts.sum(axis=1)
    half = n // 2
    after = n[:, None] - np.cumsum(counts, axis=1)
    for _ in range(splits):
        left, first = half.copy(), np.empty_like(counts)
        for option in range(counts.shape[1]):
            first[:, option] = rng.hypergeometric(counts[:, option], after[:, option], left)
            left -= first[:, option]
        yield first / half[:, None], (counts - first) / (n - half)[:, None]


HALVES: Final[Mapping[str, Callable[[Distributions], Floats]]] = {
    "total_variation": total_variation,
    "js": js,
    "kl": kl,
    "squared": squared,
    "wasserstein": wasserstein,
}
"""The expectations that are exact, by the names of their measures."""
