"""Tests of single statements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from probsense.analysis.agreement.departures import departure_p_values
from probsense.analysis.inference.multiple import adjust


@given(st.integers(1, 40), st.data(), st.floats(0.01, 0.99))
def test_p_values_are_twice_the_smaller_tail(n: int, data: st.DataObject, p: float) -> None:
    k = data.draw(st.integers(0, n))
    (found,) = departure_p_values(np.array([float(k)]), np.array([float(n)]), np.array([p]))
    tails = binom.pmf(np.arange(k + 1), n, p).sum(), binom.pmf(np.arange(k, n + 1), n, p).sum()
    assert found == pytest.approx(min(1, 2 * min(tails)), rel=1e-6, abs=1e-12)


def test_certain_models_are_right_or_impossible_and_what_is_unknown_has_no_test() -> None:
    yes, asked = np.array([4.0, 3.0, 0.0, 0.0, 2.0]), np.array([4.0, 4.0, 4.0, 0.0, 4.0])
    found = departure_p_values(yes, asked, np.array([1.0, 1.0, 0.0, 0.5, np.nan]))
    assert found[:3].tolist() == [1, 0, 1]
    assert np.isnan(found[3:]).all()


def test_few_statements_are_found_falsely() -> None:
    """Of 200 statements a model is wrong about 40: at most 5 % of those that are found are others."""
    rng = np.random.default_rng(3)
    p = rng.uniform(0.2, 0.8, (300, 200))
    wrong = np.arange(200) < 40
    yes = rng.binomial(19, np.where(wrong, np.where(p > 0.5, p - 0.45, p + 0.45), p)).astype(float)
    share_false, power = [], []
    for own, said in zip(p, yes, strict=True):
        found = adjust(departure_p_values(said, np.full(200, 19.0), own), "benjamini-hochberg") < 0.05
        share_false.append((found & ~wrong).sum() / max(found.sum(), 1))
        power.append(found[wrong].mean())
    assert np.mean(share_false) <= 0.05
    assert np.mean(power) > 0.5
