"""Compares groups of people, and statements that have a feature with those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import filled, mean_known, ratio
from probsense.analysis.inference.resampling import Replicates, times_in_parts

BANDS = 4
"""The most bands of a number."""


@dataclass(frozen=True, slots=True, eq=False)
class PeopleGroups:
    """Hold a division of people into groups.

    Attributes
    ----------
    names : tuple of str
    members : ndarray of bool, shape (groups, people)
        Nobody is in two groups; people whose group is unknown are in none.
    """

    names: tuple[str, ...]
    members: NDArray[np.bool_]


def groups_of(labels: Sequence[str | None]) -> PeopleGroups:
    """Divide people by their labels, in alphabetical order.

    Parameters
    ----------
    labels : sequence of str or None
        One for each person; None where it is unknown, as it is not for all.
    """
    names = tuple(sorted({label for label in labels if label is not None}))
    return PeopleGroups(names, np.array([[label == name for label in labels] for name in names]))


def bands(values: NDArray[np.float64]) -> PeopleGroups:
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


DRAWS = 1000
"""Bootstrap draws, as published."""


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


def cohens_d(
    values: NDArray[np.float64], first: NDArray[np.bool_], second: NDArray[np.bool_]
) -> NDArray[np.float64]:
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
    values: NDArray[np.float64],
    first: NDArray[np.bool_],
    second: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
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

    def means(side: NDArray[np.bool_], times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return means of shape (vectors, features, draws)."""
        return ratio((filled(values)[:, None] * side) @ times.T, (known[:, None] * side) @ times.T)

    return Replicates.of(
        np.moveaxis(means(first, times) - means(second, times), -1, 0)
        for times in times_in_parts(rng, values.shape[1], draws)
    )


def _side_moments(
    values: NDArray[np.float64], side: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the count, mean and sum of squared deviations of each vector on each side, all (vectors, features)."""
    members = side.T.astype(np.float64)
    n = (~np.isnan(values)).astype(np.float64) @ members
    values = filled(values)
    mean = ratio(values @ members, n)
    return n, mean, (values * values) @ members - n * mean**2
