"""What answers amount to: shares, and how far chance moves them."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from probsense.analysis.distributions.mixture import mean_labels, mean_options
from probsense.core.records import (
    Item,
    LabelResponse,
    OptionScore,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)
from probsense.tasks.choices.asking.answers import Given, lettered, scored, written
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


CHAINS = (0.9, 0.6, 0.2)
"""The probability of red after each chain of thought; all chains are equally frequent."""


def after_chains(red: tuple[float, ...]) -> Given:
    """Answer by letters after two chains in each of two orders."""
    each = [LabelResponse({"red": p, "green": 1 - p}, 0.0) for p in red]
    return lettered(ITEM, orders_of(2), [mean_labels(each[:2]), mean_labels(each[2:])])


def options_after_chains(red: tuple[float, ...]) -> Given:
    """Answer by the options' texts after each of the chains."""

    def score(p: float) -> ScoreResponse:
        parts = [TokenLogprobs.of_sum("x", float(np.log(one))) for one in (p, 1 - p)]
        return ScoreResponse(tuple(OptionScore(one, TokenLogprobs.of_sum("", None)) for one in parts))

    request = ScoreRequest("", ("red", "green"))
    return scored([request], {request: mean_options([score(p) for p in red])}, "sum")


@pytest.mark.parametrize(("answered", "chains"), [(after_chains, 4), (options_after_chains, 2)])
def test_the_variance_of_shares_after_chains_is_that_of_the_chains(
    answered: Callable[[tuple[float, ...]], Given], chains: int
) -> None:
    """Over all ways in which chains can be drawn, the variance that is told is the one that there is."""
    given = [answered(red) for red in itertools.product(CHAINS, repeat=chains)]
    shares = np.array([one.shares for one in given])
    assert shares.mean(axis=0)[0] == pytest.approx(np.mean(CHAINS), abs=1e-12)
    assert np.mean([one.variance for one in given]) == pytest.approx(shares.var(axis=0).sum(), abs=1e-12)
    assert shares.var(axis=0).sum() > 0.01


def test_without_chains_there_is_no_variance() -> None:
    alone = [LabelResponse({"red": 0.7, "green": 0.3}, 0.0)] * 2
    assert lettered(ITEM, orders_of(2), alone).variance == 0
