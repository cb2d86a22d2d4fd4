"""Estimates means over two kinds of units, such as people and the items that they rated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Bools, Floats, Ints
from probsense.analysis.inference.bounded import bounded, effective_wilson
from probsense.analysis.inference.estimate import LEVEL, TWO_WAY, Estimate, t_p_value, t_quantile
from probsense.analysis.inference.means import clustered_variance, distinct, squares_of_sums
from probsense.core.records import Json

NOTHING: Final = 1e-12
"""A smaller standard error is that of rounding."""


def crossed_share(
    measure: str, by: Mapping[str, Json], values: ArrayLike, rows: Ints, columns: Ints, weights: ArrayLike
) -> Estimate:
    """Estimate a weighted mean of observations that share units of two kinds (method "two-way clustered").

    The error is that of :func:`two_way_error`. The interval is that of
    :func:`~probsense.analysis.inference.bounded.effective_wilson`, with the units of the rarer kind.

    Parameters
    ----------
    measure, by
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    values : array_like, shape (n,)
        Observations, at least one, one for each pair of units, all finite; their mean is between 0 and 1.
    rows, columns : ndarray of int, shape (n,)
        The unit of each kind, numbered from 0.
    weights : array_like, shape (n,)
        Weights of observations, all positive.

    Returns
    -------
    Estimate
        Its ``clusters`` are those of the rarer kind; an unknown interval for a single one.
    """
    mean, influences = _weighted_mean(values, weights)
    mean, n = min(max(mean, 0.0), 1.0), len(influences)  # rounding may miss the ends
    stderr, count = two_way_error(influences, rows, columns)
    low, high = effective_wilson(mean, stderr, most=n, units=count)
    return Estimate(measure, by, mean, stderr, low, high, LEVEL, n, count, TWO_WAY)


def crossed_difference(
    first: Bools, values: ArrayLike, rows: Ints, columns: Ints, weights: ArrayLike
) -> Estimate:
    """Estimate the mean of some observations less that of all others (method "two-way clustered").

    The interval and the p-value take Student's t with one degree of freedom less than there are rows, or columns on
    either side, whichever are the fewest.

    Parameters
    ----------
    first : ndarray of bool, shape (n,)
        Which observations are on the first side; all those of a column are on one.
    values, rows, columns, weights
        As for :func:`crossed_share`.

    Returns
    -------
    Estimate
        Between −1 and 1; unknown where a side is empty. It has no interval where there is a single unit, and no p-value
        where nothing varies.
    """
    x, weight = np.asarray(values), np.asarray(weights)
    if first.all() or not first.any():
        return Estimate("", {}, math.nan, math.nan, math.nan, math.nan, LEVEL, len(x), 0, TWO_WAY)
    sides = first, ~first
    (one, added), (other, taken) = (_weighted_mean(x[side], weight[side]) for side in sides)
    influences = np.zeros(len(x))
    influences[first], influences[~first] = added, -taken
    stderr, count = two_way_error(influences, rows, columns)
    freedom = min(count, *(distinct(columns[side]) for side in sides)) - 1
    value, half = one - other, t_quantile(freedom) * stderr
    p = float(t_p_value(value / stderr, freedom)) if stderr > NOTHING else math.nan
    ends = value - half, value + half
    found = Estimate("", {}, value, stderr, *ends, LEVEL, len(x), freedom + 1, TWO_WAY, p=p)
    return bounded(found, (-1, 1))


def two_way_error(influences: Floats, rows: Ints, columns: Ints) -> tuple[float, int]:
    """Compute a standard error over units of two kinds, and the number of units of the rarer kind.

    The variance is that of Cameron, Gelbach & Miller (2011, J. Business & Economic Statistics 29(2), eq. 2.11):
    clustered by one kind, plus by the other, less by pairs of both, each with its factor C/(C−1). It is raised to the
    larger of the two one-way variances if it is smaller (their section 2.3 on negative variances).

    Parameters
    ----------
    influences : ndarray, shape (n,)
        What each observation, one for each pair of units, adds to the value.
    rows, columns : ndarray of int, shape (n,)
        The unit of each kind, numbered from 0.

    Returns
    -------
    (float, int)
        A NaN for a single unit.
    """
    (by_row, n), (by_column, m) = (clustered_variance(influences, units) for units in (rows, columns))
    if min(n, m) < 2:
        return math.nan, 1
    pairs = len(influences)
    by_pair = pairs / (pairs - 1) * float(influences @ influences)
    return math.sqrt(max(by_row + by_column - by_pair, by_row, by_column)), min(n, m)


def _weighted_mean(values: ArrayLike, weights: ArrayLike) -> tuple[float, Floats]:
    """Compute a weighted mean, and what each observation adds to it."""
    x, share = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    share = share / share.sum()
    mean = float(share @ x)
    return mean, share * (x - mean)


class RatersError(NamedTuple):
    """What people add to the error of a mean over items.

    Attributes
    ----------
    variance : float
        Squared error, 0 or more.
    raters : int
        Number of people.
    """

    variance: float
    raters: int


def raters_error(
    ratings: ArrayLike, raters: ArrayLike, items: ArrayLike, clusters: ArrayLike, weights: ArrayLike
) -> RatersError:
    """Compute what the error over clusters of items leaves out: the same people rated items of several clusters.

    The mean is Σ wᵢ p̂ᵢ / Σ wᵢ, where p̂ᵢ is the mean of item i's ratings. The spread of the p̂ᵢ over clusters holds the
    chance of who rated each of them, as far as other people rated others. What is missing are the products of a
    person's deviations on items of different clusters, Σₚ (Σ_c aₚ_c)² − Σₚ Σ_c aₚ_c², where aₚ_c is the sum of
    wᵢ (xₚᵢ − x̄₋ₚᵢ) / nᵢ over the items of cluster c, over Σ wᵢ. That is the variance by people less that by pairs of
    person and cluster, as in Cameron, Gelbach & Miller (2011, J. Business & Economic Statistics 29(2), eq. 2.11).
    Deviations are from the other people's mean on the item, and where nobody else rated it, from the mean of all
    ratings.

    Parameters
    ----------
    ratings : array_like, shape (n,)
        One for each pair of person and item.
    raters, items, clusters : array_like, shape (n,)
        Labels of any kind.
    weights : array_like, shape (n,)
        The weight of the item of each rating.
    """
    x = np.asarray(ratings, dtype=np.float64)
    person, item = _numbered(raters), _numbered(items)
    count, total = np.bincount(item), np.bincount(item, x)
    weight = np.asarray(weights, dtype=np.float64) / count[item]
    alone = count[item] == 1
    others = (total[item] - x) / np.where(alone, 1, count[item] - 1)
    each = weight / weight.sum() * (x - np.where(alone, x.mean(), others))
    pair = _numbered(person * (len(x) + 1) + _numbered(clusters))
    variance = squares_of_sums(each, person) - squares_of_sums(each, pair)
    return RatersError(max(variance, 0.0), int(person.max()) + 1)


def over_raters(estimate: Estimate, errors: Sequence[RatersError]) -> Estimate:
    """Widen the interval of a mean over items to one over items and people (method "two-way clustered").

    Variances add up. The interval takes the larger of two quantiles of Student's t: that of the interval over items,
    and that of as many degrees of freedom as there are people, less one.

    Parameters
    ----------
    estimate : Estimate
        Its interval is over items, symmetric around the value.
    errors : sequence of RatersError
        That of each group of people in the mean.

    Returns
    -------
    Estimate
        Its ``clusters`` (or ``settings``) are those people if they are fewer.
    """
    people = min(error.raters for error in errors)
    fewer = {
        name: min(units, people) for name in ("clusters", "settings") if (units := getattr(estimate, name))
    }
    stderr = math.sqrt(estimate.stderr**2 + sum(error.variance for error in errors))
    t = t_quantile(people - 1, estimate.level) if people > 1 else math.nan
    if estimate.stderr > 0:
        t = max(t, (estimate.high - estimate.low) / 2 / estimate.stderr)
    half = t * stderr
    return replace(
        estimate,
        stderr=stderr if people > 1 else math.nan,
        low=estimate.value - half,
        high=estimate.value + half,
        method=TWO_WAY,
        **fewer,
    )


def _numbered(labels: ArrayLike) -> Ints:
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


class Cells(NamedTuple):
    """Hold what each answer of a rater adds to the value of an item, to first order.

    Attributes
    ----------
    item, rater : ndarray of int, shape (cells,)
        Indices from 0.
    value : ndarray, shape (cells,)
        By how much the answer moves the item's value from what it would be on average: they sum to 0 within an item.
    """

    item: Ints
    rater: Ints
    value: Floats


class Linear(NamedTuple):
    """Hold a value with what it depends on, to first order.

    Attributes
    ----------
    value : float
    items : ndarray, shape (n,)
        The influence of each item: what it adds to the value, with a sum of about 0.
    raters : Cells or None
        What each answer adds to the value; None where it is not known who answered.
    """

    value: float
    items: Floats
    raters: Cells | None = None


def crossed_interval(found: Linear) -> tuple[float, float, float]:
    """Compute the standard error of a value if items and raters are drawn from more of them, and its interval.

    The variance over items has the noise of single answers in it. What raters have in common over items comes on top:
    the variance between them less that of their single answers, unless that is negative (the two-way clustering of
    Cameron, Gelbach & Miller 2011, J. Business & Economic Statistics 29(2), eq. 2.11). The part of items has the factor
    C/(C − 1), and Student's t takes the degrees of freedom of Satterthwaite (1946).

    A rater is part of the mean from which an answer departs. So departures from it are as large as those from the other
    raters of the item once they are multiplied by n/(n − 1), for the item's n raters. The variance between C raters
    then has the factor (C − 1)/C, as raters share the others. Where all rate all items, both make C/(C − 1).

    Parameters
    ----------
    found : Linear

    Returns
    -------
    (float, float, float)
        The error and both ends; NaN for a single item. A single rater is taken as it is.
    """
    n = len(found.items)
    if n < 2 or math.isnan(found.value):
        return math.nan, math.nan, math.nan
    parts = [(n / (n - 1) * float(found.items @ found.items), n - 1)]
    if found.raters is not None:
        item, rater, moved = found.raters
        names, place = np.unique(rater, return_inverse=True)
        count = len(names)
        if count > 1:
            each = np.bincount(item)[item]
            value = moved * each / np.maximum(each - 1, 1)
            sums = np.bincount(place, value)
            between = float(sums @ sums) - float(value @ value)
            parts.append((max((count - 1) / count * between, 0.0), count - 1))
    total = sum(variance for variance, _ in parts)
    if total == 0:
        return 0.0, found.value, found.value
    stderr = math.sqrt(total)
    half = t_quantile(total**2 / sum(variance**2 / freedom for variance, freedom in parts)) * stderr
    return stderr, found.value - half, found.value + half
