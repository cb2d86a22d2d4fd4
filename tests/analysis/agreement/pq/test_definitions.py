"""What counts as held in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.curve import shared_claims
from probsense.analysis.agreement.pq.definitions import DEFINITIONS, majority_answer, same_answer
from probsense.core.errors import InputError

Q1 = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
Q2 = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
MAJORITY = np.array([1.0, 0.0, 1.0, 1.0])
NAN = np.nan


@pytest.mark.parametrize(
    ("name", "shared"),
    [
        ("same", [1, 1, 0, 1]),
        ("same_known", [1, 0, 0, 1]),
        ("majority", [1, 1, 0, 0]),
        ("majority_known", [1, 0, 0, 0]),
    ],
)
def test_what_two_people_share_by_each_definition(name: str, shared: list[int]) -> None:
    held = DEFINITIONS[name](Q1, Q2, MAJORITY, "refuse")
    assert shared_claims(held, np.array([True, True])).tolist() == [bool(x) for x in shared]


@given(arrays(np.float64, (4, 5), elements=st.sampled_from([0.0, 1.0, 2.0, NAN])))
def test_nobody_holds_two_answers_and_who_answers_holds_one(q1: NDArray[np.float64]) -> None:
    held = same_answer(q1, missing="not held")
    assert np.array_equal(held.sum(axis=0), ~np.isnan(q1))
    known = same_answer(q1, np.zeros_like(q1), missing="not held")
    assert np.array_equal(known.sum(axis=0), q1 == 0)
    assert np.array_equal(majority_answer(q1, np.ones(5), missing="not held")[0], q1 == 1)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_missing_answers_are_refused_unless_a_rule_is_chosen(definition: str) -> None:
    q1 = np.where(np.arange(8).reshape(2, 4) == 5, NAN, Q1)
    with pytest.raises(InputError, match=r"1 answers are missing .*not held"):
        DEFINITIONS[definition](q1, Q2, MAJORITY, "refuse")
    held = DEFINITIONS[definition](q1, Q2, MAJORITY, "not held")
    assert not held[:, 1, 1].any()


def test_missing_predictions_and_majorities_are_refused_too() -> None:
    with pytest.raises(InputError, match="2 answers are missing"):
        same_answer(Q1, np.where(Q2 == 0, Q2, [[NAN, 1, 1, 1]]))
    with pytest.raises(InputError, match="2 answers are missing"):
        majority_answer(Q1, np.array([1.0, NAN, 1.0, 1.0]))
    assert not majority_answer(Q1, np.array([1.0, NAN, 1.0, 1.0]), missing="not held")[0, :, 1].any()


def test_probabilities_and_unlike_shapes_are_refused() -> None:
    with pytest.raises(InputError, match=r"40 different answers .*not probabilities"):
        same_answer(np.linspace(0, 1, 40).reshape(4, 10))
    with pytest.raises(InputError, match="shape"):
        same_answer(Q1, Q2[:, :3])
