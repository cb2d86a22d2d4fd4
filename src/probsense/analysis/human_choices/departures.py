"""Finds the questions on which a model departs from people by more than chance."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from probsense.analysis.human_choices.distributions import Bools, Distributions, Floats
from probsense.analysis.human_choices.joint import all_counts
from probsense.analysis.inference.significance import adjust, departure_p_values

LISTED: Final = 6000
"""The most ways in which people may answer a question for which all are listed."""
CELLS: Final = 1 << 22
"""Number of ways times questions that are in memory at the same time."""
ROUNDING: Final = 1e-9
"""Logarithms of probabilities that differ by less are equal."""


class Departures(NamedTuple):
    """Hold how a model departs from people on each question; all arrays have the shape (questions,).

    Attributes
    ----------
    p, adjusted : ndarray
        The p-value of people answering as the model says, and that adjusted over all questions (Benjamini & Hochberg
        1995); NaN where either is unknown.
    option : ndarray of int
        The option whose shares differ most.
    difference : ndarray
        The model's share of this option less people's.
    """

    p: Floats
    adjusted: Floats
    option: NDArray[np.int64]
    difference: Floats


def departures(pair: Distributions) -> Departures:
    """Test each question on whether people answer as the model says, and control the share of false findings.

    Parameters
    ----------
    pair : Distributions

    Returns
    -------
    Departures
    """
    p = p_values(pair)
    apart = np.where(pair.exists, np.nan_to_num(pair.q - pair.p), 0)
    option = np.abs(apart).argmax(axis=1)
    known = ~np.isnan(pair.p + pair.q).any(axis=1)
    difference = np.where(known, np.take_along_axis(apart, option[:, None], axis=1)[:, 0], np.nan)
    return Departures(p, adjust(p, "benjamini-hochberg"), option, difference)


def p_values(pair: Distributions) -> Floats:
    """Test each question on whether people are a random sample from the model's distribution.

    With a few people and options, the multinomial test is exact: the probability of all ways to answer that are no more
    probable than people's. With more than :data:`LISTED` ways, each option gets an exact binomial test, and the
    smallest p-value counts as many times as there are options (Bonferroni), so that it is at most as often significant
    as promised. Where the model's shares rest on a number of its own answers, people's and the model's answers to each
    option are compared by Fisher's exact test, likewise.

    Parameters
    ----------
    pair : Distributions
        People's numbers are known and whole.

    Returns
    -------
    ndarray, shape (questions,)
        NaN where people's or the model's answers are unknown.
    """
    found = np.full(len(pair.p), np.nan)
    known = (pair.people >= 1) & ~np.isnan(pair.p + pair.q).any(axis=1)
    sampled = np.isfinite(pair.answers)
    options = pair.exists.sum(axis=1)
    few = np.zeros(len(found), dtype=bool)
    for n, size in np.unique(np.stack([pair.people, options], axis=1)[known & ~sampled], axis=0).tolist():
        if math.comb(round(n + size) - 1, round(size) - 1) <= LISTED:
            rows = known & ~sampled & (pair.people == n) & (options == size)
            found[rows] = _multinomial(pair.where(rows), round(n), round(size))
            few |= rows
    many = known & ~few
    for rows, test in ((many & ~sampled, _binomial), (many & sampled, _fisher)):
        if rows.any():
            own = pair.where(rows)
            each = np.where(own.exists, test(own), 1.0)
            found[rows] = np.minimum(each.min(axis=1) * options[rows], 1)
    return found


def _counts(pair: Distributions) -> Floats:
    return np.asarray(np.round(pair.p * pair.people[:, None]))


def _multinomial(pair: Distributions, n: int, options: int) -> Floats:
    ways = all_counts(n, options).astype(np.float64)
    counts, q = (_kept(values, pair.exists, options) for values in (_counts(pair), pair.q))
    # A share of 0 has the probability 0 of any answer; its logarithm stays finite, and far below all others.
    log_q = np.log(np.maximum(q / q.sum(axis=1, keepdims=True), 1e-300))
    own = (counts * log_q).sum(axis=1) - gammaln(counts + 1).sum(axis=1)
    base = -gammaln(ways + 1).sum(axis=1)
    found = np.empty(len(q))
    step = max(CELLS // len(ways), 1)
    for start in range(0, len(q), step):
        part = slice(start, start + step)
        log = log_q[part] @ ways.T + base
        chance = np.exp(log + gammaln(n + 1))
        found[part] = np.where(log <= own[part, None] + ROUNDING * np.abs(own[part, None]), chance, 0).sum(
            axis=1
        )
    return np.minimum(found, 1)


def _kept(values: Floats, exists: Bools, options: int) -> Floats:
    return np.asarray(values[exists].reshape(-1, options))


def _binomial(pair: Distributions) -> Floats:
    """Return the p-value of each option, shape (questions, options)."""
    n = np.broadcast_to(pair.people[:, None], pair.p.shape)
    return departure_p_values(_counts(pair), n, pair.q)


def _fisher(pair: Distributions) -> Floats:
    """Return twice the smaller tail of the hypergeometric distribution for each option (Fisher 1935)."""
    from scipy.stats import hypergeom

    ours = _counts(pair)
    n, m = pair.people[:, None], np.round(pair.answers)[:, None]
    both = ours + np.round(pair.q * m)
    up_to, from_there = hypergeom.cdf(ours, n + m, both, n), hypergeom.sf(ours - 1, n + m, both, n)
    return np.asarray(np.minimum(2 * np.minimum(up_to, from_there), 1))
