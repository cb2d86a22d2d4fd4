"""Estimates errors by influences: what each item and each answer of several kinds of raters adds to a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.quantiles import t_quantile

Floats = NDArray[np.float64]
Scale: TypeAlias = Literal["own", "artanh", "log"]


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


def ends(value: float, spread: Spread, *, level: float, scale: Scale = "own") -> tuple[float, float]:
    """Return an interval by Student's t, on the scale on which the error of the value is about the same everywhere.

    Parameters
    ----------
    value : float
    spread : Spread
    level : float
        Nominal coverage.
    scale : {"own", "artanh", "log"}
        For a correlation "artanh" (Fisher 1921); for a ratio of variances "log", unless it is not above 0.
    """
    if math.isnan(spread.stderr):
        return math.nan, math.nan
    half = t_quantile(spread.freedom, level) * spread.stderr
    if scale == "artanh":
        if abs(value) >= 1:
            return math.nan, math.nan
        middle, half = math.atanh(value), half / (1 - value**2)
        return math.tanh(middle - half), math.tanh(middle + half)
    if scale == "log" and value > 0:
        return value * math.exp(-half / value), value * math.exp(half / value)
    return value - half, value + half


def mean(x: Floats, raters: Sequence[Cells]) -> Linear:
    """Return the mean of the items' values x, shape (n,), with ``raters`` that move them."""
    n = len(x)
    value = float(x.mean())
    return Linear(value, (x - value) / n, tuple(cells.times(np.full(n, 1 / n)) for cells in raters))


def ratio_of_means(x: Floats, y: Floats, of_x: Cells, of_y: Cells) -> Linear:
    """Return Σx / Σy of the items' values, shape (n,); NaN where the mean of y is not above 0."""
    n, below = len(x), float(y.mean())
    if below <= 0:
        return Linear(math.nan, np.full(n, math.nan), ())
    value = float(x.mean()) / below
    unit = np.full(n, 1 / (n * below))
    return Linear(value, (x - value * y) * unit, (of_x.times(unit), of_y.times(-value * unit)))


def root_mean(x: Floats, of_x: Cells) -> Linear:
    """Return √(mean of x), shape (n,), such as of squares less their noise; 0 without an error where it is negative."""
    found = mean(x, [of_x])
    value = math.sqrt(max(found.value, 0.0))
    if value == 0:
        return Linear(0.0, np.full(len(x), math.nan), ())
    return _scaled(found, value, 1 / (2 * value))


def correlation(x: Floats, y: Floats, of_x: Cells, of_y: Cells) -> Linear:
    """Return Pearson's correlation of the items' values, shape (n,); NaN where one does not vary."""
    n = len(x)
    dx, dy = x - x.mean(), y - y.mean()
    sx, sy = math.sqrt(float(dx @ dx) / n), math.sqrt(float(dy @ dy) / n)
    if min(sx, sy) <= 1e-12:
        return Linear(math.nan, np.full(n, math.nan), ())
    zx, zy = dx / sx, dy / sy
    value = min(max(float(zx @ zy) / n, -1.0), 1.0)
    items = (zx * zy - value / 2 * (zx**2 + zy**2)) / n
    return Linear(
        value,
        items,
        (of_x.times((zy - value * zx) / (n * sx)), of_y.times((zx - value * zy) / (n * sy))),
    )


def slope(x: Floats, y: Floats, noise: Floats, of_x: Cells, of_y: Cells) -> Linear:
    """Return by how much x grows with the true y, which the items show with some noise.

    cov(x, y) / (var(y) − mean noise), which the noise of y does not make flatter (Fuller 1987, eq. 1.2.3).

    Parameters
    ----------
    x, y : ndarray, shape (n,)
    noise : ndarray, shape (n,)
        The variance of each y around what it would be without noise.
    of_x, of_y : Cells

    Returns
    -------
    Linear
        NaN where y varies by no more than its noise.
    """
    n = len(x)
    dx, dy = x - x.mean(), y - y.mean()
    true = float(dy @ dy) / max(n - 1, 1) - float(noise.mean())
    if true <= 0:
        return Linear(math.nan, np.full(n, math.nan), ())
    value = float(dx @ dy) / (n - 1) / true
    moved = dx * dy - value * (dy**2 - noise)
    return Linear(
        value,
        (moved - moved.mean()) / (n * true),
        (of_x.times(dy / (n * true)), of_y.times((dx - 2 * value * dy) / (n * true))),
    )


def ceiling(y: Floats, noise: Floats, of_y: Cells) -> Linear:
    """Return the correlation of the items' values with what they would be without noise, √reliability.

    The reliability (var(y) − mean noise) / var(y) is what the correlation of two halves of the raters becomes by
    Spearman (1910) and Brown (1910), the mean over all ways of halving them.

    Parameters
    ----------
    y, noise : ndarray, shape (n,)
        As for :func:`slope`.
    of_y : Cells

    Returns
    -------
    Linear
        NaN where y varies by no more than its noise.
    """
    n = len(y)
    dy = y - y.mean()
    whole = float(dy @ dy) / max(n - 1, 1)
    share = 1 - float(noise.mean()) / whole if whole > 0 else 0.0
    if share <= 0:
        return Linear(math.nan, np.full(n, math.nan), ())
    moved = (1 - share) * dy**2 - noise
    reliability = Linear(
        share, (moved - moved.mean()) / (n * whole), (of_y.times(2 * (1 - share) * dy / (n * whole)),)
    )
    value = math.sqrt(share)
    return _scaled(reliability, value, 1 / (2 * value))


def _scaled(found: Linear, value: float, factor: float) -> Linear:
    """Return another value that moves by ``factor`` times what the first one does."""
    raters = tuple(Cells(c.item, c.rater, c.value * factor) for c in found.raters)
    return Linear(value, found.items * factor, raters)
