"""Readers of published files, on files of the same form and, where they are, on the published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.tasks.choices.questions.published import read_recorded
from probsense.tasks.choices.questions.read import read_questions

ABDUCTION = {
    "uid": "1",
    "label_count": [60, 40],
    "old_label": 2,
    "example": {"obs1": "A went.", "obs2": "A was wet.", "hyp1": "It rained.", "hyp2": "She fell in."},
}
INFERENCE = {
    "uid": "2",
    "label_count": [10, 20, 70],
    "old_label": "c",
    "example": {"premise": "A dog sleeps.", "hypothesis": "A dog runs."},
}


def lines(folder: Path, *records: Any, name: str = "data.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_chaosnli(tmp_path):
    one, two = read_questions(lines(tmp_path, ABDUCTION, INFERENCE), "chaosnli").found
    assert one.context == "Beginning: A went.\nEnd: A was wet."
    assert (one.options, one.counts, one.gold) == (("It rained.", "She fell in."), (60.0, 40.0), 1)
    assert two.context == "Premise: A dog sleeps.\nHypothesis: A dog runs."
    assert (len(two.options), two.counts, two.people, two.gold) == (3, (10.0, 20.0, 70.0), 100.0, 2)


def test_alignment_reads_surveys_with_counts_and_with_shares(tmp_path):
    content = {
        "Q1": {
            "MC_options": ["Important", "but less so", '"Not"'],
            "question_text": "How important is it?",
            "old": {"Important, but less so": 3.0, "Not": 1.0},
            "young": {},
        },
        "Is it good?": {"MC_options": "['Yes', 'No']", "countries": ["A"], "A": [0.25, 0.75]},
    }
    first, second = read_questions(lines(tmp_path, content, name="data.json"), "alignment").found
    assert (first.text, first.group) == ("How important is it?", "old")
    assert (first.options, first.counts, first.people) == (("Important, but less so", "Not"), (3.0, 1.0), 4.0)
    assert (second.key, second.counts, second.people) == ("Is it good?/A", (0.25, 0.75), None)


def blocks(**model: float) -> list[dict[str, Any]]:
    question = {"people": {"A": 0.5, "B": 0.5}, "model": model or {"A": 0.9, "B": 0.1}}
    names = {"dataset": "survey", "output": "stated", "group": "age", "demographic": "old"}
    return [{**names, "questions": {"Q1": question}}]


def test_alignment_reads_recorded_answers(tmp_path):
    path = lines(tmp_path, blocks(), name="data.json")
    (one,) = read_recorded(path)
    assert one.by == {"data": "survey", "output": "stated", "group": "old"}
    assert one.shares == ((0.9, 0.1),)
    assert [question.key for question in read_questions(path, "alignment").found] == ["survey/Q1/old"]


def simbench(**changes: Any) -> dict[str, Any]:
    return {
        "dataset_name": "Survey",
        "input_template": "Is it cold?\n\nOptions:\n(A): Yes\n(B): No, not at all",
        "human_answer": '{"A": 0.4, "B": 0.6}',
        "group_prompt_template": "You are {age} years old.",
        "group_prompt_variable_map": "{'age': '30'}",
        "group_size": 20,
        **changes,
    }


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_simbench(tmp_path, kind):
    path = tmp_path / f"data.{kind}"
    more = simbench(human_answer={"A": 0.4, "B": 0.6, "C": None})
    if kind == "jsonl":
        lines(tmp_path, simbench())
    else:
        pl.DataFrame([more]).write_parquet(path)
    (one,) = read_questions(path, "simbench").found
    assert (one.text, one.options) == ("Is it cold?", ("Yes", "No, not at all"))
    assert one.counts == pytest.approx((8, 12))
    assert (one.people, one.group, one.data) == (20, "You are 30 years old.", "Survey")


OPINIONS = {"Q": {"MC_options": ["a", "b"], "old": {"c": 1}}}
WRONG = [
    ("chaosnli", {"uid": "1", "example": {}, "more": 1}, "line 1: label_count is missing"),
    ("chaosnli", {**INFERENCE, "label_count": [1, 2]}, "line 1: 2 numbers of 3 options"),
    ("chaosnli", {**ABDUCTION, "example": {"hyp1": "A."}}, "example.obs1 is missing"),
    ("alignment", blocks(A=1.0), "option B is in one of people and model only"),
    ("alignment", {"Q": {"old": {"Yes": 1}}}, "MC_options is missing"),
    ("alignment", OPINIONS, "option 'c' of old"),
    ("alignment", {"Q": {**OPINIONS["Q"], "old": [0.5, 0.2]}}, "Q, old: shares that sum to 0.7"),
    ("simbench", simbench(human_answer="half"), "human_answer is 'half'"),
    ("simbench", simbench(human_answer='{"A": 3, "B": 0}'), "human_answer.A is 3"),
    ("simbench", simbench(group_prompt_variable_map="{}"), "has {age}"),
    ("simbench", {"human_answer": "{}"}, "has no column input_template"),
]


@pytest.mark.parametrize(("reader", "content", "message"), WRONG)
def test_what_is_wrong_is_named(tmp_path, reader, content, message):
    path = lines(tmp_path, content, name="data.json" if reader == "alignment" else "data.jsonl")
    with pytest.raises(InputError, match=message) as caught:
        read_questions(path, reader)
    assert str(path) in str(caught.value)
