"""The crossed model by sampling: what bad chains are, and what is said where NumPyro is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.nuts import Convergence, sampled_shares
from probsense.core.errors import InputError


def test_without_the_extra_a_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpyro", None)
    with pytest.raises(InputError, match=r"sampling needs NumPyro.*\[bayes\]"):
        sampled_shares(People(np.array([0]), np.array([0]), np.ones(1), np.full(1, np.nan), 1, 1))


@pytest.mark.parametrize(
    ("convergence", "good"),
    [
        (Convergence(4000, 0, 1.003, 1000), True),
        (Convergence(4000, 5, 1.003, 1000), False),
        (Convergence(4000, 0, 1.02, 1000), False),
        (Convergence(4000, 0, 1.003, 300), False),
        (Convergence(4000, 0, float("nan"), 1000), False),
    ],
)
def test_any_bad_sign_is_enough(convergence: Convergence, good: bool) -> None:
    assert convergence.good is good
