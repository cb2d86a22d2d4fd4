"""Ranks of models follow the words of a measure."""

from __future__ import annotations

import polars as pl
import pytest

import probsense as ps
from probsense.analysis.comparison.scores import Scores
from probsense.tasks.registry import task_names, words_named


@pytest.mark.parametrize("task", task_names())
def test_every_measure_of_every_task_ranks_as_its_words_say(task: str) -> None:
    measures = words_named(task).measures
    items = pl.DataFrame({"item": [*"abcdefgh"], "cluster": [*"abcdefgh"]})
    low, high = (
        Scores(name, "", name, task, items, pl.DataFrame(dict.fromkeys(measures, value)))
        for name, value in (("low", [0.1, 0.2] * 4), ("high", [0.8, 0.9] * 4))
    )
    for measure, style in measures.items():
        first = [one.model for one in ps.compare(low, high, measure=measure).ranking][:1]
        assert first == {"higher": ["high"], "lower": ["low"], "neither": []}[style.better], measure


def test_the_distances_of_choices_are_better_if_smaller() -> None:
    words = words_named("choices")
    assert {words.sign(name) for name in ("squared_distance_corrected", "wasserstein", "jensen_shannon")} == {
        -1
    }
