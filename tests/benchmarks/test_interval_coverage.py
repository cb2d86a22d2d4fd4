"""A small version of the coverage study: intervals cover the truth, and tests keep their level."""

from __future__ import annotations

import pytest

import interval_coverage as study

FEW = {name for name in study.INTERVALS if "few" in name}


@pytest.mark.parametrize("name", study.INTERVALS)
def test_intervals_cover_the_truth(name: str) -> None:
    found = study.coverage(study.INTERVALS[name], 300, seed=3)
    assert (0.85 if name in FEW else 0.91) <= found <= 0.985


@pytest.mark.parametrize("name", study.TESTS)
def test_tests_keep_their_level(name: str) -> None:
    assert 0.02 <= study.level(study.TESTS[name], 300, seed=3) <= 0.085
