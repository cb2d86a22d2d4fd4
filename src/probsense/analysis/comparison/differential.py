"""Tells which items are easier for one group of models than for another of the same ability: differential functioning.

Of the two-parameter logistic of :mod:`~probsense.analysis.comparison.item_response`, the log-odds of a right answer get
a further term, ± dᵢ/2, plus in the first group and minus in the second (uniform differential functioning; Swaminathan &
Rogers 1990, Journal of Educational Measurement 27, 361–370). The dᵢ are normal with a mean of 0, because the difference
of the groups' abilities takes their mean. So each says how much easier an item is for the first group than items are on
average. Their standard deviation maximises the marginal likelihood, where discrimination and easiness of each
item are integrated over their population. Estimates of items are means over all standard deviations, weighted by
likelihood, so that they shrink to 0 as far as the answers say no more.

Models of a family are alike, and items of a cluster, too. So whether groups differ at all is tested without taking
either as independent: the sum over items of the squared score of dᵢ, divided by the sum that is expected without
differences (the score test of a variance; Lin 1997, Biometrika 84, 309–326), is set against other splits of the same
models into groups of these sizes. The interval of the standard deviation and the p of single items do take answers as
independent, given the abilities.

Simulations are in ``benchmarks/studies/items.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.comparison.item_response import (
    Floats,
    Patterns,
    Population,
    grid_of,
    loss_of,
    odds_of,
    weights_of,
)
from probsense.analysis.inference.significance import adjust
from probsense.core.errors import InputError, did_you_mean
from probsense.core.records import Json

LEAST: Final = 2
"""The fewest models of a group whose items can be told from the models themselves."""
SPLITS: Final = 2_000
"""Splits of the models are all tried if they are no more, or else so many are drawn."""
REACH, STEP, FINE = 8.0, 0.5, 0.1
"""Likelihoods of items are known at differences up to ``REACH``, in steps, and between them by cubic splines."""
SPREADS = np.linspace(0, 3, 61)
"""Standard deviations of differences that are tried, which are equally likely before the answers are known."""
WITHIN: Final = 3.84
"""Twice the logarithm by which the likelihood falls at the ends of a 95 % interval."""


@dataclass(frozen=True, eq=False)
class Differential:
    """Hold how items differ between two groups of models.

    Attributes
    ----------
    groups : dict of str to list of str
        The models of the first group and of the second.
    spread, low, high : float
        Standard deviation of the differences, in log-odds, with its 95 % interval (likelihood ratio).
    p : float
        The share of splits of these models that differ as much.
    splits : int
        How many splits were tried.
    difference, stderr : ndarray, shape (items,)
        By how much the log-odds of a right answer are higher in the first group, given ability; mean and standard
        deviation given the answers. NaN, as are the next two, of items that no model of a group answered.
    item_p, item_p_bh : ndarray, shape (items,)
        Of the likelihood-ratio test of each item, alone and adjusted for their number (Benjamini & Hochberg 1995).
    """

    groups: dict[str, list[str]]
    spread: float
    low: float
    high: float
    p: float
    splits: int
    difference: Floats
    stderr: Floats
    item_p: Floats
    item_p_bh: Floats

    def to_json(self) -> dict[str, Json]:
        """Return what holds for all items as a JSON object."""
        groups: list[Json] = [{"name": name, "models": [*models]} for name, models in self.groups.items()]
        numbers = {name: getattr(self, name) for name in ("spread", "low", "high", "p", "splits")}
        return {"groups": groups, **numbers}


class Member(NamedTuple):
    """A model, by the name under which it is shown and by its full name."""

    name: str
    full: str


def find_groups(models: Sequence[Member], wanted: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Find the models of two groups.

    Parameters
    ----------
    models : sequence of Member
    wanted : Mapping of str to sequence of str
        Names of models by group, or shell patterns that match some.

    Raises
    ------
    InputError
        Unless there are two groups of two models and more, and each pattern matches a model of no other group.
    """
    if len(wanted) != 2:
        raise InputError(
            f"{len(wanted)} {'group' if len(wanted) == 1 else 'groups'} of models", expected="two groups"
        )
    found: dict[str, list[str]] = {}
    for group, patterns in wanted.items():
        own: dict[str, None] = {}
        for pattern in patterns:
            matching = [
                one.name
                for one in models
                if pattern in one or any(fnmatchcase(name, pattern) for name in one)
            ]
            if not matching:
                names = [one.name for one in models]
                raise InputError(
                    f"no model is called {pattern!r}{did_you_mean(pattern, names)}",
                    expected=f"some of {', '.join(names)}",
                )
            own |= dict.fromkeys(matching)
        found[group] = [*own]
    for group, members in found.items():
        if len(members) < LEAST:
            raise InputError(
                f"the group {group!r} is {members[0]} alone: what is the model's own cannot be told from what is its"
                " group's",
                expected=f"{LEAST} models or more, better four",
            )
    first, second = found.values()
    if both := [name for name in first if name in second]:
        raise InputError(f"{both[0]} is in both groups", expected="each model in one group")
    return found


def differential(
    right: Floats,
    population: Population,
    names: Sequence[str],
    groups: dict[str, list[str]],
    rng: np.random.Generator,
) -> Differential:
    """Estimate how items differ between two groups of models.

    Parameters
    ----------
    right : ndarray, shape (models, items)
        1 for right, 0 for wrong, NaN where there is no answer.
    population : Population
        As :func:`~probsense.analysis.comparison.item_response.fit_population` finds it by the same answers.
    names : sequence of str
        Of the models.
    groups : dict of str to list of str
        The two groups; the answers of other models are left out.
    rng : Generator
        Draws splits where they are too many.
    """
    first, second = (np.isin(names, members) for members in groups.values())
    side = np.where(first, 0.5, np.where(second, -0.5, 0.0))
    shifts = np.linspace(-REACH, REACH, 2 * round(REACH / STEP) + 1)
    patterns = Patterns.of(np.where(side[:, None] != 0, right, np.nan))
    fitting = _fitting(patterns, population, side, shifts)[patterns.place]
    total, difference, stderr = _pooled(shifts, fitting)
    best = int(total.argmax())
    inside = SPREADS[2 * (total[best] - total) <= WITHIN]
    p, splits = _split_test(*_residuals(patterns, population), first, second, rng)
    known = ~np.isnan(right)
    both = known[first].any(axis=0) & known[second].any(axis=0)
    difference, stderr, item_p = (
        np.where(both, one, np.nan) for one in (difference, stderr, _item_tests(shifts, fitting))
    )
    return Differential(
        groups,
        float(SPREADS[best]),
        float(inside[0]),
        float(inside[-1]),
        p,
        splits,
        difference,
        stderr,
        item_p,
        adjust(item_p, "benjamini-hochberg"),
    )


def _fitting(patterns: Patterns, population: Population, side: Floats, shifts: Floats) -> Floats:
    """Compute log-likelihoods of patterns for differences, over discriminations and easiness: (patterns, shifts)."""
    from scipy.special import logsumexp

    nodes = grid_of(population)
    found = np.empty((len(patterns.number), len(shifts)))
    for place, shift in enumerate(shifts):
        log_odds, p = odds_of(population.ability, nodes.slope, nodes.easiness + shift * side[:, None])
        loss = loss_of(log_odds, p, population, nodes)
        for part in patterns.parts(len(nodes.slope)):
            own = patterns.right[part] @ log_odds - patterns.asked[part] @ loss + nodes.weight
            found[part, place] = logsumexp(own, axis=1)
    return found


def _residuals(patterns: Patterns, population: Population) -> tuple[Floats, Floats]:
    """Sum products of residuals over items, as observed and as expected without differences.

    A residual is a right answer minus the probability of it given all answers to the item. What is expected is the
    information (the variance of answers, less that of their probabilities), which is the variance of the score
    (Bartlett 1953, Biometrika 40, 12–19).

    Returns
    -------
    (ndarray, ndarray), each of shape (models, models)
    """
    nodes, models = grid_of(population), len(population.ability)
    _, p = odds_of(population.ability, nodes.slope, nodes.easiness)
    observed, expected = np.zeros((models, models)), np.zeros((models, models))
    for part, weights in weights_of(patterns, population, nodes):
        number, asked = patterns.number[part, None], patterns.asked[part]
        mean = asked * (weights @ p.T)
        residual = patterns.right[part] - mean
        observed += residual.T @ (number * residual)
        expected += np.diag((number * asked * (weights @ (p * (1 - p)).T)).sum(axis=0))
        expected += mean.T @ (number * mean)
        for mask in np.unique(asked, axis=0):  # one, unless answers are missing
            total = (number * weights)[(asked == mask).all(axis=1)].sum(axis=0)
            expected -= np.outer(mask, mask) * ((p * total) @ p.T)
    return observed, expected


def _pooled(shifts: Floats, fitting: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute the log-likelihood of each of ``SPREADS``, and mean and deviation of each item's difference."""
    from scipy.interpolate import CubicSpline
    from scipy.special import logsumexp

    z = np.linspace(-4, 4, 33)
    weight = np.exp(-z * z / 2)
    weight /= weight.sum()
    curve = CubicSpline(shifts, fitting, axis=1)
    total, moments = np.empty(len(SPREADS)), []
    for place, spread in enumerate(SPREADS):
        points = np.clip(spread * z, shifts[0], shifts[-1])
        found = curve(points) + np.log(weight)
        sums = logsumexp(found, axis=1)
        total[place] = sums.sum()
        moments.append(np.exp(found - sums[:, None]) @ np.stack([points, points**2], axis=1))
    likely = np.exp(total - total.max())
    mean, square = np.einsum("s,sim->mi", likely / likely.sum(), np.stack(moments))
    return total, mean, np.sqrt(np.maximum(square - mean**2, 0))


def _item_tests(shifts: Floats, fitting: Floats) -> Floats:
    """Test of each item that its difference is 0, by the ratio of likelihoods."""
    from scipy.interpolate import CubicSpline
    from scipy.stats import chi2

    fine = np.linspace(shifts[0], shifts[-1], 2 * round(REACH / FINE) + 1)
    most = CubicSpline(shifts, fitting, axis=1)(fine).max(axis=1)
    return np.asarray(chi2.sf(2 * np.maximum(most - fitting[:, shifts == 0][:, 0], 0), 1))


def _split_test(
    observed: Floats,
    expected: Floats,
    first: NDArray[np.bool_],
    second: NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[float, int]:
    """Return the share of splits of the models that differ as much, and how many were tried."""
    grouped = np.flatnonzero(first | second)
    size = int(first.sum())
    if comb(len(grouped), size) <= SPLITS:
        chosen = [np.isin(np.arange(len(first)), one) for one in combinations(grouped, size)]
    else:
        # The split that is tested is one of those that might have been.
        drawn = (rng.permutation(grouped)[:size] for _ in range(SPLITS - 1))
        chosen = [first, *(np.isin(np.arange(len(first)), one) for one in drawn)]
    sides = np.where(chosen, 0.5, -0.5) * (first | second)

    def apart(sides: Floats) -> Floats:
        above, below = (((sides @ products) * sides).sum(axis=-1) for products in (observed, expected))
        return np.asarray(above / below)

    # Splits that mirror each other are equal but for rounding.
    least = apart(np.where(first, 0.5, -0.5) * (first | second)) * (1 - 1e-9)
    return float(np.mean(apart(sides) >= least)), len(chosen)
