"""What a page tells of one task, in the words of the task."""

from __future__ import annotations

import csv
from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.results.page.parts import FURTHER, page_part
from probsense.results.part import Part
from probsense.show.chart import ChartWords, Spec
from probsense.show.measure import ACCURACY, PERCENT, Group, Measure
from probsense.show.words import Words
from probsense.tasks.results import Results

TIMES = Group("Times", "how long it took", ("mean", "best"), detail=True)
WORDS = Words(
    title="Race",
    measures={
        "accuracy": ACCURACY,
        "mean": Measure("Mean time", "over all laps", PERCENT),
        "best": Measure("Best time", "the shortest"),
        "wind": Measure("Wind", "against the runner"),
    },
    methods={"timed": "with a watch"},
    parts=("lap",),
    values={("lap", "first"): "the one after the start", ("lap", "last"): "the one before the end"},
    groups=[TIMES],
)


def estimate(measure: str, value: float = 0.5, method: str = "timed", **by: str) -> Estimate:
    return Estimate(measure, {"model": "m", **by}, value, 0.1, value - 0.1, value + 0.1, 0.95, 9, 9, method)


def page(*estimates: Estimate, words: Words = WORDS, **measured: object) -> SimpleNamespace:
    return page_part(Part("my race", words, Results(estimates, **measured)))


pytestmark = pytest.mark.usefixtures("undrawn")


def test_groups_have_their_tables_and_other_measures_sections():
    part = page(*map(estimate, ("mean", "best", "wind", "accuracy")), estimate("mean", lap="first"))
    assert part.name == "Race"
    assert [(section.title, section.opened) for section in part.sections] == [
        *(("Accuracy", True), ("Times", False), (FURTHER, False))
    ]
    accuracy, group, further = part.sections
    assert group.meaning == TIMES.meaning
    (table,) = group.tables
    assert table.columns == ("Measure", "m")
    assert [row[0] for row in table.rows] == ["Mean time in %", "Best time"]
    assert accuracy.meaning == f"Accuracy is {ACCURACY.meaning}."
    assert [table.title.partition(" (")[0] for table in further.tables] == ["Wind", "Mean time in %"]
    assert (group.chart, further.chart) == (None, None)
    assert part.models == ["m"]


def test_charts_come_from_tables_of_the_task_with_their_numbers():
    def draw(table: pl.DataFrame, width: int) -> Spec:
        raise AssertionError("nothing is drawn without the packages")

    curve = ChartWords(title="The curve", meaning="how it rises", draw=draw)
    part = page(
        estimate("accuracy"),
        words=replace(WORDS, charts={"curve": curve}),
        tables={"curve": pl.DataFrame({"x": [1]})},
    )
    chart = part.sections[1].chart
    assert (chart.name, chart.svg, chart.numbers) == ("my-race-curve", "", "x\n1\n")
    files = part.files
    assert [*files] == ["my-race.csv", "my-race-accuracy.csv", "my-race-curve.csv"]
    (row,) = csv.DictReader(files["my-race.csv"].splitlines())
    assert (row["task"], row["measure"], row["value"]) == ("my race", "accuracy", "0.5")


def test_the_glossary_explains_what_is_shown_and_nothing_else():
    part = page(estimate("accuracy"), estimate("mean", lap="first"), estimate("wind", method="clustered"))
    found = dict(part.glossary)
    assert found["Mean time"] == "over all laps"
    assert found["Method “timed”"] == "with a watch"
    assert "Method “clustered”" in found
    assert found["Lap “first”"] == "the one after the start"
    assert "Lap “last”" not in found
    assert "Accuracy" not in found  # its section explains it
    assert "Best time" not in found


def test_what_is_incomplete_is_a_warning():
    row = {"model": "m", "prompting": "p", "asked": 10, "answered": 9, "failed": 1, "failed_requests": "gone"}
    part = page(estimate("accuracy"), estimate("mean"), coverage=[row], notes=["a\x07note"])
    (warning,) = part.warnings
    assert warning.startswith("Incomplete: m, asked by p: 9 of 10 items answered (90.0 %).")
    assert part.covered == "9 of 10 items answered (90.0 %)"
    assert not any("items answered" in table.title for section in part.sections for table in section.tables)
    assert part.notes == ["a\ufffdnote"]
    assert part.coverage.rows == (("m", "p", "gone", "10", "9", "1"),)
