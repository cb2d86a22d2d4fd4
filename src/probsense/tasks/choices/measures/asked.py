"""What the way of asking did: how much was covered by options, and how much the order of the options mattered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json
from probsense.tasks.choices.asking.answers import Given
from probsense.tasks.choices.asking.prompts import LETTERS
from probsense.tasks.choices.measures.estimates import Study
from probsense.tasks.shared.order_effects import InOrders, order_estimates
from probsense.tasks.shared.orders import Order


def in_orders(given: Sequence[Given], orders: Sequence[Sequence[Order]]) -> InOrders:
    """Arrange the shares of each order, and how many texts and chains of thought they rest on."""
    each = np.array([one.answers / max(len(one.by_order), 1) for one in given])
    chance = [one.chance for one in given]
    return InOrders([one.by_order for one in given], orders, np.where(each > 1, each, np.nan), chance)


def effects_of_orders(study: Study, asked: InOrders, by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how much the order of the options matters, and how much more than its part each place gets."""
    return order_estimates(asked, study.clusters, by, LETTERS)


def covered_estimates(study: Study, given: Sequence[Given], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate how much of what was answered is options; nothing where options were scored."""
    covered = np.array([one.covered for one in given])
    return [] if np.isnan(covered).any() else [mean_estimate("covered", by, covered, study.clusters)]
