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
from probsense.analysis.inference.variance_components import level_effects, told_shares
from probsense.core.records import Json
from probsense.show.text import joined
from probsense.show.words import WordsFile
from probsense.tasks.conditions.facets import ORDER, PERSONA, Level
from probsense.tasks.shared.orders import PLACES, Order

Floats: TypeAlias = NDArray[np.float64]

WORDS: Final = WordsFile("probsense.tasks.conditions").words()
"""The words of the measures."""
FEWEST: Final = 10
"""Fewer questions make no components."""
ALIKE: Final = 1e-9
"""A smaller error than this is that of rounding."""
QUESTION, METHOD = "question", "variance components"
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
    chance : array_like, shape (questions,)
        The variance that the shares of an order have, summed over options, because it has texts or chains of thought of
        its own.
    """

    shares: Sequence[Floats]
    orders: Sequence[Sequence[Order]]
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

        The noise of texts and of chains of thought is taken away.
        """
        shares = self.stacked
        if len(shares) < 2:
            return np.full(len(self.shares), np.nan)
        return np.asarray(order_variance(shares) - np.asarray(self.chance))


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
    levels : sequence of Mapping of str to Level
        The level of each other facet, by condition.
    gold : int or None
        The place of the right answer among the answers.
    chance : float
        The variance that the shares have because each condition has chains of thought of its own, summed over answers.
    texts : sequence of float
        How many texts the shares rest on, by condition; infinite for probabilities.
    """

    cluster: str
    shares: Floats
    orders: Sequence[Order]
    levels: Sequence[Mapping[str, Level]]
    gold: int | None
    chance: float
    texts: Sequence[float]

    @property
    def watched(self) -> Floats:
        """The probability of the right answer or, if none is, of the first one, shape (conditions,)."""
        return np.asarray(self.shares[:, self.gold or 0])

    @property
    def log_odds(self) -> Floats:
        """Of the watched answer; texts have half an answer of each kind more."""
        p, n = np.clip(self.watched, FLOOR, 1 - FLOOR), np.asarray(self.texts)
        exact = np.log(p / (1 - p))
        if np.isinf(n).all():
            return np.asarray(exact)
        yes = self.watched * n
        return np.asarray(np.log((yes + 0.5) / (n - yes + 0.5)))


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


def mostly_conditions(estimates: Sequence[Estimate]) -> Iterator[str]:
    """Warn where answers vary more with the condition than with the question."""
    small = [
        f"{100 * e.value:.1f} %{f' ({part})' if part else ''}"
        for e in estimates
        if e.measure == "condition_share" and e.by["component"] == QUESTION and e.value < 0.5
        for part in [
            ", ".join(str(e.by[key]) for key in e.by if key not in ("model", "prompting", "component"))
        ]
    ]
    if small:
        yield (
            "the conditions matter more than the question: of the variance of the log odds, only"
            f" {joined(small)} is the question's, whatever the condition"
        )


def _orders(known: Sequence[Seen], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the effect of the order, of answers that are means over other facets."""
    if not known[0].orders[0]:
        return []
    shares, orders, chance = [], [], []
    for one in known:
        own = list(dict.fromkeys(one.orders))
        place = np.array([own.index(order) for order in one.orders])
        shares.append(np.array([one.shares[place == k].mean(axis=0) for k in range(len(own))]))
        orders.append(own)
        chance.append(one.chance * len(own) / len(one.orders))
    return order_estimates(
        InOrders(shares, orders, chance=chance), [one.cluster for one in known], by, PLACES
    )


def _flips(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    shares = [np.bincount(one.shares.argmax(axis=1)).max() / len(one.shares) for one in known]
    yield mean_estimate("condition_flips", by, 1 - np.array(shares), [one.cluster for one in known])


def _places(one: Seen) -> dict[str, NDArray[np.int64]]:
    """Return the place of each condition's level, by facet; facets with one level have no part in it."""
    names = {facet: [levels[facet].name for levels in one.levels] for facet in one.levels[0]}
    found = {ORDER: one.orders, **names}
    levels = {facet: list(dict.fromkeys(own)) for facet, own in found.items()}
    return {
        facet: np.array([levels[facet].index(level) for level in own])
        for facet, own in found.items()
        if len(levels[facet]) > 1
    }


def _effects(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate by how much each level raises what is watched above its mean over all; personas count as a whole."""
    clusters = [one.cluster for one in known]
    places = [_places(one) for one in known]
    for facet in [name for name in places[0] if name not in (ORDER, PERSONA)]:
        raised = [
            level_effects(one.watched[None], own[facet])[0] for one, own in zip(known, places, strict=True)
        ]
        names = dict.fromkeys(levels[facet].name for levels in known[0].levels)
        for name, values in zip(names, np.array(raised).T, strict=True):
            yield mean_estimate("condition_effect", {**by, "level": f"{facet}: {name}"}, values, clusters)


def _components(known: Sequence[Seen], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate the shares of components in the variance of the log odds of what is watched."""
    if len(known) < FEWEST or len({len(one.shares) for one in known}) > 1:
        return
    values = np.array([one.log_odds for one in known])
    for name, value, stderr, low, high in told_shares(
        values, _places(known[0]), unit=QUESTION, whole="conditions"
    ):
        if stderr < ALIKE:
            # Where all questions are alike, no error is known.
            stderr = low = high = np.nan
        where, n = {**by, "component": name}, values.size
        yield Estimate("condition_share", where, value, stderr, low, high, 0.95, n, len(values), METHOD)
