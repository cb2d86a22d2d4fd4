"""Charts of estimates: whole, escaped, in the colours of the page, and with every mark where its value is."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart
from probsense.show.charts import NUMBERS, chart_of_measure
from probsense.show.marks import common_chance
from probsense.show.measure import ACCURACY, POINTS, Landmark, Measure, Unit
from probsense.show.words import Words
from support.drawing import CHECKS, HOSTILE, SVG, drawn, places, texts, tips

NAN = math.nan
WORDS = Words(
    title="Quiz",
    measures={
        "accuracy": ACCURACY,
        "bias": Measure("Bias", unit=Unit(digits=2), bounds=(-1, 1), landmark=Landmark(0.0, "no leaning")),
        "shift": Measure("Shift", unit=POINTS, bounds=(-1, 1)),
    },
)

TEXTS = ("measure", "by", "model", "part")


def estimate(
    value: float, low: float, high: float, measure: str = "accuracy", chance: float = NAN, **by: Any
) -> Estimate:
    return Estimate(measure, by, value, NAN, low, high, 0.95, 9, 9, "published", chance)


def chart_of(*estimates: Estimate) -> Chart:
    return chart_of_measure(estimates, estimates[0].measure, "published", WORDS)


@cache
def accuracy() -> Chart:
    return chart_of(
        *(
            estimate(value, low, high, chance=0.5, model=model, **part)
            for part in ({}, {"problem": "p"}, {"problem": HOSTILE})
            for model, value, low, high in ((HOSTILE, 0.75, 0.6, 0.9), ("b", 0.5, NAN, NAN))
        )
    )


@pytest.mark.parametrize("check", CHECKS)
def test_a_chart_of_a_measure_is_fit_for_a_page(check):
    check(accuracy())


def test_the_table_is_tidy_and_overall_estimates_have_no_part():
    table = accuracy().table
    assert table.columns == [*TEXTS, *NUMBERS[:-1]]
    assert table["part"].to_list() == [None, None, "p", "p", HOSTILE, HOSTILE]
    hostile = HOSTILE.replace("\x00", "\ufffd").replace("\u202e", "\ufffd")
    assert table.row(0) == ("accuracy", "problem", hostile, None, 0.75, 0.6, 0.9, 0.5)


def test_marks_and_whiskers_stand_where_the_estimates_are():
    root, _ = drawn(
        chart_of(
            *(estimate(v, v - 0.1, v + 0.1, model=f"m{v}", problem="p") for v in (0.2, 0.4, 0.7)),
            estimate(0.95, 0.9, 1.2, model="far", problem="p"),
            estimate(0.5, NAN, NAN, model="unknown", problem="p"),
        )
    )
    found = {v: places(root, f"m{v}, p: ") for v in (0.2, 0.4, 0.7)}
    unit = (found[0.7]["mark"][0] - found[0.2]["mark"][0]) / 0.5
    for own in found.values():
        middle = own["mark"][0]
        assert own["line"] == pytest.approx([middle - 0.1 * unit, middle + 0.1 * unit], abs=0.02)
    edge = found[0.2]["mark"][0] + 0.8 * unit
    assert places(root, "far, p: ")["line"][1] == pytest.approx(edge, abs=0.02)
    assert "line" not in places(root, "unknown, p: ")
    assert "unknown, p: 50.0 % (no interval)" in tips(root)


def test_a_value_beyond_the_axis_is_an_arrow_with_its_number():
    root, _ = drawn(
        chart_of(
            estimate(-0.076, -0.11, -0.04, model="low", problem="p"),
            estimate(1.25, 1.2, 1.3, model="high", problem="p"),
            estimate(1.0, 0.9, 1.0, model="within", problem="p"),
        )
    )
    assert {text for text in texts(root) if {"←", "→"} & {*text}} == {"← −7.6", "125.0 →"}
    marks = {
        element.get("data-model")
        for element in root.iter(f"{SVG}path")
        if element.find(f"{SVG}title") is not None
    }
    assert marks == {"within"}
    assert "low, p: -7.6 % [-11.0, -4.0]" in tips(root)


def test_a_line_marks_chance_where_it_is_known_and_the_same_for_all():
    assert "chance" in texts(drawn(accuracy())[0])
    for chances in ((NAN,), (0.5, 0.25), (0.5, NAN)):
        chart = chart_of(*(estimate(0.5, 0.4, 0.6, chance=c, model=f"{i}") for i, c in enumerate(chances)))
        assert common_chance(chart.table) is None
    assert "chance" not in texts(drawn(chart)[0])
    assert common_chance(accuracy().table) == Landmark(0.5, "chance")


def reaching(value: float, ceiling: float, **by: Any) -> Estimate:
    found = estimate(value, value - 0.1, value + 0.1, chance=0.5, **by)
    return replace(found, shortcut_ceiling=ceiling, shortcut_stderr=0.01)


@cache
def with_shortcuts() -> Chart:
    return chart_of(
        *(
            reaching(0.6, ceiling, model=model, **part)
            for part, ceiling in (({}, 0.7), ({"problem": "p"}, 0.55), ({"problem": HOSTILE}, NAN))
            for model in ("a", "b")
        )
    )


@pytest.mark.parametrize("check", CHECKS)
def test_a_chart_with_shortcut_ceilings_is_fit_for_a_page(check):
    check(with_shortcuts())


def test_a_bar_stands_at_every_known_shortcut_ceiling():
    chart = with_shortcuts()
    assert chart.table["shortcut_ceiling"].fill_nan(None).to_list() == [0.7, 0.7, 0.55, 0.55, None, None]
    assert "shortcut_ceiling" not in accuracy().table.columns
    wide, narrow = drawn(chart)
    assert {"chance", "shortcuts"} <= set(texts(wide)) & set(texts(narrow))
    assert "shortcuts" not in texts(drawn(accuracy())[0])
    assert len({tip for tip in tips(wide) if tip.endswith("; shortcut ceiling 70.0")}) == 2
