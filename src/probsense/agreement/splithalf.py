"""How well one half of the people predicts the other, and how high a correlation with people can be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.agreement.correlations import correlation, paired_correlations
from probsense.agreement.people import People
from probsense.agreement.populations import population_scores, published_population_scores
from probsense.agreement.replicates import CELLS, Replicates, times_in_parts
from probsense.agreement.scores import mean_known, ratio
from probsense.agreement.statements import MINIMUM_RATERS, raters
from probsense.stats.resampling import batches

DRAWS = 1000
SEED = 100
"""Number of splits and their seed, as published."""

SPLITS = 100
"""Splits over which a mean is taken in each draw of a bootstrap."""


def published_split_half(people: People, *, draws: int = DRAWS, seed: int = SEED) -> NDArray[np.float64]:
    """Correlations between random halves of the people, in the commonsensicality of statements, as published.

    In each draw ``numpy.random.RandomState(seed)`` chooses half of the people without replacement. Within a half, a
    share without answers is ½, a tie a "yes". Published are the mean and the quantiles .025 and .975.

    Parameters
    ----------
    people : People
    draws, seed : int

    Returns
    -------
    ndarray, shape (draws,)
    """
    found = []
    for first, second in _shares_of_halves(people, np.random.RandomState(seed), draws):
        scores = [
            published_population_scores(*(np.where(np.isnan(share), 0.5, share) for share in half))
            for half in (first, second)
        ]
        found.append(correlation(*(half.commonsensicality for half in scores)))
    return np.concatenate(found)


def split_half_bootstrap(
    people: People,
    rng: np.random.Generator,
    *,
    splits: int = SPLITS,
    draws: int = DRAWS,
    minimum: int = MINIMUM_RATERS,
) -> Replicates:
    """The mean correlation between random halves of the people, with statements drawn with replacement.

    People are not drawn: fewer different ones would be less reliable. So what they have in common over all statements
    is left out, and the error is a little too small (.9 of the truth in made-up worlds).

    Parameters
    ----------
    people : People
    rng : numpy.random.Generator
    splits : int
        Random halves over which the mean is taken, the same ones in every draw.
    draws : int
    minimum : int
        Statements that fewer people rated do not count.

    Returns
    -------
    Replicates
        Of shape ().
    """
    counted = (raters(people) >= minimum).astype(np.float64)
    first, second = (
        np.concatenate(halves) for halves in zip(*_scores_of_halves(people, rng, splits), strict=True)
    )
    replicates = [
        mean_known(paired_correlations(first, second, counted * times))
        for times in times_in_parts(rng, people.statements, draws)
    ]
    return Replicates(mean_known(correlation(first, second, counted)), np.concatenate(replicates))


def spearman_brown(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reliability of all people together, 2r / (1 + r), from the correlation r of their halves (Spearman 1910;
    Brown 1910)."""
    return ratio(2 * r, 1 + r)


def noise_ceiling(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """The correlation with people's values that their true values would have, √reliability.

    The correlation of anything else divided by it is what it would be, were people's values known without error
    (Spearman 1904); as commonsensicality is no mean of answers, only nearly so (4 to 7 % too high in made-up worlds
    of 20 raters per statement). NaN where halves do not correlate.

    Parameters
    ----------
    r : ndarray
        Correlation of halves: the mean over splits.
    """
    return np.sqrt(np.where(r > 0, spearman_brown(r), np.nan))


def half_drawn(
    people: int, rng: np.random.Generator | np.random.RandomState, draws: int
) -> NDArray[np.float64]:
    """1 for one half of the people, drawn without replacement, else 0; shape (people, draws).

    The first half of a permutation is what ``RandomState.choice(people, people // 2, replace=False)`` returns.
    """
    drawn = np.zeros((people, draws))
    for draw in range(draws):
        drawn[rng.permutation(people)[: people // 2], draw] = 1
    return drawn


def stacked(people: People) -> Any:
    """Sparse matrix, shape (4 · statements, people), that sums over people: yes and asked, of both questions."""
    from scipy.sparse import vstack

    parts = (people.yes1, people.asked1, people.yes2, people.asked2)
    return vstack([people.matrix(values).T for values in parts], format="csr")


def shares(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of "yes" to both questions, shape (draws, statements), from sums of :func:`stacked`, transposed."""
    yes1, asked1, yes2, asked2 = np.split(sums, 4, axis=1)
    return ratio(yes1, asked1), ratio(yes2, asked2)


def _scores_of_halves(people: People, rng: np.random.Generator, draws: int) -> Iterator[Any]:
    for halves in _shares_of_halves(people, rng, draws):
        yield tuple(population_scores(*half).commonsensicality for half in halves)


def _shares_of_halves(
    people: People, rng: np.random.Generator | np.random.RandomState, draws: int
) -> Iterator[Any]:
    matrix = stacked(people)
    everyone = matrix @ np.ones(people.people)
    for some in batches(draws, max(people.statements, people.people), CELLS):
        half = (matrix @ half_drawn(people.people, rng, some)).T
        yield shares(half), shares(everyone - half)
