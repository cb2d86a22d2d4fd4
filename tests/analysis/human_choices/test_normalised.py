"""Distances between what other people would give and what knows nothing, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from probsense.analysis.human_choices.distributions import Distributions, distributions
from probsense.analysis.human_choices.measures import MEASURES
from probsense.analysis.human_choices.normalised import NOISY, from_others, from_uniform, is_noisy, simbench
from support.choices import padded, pairs


@given(pairs())
def test_the_uniform_distribution_is_a_model_like_others(pair: Distributions) -> None:
    level = np.where(pair.exists, 1 / pair.exists.sum(axis=1, keepdims=True), 0)
    for name, measure in MEASURES.items():
        expected = measure.function(pair._replace(q=level))
        assert from_uniform(name, pair) == pytest.approx(expected), name


@pytest.mark.parametrize("name", ["total_variation", "js", "kl", "squared_corrected", "wasserstein"])
def test_other_questions_are_all_pairs_with_as_many_options(name: str) -> None:
    rng = np.random.default_rng(4)
    counts = padded([[3, 1], [2, 2, 4], [1, 7], [0, 5, 3], [4, 4], [6, 1, 1, 0], [9, 0, 1], [0, 0]])
    pair = distributions(counts, np.full(counts.shape, np.nan))
    expected = np.full((8, 8), np.nan)
    for i in range(8):
        for k in range(8):
            if (
                i != k
                and pair.exists[i].sum() == pair.exists[k].sum()
                and pair.people[k] > 0 < pair.people[i]
            ):
                one = pair.where(np.array([i]))
                there = one._replace(q=pair.p[[k]], answers=pair.people[[k]])
                expected[i, k] = MEASURES[name].function(there)[0]
    found = from_others(name, pair, rng)
    assert np.isnan(found).tolist() == [False] * 5 + [True, False, True]
    left = np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in expected])
    reached = np.array([np.nanmean(col) if not np.isnan(col).all() else np.nan for col in expected.T])
    assert found == pytest.approx(left + reached - np.nanmean(reached), nan_ok=True)
    assert np.nanmean(found) == pytest.approx(np.nanmean(left))


def test_options_may_be_missing_in_the_middle() -> None:
    counts = np.array([[4, np.nan, 0], [np.nan, 4, 0], [4, 0, np.nan]])
    pair = distributions(counts, counts)
    assert from_others("total_variation", pair, np.random.default_rng(1)) == pytest.approx([0, 0, 0])


def test_some_of_the_other_questions_stand_for_all() -> None:
    rng = np.random.default_rng(2)
    counts = rng.multinomial(30, rng.dirichlet(np.ones(3), 400)).astype(float)
    pair = distributions(counts, counts)
    few = from_others("js", pair, np.random.default_rng(1), others=20)
    everything = from_others("js", pair, np.random.default_rng(1), others=399)
    assert few.mean() == pytest.approx(everything.mean(), rel=0.02)
    assert few.std() == pytest.approx(everything.std(), rel=0.1)
    assert (few == from_others("js", pair, np.random.default_rng(1), others=20)).all()


def test_simbench_s_score_is_a_ratio_within_each_data_set() -> None:
    apart = np.array([0.1, 0.3, 0.2, np.nan, 0.5])
    level = np.array([0.4, 0.4, 0.2, 0.9, 0.3])
    sets = np.array(["a", "a", "b", "b", "b"])
    found = simbench(apart, level, sets)
    by_set = {"a": 100 * (1 - 0.2 / 0.4), "b": 100 * (1 - 0.35 / 0.25)}
    assert np.nanmean(found) == pytest.approx((2 * by_set["a"] + 2 * by_set["b"]) / 4)
    assert found[:2].mean() == pytest.approx(by_set["a"])
    assert np.isnan(found[3])
    assert simbench(level, level, sets) == pytest.approx(np.zeros(5))
    assert simbench(0 * level, level, sets).mean() == pytest.approx(100)
    assert np.isnan(simbench(level, 0 * level, sets)).all()


def test_noise_is_compared_over_the_questions_that_know_both() -> None:
    floor, level = np.array([0.3, 0.1, np.nan, 5.0]), np.array([0.4, 0.39, 0.1, np.nan])
    assert NOISY == 0.5
    assert is_noisy(floor, level)
    assert not is_noisy(floor, level + 0.02)
    assert not is_noisy(floor[2:], level[2:])
