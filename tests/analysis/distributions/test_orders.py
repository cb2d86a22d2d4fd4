"""How much orders of options matter, against variances in plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.distributions.orders import order_variance, place_shares


def test_variances_between_orders_add_up_over_options() -> None:
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(4), (4, 3))
    shares[:, 1, 3] = np.nan
    shares[:, 1] /= np.nansum(shares[:, 1], axis=1, keepdims=True)
    shares[3, 2] = np.nan
    known = shares[:, 0], shares[:, 1, :3], shares[:3, 2]
    expected = [own.var(axis=0, ddof=1).sum() for own in known]
    assert order_variance(shares) == pytest.approx(expected)
    assert np.isnan(order_variance(shares[:1])).all()


def test_a_model_that_heeds_the_place_alone_has_a_variance_of_one() -> None:
    square = (np.arange(4)[:, None] + np.arange(4)) % 4
    shares = (square == 0).astype(float)[:, None]
    assert order_variance(shares) == pytest.approx([1])
    assert place_shares(shares, square[:, None]) == pytest.approx(np.array([[1, 0, 0, 0]]))
    assert order_variance(np.full((4, 1, 4), 0.25)) == pytest.approx([0])


def test_the_noise_of_texts_is_taken_away() -> None:
    rng = np.random.default_rng(2)
    pi = rng.dirichlet(np.ones(3), 5000)
    shares = np.stack([rng.multinomial(6, pi) / 6 for _ in range(4)])
    assert order_variance(shares).mean() > 0.08
    assert order_variance(shares, 6).mean() == pytest.approx(0, abs=0.004)


def test_places_have_their_means() -> None:
    shares = np.array([[[0.7, 0.2, 0.1], [0.6, 0.4, np.nan]], [[0.5, 0.3, 0.2], [0.8, 0.2, np.nan]]])
    places = np.array([[[0, 1, 2], [0, 1, 2]], [[2, 0, 1], [1, 0, 2]]])
    assert place_shares(shares, places) == pytest.approx(
        np.array([[0.5, 0.2, 0.3], [0.4, 0.6, np.nan]]), nan_ok=True
    )
