"""How chains have mixed, against ArviZ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.stats.chains import largest_r_hat, r_hat


@settings(deadline=None)
@given(st.integers(2, 5), st.integers(4, 60), st.floats(0, 1), st.booleans(), st.integers(0, 2**32 - 1))
def test_it_is_that_of_arviz(chains: int, draws: int, stay: float, whole: bool, seed: int) -> None:
    stats = pytest.importorskip("arviz_stats.base", reason="arviz-stats is not installed").array_stats
    found = np.random.default_rng(seed).normal(size=(chains, draws, 3))
    for i in range(1, draws):
        found[:, i] += stay * found[:, i - 1]
    if whole:
        found = np.round(4 * found)
    expected = stats.rhat(found, chain_axis=0, draw_axis=1)
    np.testing.assert_allclose(r_hat(found), expected, rtol=1e-12)


def test_it_sees_chains_at_different_places_and_of_different_widths() -> None:
    rng = np.random.default_rng(1)
    same, apart, wider = (rng.normal(size=(4, 500)) for _ in range(3))
    apart[0] += 1
    wider[0] *= 3
    found = r_hat(np.stack([same, apart, wider], axis=2))
    assert found[0] < 1.01
    assert (found[1:] > 1.05).all()


def test_what_stays_is_not_known_to_have_mixed() -> None:
    draws = np.zeros((4, 10, 2))
    draws[1:, :, 1] = 1
    assert np.isnan(r_hat(draws)[0])
    assert r_hat(draws)[1] == np.inf


def test_what_never_moves_hides_no_chains_that_are_apart() -> None:
    draws = np.random.default_rng(1).normal(size=(4, 50, 2))
    still = np.zeros((4, 50, 1))
    assert largest_r_hat(still) == 1.0
    assert largest_r_hat(np.concatenate([still, draws], axis=2)) == 1.0 > r_hat(draws).max()
    assert largest_r_hat(np.concatenate([still, draws + np.arange(4)[:, None, None] * 9], axis=2)) > 2
    assert largest_r_hat(still + np.arange(4)[:, None, None]) == np.inf
