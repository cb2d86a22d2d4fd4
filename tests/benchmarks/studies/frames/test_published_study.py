"""The validation study: its pool, its distributions, its draws and its correlations."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools import published_pool
from probsense.analysis.open_answers.questions import Cluster, Question
from strategies import (
    published_centred,
    published_diverse,
    published_missing_answers,
    published_wrong_ranking,
    published_wrong_score,
)

RAW = {"tea": 30, "coffee": 25, "cocoa": 5, "juice": 12, "water": 8, "ash": 20}
CLUSTERS = (Cluster("q.1", 60, ("tea", "coffee", "cocoa")), Cluster("q.0", 20, ("juice", "water")))
QUESTION = Question("q", "what do you drink?", RAW, CLUSTERS)
MODEL = {"tea": 3, "mud": 6, "milk": 4}
LABELS = {"tea": "q.1", "mud": "wrong", "milk": "q.0"}


@pytest.fixture
def pool():
    return published_pool(QUESTION, MODEL, LABELS)


@st.composite
def distributions(draw: st.DrawFn) -> np.ndarray:
    counts = np.array(draw(st.lists(st.integers(1, 30), min_size=2, max_size=7)), dtype=float)
    return counts / counts.sum()


def test_the_pool_has_the_model_and_a_sample_of_people(pool):
    assert pool.clusters == ("q.0", "q.1", "wrong")
    assert pool.sizes.tolist() == [4 + 13, 3 + 38, 6]  # of 80: ⌈12.5⌉ and ⌈37.5⌉
    assert pool.people.tolist() == [21 / 83, 61 / 83, 1 / 83]
    assert pool.pooled.tolist() == [18 / 67, 42 / 67, 7 / 67]
    random.seed(1)
    drawn = random.sample(sorted(["juice"] * 12 + ["water"] * 8), 13)
    counts = dict(zip(pool.strings, pool.counts.tolist(), strict=True))
    assert counts["juice"] == drawn.count("juice")
    assert "ash" not in counts


@given(distributions(), distributions(), st.integers(0, 1000))
def test_targets_are_the_formulas(people, pooled, seed):
    pooled = np.resize(pooled, len(people))
    pooled = pooled / pooled.sum()
    k = len(people)

    def state() -> np.random.RandomState:
        return np.random.RandomState(seed)

    z, a, b = (lambda s: (s.uniform(0.5, 1), s.uniform(), s.uniform()))(state())
    plain = [z * h + (1 - z) * (a * g + b / k) / (a + b) for h, g in zip(pooled, people, strict=True)]
    np.testing.assert_allclose(published_centred(state(), people, pooled), plain, atol=1e-12)
    w = state().uniform()
    np.testing.assert_allclose(
        published_diverse(state(), people, pooled), w * people + (1 - w) / k, atol=1e-12
    )
    missing = published_missing_answers(state(), people, pooled)
    left = missing > 0
    assert 1 <= (~left).sum() <= max(k - 2, 1)
    np.testing.assert_allclose(missing[left], people[left] / people[left].sum(), atol=1e-12)
    shuffled = published_wrong_ranking(state(), people, pooled)
    assert sorted(shuffled) == sorted(people)
    assert np.ptp(people) == 0 or (shuffled != people).any()
    moved = published_wrong_score(state(), people, pooled)
    assert moved.sum() == pytest.approx(1, abs=1e-12)
    order = np.argsort(-people, kind="stable")
    assert (np.diff(moved[order]) <= 1e-12).all()
