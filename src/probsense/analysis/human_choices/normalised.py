"""Sets distances between two landmarks: another sample of as many people, and answers that know nothing.

A normalised distance is (a − f)/(b − f) of means over questions: of the model's distance a, of the noise floor f and of
what lies far, b. It is 0 for another sample of as many people, and 1 for the uniform distribution, as in published
scores, or for people's answers to other questions with as many options, which know how often people choose which place.
A model that knows everybody's shares comes out below 0, because other people have noise of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.arrays import Floats, Ints
from probsense.analysis.human_choices.distributions import Distributions, uniform
from probsense.analysis.human_choices.measures import MEASURES

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


def from_others(name: str, pair: Distributions, rng: np.random.Generator, *, others: int = OTHERS) -> Floats:
    """Measure people's answers to other questions with as many options in the model's place.

    Questions are put into a random order, and each is compared with those that come 1, 2, … places later, up to
    ``others`` of them, or with all. A mean over pairs depends on each question twice, as one that is left and as one
    that is reached (Hoeffding 1948). So a question's value is the mean of its pairs of the first kind, plus by how much
    those of the second kind differ from the mean of all. These values have the mean of all pairs, and their spread
    tells its error.

    Parameters
    ----------
    name : str
        One of :data:`~probsense.analysis.human_choices.measures.MEASURES`.
    pair : Distributions
    rng : numpy.random.Generator
    others : int

    Returns
    -------
    ndarray, shape (questions,)
        NaN where nobody answered, and where no other question has as many options.
    """
    left, reached = (np.full(len(pair.p), np.nan) for _ in range(2))
    for alike in _alike(pair):
        order = rng.permutation(alike)
        shifts = min(others, len(order) - 1)
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
    theirs = np.where(theirs > 0, theirs, np.nan)
    ratio = (ours / theirs)[place]
    found[known] = 100 * (1 - ratio - (apart[known] - ratio * level[known]) / theirs[place])
    return found
