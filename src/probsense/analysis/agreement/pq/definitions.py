"""Defines what it means that a person holds a claim in common with others.

The functions of this package work on one array ``held`` of shape (answers, people, claims), which tells whether a
person holds that answer to that claim. A group shares a claim if all of the group hold the same answer to it. A
person holds at most one answer to a claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError

Held = NDArray[np.bool_]
AnswerMatrix = NDArray[np.float64]
Missing = Literal["refuse", "not held"]
"""How to treat missing answers: refuse them, or take the claim as not held.

For people who were not asked, "not held" gives a lower bound of what they share; for a model that would not answer,
it is the fact.
"""

ANSWERS = 16
"""A scale with more points is taken for probabilities, on which nobody agrees exactly."""


def same_answer(q1: AnswerMatrix, q2: AnswerMatrix | None = None, *, missing: Missing = "refuse") -> Held:
    """Count a claim as held in common if the answers are the same, whichever they are.

    Parameters
    ----------
    q1 : ndarray, shape (people, claims)
        Answers to "do you agree?": 0 and 1, or the points of a longer scale; NaN where there is none.
    q2 : ndarray, shape (people, claims), optional
        Answers to "would most people agree?". If they are given, a person holds an answer only if the person also
        expects it of most people. A group that shares a claim then agrees on it and knows that it does.
    missing : {"refuse", "not held"}

    Returns
    -------
    ndarray of bool, shape (answers, people, claims)
        One layer for each different answer in ``q1``, in increasing order.

    Raises
    ------
    InputError
        If answers are missing, arrays differ in shape, or there are more than :data:`ANSWERS` different answers.
    """
    _check(missing, q1, *(() if q2 is None else (q2,)))
    values = np.unique(q1[~np.isnan(q1)])
    if len(values) > ANSWERS:
        raise InputError(
            f"{len(values)} different answers", expected="answers such as 0 and 1, not probabilities"
        )
    return np.array([_gives(value, q1, q2) for value in values], dtype=bool).reshape(len(values), *q1.shape)


def majority_answer(
    q1: AnswerMatrix, majority: AnswerMatrix, q2: AnswerMatrix | None = None, *, missing: Missing = "refuse"
) -> Held:
    """Count a claim as held in common if the answers are that of the majority, so that a minority that agrees with
    itself counts for nothing.

    Parameters
    ----------
    q1, q2, missing
        As in :func:`same_answer`.
    majority : ndarray, shape (claims,)
        The majority's answer to every claim; NaN where there is none.

    Returns
    -------
    ndarray of bool, shape (1, people, claims)

    Raises
    ------
    InputError
        If answers are missing or arrays differ in shape.
    """
    _check(missing, q1, np.broadcast_to(majority, q1.shape), *(() if q2 is None else (q2,)))
    return _gives(majority, q1, q2)[None]


DEFINITIONS: Mapping[str, Callable[[AnswerMatrix, AnswerMatrix, AnswerMatrix, Missing], Held]] = (
    MappingProxyType(
        {
            "same": lambda q1, q2, majority, missing: same_answer(q1, missing=missing),
            "same_known": lambda q1, q2, majority, missing: same_answer(q1, q2, missing=missing),
            "majority": lambda q1, q2, majority, missing: majority_answer(q1, majority, missing=missing),
            "majority_known": lambda q1, q2, majority, missing: majority_answer(
                q1, majority, q2, missing=missing
            ),
        }
    )
)
"""Functions of q1, q2, the majority and the rule for missing answers that return what is held.

Those with "known" in their names also ask for awareness: the person expects most people to give the answer, too.
"""


def _gives(answer: float | AnswerMatrix, q1: AnswerMatrix, q2: AnswerMatrix | None) -> NDArray[np.bool_]:
    given = np.equal(q1, answer)
    return given if q2 is None else given & (q2 == answer)


def _check(missing: Missing, q1: AnswerMatrix, *others: AnswerMatrix) -> None:
    for other in others:
        if other.shape != q1.shape:
            raise InputError(f"answers of shape {other.shape} beside answers of shape {q1.shape}")
    absent = sum(int(np.isnan(answers).sum()) for answers in (q1, *others))
    if absent and missing == "refuse":
        raise InputError(
            f"{absent} answers are missing",
            expected="answers of everybody to every claim, or missing='not held'",
        )
