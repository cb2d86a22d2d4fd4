"""Parts of questions by people's agreement, against all pairs of people one by one, and without bias."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.human_choices import estimates
from probsense.analysis.human_choices.distributions import Bools, Distributions, distributions
from probsense.analysis.human_choices.estimates import Values
from probsense.analysis.human_choices.measures import majority_share, squared_corrected
from probsense.analysis.human_choices.parts import share_within, squared_within
from support.choices import Floats, pairs


def agreed(pair: Distributions) -> Bools:
    return np.asarray(majority_share(pair) >= 0.8)


def split(pair: Distributions) -> Bools:
    return ~agreed(pair)


@given(pairs(), st.sampled_from([4, np.inf]))
def test_both_parts_are_the_whole(pair: Distributions, answers: float) -> None:
    own = pair._replace(answers=np.full(len(pair.p), answers))
    known = own.people >= 3
    whole = squared_within(own, agreed) + squared_within(own, split)
    assert whole == pytest.approx(np.where(known, squared_corrected(own), np.nan), nan_ok=True)
    shares = share_within(own, agreed) + share_within(own, split)
    assert shares == pytest.approx(np.where(known, 1.0, np.nan), nan_ok=True)


@given(pairs())
def test_values_are_means_over_pairs_of_people(pair: Distributions) -> None:
    for i, there in enumerate(pair.exists):
        q = pair.q[i, there]
        chosen = np.repeat(np.arange(len(q)), np.round(pair.p[i, there] * pair.people[i]).astype(int))
        if len(chosen) < 3:
            continue
        inside, squares = [], []
        for two in itertools.combinations(range(len(chosen)), 2):
            others = np.delete(chosen, two)
            belongs = np.bincount(others).max() / len(others) >= 0.8
            one, other = (np.eye(len(q))[chosen[person]] - q for person in two)
            inside.append(float(belongs))
            squares.append(float(one @ other) * belongs)
        one = pair.where(np.array([i]))
        assert share_within(one, agreed)[0] == pytest.approx(np.mean(inside))
        assert squared_within(one, agreed)[0] == pytest.approx(np.mean(squares), abs=1e-12)


def drawn(rng: np.random.Generator, n: int) -> tuple[Distributions, Floats]:
    pi = rng.dirichlet([0.6, 0.9, 0.6], 40_000)
    q = 0.6 * pi + 0.4 / 3
    return distributions(rng.multinomial(n, pi).astype(float), q), ((pi - q) ** 2).sum(axis=1)


def test_the_mean_of_a_part_has_no_bias_where_a_choice_by_the_same_people_has_one() -> None:
    pair, true = drawn(np.random.default_rng(1), 8)
    for member in (agreed, split):
        share = share_within(pair, member)
        found = estimates.ratio(Values(squared_within(pair, member)), Values(share))
        expected = float(true @ share / share.sum())
        error = estimates.estimate("", {}, found, len(true)).stderr
        assert abs(found.value - expected) < 3 * error
        same = squared_corrected(pair)[member(pair)].mean()
        assert abs(same - expected) > 10 * error


def test_two_people_and_none_belong_to_no_part() -> None:
    pair = distributions(np.array([[2.0, 0], [0, 0], [3, 0]]), np.full((3, 2), 0.5))
    assert np.isnan(share_within(pair, agreed)).tolist() == [True, True, False]
    assert np.isnan(squared_within(pair, agreed)).tolist() == [True, True, False]
