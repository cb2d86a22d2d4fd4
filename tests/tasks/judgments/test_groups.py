"""Measures of judgments side by side in one table, and which are shown by themselves."""

from __future__ import annotations

from probsense.show.groups import brief_tables, group_tables, shown_singly, side_by_side
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.words import GROUPS, WORDS

INDIVIDUALS = GROUPS[0]


def estimate(measure: str, value: float, method: str = "two-way bootstrap", **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, method)


FOUND = [
    estimate("commonsensicality", 0.7, model="a"),
    estimate("commonsensicality", 0.8, model="b"),
    estimate("commonsensicality", 0.75, model="b", feature="fact"),
    estimate("group_r", 0.25, model="a"),
    estimate("win_rate", 0.5, model="b"),
    estimate("commonsensicality", 0.6, "published", model="a"),
    estimate("commonsensicality_difference", 0.1, model="a", versus="b"),
    estimate("yes_mass", 0.4, "clustered", model="a", question="q1"),
]


def test_a_row_for_each_model_the_best_first_and_a_column_for_each_measure() -> None:
    table = side_by_side([e for e in FOUND if e.method != "published"], INDIVIDUALS, WORDS)
    assert table is not None
    assert table.columns == ("Model", "Common sense in %", "Win rate in %", "Group r")
    assert table.rows == (("b", "80.0 (2.0)", "50.0 (2.0)", "–"), ("a", "70.0 (2.0)", "–", "0.250 (0.020)"))
    assert "two-way bootstrap" in table.title


def test_published_figures_have_a_table_of_their_own() -> None:
    titles = [table.title for table in group_tables(FOUND, INDIVIDUALS, WORDS)]
    assert len(titles) == 2
    assert titles[1].endswith("method “published”")


def test_what_is_in_no_group_is_shown_singly_and_comparisons_nowhere() -> None:
    single = shown_singly(FOUND, WORDS)
    assert [(e.measure, *e.by.values()) for e in single] == [
        ("commonsensicality", "b", "fact"),
        ("yes_mass", "a", "q1"),
    ]
    brief = brief_tables(FOUND, WORDS)
    assert [table.title.split(" (")[0] for table in brief[2:]] == [
        "Common sense in %",
        "Probability of yes in %",
    ]
    assert brief[2].columns == ("Model", "fact")


def test_features_of_statements_and_groups_of_people_are_printed() -> None:
    found = [estimate("agreement", 0.6, "mean of people", model="a", people="drink: tea"), *FOUND]
    columns = {table.columns[1] for table in brief_tables(found, WORDS)}
    assert {"drink: tea", "fact"} <= columns


def test_two_promptings_are_told_apart() -> None:
    found = [
        estimate("commonsensicality", 0.7 + i / 10, model="a", prompting=p)
        for i, p in enumerate(("labels", "sample"))
    ]
    table = side_by_side(found, INDIVIDUALS, WORDS)
    assert table is not None
    assert [row[:2] for row in table.rows] == [("sample", "a"), ("labels", "a")]
