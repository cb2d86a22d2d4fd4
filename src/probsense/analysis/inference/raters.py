"""Means over items that several people rated: the error that is due to who was asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.inference.crossed import TWO_WAY
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import t_quantile


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
    variance = _squares(each, person) - _squares(each, pair)
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


def _numbered(labels: ArrayLike) -> NDArray[np.int64]:
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


def _squares(values: NDArray[np.float64], units: NDArray[np.int64]) -> float:
    """Sum the squares of the sums within units."""
    sums = np.bincount(units, values)
    return float(sums @ sums)
