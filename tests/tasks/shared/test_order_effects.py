"""What orders of answers do, for questions with different numbers of answers."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.inference.means import mean_estimate
from probsense.tasks.shared.order_effects import InOrders, order_estimates
from probsense.tasks.shared.orders import PLACES, orders_of


def test_effects_and_pulls_are_means_over_questions_with_their_intervals() -> None:
    rng = np.random.default_rng(1)
    sizes, clusters = [2, 3, 3, 2, 3, 2], ["a", "a", "b", "c", "d", "d"]
    orders = [orders_of(size, size) for size in sizes]
    shares = [rng.dirichlet(np.ones(size), size) for size in sizes]
    effects = [own.var(axis=0, ddof=1).sum() for own in shares]
    first = [
        np.mean([row[order[0]] for row, order in zip(own, turns, strict=True)]) - 1 / size
        for own, turns, size in zip(shares, orders, sizes, strict=True)
    ]
    third = [
        np.mean([row[order[2]] for row, order in zip(own, turns, strict=True)]) - 1 / 3
        for own, turns in zip(shares, orders, strict=True)
        if len(turns) == 3
    ]
    found = order_estimates(InOrders(shares, orders), clusters, {"model": "m"}, PLACES)
    assert [e.by.get("place") for e in found] == [None, "1st", "2nd", "3rd"]
    for one, values, labels in (
        (found[0], effects, clusters),
        (found[1], first, clusters),
        (found[3], third, ["a", "b", "d"]),
    ):
        expected = mean_estimate(one.measure, one.by, np.array(values), labels)
        assert (one.value, one.low, one.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_questions_without_several_orders_count_nowhere() -> None:
    shares = [np.empty((0, 2)), np.array([[1.0, 0.0], [0.0, 1.0]])]
    asked = InOrders(shares, [orders_of(2, 2)] * 2)
    assert np.isnan(asked.effects[0])
    assert [e.value for e in order_estimates(asked, ["a", "b"], {}, PLACES)] == pytest.approx(
        [1.0, 0.5, -0.5]
    )
    assert order_estimates(InOrders([np.empty((0, 0))] * 2, [()] * 2), ["a", "b"], {}, PLACES) == []
