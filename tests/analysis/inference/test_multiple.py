"""Corrections for many tests, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.inference.multiple import adjust
from probsense.core.errors import InputError

P = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P)
def test_they_are_those_of_their_definitions(values: list[float]) -> None:
    p, n = np.array(values), len(values)
    order = sorted(range(n), key=lambda i: values[i])
    for place, i in enumerate(order):
        holm = max(min(1, (n - before) * values[order[before]]) for before in range(place + 1))
        hochberg = min(min(1, values[order[after]] * n / (after + 1)) for after in range(place, n))
        assert adjust(p)[i] == pytest.approx(holm, abs=1e-12)
        assert adjust(p, "benjamini-hochberg")[i] == pytest.approx(hochberg, abs=1e-12)
        assert adjust(p, "bonferroni")[i] == pytest.approx(min(1, n * values[i]), abs=1e-12)


def test_a_table_keeps_its_shape_and_its_gaps() -> None:
    found = adjust(np.array([[0.01, math.nan], [0.04, 0.03]]))
    np.testing.assert_allclose(found, [[0.03, math.nan], [0.06, 0.06]], atol=1e-12)


def test_tests_that_are_not_shown_count() -> None:
    p = np.array([0.001, 0.01])
    np.testing.assert_allclose(adjust(p, "bonferroni", tests=35), [0.035, 0.35], atol=1e-12)
    np.testing.assert_allclose(adjust(p, tests=35), [0.035, 0.34], atol=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="no such correction: 'sidak'"):
        adjust(np.array([0.1]), "sidak")
    with pytest.raises(InputError, match="2 p-values of 1 tests"):
        adjust(np.array([0.1, 0.2]), tests=1)
