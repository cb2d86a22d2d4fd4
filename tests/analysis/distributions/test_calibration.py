"""Proper scores and calibration, against sums written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions.calibration import bin_of, brier_score, calibration, log_score

ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("probabilities", "gold", "expected"),
    [
        ([0.7, 0.2, 0.1], 0, 0.3**2 + 0.2**2 + 0.1**2),
        ([0.7, 0.2, 0.1], 2, 0.7**2 + 0.2**2 + 0.9**2),
        ([1.0, 0.0], 0, 0.0),
        ([1.0, 0.0], 1, 2.0),
        ([0.25] * 4, 3, 0.75),
    ],
)
def test_brier_sums_over_all_options(probabilities: list[float], gold: int, expected: float) -> None:
    assert brier_score(np.array(probabilities), gold) == pytest.approx(expected, abs=1e-12)


def test_log_score_is_in_nats_and_survives_probabilities_below_every_float() -> None:
    assert log_score(np.log([0.25, 0.75]), 0) == pytest.approx(math.log(4), abs=1e-12)
    assert log_score(np.array([0.0, -2000.0]), 1) == 2000.0


@given(ANSWERS, st.integers(1, 12))
def test_bins_and_error_are_those_of_the_definition(answers: list[tuple[float, bool]], bins: int) -> None:
    edges = np.linspace(0, 1, bins + 1)
    error = 0.0
    found = calibration(np.array([p for p, _ in answers]), np.array([right for _, right in answers]), bins)
    for b in range(bins):
        inside = [(p, right) for p, right in answers if edges[b] < p <= edges[b + 1] or (b == 0 and p == 0)]
        assert found.count[b] == len(inside)
        if not inside:
            assert math.isnan(found.confidence[b])
            continue
        confidence = math.fsum(p for p, _ in inside) / len(inside)
        accuracy = sum(right for _, right in inside) / len(inside)
        assert found.confidence[b] == pytest.approx(confidence, abs=1e-12)
        assert found.accuracy[b] == pytest.approx(accuracy, abs=1e-12)
        error += len(inside) / len(answers) * abs(accuracy - confidence)
    assert found.error == pytest.approx(error, abs=1e-12)


def test_an_edge_belongs_to_the_bin_below_it() -> None:
    assert bin_of(np.array([0.0, 0.1, 0.3, 0.7, 0.700001, 1.0])).tolist() == [0, 0, 2, 6, 7, 9]
