"""Compares groups of people, such as those with one characteristic and those without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import filled, mean_known, ratio
from probsense.analysis.inference.quantiles import t_p_value
from probsense.core.errors import InputError


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
        One for each person; None where it is unknown.

    Raises
    ------
    InputError
        If nobody has a label.
    """
    names = tuple(sorted({label for label in labels if label is not None}))
    if not names:
        raise InputError("nobody's group is known", expected="a label for some people")
    return PeopleGroups(names, np.array([[label == name for label in labels] for name in names]))


def bands(values: NDArray[np.float64], count: int = 4) -> PeopleGroups:
    """Divide people into bands of a number, such as age, with about as many in each.

    Parameters
    ----------
    values : ndarray, shape (people,)
        NaN where it is unknown.
    count : int
        Largest number of bands; equal values stay together.

    Returns
    -------
    PeopleGroups
        Bands in rising order, named by their smallest and largest value.

    Raises
    ------
    InputError
        If nobody has a value.
    """
    known = ~np.isnan(values)
    if not known.any():
        raise InputError("nobody's number is known", expected="a number for some people")
    inner = np.quantile(values[known], np.arange(1, count) / count, method="inverted_cdf")
    place = np.where(known, np.searchsorted(np.unique(inner), values), -1)
    members = np.stack([place == band for band in np.unique(place[known])])
    names = tuple(f"{values[band].min():g}–{values[band].max():g}" for band in members)
    return PeopleGroups(names, members)


@dataclass(frozen=True, slots=True, eq=False)
class GroupMeans:
    """Hold means of people's values within groups, each compared with all other people; shape (vectors, groups).

    Attributes
    ----------
    n : ndarray
        People with a value in the group.
    mean, stderr : ndarray
        Mean of the group and its standard error.
    difference, difference_stderr : ndarray
        Mean of the group less the mean of the people in all other groups, and its standard error.
    freedom : ndarray
        Degrees of freedom of the difference by Welch (1947).
    p : ndarray
        Two-sided p-value of the difference by Welch's t, not adjusted for the number of tests: see
        :func:`~probsense.analysis.inference.multiple.adjust`.
    """

    n: NDArray[np.float64]
    mean: NDArray[np.float64]
    stderr: NDArray[np.float64]
    difference: NDArray[np.float64]
    difference_stderr: NDArray[np.float64]
    freedom: NDArray[np.float64]
    p: NDArray[np.float64]


def compare_groups(values: NDArray[np.float64], groups: PeopleGroups) -> GroupMeans:
    """Compare people's values between groups.

    Parameters
    ----------
    values : ndarray, shape (vectors, people)
        For example each model's agreement with each person
        (:func:`~probsense.analysis.agreement.matrix.agreement_with_persons`), or people's own scores; NaN where
        unknown.
    groups : PeopleGroups

    Returns
    -------
    GroupMeans
        NaN where there are too few people.

    Notes
    -----
    The majority of a small group is noisier than that of a large one, so agreement with majorities cannot be compared
    between groups. Agreement with single people does not depend on their number.
    """
    members = groups.members.T.astype(np.float64)
    known = ~np.isnan(values)
    # Centring first avoids cancellation.
    centre = mean_known(values)[:, None]
    values = filled(values - centre)
    sums = [column @ members for column in (known.astype(np.float64), values, values**2)]
    n, mean, variance = _moments(*sums)
    rest_n, rest_mean, rest_variance = _moments(*(s.sum(axis=1, keepdims=True) - s for s in sums))
    own, other = ratio(variance, n), ratio(rest_variance, rest_n)
    stderr = np.sqrt(own + other)
    freedom = ratio((own + other) ** 2, ratio(own**2, n - 1) + ratio(other**2, rest_n - 1))
    p = t_p_value(ratio(mean - rest_mean, stderr), freedom)
    return GroupMeans(n, mean + centre, np.sqrt(own), mean - rest_mean, stderr, freedom, p)


def _moments(
    n: NDArray[np.float64], total: NDArray[np.float64], squares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    mean = ratio(total, n)
    return n, mean, np.maximum(ratio(squares - n * mean**2, n - 1), 0)
