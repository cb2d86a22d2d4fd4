"""Optimal transport of answers one for one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.answers.transport import transport
from probsense.prob.divergence import emd


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_it_is_the_earth_movers_distance(seed, n):
    rng = np.random.default_rng(seed)
    cost = rng.random((3, 4))
    people, model = rng.integers(4, size=n), rng.integers(3, size=n)
    p, q = np.bincount(people, minlength=4) / n, np.bincount(model, minlength=3) / n
    assert abs(transport(cost, people, model) - emd(p, q, cost.T)) < 1e-9
