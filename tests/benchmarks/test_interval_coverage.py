"""A small version of the coverage study: intervals cover the truth, and tests keep their level."""

from __future__ import annotations

import pytest

import interval_coverage as study
import judgments_coverage

FEW = {name for name in study.INTERVALS if "few" in name}


@pytest.mark.parametrize("name", study.INTERVALS)
def test_intervals_cover_the_truth(name: str) -> None:
    found = study.coverage(study.INTERVALS[name], 300, seed=3)
    assert (0.85 if name in FEW else 0.91) <= found <= 0.985


@pytest.mark.parametrize(
    "name",
    [
        "percentile, 35 people × 12 statements",
        "corrected consensus, 6 raters of 60 statements",
        "agreement with 5 of 40 people, 40 statements",
        "difference of 5 people from 35, 40 statements",
    ],
)
def test_intervals_of_judgments_cover_the_truth(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgments_coverage, "WORLDS", 400)
    assert study.coverage(judgments_coverage.INTERVALS[name], 100, seed=3) >= 0.91


@pytest.mark.parametrize("name", study.TESTS)
def test_tests_keep_their_level(name: str) -> None:
    assert 0.02 <= study.level(study.TESTS[name], 300, seed=3) <= 0.085
