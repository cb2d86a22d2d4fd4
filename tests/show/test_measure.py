"""Estimates in cells and sentences."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import (
    ENDS,
    HALF_WIDTHS,
    PERCENT,
    POINTS,
    Measure,
    Unit,
    both_ends,
    half_width,
    in_sentence,
    interval,
)
from probsense.show.tables import write_cells

NAN = math.nan
SHARE = Measure("Share", unit=PERCENT)
LEANING = Measure("Leaning", unit=Unit(digits=2), bounds=(-1, 1))
RANK = Measure("Rank", bounds=(0, math.inf))
SHIFT = Measure("Shift", unit=POINTS, bounds=(-1, 1))


def estimate(value: float, low: float, high: float, level: float = 0.95) -> Estimate:
    return Estimate("any", {"model": "m"}, value, NAN, low, high, level, 10, 10, "published")


@pytest.mark.parametrize(
    ("style", "value", "low", "high", "half", "ends"),
    [
        (SHARE, 0.55555, 0.55155, 0.55955, "55.6 (0.4)", "55.6 [55.2, 56.0]"),
        (SHARE, 1.0, 1.0, 1.0, "100.0 (0.0)", "100.0 [100.0, 100.0]"),
        (LEANING, -0.3449, -0.3549, -0.3349, "-0.34 (0.01)", "-0.34 [-0.35, -0.33]"),
        (LEANING, -0.001, -0.011, 0.009, "0.00 (0.01)", "0.00 [-0.01, 0.01]"),
        (SHARE, 0.861, NAN, NAN, "86.1 (no interval)", "86.1 (no interval)"),
        (SHARE, 0.861, 0.8, NAN, "86.1 (no interval)", "86.1 (no interval)"),
        (SHARE, NAN, NAN, NAN, "–", "–"),
        (RANK, 0.25, 0.2, 0.3, "0.250 (0.050)", "0.250 [0.200, 0.300]"),
        (RANK, 0.5, 0.4, 0.6, "0.500 (0.100)", "0.500 [0.400, 0.600]"),
        (SHARE, 0.1, 0.08, 0.16, "10.0 (4.0)", "10.0 [8.0, 16.0]"),
    ],
)
def test_cells_are_printed_as_the_benchmark_prints_them(style, value, low, high, half, ends):
    assert half_width(estimate(value, low, high), style) == half
    assert both_ends(estimate(value, low, high), style) == ends


def test_sentences_tell_value_unit_and_interval():
    assert in_sentence(estimate(0.612, 0.589, 0.635), SHARE) == "61.2 % (95 % interval 58.9–63.5)"
    assert in_sentence(estimate(-0.2, -0.3, -0.1, 0.9), LEANING) == "-0.20 (90 % interval -0.30 to -0.10)"
    assert in_sentence(estimate(0.1, 0.05, 0.15), SHIFT) == "10.0 points (95 % interval 5.0 to 15.0)"


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (0.5, 0.4, 0.6, HALF_WIDTHS),
        (0.5, 0.4, 0.6009, HALF_WIDTHS),  # less apart than is printed
        (0.5, 0.4, 0.602, ENDS),
        (0.0, 0.0, 0.316, ENDS),
        (0.5, NAN, NAN, HALF_WIDTHS),
        (0.5, NAN, 0.9, HALF_WIDTHS),
        (0.5, 0.5, 0.5, HALF_WIDTHS),
    ],
)
def test_half_widths_give_way_to_ends_where_they_would_mislead(value, low, high, expected):
    cells = {"a": (estimate(0.5, 0.4, 0.6), SHARE), "b": (estimate(value, low, high), SHARE)}
    written, legend = write_cells(cells, HALF_WIDTHS)
    assert written == {name: expected.cell(*each) for name, each in cells.items()}
    assert legend == expected.legend.format("95 %")
    assert write_cells(cells, ENDS)[1] == ENDS.legend.format("95 %")


def test_the_reason_stands_where_an_interval_would():
    unknown = estimate(0.861, NAN, NAN)
    reasons = {
        "one cluster": replace(unknown, clusters=1),
        "one answer": replace(unknown, n=1, clusters=1),
        "too few people": replace(unknown, no_interval="too few people"),
        "no interval": unknown,
    }
    for why, one in reasons.items():
        assert both_ends(one, SHARE) == half_width(one, SHARE) == f"86.1 ({why})"
    assert interval(replace(unknown, clusters=1), SHARE) == "no interval: one cluster"
