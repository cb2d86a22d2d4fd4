"""Defines what it means that a person holds a claim in common with others.

The functions of this package work on one array ``held`` of shape (answers, people, claims), which tells whether a
person holds that answer to that claim. A group shares a claim if all of the group hold the same answer to it. A
person holds at most one answer to a claim.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError

Held = NDArray[np.bool_]

ANSWERS = 16
"""A scale with more points is taken for probabilities, on which nobody agrees exactly."""


def same_answer(q1: NDArray[np.float64], q2: NDArray[np.float64] | None = None) -> Held:
    """Count a claim as held in common if the answers are the same, whichever they are.

    Parameters
    ----------
    q1 : ndarray, shape (people, claims)
        Answers to "do you agree?": 0 and 1, or the points of a longer scale.
    q2 : ndarray, shape (people, claims), optional
        Answers to "would most people agree?". If they are given, a person holds an answer only if the person also
        expects it of most people. A group that shares a claim then agrees on it and knows that it does.

    Returns
    -------
    ndarray of bool, shape (answers, people, claims)
        One layer for each different answer in ``q1``, in increasing order.

    Raises
    ------
    InputError
        If answers are missing, arrays differ in shape, or there are more than :data:`ANSWERS` different answers.
    """
    q2 = q1 if q2 is None else q2
    if q1.shape != q2.shape:
        raise InputError(f"answers of shape {q2.shape} beside answers of shape {q1.shape}")
    if absent := int((np.isnan(q1) | np.isnan(q2)).sum()):
        raise InputError(f"{absent} answers are missing", expected="answers of everybody to every claim")
    values = np.unique(q1)
    if len(values) > ANSWERS:
        raise InputError(
            f"{len(values)} different answers", expected="answers such as 0 and 1, not probabilities"
        )
    answers = values[:, None, None]
    return np.asarray((q1 == answers) & (q2 == answers))
