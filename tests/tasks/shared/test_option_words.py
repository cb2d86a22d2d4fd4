"""The words of tasks with options: measures, views, and the chart of calibration."""

from __future__ import annotations

import math
import re
from typing import Any

from probsense.analysis.distributions.option_views import RULES
from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart
from probsense.show.charts import measure_charts, task_charts
from probsense.tasks.shared.options import OPTION_WORDS
from support.drawing import HOSTILE, texts, tips
from support.drawn_once import Drawn

WORDS = OPTION_WORDS
NAN = math.nan


def estimate(measure: str, value: float, low: float, high: float, **by: Any) -> Estimate:
    return Estimate(measure, {"model": "m", **by}, value, NAN, low, high, 0.95, 9, 9, "clustered")


def calibration(*bins: str) -> Chart:
    gaps = [
        estimate("calibration_gap", -0.1, -0.2, 0.0, model=HOSTILE, confidence=b, view="sum") for b in bins
    ]
    (chart,) = task_charts([estimate("accuracy", 0.5, 0.4, 0.6, view="sum"), *gaps], {}, WORDS)
    return chart


def test_every_measure_and_view_is_explained() -> None:
    assert {key for key, _ in WORDS.values} == {"view"}
    assert {view for _, view in WORDS.values} == set(RULES)
    for name in ("accuracy", "p_gold", "brier", "log_score", "calibration_error", "calibration_gap"):
        assert WORDS.measures[name].meaning
        # A sentence that holds for every task: what guessing gets is known to the estimate alone.
        assert "50 %" not in WORDS.measures[name].meaning


def test_a_log_score_has_no_chart_since_it_has_no_highest_value() -> None:
    made = [estimate(name, 0.5, 0.4, 0.6, view="sum") for name in ("accuracy", "log_score", "brier")]
    assert [chart.name for chart in measure_charts(made, WORDS)] == ["accuracy", "brier"]


def test_the_chart_is_fit_for_a_page_and_its_bins_rise() -> None:
    drawn = Drawn(calibration("90–100 %", "50–60 %", "5–10 %"))
    drawn.check()
    for root in drawn.roots:
        words = texts(root)
        bins = [word for word in words if re.fullmatch(r"\d+–\d+ %", word)]
        assert bins == ["5–10 %", "50–60 %", "90–100 %"]
        assert {"Calibration gap (points)", "Probability of the chosen option"} <= set(words)
        assert sum(tip.endswith("90–100 %: -10.0 % [-20.0, 0.0]") for tip in tips(root)) == 2
