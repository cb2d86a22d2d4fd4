"""The exact way: clusters, their probabilities, and the estimates that come of them."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.core.records import ScoreResponse
from probsense.tasks.frames.measures import exact
from support.scored import option


def test_the_mass_of_a_cluster_is_that_of_its_strings() -> None:
    question = Question(
        "q",
        "q",
        {"a": 3, "b": 1, "c": 2},
        (Cluster("first", 4, ("a", "B ", "b")), Cluster("second", 3, ("c", "b"))),
    )
    assert exact.strings(question) == ("a", "b", "c")
    response = ScoreResponse((option(" a", [0.2], [0.5]), option(" b", [0.3], [1]), option(" c", [0.1], [1])))
    masses = exact.log_masses(question, response)
    assert np.exp(masses) == pytest.approx([0.1 + 0.15, 0.1 + 0.15], abs=1e-12)
    assert exact.model_shares(masses) == pytest.approx([0.5, 0.5], abs=1e-12)
    found = {
        (e.measure, e.by.get("frame")): e
        for e in exact.exact_estimates([question] * 2, [masses] * 2, {"model": "m"}, draws=50, seed=0)
    }
    p = np.array([4, 3]) / 7
    assert found["kl", None].value == pytest.approx(float((p * np.log(p / 0.5)).sum()), abs=1e-12)
    assert found["listed_mass", "q"].value == pytest.approx(0.5, abs=1e-12)
    assert found["kl", "q"].low <= found["kl", "q"].value <= found["kl", "q"].high


def test_each_answer_is_a_cluster_where_people_made_none() -> None:
    question = Question("q", "q", {"a": 3, "b": 1})
    assert exact.clusters(question) == [("a", ("a",)), ("b", ("b",))]
    assert exact.people_counts(question).tolist() == [3, 1]


def test_spellings_of_an_answer_are_one() -> None:
    question = Question("q", "q", {"Park": 9, "park": 1, "beach": 10})
    assert exact.clusters(question) == [("Park", ("park",)), ("beach", ("beach",))]
    assert exact.people_counts(question).tolist() == [10, 10]
    assert exact.strings(question) == ("park", "beach")
    perfect = [np.log([0.5, 0.5])]
    (kl, *_) = [
        e for e in exact.exact_estimates([question], perfect, {}, draws=2, seed=0) if e.measure == "kl"
    ]
    assert kl.value == pytest.approx(0, abs=1e-12)
