"""Splits the variance of values into components: units, the facets of the conditions they were seen under, and both.

The theory is that of generalizability (Brennan 2001, Generalizability Theory, chapters 3 to 5). Units (statements) are
a sample of many more. The levels of a facet (wordings of a question, the order of its parts) are those that were tried:
a facet is fixed, and its component is the variance among these very levels, with their number as divisor. All
components together are the variance of one value: that of a unit drawn from all units, under a condition drawn from
those tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from probsense.analysis.arrays import Floats, Ints, ratio
from probsense.analysis.inference.estimate import t_quantile
from probsense.analysis.inference.resampling import Intervals

Facets: TypeAlias = Mapping[str, Ints]
"""By the name of a facet the level of each condition, from 0, shape (conditions,).

Any two facets must be balanced: each pair of their levels comes equally often.
"""


class Components(NamedTuple):
    """Hold components of variance. Of each array, the first row has all units, and each further one lacks a unit.

    Attributes
    ----------
    units : ndarray, shape (1 + units,)
        Variance of the units' means over all conditions.
    between : ndarray, shape (1 + units, facets + 1)
        Variance of the levels' observed means of each facet; last, that of what facets do together (their
        interactions).
    crossed : ndarray, shape (1 + units, facets + 1)
        Variance by which units depart from these means: the interaction of units with each facet; last, with facets
        together, and all else that a single value has of its own.
    noise : ndarray, shape (facets + 1,)
        Variance that ``between`` has where all means are equal, 2 · tr(C²) / (levels · units)² with the covariances C
        of the levels.
    """

    units: Floats
    between: Floats
    crossed: Floats
    noise: Floats

    @property
    def main(self) -> Floats:
        """Components of facets: ``between`` without what the units at hand bring into it, crossed / units."""
        count = len(self.units) - 1
        counts = np.concatenate([[count], np.full(count, count - 1)])
        return np.asarray(self.between - self.crossed / counts[:, None])

    @property
    def total(self) -> Floats:
        """The sum of all components, shape (1 + units,)."""
        return np.asarray(self.units + self.main.sum(axis=1) + self.crossed.sum(axis=1))


def variance_components(values: Floats, facets: Facets) -> Components:
    """Estimate components of variance without bias, from mean squares (the analysis of variance).

    Parameters
    ----------
    values : ndarray, shape (units, conditions)
        At least three units; no value may be missing.
    facets : Mapping of str to ndarray

    Returns
    -------
    Components
        A component of a facet can come out below 0 where the facet does nothing.
    """
    values = values - values.mean()
    mean = values.mean(axis=1, keepdims=True)
    rest = values - mean
    blocks = []
    for level in facets.values():
        blocks.append(level_effects(values, level))
        rest = rest - blocks[-1][:, level]
    (_, units), *split = [_split(block) for block in (mean, *blocks, rest)]
    noise = np.array([2 * (np.cov(block.T) ** 2).sum() / block.size**2 for block in (*blocks, rest)])
    between, crossed = (np.stack(part, axis=1) for part in zip(*split, strict=True))
    return Components(units, between, crossed, noise)


def level_effects(values: Floats, level: Ints) -> Floats:
    """Compute by how much each unit's mean at a level is above its mean over all conditions.

    Parameters
    ----------
    values : ndarray, shape (units, conditions)
    level : ndarray of int, shape (conditions,)

    Returns
    -------
    ndarray, shape (units, levels)
    """
    member = level[:, None] == np.arange(level.max() + 1)
    return np.asarray((values - values.mean(axis=1, keepdims=True)) @ (member / member.sum(axis=0)))


def _split(effects: Floats) -> tuple[Floats, Floats]:
    """Return the mean square of the columns' means, and the variance of units around them: of all, and without each.

    Parameters
    ----------
    effects : ndarray, shape (units, levels)
    """
    count = len(effects)
    sums, squares = effects.sum(axis=0), (effects**2).mean(axis=1)
    n = np.concatenate([[count], np.full(count, count - 1)])
    total = np.concatenate([[squares.sum()], squares.sum() - squares])
    between = (np.vstack([sums, sums - effects]) ** 2).mean(axis=1) / n**2
    return between, np.maximum(total - n * between, 0.0) / (n - 1)


def variance_shares(found: Components) -> Intervals:
    """Estimate the share of every component in the sum of all: units, facets, facets together, units × each, the rest.

    Errors are the jackknife's over units. Intervals take Student's t with units − 1 degrees of freedom on the scale of
    log odds. That of a facet is on the scale of square roots, where its effects are nearly normal: from the root of
    the component, less t errors, to the root of ``between`` and t errors. Its lower end is never above the component
    less t errors to which ``noise`` was added, so that it holds where the facet does nothing or little.

    Parameters
    ----------
    found : Components

    Returns
    -------
    Intervals
        Of shape (2 · facets + 3,); what comes out below 0 is 0, and NaN if nothing varies.
    """
    unit = found.total
    units, main, between, crossed = (
        ratio(part, unit[:, None])
        for part in (found.units[:, None], found.main, found.between, found.crossed)
    )
    noise = ratio(found.noise, unit[0] ** 2)
    parts = (_on_log_odds(units), _of_facets(main, between, noise), _on_log_odds(crossed))
    return Intervals(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def told_shares(
    values: Floats, facets: Facets, *, unit: str, whole: str
) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield the name of each component that can be told from the others, with its share, error and interval.

    Parameters
    ----------
    values : ndarray, shape (units, conditions)
    facets : Mapping of str to ndarray
    unit, whole : str
        What a unit is called, and all facets.
    """
    together, rest = f"{whole}, together", f"{unit} × rest"
    names = [unit, *facets, together, *(f"{unit} × {facet}" for facet in facets), rest]
    shares = variance_shares(variance_components(values, facets))
    for name, value, stderr, low, high in zip(names, *map(np.ndarray.tolist, shares), strict=True):
        # One facet has nothing to do together with, and leaves no rest.
        if (len(facets) > 1 or name not in (together, rest)) and not np.isnan(value):
            yield name, value, stderr, low, high


def _of_facets(main: Floats, between: Floats, noise: Floats) -> Intervals:
    """Make intervals on the scale of square roots."""
    root, t = np.sqrt(between), t_quantile(len(main) - 2)
    half, error = t * _jackknife(root), np.sqrt(_jackknife(main) ** 2 + noise)
    value = np.maximum(main[0], 0.0)
    low = np.minimum(np.maximum(np.sqrt(value) - half, 0.0) ** 2, np.maximum(value - t * error, 0.0))
    return Intervals(value, error, low, (root[0] + half) ** 2)


def _on_log_odds(values: Floats) -> Intervals:
    """Make intervals of the jackknife on the scale of log odds; where errors reach half to a bound, on their own."""
    from scipy.special import expit, logit

    error, t = _jackknife(values), t_quantile(len(values) - 2)
    value = values[0]
    low, high = np.clip(value - t * error, 0, 1), np.clip(value + t * error, 0, 1)
    inside = ((values > 0) & (values < 1)).all(axis=0)
    inner = inside & (error < np.minimum(value, 1 - value) / 2)
    moved = logit(values[:, inner])
    half = t * _jackknife(moved)
    low[inner], high[inner] = expit(moved[0] - half), expit(moved[0] + half)
    return Intervals(value, error, low, high)


def _jackknife(values: Floats) -> Floats:
    """Compute the standard error of the first row from the further ones, each without a unit (Efron & Stein 1981)."""
    without = values[1:]
    count = len(without)
    return np.asarray(np.sqrt((count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0)))
