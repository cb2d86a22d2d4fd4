"""What page and terminal say of frames."""

from __future__ import annotations

from probsense.report.frame_findings import frame_findings
from probsense.report.groups import brief_tables
from probsense.stats.estimate import Estimate


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "rarefied")


def test_the_nearest_is_told_first() -> None:
    estimates = [
        estimate(measure, value + shift, model=model, **where)
        for model, shift in (("far", 0.5), ("near", 0.0))
        for where in ({}, {"frame": "f0"})
        for measure, value in (("normalised", 0.2), ("kl", 0.3), ("js", 0.1), ("split_half", 0.1))
    ]
    assert [finding.model for finding in frame_findings(estimates)] == ["near", "far"]


def test_a_terminal_has_no_single_frames_and_the_lowest_first() -> None:
    estimates = [
        estimate("normalised", value, model=model, **where)
        for model, value in (("far", 0.9), ("near", 0.1))
        for where in ({}, {"frame": "f0"})
    ]
    (table,) = brief_tables(estimates)
    assert [row[0] for row in table.rows] == ["near", "far"]
    assert "f0" not in str(table)
