"""How chains have mixed: what R-hat tells of chains that are apart, differ in width or never move."""

from __future__ import annotations

import numpy as np

from probsense.analysis.agreement.pooled.chains import largest_r_hat, r_hat


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
