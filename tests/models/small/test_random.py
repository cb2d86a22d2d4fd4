"""Tests of the random baseline."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    LabelRequest,
    SampleRequest,
    ScoreRequest,
    request_key,
)
from probsense.models.base import Model
from probsense.models.small.random import BATCH, load, pick_one
from support.models.answers import answers

OPTIONS = (" a", " much longer option", " of three")


def ask(n, seed="", suffix=""):
    return answers(load(seed).score([ScoreRequest(f"question {i}", OPTIONS, suffix) for i in range(n)]))


RULES = {
    "sum": lambda o: sum(o.option.logprobs),
    "byte": lambda o: sum(o.option.logprobs) / o.option.bytes,
    "partial": lambda o: sum(o.suffix.logprobs),
    "full": lambda o: sum(o.option.logprobs) + sum(o.suffix.logprobs),
}


@pytest.fixture(scope="module")
def many():
    return ask(2 * BATCH, suffix=" end")


@pytest.mark.parametrize("rule", RULES)
def test_every_option_wins_equally_often_by_every_rule(many, rule):
    wins = Counter()
    for response in many:
        scores = [RULES[rule](option) for option in response.options]
        assert len(set(scores)) == 3
        wins[scores.index(max(scores))] += 1
    # Chi-square with 2 degrees of freedom stays below its 0.999 quantile.
    expected = wins.total() / 3
    assert sum((wins[i] - expected) ** 2 / expected for i in range(3)) < 13.8


@given(st.integers(1, 500), st.integers(0, 2**32))
def test_the_probabilities_sum_to_one_and_one_is_near_it(n, seed):
    p = np.exp(pick_one(np.random.default_rng(seed), n))
    assert math.isclose(p.sum(), 1.0, rel_tol=1e-12)
    assert (p > 0).all()
    assert p.max() > 0.999


def test_answers_hang_on_seed_and_words_alone():
    assert ask(50) == ask(60)[:50] == ask(50, seed="0")
    assert ask(50) != ask(50, seed="1")
    a, b = ScoreRequest("q", OPTIONS, item="1"), ScoreRequest("q", OPTIONS, item="2")
    first, second = answers(load("").score([a, b]))
    assert first == second


def test_labels():
    requests = [LabelRequest(f"q {i}", (("yes", ("yes", "Yes")), ("no", ("no",)))) for i in range(600)]
    found = answers(load("").labels(requests))
    assert all(math.isclose(sum(a.mass.values()) + a.other, 1.0, rel_tol=1e-12) for a in found)
    assert 240 < sum(a.mass["yes"] > 0.5 for a in found) < 360


def test_it_is_a_model_that_does_not_write():
    model = load("3")
    assert isinstance(model, Model)
    assert (model.name, model.details) == ("random:3", {"scheme": "random", "seed": 3, "version": 1})
    assert (model.capabilities.score, model.capabilities.labels) == (True, "exact")
    assert not model.capabilities.sample
    with pytest.raises(ModelError, match="random:3 cannot write text"):
        model.sample([SampleRequest("q")])
    for seed in ("x", "-1", "1.5", "²"):
        with pytest.raises(InputError, match="the seed of the random model is"):
            load(seed)


def test_the_same_bytes_for_ever():
    """A change here breaks every published random baseline: raise the version in ``details`` with it."""
    request = ScoreRequest("question", OPTIONS)
    (response,) = answers(load("").score([request]))
    assert request_key(request) == "277a2539ff4f6b96d960eaa17d630135"
    assert [o.option.logprobs[0] for o in response.options] == pytest.approx(
        [-5.701320738336519e-06, -13.043776301596022, -12.552008490880834], rel=1e-12
    )
