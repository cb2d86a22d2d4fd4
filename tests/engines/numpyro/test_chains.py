"""How chains have mixed, against ArviZ."""

from __future__ import annotations

import numpy as np
from arviz_stats.base import array_stats
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.agreement.pooled.chains import r_hat


@given(st.integers(2, 5), st.integers(4, 60), st.floats(0, 1), st.booleans(), st.integers(0, 2**32 - 1))
def test_it_is_that_of_arviz(chains: int, draws: int, stay: float, whole: bool, seed: int) -> None:
    found = np.random.default_rng(seed).normal(size=(chains, draws, 3))
    for i in range(1, draws):
        found[:, i] += stay * found[:, i - 1]
    if whole:
        found = np.round(4 * found)
    expected = array_stats.rhat(found, chain_axis=0, draw_axis=1)
    np.testing.assert_allclose(r_hat(found), expected, rtol=1e-12)
