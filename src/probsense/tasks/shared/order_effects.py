"""How much answers depend on the order in which a question lists them, for every task that turns the order.

A question is asked in several orders (:mod:`~probsense.tasks.shared.orders`), and its answer is the mean over them. The
order effect is the variance between the orders, and the pull of a place how much more than its part the answer there
gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.distributions.orders import order_variance, place_shares
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json
from probsense.show.measure import Measure
from probsense.show.words import WordsFile
from probsense.tasks.shared.orders import Order

Floats: TypeAlias = NDArray[np.float64]

MEASURES: Mapping[str, Measure] = WordsFile("probsense.tasks.shared", "order_words.toml").measures
"""The words of the measures; "place" is the part of the second one."""


class InOrders(NamedTuple):
    """Hold how questions were answered in each of their orders.

    Attributes
    ----------
    shares : sequence of ndarray, shape (orders, options)
        For each question, with an option in the same column whatever the order; no rows where there was one order.
    orders : sequence of sequence of tuple of int
        For each question, the option in each place of each order.
    answers : ndarray or float
        How many texts the shares of each order rest on; infinite for exact probabilities.
    chance : array_like, shape (questions,)
        The variance that the shares of an order have, summed over options, because it has chains of thought of its own.
    """

    shares: Sequence[Floats]
    orders: Sequence[Sequence[Order]]
    answers: Floats | float = np.inf
    chance: ArrayLike = 0.0

    @property
    def stacked(self) -> Floats:
        """The shares as one array, shape (orders, questions, options); NaN for what there is not."""
        most = (max((one.shape[axis] for one in self.shares), default=0) for axis in (0, 1))
        orders, options = most
        found = np.full((orders, len(self.shares), options), np.nan)
        for question, one in enumerate(self.shares):
            found[: len(one), question, : one.shape[1]] = one
        return found

    @property
    def effects(self) -> Floats:
        """The variance of shares between the orders of each question, shape (questions,); NaN without several.

        The noise of texts, and that of chains of thought, is taken away.
        """
        shares = self.stacked
        if len(shares) < 2:
            return np.full(len(self.shares), np.nan)
        return np.asarray(order_variance(shares, self.answers) - np.asarray(self.chance))


def order_estimates(
    asked: InOrders, clusters: ArrayLike, by: Mapping[str, Json], names: Sequence[str]
) -> list[Estimate]:
    """Estimate how much the order of the answers matters, and how much more than its part each place gets.

    Parameters
    ----------
    asked : InOrders
    clusters : array_like, shape (questions,)
    by : Mapping
        What the estimates describe.
    names : sequence of str
        What the places are called.

    Returns
    -------
    list of Estimate
        "order_effect", and "place_pull" with the key "place"; none where no question was asked in several orders.
    """
    effects, labels = asked.effects, np.asarray(clusters)
    known = ~np.isnan(effects)
    if not known.any():
        return []
    found = [mean_estimate("order_effect", by, effects[known], labels[known])]
    shares = asked.stacked
    places = np.zeros(shares.shape, dtype=np.int64)
    for question, own in enumerate(asked.orders):
        for row, order in enumerate(own[: len(places)]):
            places[row, question, : len(order)] = np.argsort(order)
    options = (~np.isnan(shares)).any(axis=0).sum(axis=1, keepdims=True)
    pulls = place_shares(shares, places) - 1 / np.where(options, options, np.nan)
    for place, pull in enumerate(pulls.T):
        there = ~np.isnan(pull)
        if there.any():
            where = {**by, "place": names[place]}
            found.append(mean_estimate("place_pull", where, pull[there], labels[there]))
    return found
