"""The words of frames: what page and terminal show, and how they explain it."""

from __future__ import annotations

from probsense.show.charts import leading_charts, measure_charts, task_charts
from probsense.show.groups import brief_tables, shown_singly
from probsense.stats.estimate import Estimate
from probsense.tasks.frames.answer_table import COLUMNS
from probsense.tasks.frames.words import WORDS


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "rarefied")


def test_a_terminal_has_no_single_frames_and_the_lowest_first() -> None:
    estimates = [
        estimate("normalised", value, model=model, **where)
        for model, value in (("far", 0.9), ("near", 0.1))
        for where in ({}, {"frame": "f0"})
    ]
    (table,) = brief_tables(estimates, WORDS)
    assert [row[0] for row in table.rows] == ["near", "far"]
    assert "f0" not in str(table)


def test_a_page_has_some_measures_of_single_frames() -> None:
    estimates = [estimate(name, 0.2, model="m", frame="f0") for name in ("normalised", "js", "kl", "entropy")]
    assert [e.measure for e in shown_singly(estimates, WORDS)] == ["normalised", "kl"]


def test_halves_of_people_and_unrelated_answers_have_a_table() -> None:
    estimates = [estimate(name, 0.2, model="m") for name in ("split_half", "unrelated")]
    (table,) = brief_tables(estimates, WORDS)
    assert table.columns == ("Model", "Halves of people", "Unrelated answers")
    assert table.rows == (("m", "0.200 (0.020)", "0.200 (0.020)"),)


def test_single_frames_have_no_chart_of_a_measure() -> None:
    assert measure_charts([estimate("js", 0.2, model="m", frame="f")], WORDS) == []
    assert [chart.name for chart in measure_charts([estimate("js", 0.2, model="m")], WORDS)] == ["js"]
    assert leading_charts([estimate("js", 0.2, model="m")], WORDS) == []
    assert task_charts([estimate("js", 0.2, model="m")], {}, WORDS) == []


def test_every_grouped_measure_has_words_and_is_in_one_group() -> None:
    names = [name for group in WORDS.groups for name in group.measures]
    assert len(set(names)) == len(names)
    assert set(names) == set(WORDS.measures)
    assert all(WORDS.measure(name).meaning for name in names)


def test_methods_mean_what_they_mean_here() -> None:
    assert "which it lacks" in WORDS.method("published")
    assert all(WORDS.method(name) for name in ("rarefied", "exact", "protoqa", "clustered"))


def test_the_profile_turns_nearness_round() -> None:
    (row,) = WORDS.profile
    assert (row.measure, row.people, row.chance, row.flipped) == ("normalised", 1.0, 0.0, True)


def test_questions_are_sorted_by_a_column_of_the_table() -> None:
    assert WORDS.item_group == "slot"
    assert WORDS.item_group in COLUMNS
