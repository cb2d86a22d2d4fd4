"""Estimates errors by influences: what each item and each answer of several kinds of raters adds to a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.quantiles import t_quantile

Floats = NDArray[np.float64]


class Cells(NamedTuple):
    """Hold what each answer of raters of one kind adds to the value of an item, to first order.

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

    def times(self, factor: Floats) -> Cells:
        """Return the same with all values of an item multiplied by its factor, shape (items,)."""
        return Cells(self.item, self.rater, self.value * factor[self.item])


class Linear(NamedTuple):
    """Hold a value with what it depends on, to first order.

    Attributes
    ----------
    value : float
    items : ndarray, shape (n,)
        The influence of each item: what it adds to the value, with a sum of about 0.
    raters : tuple of Cells
        For each kind of raters, what each answer adds to the value.
    """

    value: float
    items: Floats
    raters: tuple[Cells, ...]


class Spread(NamedTuple):
    """Hold a standard error with its degrees of freedom; NaN where it is unknown."""

    stderr: float
    freedom: float


def crossed_spread(found: Linear) -> Spread:
    """Compute the standard error of a value if items and raters of every kind are drawn from more of them.

    The variance over items has the noise of single answers in it. What raters of a kind have in common over items comes
    on top: the variance between them less that of their single answers, unless that is negative (the two-way
    clustering of Cameron, Gelbach & Miller 2011, J. Business & Economic Statistics 29(2), eq. 2.11, once for each
    kind). The part of items has the factor C/(C − 1), and the degrees of freedom are those of Satterthwaite (1946).

    A rater is part of the mean from which an answer departs. So departures from it are as large as those from the other
    raters of the item once they are multiplied by n/(n − 1), for the item's n raters. The variance between C raters
    then has the factor (C − 1)/C, as raters share the others. Where all rate all items, both make C/(C − 1).

    Parameters
    ----------
    found : Linear

    Returns
    -------
    Spread
        NaN for a single item. Raters of a kind that has only one are taken as they are.
    """
    n = len(found.items)
    if n < 2 or math.isnan(found.value):
        return Spread(math.nan, math.nan)
    parts: list[tuple[float, int]] = [(n / (n - 1) * float(found.items @ found.items), n - 1)]
    for cells in found.raters:
        names, place = np.unique(cells.rater, return_inverse=True)
        count = len(names)
        if count > 1:
            each = np.bincount(cells.item)[cells.item]
            value = cells.value * each / np.maximum(each - 1, 1)
            sums = np.bincount(place, value)
            between = float(sums @ sums) - float(value @ value)
            parts.append((max((count - 1) / count * between, 0.0), count - 1))
    total = sum(variance for variance, _ in parts)
    if total == 0:
        return Spread(0.0, n - 1)
    return Spread(math.sqrt(total), total**2 / sum(variance**2 / freedom for variance, freedom in parts))


def ends(value: float, spread: Spread) -> tuple[float, float]:
    """Return an interval by Student's t.

    Parameters
    ----------
    value : float
    spread : Spread
    """
    if math.isnan(spread.stderr):
        return math.nan, math.nan
    half = t_quantile(spread.freedom) * spread.stderr
    return value - half, value + half


def mean(x: Floats, raters: Sequence[Cells]) -> Linear:
    """Return the mean of the items' values x, shape (n,), with ``raters`` that move them."""
    n = len(x)
    value = float(x.mean())
    return Linear(value, (x - value) / n, tuple(cells.times(np.full(n, 1 / n)) for cells in raters))


def root_mean(x: Floats, of_x: Cells) -> Linear:
    """Return √(mean of x), shape (n,), such as of squares less their noise; 0 without an error where it is negative."""
    found = mean(x, [of_x])
    value = math.sqrt(max(found.value, 0.0))
    if value == 0:
        return Linear(0.0, np.full(len(x), math.nan), ())
    return _scaled(found, value, 1 / (2 * value))


def _scaled(found: Linear, value: float, factor: float) -> Linear:
    """Return another value that moves by ``factor`` times what the first one does."""
    raters = tuple(Cells(c.item, c.rater, c.value * factor) for c in found.raters)
    return Linear(value, found.items * factor, raters)
