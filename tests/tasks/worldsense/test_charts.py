"""Charts of WorldSense by size and by skin, and the words of its measures."""

from __future__ import annotations

import math
from typing import Any

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.charts import leading_charts, task_charts
from probsense.show.measure import half_width
from probsense.tasks.shared.options import OPTION_WORDS
from probsense.tasks.worldsense.measures.scores import MEASURES
from probsense.tasks.worldsense.words import WORDS

NAN = math.nan


def estimate(
    value: float, low: float, high: float, measure: str = "accuracy", method: str = "published", **by: Any
) -> Estimate:
    chance = 0.5 if measure == "accuracy" else NAN
    return Estimate(measure, {"model": "m", **by}, value, NAN, low, high, 0.95, 9, 9, method, chance)


def by_size(measure: str = "accuracy") -> list[Estimate]:
    return [
        estimate(size / 10, 0.2, 0.7, measure, model=model, problem="p", size=size)
        for model in ("a", "b")
        for size in (3, 4, 5)
    ]


def test_there_are_charts_by_size_skin_and_depth_of_the_measures_that_open_the_page():
    whole = [estimate(0.5, 0.4, 0.6, measure) for measure in WORDS.leading]
    skins = [estimate(0.5, 0.4, 0.6, "bias", skin=skin) for skin in ("basic", "other")]
    deep = [
        estimate(0.5, 0.4, 0.6, "accuracy", "stratified", problem="p", **part, depth=depth)
        for part in ({}, {"size": 4})
        for depth in (2, 5)
    ]
    made = [*whole, *by_size(), *by_size("bias"), *by_size("strict_accuracy"), *skins, *deep]
    charts = {chart.name: chart for chart in task_charts(made, {}, WORDS)}
    assert [*charts] == ["accuracy_by_size", "accuracy_by_depth", "bias_by_size", "bias_by_skin"]
    assert charts["bias_by_skin"].table["part"].to_list() == ["basic", "other"]
    assert charts["accuracy_by_depth"].table["depth"].to_list() == [2, 5]
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
def test_cells_are_printed_as_the_benchmark_prints_them(measure, value, low, high, expected):
    assert half_width(estimate(value, low, high, measure), WORDS.measure(measure)) == expected


def test_every_measure_and_method_is_explained():
    assert {*WORDS.measures} == {*MEASURES, "p_gold"}
    assert all(measure.meaning for measure in WORDS.measures.values())
    assert WORDS.measures["p_gold"] == OPTION_WORDS.measures["p_gold"]
    wider = {f"{judge}over {what}" for judge in ("", "corrected ") for what in ("settings", "forms")}
    assert set(WORDS.methods) == {*wider, "published", "stratified", "corrected"}
    assert all(WORDS.method(name) for name in WORDS.methods)
