"""Similarities that are learned from pairs of people's answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from learned import logistic
from probsense.analysis.open_answers.questions import Cluster, Floats, Question, Similarity
from samples import Case

CLUSTERS = (Cluster("q.0", 3, ("tea", "tee", "cup of tea")), Cluster("q.1", 2, ("juice", "oj")))
RAW = {answer: 1 for cluster in CLUSTERS for answer in cluster.answers}
TRUE = {answer: cluster.id for cluster in CLUSTERS for answer in cluster.answers}


def right(same: float, other: float) -> Similarity:
    """Pairs of one cluster have one similarity, all others another."""

    def similarity(a: Sequence[str], b: Sequence[str]) -> Floats:
        return np.array([[same if TRUE[x] == TRUE[y] else other for y in b] for x in a])

    return similarity


def noise(a: Sequence[str], b: Sequence[str]) -> Floats:
    return np.array([[(len(x) * len(y)) % 3 / 2 for y in b] for x in a])


@pytest.fixture
def case():
    alike = {"right": right(0.6, 0.5), "noise": noise}
    return Case(Question("q", "what?", RAW, CLUSTERS), ("tea",), alike, {})


def test_the_regression_finds_the_similarity_that_tells(case):
    case.alike["right"] = right(3, -3)
    learned = logistic([case], ["noise", "right"])(case)
    found = learned(["tea", "oj"], ["tee", "juice"])
    assert found[0, 0] > 0.8 > 0.2 > found[0, 1]
    assert found[1, 1] > 0.8 > 0.2 > found[1, 0]
