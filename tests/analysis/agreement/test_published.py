"""Answers and probabilities of models as published, right and with the faults that changed figures."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.agreement.published import published_answers, published_shares

MASS = np.array([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.5, 0.4, 0.1], [0.0, 0.0, 1.0], [np.nan] * 3])


def test_other_answers_are_split_and_a_tie_is_a_yes() -> None:
    np.testing.assert_array_equal(published_answers(MASS), [1, 0, 1, 1, np.nan])
    np.testing.assert_allclose(published_shares(MASS), [0.55, 0.45, 0.55, 0.5, np.nan], atol=1e-12)


def test_other_answers_that_were_not_split_make_a_no() -> None:
    np.testing.assert_array_equal(published_answers(MASS, compat=True), [0, 0, 1, 0, np.nan])


def test_other_answers_that_were_split_twice() -> None:
    once = published_shares(MASS[:4])
    other = MASS[:4, 2]
    np.testing.assert_allclose(
        published_shares(MASS[:4], compat=True), (once + other / 2) / (1 + other), atol=1e-12
    )


def test_the_example_of_a_published_figure() -> None:
    """The consensus of GPT-3.5 on one statement, in two tables."""
    mass = np.array([0.9999592570590248, 2.3334406762720583e-05, 1.740853421255395e-05])
    assert 100 * abs(2 * published_shares(mass) - 1) == pytest.approx(99.99359226522621, abs=1e-12)
    assert 100 * abs(2 * published_shares(mass, compat=True) - 1) == pytest.approx(
        99.99185155365747, abs=1e-12
    )
