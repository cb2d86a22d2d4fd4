"""Divergences, proper scores and bins, against their sums written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from probsense.analysis.distributions.divergence import (
    bin_of,
    brier_score,
    hellinger,
    js,
    kl,
    log_score,
    total_variation,
)

ALL = [kl, js, total_variation, hellinger]


@st.composite
def pairs(draw):
    size = draw(st.integers(1, 6))
    counts = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    p, q = (np.array(draw(counts), dtype=float) for _ in range(2))
    return p / p.sum(), q / q.sum()


@given(pairs())
def test_they_are_their_sums_and_keep_their_inequalities(pair):
    p, q = pair
    assert kl(p, q) == pytest.approx(entropy(p, q), abs=1e-12)
    assert js(p, q) == pytest.approx((entropy(p, (p + q) / 2) + entropy(q, (p + q) / 2)) / 2, abs=1e-12)
    far = total_variation(p, q)
    assert far == pytest.approx(sum(max(a - b, 0) for a, b in zip(p, q, strict=True)), abs=1e-12)
    roots = sum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in zip(p, q, strict=True))
    assert hellinger(p, q) == pytest.approx(math.sqrt(roots / 2), abs=1e-12)
    assert hellinger(p, q) ** 2 <= far + 1e-12
    assert far <= math.sqrt(2) * hellinger(p, q) + 1e-12
    assert 2 * far**2 <= kl(p, q) + 1e-12  # Pinsker
    for divergence in ALL:
        assert abs(divergence(p, p)) < 1e-8


def test_brier_sums_over_all_options():
    found = [brier_score(np.array([0.7, 0.2, 0.1]), gold) for gold in (0, 2)]
    assert found == pytest.approx([0.3**2 + 0.2**2 + 0.1**2, 0.7**2 + 0.2**2 + 0.9**2], abs=1e-12)
    assert brier_score(np.array([1.0, 0.0]), 1) == 2


def test_log_score_is_in_nats_and_survives_probabilities_below_every_float():
    assert log_score(np.log([0.25, 0.75]), 0) == pytest.approx(math.log(4), abs=1e-12)
    assert log_score(np.array([0.0, -2000.0]), 1) == 2000.0


def test_an_edge_belongs_to_the_bin_below_it():
    assert bin_of(np.array([0.0, 0.1, 0.3, 0.7, 0.700001, 1.0])).tolist() == [0, 0, 2, 6, 7, 9]
