"""Charts of WorldSense by size and by skin, and the words of its measures."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart
from probsense.show.charts import leading_charts, task_charts
from probsense.show.measure import half_width
from probsense.tasks.shared.options import OPTION_WORDS
from probsense.tasks.worldsense.measures.scores import SCORES
from probsense.tasks.worldsense.words import WORDS
from support.drawing import CHECKS, HOSTILE, SVG, drawn, texts, tips

NAN = math.nan


def estimate(
    value: float, low: float, high: float, measure: str = "accuracy", method: str = "published", **by: Any
) -> Estimate:
    chance = 0.5 if measure == "accuracy" else NAN
    return Estimate(measure, {"model": "m", **by}, value, NAN, low, high, 0.95, 9, 9, method, chance)


def by_size(measure: str = "accuracy") -> list[Estimate]:
    return [
        estimate(size / 10, 0.2, 0.7, measure, model=model, problem=problem, size=size)
        for problem in ("p", HOSTILE)
        for model in (HOSTILE, "b")
        for size in (3, 4, 5)
    ]


@cache
def sizes() -> Chart:
    """One chart, which is drawn once."""
    (chart,) = task_charts(by_size(), {}, WORDS)
    return chart


def test_sizes_have_a_panel_for_each_problem() -> None:
    assert sizes().name == "accuracy_by_size"
    for check in CHECKS:
        check(sizes())
    root, _ = drawn(sizes())
    assert "p" in texts(root)
    assert {"Accuracy (%)", "Entities"} <= set(texts(root))
    assert sum("stroke-dasharray" in e.attrib for e in root.iter(f"{SVG}line")) == 2
    assert sum(tip.startswith("b, p, 3: 30.0 %") for tip in tips(root)) == 2


def test_a_bar_stands_at_the_shortcut_ceiling_of_each_size() -> None:
    reached = [replace(e, shortcut_ceiling=0.9 if e.by["size"] == 3 else NAN) for e in by_size()]
    (chart,) = task_charts(reached, {}, WORDS)
    for check in CHECKS:
        check(chart)
    wide, narrow = drawn(chart)
    # Of two problems and two models each, those with three things.
    assert [len(bars(root)) for root in (wide, narrow)] == [4, 4]
    assert len(set(bars(wide))) == 1
    assert bars(drawn(sizes())[0]) == []
    assert sum(tip.endswith("; shortcut ceiling 90.0") for tip in set(tips(wide))) == 4


def bars(root: ET.Element) -> list[str]:
    """Return the heights at which bars stand: they are wide and three pixels high."""
    found = (re.match(r"M[-\d.]+,([-\d.]+)h[\d.]+v3h", e.get("d") or "") for e in root.iter(f"{SVG}path"))
    return [place[1] for place in found if place]


def test_there_are_charts_by_size_and_skin_of_the_measures_that_open_the_page() -> None:
    parts: list[dict[str, Any]] = [{}, {"problem": "p"}]
    whole = [estimate(0.5, 0.4, 0.6, measure, **part) for measure in WORDS.leading for part in parts]
    skins = [estimate(0.5, 0.4, 0.6, "bias", skin=skin) for skin in ("basic", "other")]
    made = [*whole, *by_size(), *by_size("bias"), *by_size("strict_accuracy"), *skins]
    charts = task_charts(made, {}, WORDS)
    assert [chart.name for chart in charts] == ["accuracy_by_size", "bias_by_size", "bias_by_skin"]
    assert charts[2].table["part"].to_list() == ["basic", "other"]
    assert WORDS.leading == ("accuracy", "bias", "twin_difference")
    assert [chart.name for chart in leading_charts(made, WORDS)] == [*WORDS.leading]
    assert task_charts(whole, {}, WORDS) == []


@pytest.mark.parametrize(
    ("measure", "value", "low", "high", "expected"),
    [
        ("accuracy", 0.55555, 0.55155, 0.55955, "55.6 (0.4)"),
        ("strict_accuracy", 1.0, 1.0, 1.0, "100.0 (0.0)"),
        ("bias", -0.3449, -0.3549, -0.3349, "-0.34 (0.01)"),
        ("bias", -0.001, -0.011, 0.009, "0.00 (0.01)"),
        ("accuracy", 0.861, NAN, NAN, "86.1 (no interval)"),
        ("accuracy", NAN, NAN, NAN, "–"),
        ("mean_rank", 0.25, 0.2, 0.3, "0.250 (0.050)"),
    ],
)
def test_cells_are_printed_as_the_benchmark_prints_them(
    measure: str, value: float, low: float, high: float, expected: str
) -> None:
    assert half_width(estimate(value, low, high, measure), WORDS.measure(measure)) == expected


def test_every_measure_and_method_is_explained() -> None:
    assert {*WORDS.measures} == {*(name for own in SCORES.values() for name in own), "p_gold"}
    assert all(measure.meaning for measure in WORDS.measures.values())
    assert WORDS.measures["p_gold"] == OPTION_WORDS.measures["p_gold"]
    wider = {f"{judge}over {what}" for judge in ("", "corrected ") for what in ("settings", "forms")}
    assert set(WORDS.methods) == {*wider, "published", "stratified", "corrected"}
    assert all(WORDS.method(name) for name in WORDS.methods)


def by_depth() -> list[Estimate]:
    of_sizes = [
        estimate(0.6, 0.5, 0.7, method="stratified", problem="p", size=size, depth=2) for size in (3, 4)
    ]
    return of_sizes + [
        estimate(0.9 - depth / 10, 0.2, 0.95, method="stratified", model=model, problem=problem, depth=depth)
        for problem in ("p", HOSTILE)
        for model in (HOSTILE, "b")
        for depth in (2, 3, 5)
    ]


def test_depths_have_a_chart_of_their_own_by_the_method_that_has_them() -> None:
    (of_sizes, of_depths) = task_charts([*by_size(), *by_depth()], {}, WORDS)
    assert of_sizes.table.equals(sizes().table)
    assert of_depths.name == "accuracy_by_depth"
    assert of_depths.meaning.endswith("The dashed line is chance.")
    assert of_depths.table["depth"].to_list() == [2] * 4 + [3] * 4 + [5] * 4
    root, _ = drawn(of_depths)
    assert {"Accuracy (%)", "Facts that an answer takes", "5"} <= set(texts(root))
    assert sum("stroke-dasharray" in e.attrib for e in root.iter(f"{SVG}line")) == 2
    assert sum(tip.startswith("b, p, 3: 60.0 %") for tip in tips(root)) == 2
    for check in CHECKS:
        check(of_depths)
