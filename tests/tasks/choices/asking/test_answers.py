"""What answers amount to: shares, and how far chance moves them."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.core.records import Item, SampleResponse
from probsense.tasks.choices.asking.answers import Given, written
from probsense.tasks.shared.orders import orders_of

ITEM = Item("q", "q", "", {"options": ["red", "green"]})
PLACES = "AB"


def drawn(first: float, answers: int, rng: np.random.Generator) -> Given:
    """Answer in both orders, with the first letter so often, whatever it stands for."""
    orders = orders_of(2)
    chosen = [(rng.random(answers) > first).astype(int) for _ in orders]
    responses = [SampleResponse(tuple(PLACES[place] for place in own)) for own in chosen]
    return written(ITEM, orders, responses)


def test_the_variance_of_shares_is_that_within_orders() -> None:
    """Texts of a model that likes a place are no simple sample: half of them come from each order."""
    rng = np.random.default_rng(1)
    given = [drawn(0.9, 5, rng) for _ in range(4000)]
    shares = np.array([one.shares for one in given])
    known = shares.var(axis=0).sum()
    told = np.array([one.variance for one in given])
    assert abs(told.mean() - known) < 4 * told.std() / np.sqrt(len(told))
    assert (shares * (1 - shares)).sum(axis=1).mean() / 9 > 2 * known


def test_one_answer_in_an_order_tells_nothing_of_chance() -> None:
    found = written(ITEM, orders_of(2), [SampleResponse(("A", "B")), SampleResponse(("A", "?"))])
    assert np.isnan(found.variance)
    assert found.shares == pytest.approx([0.25, 0.75])
