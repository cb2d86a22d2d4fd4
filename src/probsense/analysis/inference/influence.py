"""Estimates errors by influences: what each item, and each answer of a rater, adds to a value."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.quantiles import t_quantile

Floats = NDArray[np.float64]


class Cells(NamedTuple):
    """Hold what each answer of a rater adds to the value of an item, to first order.

    Attributes
    ----------
    item, rater : ndarray of int, shape (cells,)
        Indices from 0.
    value : ndarray, shape (cells,)
        By how much the answer moves the item's value from what it would be on average: they sum to 0 within an item.
    """

    item: NDArray[np.int64]
    rater: NDArray[np.int64]
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
