"""Divides people and statements into groups, and measures how far two groups are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from probsense.analysis.arrays import Bools, Floats, Ints, filled, mean_known, ratio
from probsense.analysis.inference.raters import Cells, Linear
from probsense.analysis.inference.resampling import Replicates, times_in_parts

BANDS = 4
"""The most bands of a number."""

DRAWS = 1000
"""Bootstrap draws, as published."""


class PeopleGroups(NamedTuple):
    """Hold a division of people into groups.

    Attributes
    ----------
    names : tuple of str
    members : ndarray of bool, shape (groups, people)
        Nobody is in two groups; people whose group is unknown are in none.
    """

    names: tuple[str, ...]
    members: Bools


def groups_of(labels: Sequence[str | None]) -> PeopleGroups:
    """Divide people by their labels, in alphabetical order.

    Parameters
    ----------
    labels : sequence of str or None
        One for each person; None where it is unknown, as it is not for all.
    """
    names = tuple(sorted({label for label in labels if label is not None}))
    return PeopleGroups(names, np.array([[label == name for label in labels] for name in names]))


def bands(values: Floats) -> PeopleGroups:
    """Divide people into :data:`BANDS` of a number, such as age, or fewer, with about as many in each.

    Equal values stay together.

    Parameters
    ----------
    values : ndarray, shape (people,)
        NaN where it is unknown, as it is not for all.

    Returns
    -------
    PeopleGroups
        Bands in rising order, named by their smallest and largest value.
    """
    known = ~np.isnan(values)
    inner = np.quantile(values[known], np.arange(1, BANDS) / BANDS, method="inverted_cdf")
    place = np.where(known, np.searchsorted(np.unique(inner), values), -1)
    members = np.stack([place == band for band in np.unique(place[known])])
    names = tuple(f"{values[band].min():g}–{values[band].max():g}" for band in members)
    return PeopleGroups(names, members)


class Feature(NamedTuple):
    """Describe a feature of statements that has two sides.

    Attributes
    ----------
    column : str
        Name of the 0/1 column.
    first, second : str
        Names of the sides, in the order in which they are subtracted.
    flag : int
        The value of the column on the first side.
    """

    column: str
    first: str
    second: str
    flag: int = 0


FEATURES = (
    Feature("opinion", "fact", "opinion"),
    Feature("behavior", "physical", "social"),
    Feature("figure_of_speech", "literal", "figurative"),
    Feature("judgment", "positive", "normative"),
    Feature("reasoning", "knowledge", "reasoning"),
    Feature("everyday", "everyday", "abstract", 1),
)
"""The published features (Whiting & Watts 2024, PNAS 121(4))."""


def cohens_d(values: Floats, first: Bools, second: Bools) -> Floats:
    """Compare the values of statements on both sides of features: the first mean less the second, by their spread.

    The unit is the pooled standard deviation, √(((n₁−1)s₁² + (n₂−1)s₂²) / (n₁+n₂−2)) (Cohen 1988).

    Parameters
    ----------
    values : ndarray, shape (vectors, statements)
        One vector for people, one for each model; NaN where unknown.
    first, second : ndarray of bool, shape (features, statements)
        Which statements are on each side.

    Returns
    -------
    ndarray, shape (vectors, features)
        NaN where a side is empty, or both together have fewer than three statements.
    """
    values = values - mean_known(values)[:, None]
    n1, mean1, squares1 = _side_moments(values, first)
    n2, mean2, squares2 = _side_moments(values, second)
    return ratio(mean1 - mean2, np.sqrt(ratio(squares1 + squares2, n1 + n2 - 2)))


def contrast_replicates(
    values: Floats, first: Bools, second: Bools, rng: np.random.Generator, *, draws: int = DRAWS
) -> Replicates:
    """Compute differences of means between both sides of features, with statements drawn with replacement.

    All vectors and features share the same draws.

    Parameters
    ----------
    values, first, second
        As for :func:`cohens_d`.
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    Replicates
        Estimates of shape (vectors, features), NaN where a side is empty. The publication reports the mean of the draws
        and their quantiles .025 and .975.
    """
    values = values - mean_known(values)[:, None]
    known = (~np.isnan(values)).astype(np.float64)

    def means(side: Bools, times: Floats) -> Floats:
        """Return means of shape (vectors, features, draws)."""
        return ratio((filled(values)[:, None] * side) @ times.T, (known[:, None] * side) @ times.T)

    return Replicates.of(
        np.moveaxis(means(first, times) - means(second, times), -1, 0)
        for times in times_in_parts(rng, values.shape[1], draws)
    )


def _side_moments(values: Floats, side: Bools) -> tuple[Floats, Floats, Floats]:
    """Return the count, mean and sum of squared deviations of each vector on each side, all (vectors, features)."""
    members = side.T.astype(np.float64)
    n = (~np.isnan(values)).astype(np.float64) @ members
    values = filled(values)
    mean = ratio(values @ members, n)
    return n, mean, (values * values) @ members - n * mean**2


class Answering(NamedTuple):
    """Hold how the respondents of a group answer.

    Attributes
    ----------
    share : ndarray, shape (statements,)
        The share of yes; NaN where it is unknown.
    noise : ndarray, shape (statements,)
        Variance of that share around the share of all who might have been asked; a single persona stands for itself.
    cells : Cells
        What every answer adds to the share.
    """

    share: Floats
    noise: Floats
    cells: Cells


def personas_answering(yes: Floats, noise: Floats, weight: Floats) -> Answering:
    """Measure the answers of simulated people.

    With weights w that sum to 1 over the personas that answer, the variance of their mean p̄ is
    Σ w² · Σ w(p − p̄)² / (1 − Σ w²), as if they were drawn from more personas.

    Parameters
    ----------
    yes : ndarray, shape (personas, statements)
        Probability of yes; NaN where there is no answer.
    noise : ndarray, shape (personas, statements)
        Variance of that probability around the true one: 0 if it is exact.
    weight : ndarray, shape (personas,)
        How many people each persona stands for, in any unit.

    Returns
    -------
    Answering
        NaN for statements that no persona answers.
    """
    known = ~np.isnan(yes)
    count = known.sum(axis=0)
    weight = np.where(known, weight[:, None], 0.0)
    w = filled(ratio(weight, weight.sum(axis=0)))
    p, noise = filled(yes), filled(noise)
    share = np.where(count > 0, (w * p).sum(axis=0), np.nan)
    off = np.where(w > 0, p - share, 0.0)
    room = np.where(count > 1, 1 - (w**2).sum(axis=0), np.nan)
    squares = (w * off**2).sum(axis=0)
    rater, item = np.nonzero(known)
    return Answering(
        share,
        np.where(count > 1, squares / room, (w * noise).sum(axis=0)) * (w**2).sum(axis=0),
        Cells(item, rater, (w * off)[rater, item]),
    )


def people_answering(yes: Floats, statement: Ints, person: Ints, statements: int) -> Answering:
    """Measure the answers of people, who each answer once.

    Of n people of whom a share s says yes, the variance of the share is s(1 − s)/(n − 1), which is unbiased.

    Parameters
    ----------
    yes : ndarray, shape (k,)
        1 or 0.
    statement, person : ndarray of int, shape (k,)
    statements : int

    Returns
    -------
    Answering
        NaN for statements that fewer than two people answer.
    """
    n = np.bincount(statement, minlength=statements).astype(np.float64)
    n = np.where(n > 1, n, np.nan)
    share = np.bincount(statement, yes, statements) / n
    off = filled((yes - share[statement]) / n[statement])
    return Answering(share, share * (1 - share) / (n - 1), Cells(statement, person, off))


def contrast_size(one: Answering, other: Answering) -> Linear:
    """Compute the root mean square difference of the shares of two groups, less their noise.

    Parameters
    ----------
    one, other : Answering
        Nobody is in both groups.

    Returns
    -------
    Linear
        Its items are the statements that both groups answer. Where noise alone is as large as the difference, it is 0,
        and nobody knows what moves it.
    """
    apart = one.share - other.share
    known = np.flatnonzero(~np.isnan(apart))
    squares = (apart**2 - one.noise - other.noise)[known]
    n = len(known)
    if not n:
        return Linear(math.nan, squares)
    value = math.sqrt(max(float(squares.mean()), 0.0))
    # The derivative of the root of a mean.
    slope = 1 / (2 * value * n) if value else math.nan
    place = np.full(len(apart), -1)
    place[known] = np.arange(n)
    statement = np.concatenate([one.cells.item, other.cells.item])
    person = np.concatenate([one.cells.rater, -1 - other.cells.rater])
    moved = np.concatenate([one.cells.value, -other.cells.value]) * 2 * apart[statement] * slope
    both = place[statement] >= 0
    cells = Cells(place[statement][both], person[both], moved[both])
    return Linear(value, (squares - squares.mean()) * slope, cells)
