"""What counts as held in common."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.agreement.pq.definitions import same_answer
from probsense.core.errors import InputError

Q1 = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
Q2 = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])


def test_what_people_hold_and_know_to_be_held() -> None:
    assert same_answer(Q1).tolist() == [(Q1 == 0).tolist(), (Q1 == 1).tolist()]
    known = [[[0, 0, 0, 1], [0, 1, 0, 1]], [[1, 0, 1, 0], [1, 0, 0, 0]]]
    assert same_answer(Q1, Q2).astype(int).tolist() == known


def test_missing_answers_probabilities_and_unlike_shapes_are_refused() -> None:
    gaps = np.where(np.arange(8).reshape(2, 4) > 5, np.nan, Q1)
    for answers in ((gaps, Q2), (Q1, gaps)):
        with pytest.raises(InputError, match=r"2 answers are missing .*everybody"):
            same_answer(*answers)
    with pytest.raises(InputError, match=r"40 different answers .*not probabilities"):
        same_answer(np.linspace(0, 1, 40).reshape(4, 10))
    with pytest.raises(InputError, match="shape"):
        same_answer(Q1, Q2[:, :3])
