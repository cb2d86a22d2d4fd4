"""Estimates how well one half of the people predicts the other, and the ceiling of a correlation with people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from probsense.analysis.agreement.models import population_scores, published_population_scores
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.statements import counted
from probsense.analysis.arrays import Floats, mean_known, ratio
from probsense.analysis.inference.correlations import paired_correlations
from probsense.analysis.inference.estimate import Z
from probsense.analysis.inference.resampling import (
    REPLICATE_CELLS,
    Intervals,
    Replicates,
    batches,
    intervals,
    times_in_parts,
)

DRAWS = 1000
SEED = 100
"""Number of splits and their seed, as published."""

SPLITS = 100
"""Number of splits over which each draw of a bootstrap takes a mean."""


def published_split_half(people: People, *, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Correlate the commonsensicality of statements between random halves of the people, as published.

    In each draw ``numpy.random.RandomState(seed)`` chooses half of the people without replacement. Within a half, a
    share without answers is ½, and a tie is a "yes". The publication reports the mean and the quantiles .025 and .975.

    Parameters
    ----------
    people : People
    draws, seed : int

    Returns
    -------
    ndarray, shape (draws,)
    """
    found, once = [], np.ones((1, people.statements))
    for both in _shares_of_halves(people, np.random.RandomState(seed), draws):
        first, second = (
            published_population_scores(*(np.where(np.isnan(share), 0.5, share) for share in half))
            for half in both
        )
        found += [*paired_correlations(first.commonsensicality, second.commonsensicality, once)]
    return np.concatenate(found)


def split_half_bootstrap(
    people: People, rng: np.random.Generator, *, splits: int = SPLITS, draws: int = DRAWS
) -> Replicates:
    """Estimate the mean correlation between random halves of the people, with statements drawn with replacement.

    People are not drawn, because fewer different people would be less reliable. The error therefore leaves out what
    people have in common over all statements.

    Parameters
    ----------
    people : People
    rng : numpy.random.Generator
    splits : int
        Number of random halves, the same in every draw, over which the mean is taken.
    draws : int

    Returns
    -------
    Replicates
        Estimate of shape ().
    """
    used = counted(people).astype(np.float64)
    halves = [
        [population_scores(*half).commonsensicality for half in both]
        for both in _shares_of_halves(people, rng, splits)
    ]
    first, second = (np.concatenate(side) for side in zip(*halves, strict=True))
    return Replicates.of(
        mean_known(paired_correlations(first, second, used * times))
        for times in times_in_parts(rng, people.statements, draws)
    )


def noise_ceiling(r: Floats) -> Floats:
    """Compute the correlation that people's true values would have with their observed values, √reliability.

    The reliability of all people together is 2r / (1 + r) (Spearman 1910; Brown 1910). A correlation divided by the
    ceiling estimates the correlation with people's values without error (Spearman 1904). This is approximate, because
    commonsensicality is not a mean of answers: the result was 4 to 7 % too high in simulations with 20 raters per
    statement. The ceiling is NaN where the halves do not correlate.

    Parameters
    ----------
    r : ndarray
        Correlation of halves: the mean over splits.
    """
    return np.sqrt(np.where(r > 0, ratio(2 * r, 1 + r), np.nan))


def ceiling_interval(ceiling: Replicates, statements: int) -> Intervals:
    """Compute an interval for the correlation that people's observed values have with their true values.

    The true correlation differs from the ceiling for two reasons: the ceiling is estimated from statements that were
    drawn (the bootstrap error s), and the correlation of these very statements varies around its expectation, as any
    correlation of n pairs does. On the scale of artanh the variances are (s / (1 − c²))² and 1/(n − 3) (Fisher 1921),
    and they add up. The bootstrap error alone gave intervals that held the correlation 76 to 90 times out of 100.

    Parameters
    ----------
    ceiling : Replicates
        The :func:`noise_ceiling` of shape () with its bootstrap over statements.
    statements : int
        Number of statements that count.

    Returns
    -------
    Intervals
        NaN where the ceiling is unknown or 1, and for three statements or fewer.
    """
    bootstrap = intervals(ceiling)
    # A correlation of 1, or of three statements, has no error on the scale of artanh.
    value = np.where((bootstrap.value < 1) & (statements > 3), bootstrap.value, np.nan)
    room = 1 - value**2
    error = np.sqrt((bootstrap.stderr / room) ** 2 + 1 / max(statements - 3, 1))
    ends = np.tanh(np.arctanh(value) + np.multiply.outer([-1, 1], Z * error))
    return Intervals(bootstrap.value, error * room, *ends)


def half_drawn(people: int, rng: np.random.Generator | np.random.RandomState, draws: int) -> Floats:
    """Mark with 1 one half of the people, drawn without replacement, and with 0 the other; shape (people, draws).

    The first half of a permutation is what ``RandomState.choice(people, people // 2, replace=False)`` returns.
    """
    drawn = np.zeros((people, draws))
    for draw in range(draws):
        drawn[rng.permutation(people)[: people // 2], draw] = 1
    return drawn


def stacked(people: People) -> Any:
    """Build a sparse matrix that sums over people, shape (4 · statements, people): yes and asked, of both questions."""
    from scipy.sparse import vstack

    parts = (people.yes1, people.asked1, people.yes2, people.asked2)
    return vstack([people.matrix(values).T for values in parts], format="csr")


def shares(sums: Floats) -> tuple[Floats, Floats]:
    """Compute the shares of "yes" to both questions, shape (draws, statements), from transposed sums of
    :func:`stacked`.
    """
    yes1, asked1, yes2, asked2 = np.split(sums, 4, axis=1)
    return ratio(yes1, asked1), ratio(yes2, asked2)


def _shares_of_halves(
    people: People, rng: np.random.Generator | np.random.RandomState, draws: int
) -> Iterator[Any]:
    matrix = stacked(people)
    everyone = matrix @ np.ones(people.people)
    for some in batches(draws, max(people.statements, people.people), REPLICATE_CELLS):
        half = (matrix @ half_drawn(people.people, rng, some)).T
        yield shares(half), shares(everyone - half)
