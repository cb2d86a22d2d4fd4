"""The words of a task, and those of a task that brings none."""

from __future__ import annotations

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.charts import KINDS
from probsense.show.words import PARTS, Words
from probsense.tasks.registry import task_names, words_named


def estimate(**by: str) -> Estimate:
    return Estimate("accuracy", {"model": "m", **by}, 0.5, 0.1, 0.4, 0.6, 0.95, 9, 9, "clustered")


@pytest.mark.parametrize("parts", [PARTS, ("round", "track")])
def test_an_estimate_is_overall_unless_it_names_a_part_or_another_model(parts):
    words = Words(title="Race", parts=parts)
    assert words.is_overall(estimate())
    assert words.is_overall(estimate(prompting="basic"))
    assert not words.is_overall(estimate(versus="n"))
    assert not any(words.is_overall(estimate(**{part: "p"})) for part in parts)
    assert words.is_overall(estimate(round="1")) == ("round" not in parts)


@pytest.mark.parametrize("task", task_names())
def test_no_two_sections_of_a_page_have_one_title_and_every_chart_is_drawn(task):
    words = words_named(task)
    titles = [*(group.title for group in words.groups), *(chart.title for chart in words.charts.values())]
    assert len({*titles}) == len(titles) > 0
    assert all(chart.draw or chart.kind in KINDS for chart in words.charts.values())
