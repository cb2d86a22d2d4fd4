"""How far answers depend on the conditions under which a question is asked.

The order effect is the variance between the orders of the answers, and the pull of a place how much more than its part
the answer there gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.distributions.orders import order_variance, place_shares
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.variance_components import told_shares
from probsense.core.records import Json
from probsense.show.words import WordsFile
from probsense.tasks.shared.orders import PLACES, Order

Floats: TypeAlias = NDArray[np.float64]

WORDS: Final = WordsFile("probsense.tasks.shared", "condition_words.toml").words()
"""The words of the measures; "place", "component" and "level" are their parts."""
FEWEST: Final = 10
"""Fewer questions make no components."""
FLOOR: Final = 1e-6
"""Probabilities below this count as this in log odds."""


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


class Seen(NamedTuple):
    """Hold how a question was answered under each condition.

    Attributes
    ----------
    cluster : str
    shares : ndarray, shape (conditions, answers)
        With an answer in the same column under all conditions; no rows where one condition has no answer.
    orders : sequence of tuple of int
        The answer in each place, by condition; () where order is no facet.
    systems : sequence of str
        The name of the system prompt, by condition.
    gold : int or None
        The place of the right answer among the answers.
    chance : float
        The variance that the shares have because each condition has chains of thought of its own, summed over answers.
    """

    cluster: str
    shares: Floats
    orders: Sequence[Order]
    systems: Sequence[str]
    gold: int | None
    chance: float

    @property
    def watched(self) -> Floats:
        """The probability of the right answer or, if none is, of the first one, shape (conditions,)."""
        return np.asarray(self.shares[:, self.gold or 0])


def condition_estimates(seen: Sequence[Seen | None], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how far conditions matter.

    Parameters
    ----------
    seen : sequence of Seen or None
        The questions that were answered; None for one that has no shares.
    by : Mapping
        What the estimates describe.

    Returns
    -------
    list of Estimate
        "condition_flips", how often a condition gives another answer than most; "condition_effect" by ``level``, by how
        much it raises the probability of the right answer (or of the first one, where none is right); "condition_share"
        by ``component`` of the variance of its log odds; and for orders those of
        :func:`order_estimates`.
    """
    known = [one for one in seen if one is not None and len(one.shares)]
    if not known:
        return []
    return [*_orders(known, by), *_flips(known, by), *_effects(known, by), *_components(known, by)]


def _orders(known: Sequence[Seen], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the effect of the order, of answers that are means over system prompts."""
    if not known[0].orders[0]:
        return []
    shares, orders = [], []
    for one in known:
        own = list(dict.fromkeys(one.orders))
        place = np.array([own.index(order) for order in one.orders])
        shares.append(np.array([one.shares[place == k].mean(axis=0) for k in range(len(own))]))
        orders.append(own)
    systems = len({*known[0].systems})
    asked = InOrders(shares, orders, chance=[one.chance / systems for one in known])
    return order_estimates(asked, [one.cluster for one in known], by, PLACES)


def _flips(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    shares = [np.bincount(one.shares.argmax(axis=1)).max() / len(one.shares) for one in known]
    yield mean_estimate("condition_flips", by, 1 - np.array(shares), [one.cluster for one in known])


def _effects(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate by how much each system prompt raises what is watched above its mean over all."""
    names = list(dict.fromkeys(known[0].systems))
    for name in names if len(names) > 1 else ():
        raised = [one.watched[np.array(one.systems) == name].mean() - one.watched.mean() for one in known]
        where = {**by, "level": f"system: {name}"}
        yield mean_estimate("condition_effect", where, np.array(raised), [one.cluster for one in known])


def _components(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate the shares of components in the variance of the log odds of what is watched."""
    if len(known) < FEWEST or len({len(one.shares) for one in known}) > 1:
        return
    p = np.clip([one.watched for one in known], FLOOR, 1 - FLOOR)
    first = known[0]
    levels = {"order": first.orders, "system": first.systems}
    facets = {
        name: np.array([own.index(level) for level in found])
        for name, found in levels.items()
        for own in [list(dict.fromkeys(found))]
        if len(own) > 1
    }
    told = told_shares(np.log(p / (1 - p)), facets, unit="question", whole="conditions")
    for name, value, stderr, low, high in told:
        where, n = {**by, "component": name}, p.size
        yield Estimate(
            "condition_share", where, value, stderr, low, high, 0.95, n, len(p), "variance components"
        )
