"""What orders of answers do, for questions with different numbers of answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import probsense as ps
from probsense.analysis.distributions.mixture import chance_of_chains, mean_labels
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import LabelRequest, LabelResponse, Response, request_key
from probsense.runs.thoughts import variance_of_chains
from probsense.tasks.conditions.measures import Seen, condition_estimates
from probsense.tasks.shared.orders import Order, orders_of
from support.thinker import WORLD, Thinker


def seen(cluster: str, shares: NDArray[np.float64], orders: Sequence[Order], chance: float = 0.0) -> Seen:
    count = len(orders)
    return Seen(cluster, shares, orders, [{}] * count, None, chance, [math.inf] * count)


def order_estimates(*asked: Seen) -> list[Estimate]:
    found = condition_estimates(asked, {"model": "m"})
    return [one for one in found if one.measure in ("order_effect", "place_pull")]


def test_effects_and_pulls_are_means_over_questions_with_their_intervals():
    rng = np.random.default_rng(1)
    sizes, clusters = [2, 3, 3, 2, 3, 2], ["a", "a", "b", "c", "d", "d"]
    orders = [orders_of(size, size) for size in sizes]
    shares = [rng.dirichlet(np.ones(size), size) for size in sizes]
    effects = [own.var(axis=0, ddof=1).sum() for own in shares]
    placed = [
        np.mean([row[[*order]] for row, order in zip(own, turns, strict=True)], axis=0) - 1 / len(turns)
        for own, turns in zip(shares, orders, strict=True)
    ]
    first, third = [one[0] for one in placed], [one[2] for one in placed if len(one) == 3]
    found = order_estimates(*map(seen, clusters, shares, orders))
    assert [e.by.get("place") for e in found] == [None, "1st", "2nd", "3rd"]
    for number, values, labels in ((0, effects, clusters), (1, first, clusters), (3, third, ["a", "b", "d"])):
        one = found[number]
        expected = mean_estimate(one.measure, one.by, np.array(values), labels)
        assert (one.value, one.low, one.high) == pytest.approx((expected.value, expected.low, expected.high))
    once = seen("a", np.array([[0.5, 0.5]]), [(0, 1)])
    places_alone = seen("b", np.array([[1.0, 0.0], [0.0, 1.0]]), [(0, 1), (1, 0)])
    assert [e.value for e in order_estimates(once, places_alone)] == pytest.approx([1.0, 0.5, -0.5])
    assert order_estimates(once) == []


def shares_of(responses: Sequence[Response]) -> NDArray[np.float64]:
    return np.array([[*one.mass.values()] for one in responses if isinstance(one, LabelResponse)]) / 0.9


@pytest.mark.parametrize("pull", [0.0, 0.04])
def test_chains_of_each_order_are_no_effect_of_the_order(pull):
    """Every way in which two chains can come before each of two orders, with its probability."""
    found = naive = 0.0
    for chains in itertools.product(WORLD, repeat=4):
        chance = math.prod(WORLD[chain][0] for chain in chains)
        yes = [WORLD[chain][1] + pull * (k > 1) for k, chain in enumerate(chains)]
        each = [LabelResponse({"yes": 0.9 * p, "no": 0.9 * (1 - p)}, 0.1) for p in yes]
        means = [mean_labels(each[:2]), mean_labels(each[2:])]
        shares, orders = shares_of(means), orders_of(2, 2)
        noise = chance_of_chains(means, shares_of)
        found += chance * order_estimates(seen("c", shares, orders, noise))[0].value
        naive += chance * order_estimates(seen("c", shares, orders))[0].value
    assert found == pytest.approx(pull**2, abs=1e-12)
    assert naive > pull**2 + 0.05


class Mind(Thinker):
    """Answers as its prompt and its thought have it by chance."""

    def _labelled(self, requests: Sequence[LabelRequest]) -> Iterator[tuple[int, LabelResponse]]:
        for i, request in self._each(requests):
            rng = np.random.default_rng(int(request_key(request), 16))
            *shares, other = rng.dirichlet(np.ones(len(request.labels) + 1)).tolist()
            yield i, LabelResponse(dict(zip(dict(request.labels), shares, strict=True)), other)


@pytest.mark.parametrize(("task", "conditions"), [("choices", "order,most=3"), ("judgments", "order")])
def test_orders_after_thoughts(tmp_path, task, conditions):
    """The effect of an order is that without what chains add to it; with one chain each, nobody knows that."""
    asking = {"thinking": "on", "limit": 12, "method": "labels", "conditions": conditions}
    known = {**asking, "store": tmp_path / "a.db", "quiet": True}
    run, alone = (ps.evaluate(task, Mind(), chains=chains, **known) for chains in (3, 1))
    assert not [one for one in alone.results.estimates if one.measure == "order_effect"]
    (effect, *_) = [one for one in run.results.estimates if one.measure == "order_effect"]
    answers = run.outcome.answers
    items = run.outcome.items
    asked = [[answers[r] for r in run.task.requests(item, run.method, answers)] for item in items]
    assert max(map(len, asked)) >= 2
    assert effect.value == pytest.approx(np.mean([effect_of(means) for means in asked]), abs=1e-12)
    noise = [[variance_of_chains(one.chains)[0] / 3 for one in own] for own in asked]
    error = math.sqrt(np.mean([sum(own) / len(own) ** 2 for own in noise]))
    note = next(note for note in run.results.notes if "has a standard error of" in note)
    assert f"standard error of {error:.2g}" in note


def effect_of(means: Sequence[Any]) -> float:
    """The variance between orders, less that of shares over chains in each, with each chain left out in turn."""
    names = sorted(means[0].mass)
    masses = np.array([[[one.mass[name] for name in names] for one in mean.chains] for mean in means])
    orders, chains, _ = masses.shape
    less = masses.sum(axis=1, keepdims=True) - masses
    shares, less = (m / m.sum(axis=-1, keepdims=True) for m in (masses.sum(axis=1), less))
    noise = (chains - 1) / chains * ((less - less.mean(axis=1, keepdims=True)) ** 2).sum() / orders
    return float(shares.var(axis=0, ddof=1).sum() - noise)
