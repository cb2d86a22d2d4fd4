"""What single items are worth: mass, and agreement with most people where that is known."""

from collections.abc import Callable

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.models.small import random
from probsense.tasks.base import Answered
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.results import Results

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py


def test_judgments_beside_people(tmp_path, ask):
    majority = tmp_path / "majority.csv"
    majority.write_text("statement_id,majority\n1,1\n2,0\n")
    task = Judgments(majority=majority, limit=144)
    answered = ask(task, random.load("1"))
    found = task.item_scores(answered)
    assert found.scores.columns == ["majority_agreement", "yes_mass", "other_mass"]
    rows = found.items.with_columns(found.scores)
    known = rows.filter(pl.col("majority_agreement").is_not_null())
    assert sorted(known["item"]) == ["1-q1", "1-q2", "2-q1", "2-q2"]
    yes = known["yes_mass"] + known["other_mass"] / 2 > 0.5
    assert known["majority_agreement"].to_list() == (yes == (known["cluster"] == "1")).cast(float).to_list()
    assert set(found.items["label"]) <= {"yes", "no", "other"}


def test_people_are_right_as_far_as_they_answer_as_most_do(tmp_path, ask):
    humans = tmp_path / "people.csv"
    rows = "1,a,1,1\n1,b,1,0\n1,c,0,0\n2,a,0,1\n2,b,0,\n2,c,0,\n3,a,1,1\n"
    humans.write_text(f"statement_id,person,q1,q2\n{rows}")
    task = Judgments(humans=(humans,), limit=144)
    found = task.item_scores(ask(task, random.load("1"))).people
    assert found is not None
    right = {item: (n, share) for item, n, share in found.sort("item").iter_rows()}
    assert right == {
        "1-q1": (3, pytest.approx(2 / 3)),
        "1-q2": (3, pytest.approx(1 / 3)),  # not what most say they would say, but what most say
        "2-q1": (3, 1.0),
        "2-q2": (1, 0.0),
    }  # one person is no majority
    (said,) = (task.people(item) for item in task.questions if item.id == "1-q2")
    assert said is not None
    assert (said.n, dict(said.shares)) == (3, pytest.approx({"yes": 1 / 3, "no": 2 / 3}))


def test_without_people_there_is_mass_alone(ask):
    task = Judgments(limit=6)
    found = task.item_scores(ask(task, random.load("1")))
    assert found.scores.columns == ["yes_mass", "other_mass"]
    with pytest.raises(InputError, match="no single items"):
        task.item_scores(Answered("m", "labels", [], {}, Results([])))


def test_of_a_model_that_says_too_little_other_answers_alone_are_compared(ask, mumbler):
    split, wrong = (
        task.item_scores(ask(task, mumbler))
        for task in (Judgments(limit=12), Judgments(other="wrong", limit=12))
    )
    assert split.scores.columns == ["other_mass"]
    assert ["yes and no have 0.8 % (q1)" in note for note in split.notes] == [True]
    assert wrong.scores.columns == ["majority_agreement", "yes_mass", "other_mass"]
    assert not wrong.notes
