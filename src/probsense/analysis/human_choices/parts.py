"""Measures questions on which people agree apart from those on which they do not, without a bias from the choice.

Few people may agree by chance. If they choose the questions and are compared with the model, too, what chance did is
counted twice: with 8 people, a model seems twice as far from them where they agree as it is. So two people are compared
with the model at a time, and the others say whether people agree. This is a mean over all pairs of people, without any
draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from probsense.analysis.arrays import Bools, Floats
from probsense.analysis.human_choices.distributions import Distributions
from probsense.analysis.human_choices.measures import model_variance

FEWEST: Final = 3
"""Fewer people are not two and others."""

Member = Callable[[Distributions], Bools]
"""A function of distributions that tells which questions belong to a part, by what people answered to them."""


def share_within(pair: Distributions, member: Member) -> Floats:
    """Compute the share of pairs of people whose others put the question into a part.

    Parameters
    ----------
    pair : Distributions
    member : callable

    Returns
    -------
    ndarray, shape (questions,)
        From 0 to 1; NaN where fewer than three people answered, or the model did not.
    """
    return _mean(pair, member, lambda first, second: np.ones(len(pair.p)))


def squared_within(pair: Distributions, member: Member) -> Floats:
    """Estimate the squared distance from everybody, times the share of pairs whose others put it into a part.

    A pair who chose the options k and l estimates Σ(π − q)² without bias by 1{k = l} − qₖ − qₗ + Σ q². Over a part
    and all other questions, values add up to
    :func:`~probsense.analysis.human_choices.measures.squared_corrected`. The mean over a part is their sum over that of
    :func:`share_within`.

    Parameters
    ----------
    pair : Distributions
    member : callable

    Returns
    -------
    ndarray, shape (questions,)
        NaN where fewer than three people answered, or the model did not.
    """
    common = (pair.q**2).sum(axis=1) - model_variance(pair)
    return _mean(
        pair,
        member,
        lambda first, second: float(first == second) - pair.q[:, first] - pair.q[:, second] + common,
    )


def _mean(pair: Distributions, member: Member, value: Callable[[int, int], Floats]) -> Floats:
    """Average a value of what two people chose over all pairs, 0 where the others leave out the question."""
    found = np.zeros(len(pair.p))
    for first, second, often, others in _pairs(pair):
        inside = (often > 0) & member(others)
        found += np.where(inside, often * value(first, second), 0)
    known = (pair.people >= FEWEST) & ~np.isnan(pair.p + pair.q).any(axis=1)
    return np.where(known, found, np.nan)


def _pairs(pair: Distributions) -> Iterator[tuple[int, int, Floats, Distributions]]:
    """Yield two options, the share of pairs of people who chose them, and all people but such a pair."""
    n = np.where(pair.people >= FEWEST, pair.people, np.nan)
    counts = pair.p * n[:, None]
    for first in range(counts.shape[1]):
        for second in range(first, counts.shape[1]):
            rest = counts.copy()
            rest[:, first] -= 1
            rest[:, second] -= 1
            both = counts[:, first] * (counts[:, second] - (first == second)) * (2 - (first == second))
            often = np.maximum(np.nan_to_num(both / (n * (n - 1))), 0)
            shares = np.maximum(np.nan_to_num(rest / (n - 2)[:, None]), 0)
            yield first, second, often, pair._replace(p=shares, people=n - 2)
