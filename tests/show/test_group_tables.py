"""Measures side by side in one table, and which are shown by themselves."""

from __future__ import annotations

import math
from dataclasses import replace

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import ENDS, PERCENT, Group, Measure
from probsense.show.tables import brief_tables, shown_singly, side_by_side
from probsense.show.words import Words

SENSE = Group("Sense", "what each has", ("sense", "wins", "group_r"))
WORDS = Words(
    title="Votes",
    measures={
        "sense": Measure("Common sense", unit=PERCENT),
        "wins": Measure("Win rate", unit=PERCENT),
        "group_r": Measure("Group r", bounds=(-1, 1)),
        "yes_mass": Measure("Probability of yes", unit=PERCENT),
    },
    parts=("question", "feature"),
    groups=[SENSE],
    page_only={"feature"},
)


def estimate(measure: str, value: float, method: str = "two-way bootstrap", **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, method)


FOUND = [
    estimate("sense", 0.7, model="a"),
    estimate("sense", 0.8, model="b"),
    estimate("sense", 0.75, model="b", feature="fact"),
    estimate("group_r", 0.25, model="a"),
    estimate("wins", 0.5, model="b"),
    estimate("sense", 0.6, "published", model="a"),
    estimate("sense_difference", 0.1, model="a", versus="b"),
    estimate("yes_mass", 0.4, "clustered", model="a", question="q1"),
]


def test_a_row_for_each_model_the_best_first_and_a_column_for_each_measure():
    table = side_by_side([e for e in FOUND if e.method != "published"], SENSE, WORDS)
    assert table.columns == ("Model", "Common sense in %", "Win rate in %", "Group r")
    assert table.rows == (("b", "80.0 (2.0)", "50.0 (2.0)", "–"), ("a", "70.0 (2.0)", "–", "0.250 (0.020)"))
    assert "two-way bootstrap" in table.title


def test_the_lowest_comes_first_where_less_is_better_and_the_unknown_last():
    known = WORDS.measures["sense"]
    words = replace(WORDS, measures={**WORDS.measures, "sense": replace(known, better="lower")})
    unknown = [estimate("wins", 0.1, model="c"), estimate("sense", math.nan, model="d")]
    table = side_by_side([*unknown, FOUND[1], FOUND[0]], SENSE, words, ENDS)
    assert [row[:2] for row in table.rows] == [
        ("a", "70.0 [68.0, 72.0]"),
        ("b", "80.0 [78.0, 82.0]"),
        ("c", "–"),
        ("d", "–"),
    ]


def test_the_first_estimate_of_a_measure_and_subject_counts():
    table = side_by_side([*FOUND[:1], estimate("sense", 0.1, "rough", model="a")], SENSE, WORDS)
    assert table.rows == (("a", "70.0 (2.0)"),)
    assert table.title.endswith("method “two-way bootstrap”, “rough”")


def test_what_is_in_no_group_is_shown_singly_and_comparisons_nowhere():
    single = shown_singly(FOUND, WORDS)
    assert [(e.measure, *e.by.values()) for e in single] == [("sense", "b", "fact"), ("yes_mass", "a", "q1")]


def test_a_terminal_leaves_out_parts_methods_measures_and_groups_of_detail():
    def titles(**changed: object) -> list[str]:
        words = replace(WORDS, **changed)
        return [table.title.split(" (")[0] for table in brief_tables(FOUND, words)]

    assert titles() == ["Sense", "Sense", "Probability of yes in %"]
    assert titles(page_only=()) == ["Sense", "Sense", "Common sense in %", "Probability of yes in %"]
    assert titles(page_only=("feature", "published")) == ["Sense", "Probability of yes in %"]
    assert titles(page_only=("feature", "yes_mass")) == ["Sense", "Sense"]
    assert titles(groups=[replace(SENSE, detail=True)]) == ["Probability of yes in %"]
