"""What the way of asking did: how much was covered by options, and how much the order of the options mattered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from probsense.analysis.human_choices.distributions import Floats
from probsense.analysis.human_choices.orders import order_variance, place_shares
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json
from probsense.tasks.choices.asking.answers import Given
from probsense.tasks.choices.asking.orders import Order
from probsense.tasks.choices.asking.prompts import LETTERS
from probsense.tasks.choices.measures.estimates import Study


def stacked(given: Sequence[Given]) -> Floats:
    """Arrange the shares of each order, shape (orders, questions, options), in the order of the file; NaN for none."""
    orders = max((len(one.by_order) for one in given), default=0)
    found = np.full((orders, len(given), max(len(one.shares) for one in given)), np.nan)
    for question, one in enumerate(given):
        found[: len(one.by_order), question, : len(one.shares)] = one.by_order
    return found


def order_effects(given: Sequence[Given]) -> Floats:
    """Compute the variance of shares between the orders of each question, shape (questions,); NaN without several."""
    shares = stacked(given)
    if len(shares) < 2:
        return np.full(len(given), np.nan)
    each = np.array([one.answers / max(len(one.by_order), 1) for one in given])
    return order_variance(shares, np.where(each > 1, each, np.nan))


def order_estimates(
    study: Study, given: Sequence[Given], orders: Sequence[Sequence[Order]], by: Mapping[str, Json]
) -> list[Estimate]:
    """Estimate how much the order of the options matters, and how much more than its part each place gets."""
    effects = order_effects(given)
    known = ~np.isnan(effects)
    if not known.any():
        return []
    found = [mean_estimate("order_effect", by, effects[known], study.clusters[known])]
    shares = stacked(given)
    places = np.zeros(shares.shape, dtype=np.int64)
    for question, own in enumerate(orders):
        for row, order in enumerate(own[: len(places)]):
            places[row, question, : len(order)] = np.argsort(order)
    pulls = place_shares(shares, places) - 1 / study.people.exists.sum(axis=1, keepdims=True)
    for place, pull in enumerate(pulls.T):
        there = ~np.isnan(pull)
        if there.any():
            where = {**by, "place": LETTERS[place]}
            found.append(mean_estimate("place_pull", where, pull[there], study.clusters[there]))
    return found


def covered_estimates(study: Study, given: Sequence[Given], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how much of what was answered is options; nothing where options were scored."""
    covered = np.array([one.covered for one in given])
    return [] if np.isnan(covered).any() else [mean_estimate("covered", by, covered, study.clusters)]
