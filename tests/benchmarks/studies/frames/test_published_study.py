"""The pool of the validation study."""

from __future__ import annotations

import random

import pytest

from pools import published_pool
from probsense.analysis.open_answers.questions import Cluster, Question

RAW = {"tea": 30, "coffee": 25, "cocoa": 5, "juice": 12, "water": 8, "ash": 20}
CLUSTERS = (Cluster("q.1", 60, ("tea", "coffee", "cocoa")), Cluster("q.0", 20, ("juice", "water")))
QUESTION = Question("q", "what do you drink?", RAW, CLUSTERS)
MODEL = {"tea": 3, "mud": 6, "milk": 4}
LABELS = {"tea": "q.1", "mud": "wrong", "milk": "q.0"}


@pytest.fixture
def pool():
    return published_pool(QUESTION, MODEL, LABELS)


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
