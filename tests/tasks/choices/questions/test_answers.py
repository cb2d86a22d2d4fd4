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
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
)
from probsense.tasks.choices.questions.answers import Given, lettered, scored
from probsense.tasks.conditions.means import mean_of

ITEM = Item("q", "q", "", {"options": ["red", "green"]})


def drawn(first: float, texts: int, rng: np.random.Generator) -> Given:
    """Let texts name the first option so often, in either order."""
    each = []
    for order in ((0, 1), (1, 0)):
        chosen = [order[int(rng.random() > first)] for _ in range(texts)]
        one_hot = [
            LabelResponse({"red": float(one == 0), "green": float(one == 1)}, 0.0, "sampled")
            for one in chosen
        ]
        each.append(mean_labels(one_hot))
    return lettered(ITEM, mean_of(each, [1.0, 1.0], alike=True))


def test_the_variance_of_shares_is_that_within_orders() -> None:
    """Texts of a model that likes a place are no simple sample: half of them come from each order."""
    rng = np.random.default_rng(1)
    given = [drawn(0.9, 5, rng) for _ in range(2000)]
    shares = np.array([one.shares for one in given])
    known = shares.var(axis=0).sum()
    told = np.array([one.variance for one in given])
    assert abs(told.mean() - known) < 4 * told.std() / np.sqrt(len(told))
    assert (shares * (1 - shares)).sum(axis=1).mean() / 9 > 2 * known
    some = next(one for one in given if one.variance > 0)
    assert (some.shares * (1 - some.shares)).sum() / (some.answers - 1) == pytest.approx(some.variance)


CHAINS = (0.9, 0.6, 0.2)
"""The probability of red after each chain of thought; all chains are equally frequent."""


def after_chains(red: tuple[float, ...]) -> Given:
    """Answer by letters after two chains in each of two orders."""
    each = [LabelResponse({"red": p, "green": 1 - p}, 0.0) for p in red]
    return lettered(ITEM, mean_of([mean_labels(each[:2]), mean_labels(each[2:])], [1.0, 1.0], alike=True))


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
    assert lettered(ITEM, LabelResponse({"red": 0.7, "green": 0.3}, 0.0)).variance == 0
