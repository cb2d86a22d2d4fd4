"""The transport of some answers into others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from probsense.analysis.open_answers.comparison import transport


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_it_is_the_earth_movers_distance(seed, n):
    rng = np.random.default_rng(seed)
    cost = rng.random((3, 4))
    people, model = rng.integers(4, size=n), rng.integers(3, size=n)
    # The linear program of Kantorovich: masses carried from the model's strings to people's.
    rows, columns = np.repeat(np.eye(3), 4, axis=1), np.tile(np.eye(4), 3)
    masses = [np.bincount(model, minlength=3) / n, np.bincount(people, minlength=4) / n]
    best = linprog(cost.ravel(), A_eq=np.concatenate([rows, columns])[:-1], b_eq=np.concatenate(masses)[:-1])
    assert abs(transport(cost, people, model) - best.fun) < 1e-9
