"""The first lines of a page about judgments."""

from __future__ import annotations

from probsense.report.judgment_findings import SHOWN, judgment_findings, judgment_headline
from probsense.stats.estimate import Estimate


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "two-way bootstrap")


def test_the_page_says_how_many_models_beat_people() -> None:
    found = [estimate("commonsensicality", 0.5 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 0.35 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 1.0, model="baseline: majority")]
    assert judgment_headline(found).startswith("Of 7 models, 3 beat more than half of the people")
    best = judgment_findings(found)
    assert [finding.model for finding in best] == ["m6", "m5", "m4", "m3", "m2"][:SHOWN]
    assert judgment_headline(found[:1]) == ""
    assert judgment_headline(found[7:10]).startswith("None of 3 models")
