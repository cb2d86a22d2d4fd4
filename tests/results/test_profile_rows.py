"""The commonsense profile: the right estimate of each task, on one scale."""

from __future__ import annotations

import math
from dataclasses import replace

from probsense.analysis.inference.estimate import Estimate
from probsense.results.part import Part
from probsense.results.profile_rows import left_out, profile_chart, profile_entries, profile_table
from probsense.show.words import ProfileRow, Words
from probsense.tasks.results import Results


def estimate(measure: str, value: float, method: str = "m", chance: float = math.nan, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.03, 0.95, 9, 9, method, chance)


def part(title: str, rows: list[ProfileRow], estimates: list[Estimate], **words: str) -> Part:
    known = Words(title=title, profile=rows, **words)
    return Part(title.lower(), known, Results(estimates))


FOUND = [
    part(
        "Quiz",
        [ProfileRow("accuracy", "accuracy", "what is right")],
        [
            estimate("accuracy", 0.6, "stratified", 0.5, model="a"),
            estimate("accuracy", 0.9, "stratified", 0.5, model="a", problem="p"),
            estimate("accuracy", 0.7, "stratified", 0.5, model="b"),
            estimate("accuracy", 0.1, "corrected", 0.5, model="a"),
        ],
    ),
    part(
        "Votes",
        [ProfileRow("score", "score", "how much"), ProfileRow("wins", "wins", "how often", people=0.5)],
        [
            estimate("wins", 0.4, model="b"),
            estimate("wins", 0.1, model="b", versus="a"),
            estimate("score", 0.1, "published", model="b"),
            estimate("score", 0.8, model="b"),
            estimate("score", 0.3, model="rule: always yes"),
        ],
        baselines="rule: ",
    ),
    part(
        "Gaps",
        [ProfileRow("distance", "nearness", "how near", people=1.0, chance=0.0, flipped=True)],
        [estimate("distance", 0.25, model="a")],
    ),
    part("Mine", [], [estimate("rank", 3.0, model="a")]),
]


def test_each_task_has_its_own_estimate_and_models_are_columns():
    table = profile_table(FOUND)
    assert table.columns == ("Task", "a", "b", "Chance", "People")
    assert table.rows == (
        ("Quiz: accuracy", "60.0 [58.0, 63.0]", "70.0 [68.0, 73.0]", "50", "–"),
        ("Votes: score", "–", "80.0 [78.0, 83.0]", "–", "–"),
        ("Votes: wins", "–", "40.0 [38.0, 43.0]", "–", "50"),
        ("Gaps: nearness", "75.0 [72.0, 77.0]", "–", "0", "100"),
    )


def test_the_chart_has_every_estimate_and_landmark_on_its_scale():
    chart = profile_chart(profile_entries(FOUND))
    assert chart.table["value"].to_list() == [0.6, 0.7, 0.8, 0.4, 0.75]
    text = str(chart.spec())
    assert "Quiz: accuracy: chance 50 %" in text
    assert "Gaps: nearness: people 100 %" in text
    assert "b, Votes: wins: 40.0 % [38.0, 43.0]" in text


def test_made_up_people_are_called_illustrative():
    made_up = replace(FOUND[2], words=replace(FOUND[2].words, people="illustrative"))
    entries = profile_entries([*FOUND[:2], made_up])
    text = str(profile_chart(entries).spec())
    assert "Gaps: nearness: illustrative 100 %" in text
    assert profile_table([*FOUND[:2], made_up]).columns == (
        "Task",
        "a",
        "b",
        "Chance",
        "People",
        "Illustrative",
    )


def test_who_is_left_out_is_said_with_the_reason_and_the_task_keeps_a_row():
    assert left_out(FOUND) == []  # a baseline is no model, and a task without rows has no place there
    silent = estimate("wins", math.nan, model="silent")
    asked = [{"model": "a"}, {"model": "b"}]
    parts = [
        replace(FOUND[1], results=Results([*FOUND[1].results.estimates, silent])),
        replace(FOUND[2], results=Results([], asked, withheld={"b": "it says nothing"})),
    ]
    assert left_out(parts) == [
        "Votes of silent is not in the profile: there is no “score” or “wins” over all.",
        "Gaps of a is not in the profile: there is no “nearness” over all.",
        "Gaps of b is not in the profile: it says nothing.",
    ]
    assert profile_table(parts).rows[2:] == (("Gaps: nearness", "–", "–", "–"),)


def test_a_model_has_one_column_though_others_were_asked_in_another_way():
    rows = [ProfileRow("accuracy", "accuracy", "")]
    ways = [estimate("accuracy", 0.6, model="a", prompting="options")]
    ways += [estimate("accuracy", 0.7, model="b", prompting="sample")]
    assert [entry.model for entry in profile_entries([part("Mine", rows, ways)])] == ["a", "b"]
    ways += [estimate("accuracy", 0.8, model="b", prompting="labels")]
    names = [entry.model for entry in profile_entries([part("Mine", rows, ways)])]
    assert names == ["a", "b · sample", "b · labels"]
