"""Means over chains of thought and conditions: the probabilities of mixtures, and what chance there is in them."""

import math

import numpy as np
import pytest

from probsense.analysis.distributions.mixture import chance_of_chains, mean_labels, mean_options, shares
from probsense.core.records import LabelResponse, ScoreResponse
from support.scored import option

FIRST = ScoreResponse((option("ab", [0.5, 0.2], [0.9]), option("c", [0.3], [0.8])))
SECOND = ScoreResponse((option("ab", [0.1, 0.6], [0.4]), option("c", [0.7], [0.2])))


def test_options_are_as_probable_as_in_a_mixture_token_by_token():
    ab, c = mean_options([FIRST, SECOND], [3, 1]).options
    whole = np.array([3 * 0.5 + 0.1, 3 * 0.5 * 0.2 + 0.1 * 0.6, 3 * 0.5 * 0.2 * 0.9 + 0.1 * 0.6 * 0.4]) / 4
    found = np.exp(np.cumsum([*ab.option.logprobs, *ab.suffix.logprobs]))
    assert found == pytest.approx(whole)
    assert math.exp(c.option.logprobs[0]) == pytest.approx((3 * 0.3 + 0.7) / 4)


def test_options_in_other_tokens_keep_their_sums():
    other = ScoreResponse((option("ab", [0.06], [0.4]), SECOND.options[1]))
    ab, _ = mean_options([FIRST, other]).options
    assert math.exp(ab.option.logprobs[0]) == pytest.approx((0.5 * 0.2 + 0.06) / 2)
    assert ab.option.only_sum


def test_masses_bounds_and_other_texts_are_weighted_means():
    one = LabelResponse({"yes": 0.6, "no": 0.2}, 0.2, bounds={"yes": (0.6, 0.7)}, others=(("well", 0.1),))
    two = LabelResponse({"yes": 0.2, "no": 0.2}, 0.6, bounds={"yes": (0.2, 0.5)}, others=(("hm", 0.4),))
    found = mean_labels([one, two], [1, 3])
    assert (found.mass["yes"], found.mass["no"], found.other) == pytest.approx((0.3, 0.2, 0.5))
    assert found.bounds == {"yes": pytest.approx((0.3, 0.55))}
    assert [(text, round(mass, 12)) for text, mass in found.others] == [("hm", 0.3), ("well", 0.025)]
    assert found.chains == (one, two)


def test_the_chance_of_chains_is_the_jackknifes():
    chains = [LabelResponse({"yes": p, "no": 1 - p}, 0.0) for p in (0.2, 0.5, 0.8)]
    found = chance_of_chains([mean_labels(chains)], lambda responses: np.array([*map(shares, responses)]))
    assert found == pytest.approx(2 * np.var([0.2, 0.5, 0.8], ddof=1) / 3)
    assert chance_of_chains([chains[0]], lambda responses: np.ones((1, 3))) == 0
    assert math.isnan(chance_of_chains([mean_labels(chains[:1])], lambda responses: np.ones((1, 3))))
