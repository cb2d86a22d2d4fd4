"""How far conditions matter: models with known habits, by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.runs.store.store import Store
from probsense.tasks.conditions.measures import Seen, condition_estimates
from support.habit import Habit, sigmoid


class Sentences(ps.Task):
    """Is a sentence so? Asked in two wordings, with yes and no as labels."""

    def items(self) -> list[ps.Item]:
        labels = {"labels": {"yes": ["yes", "sure"], "no": ["no"]}}
        asked = [
            {
                "prompt": f"It is {i}. Is it so? Say yes or no.",
                "wordings": {"long": f"Yes or no: would you say that it is {i}?"},
            }
            for i in range(30)
        ]
        return [ps.Item(f"s{i}", f"c{i}", "", data | labels) for i, data in enumerate(asked)]


def number(request: Any) -> int:
    return int("".join(letter for letter in request.prompt if letter.isdigit()))


def yes_first(request: Any) -> bool:
    return bool(request.prompt.lower().index("yes") < request.prompt.lower().index("no"))


PLACES = Habit(lambda request: sigmoid(2.0 if yes_first(request) else -2.0))


def measured(model: Any, conditions: str, task: ps.Task | None = None) -> ps.Run:
    return ps.evaluate(task or Sentences(), model, conditions=conditions, store=None, quiet=True)


def found(run: ps.Run, measure: str) -> dict[str, Estimate]:
    keys = ("component", "level", "place")
    return {
        "".join(str(e.by[key]) for key in keys if key in e.by): e
        for e in run.results.estimates
        if e.measure == measure
    }


def test_what_is_named_first_is_all_that_a_model_of_places_knows():
    run = measured(PLACES, "wording,order")
    shares = {name: e.value for name, e in found(run, "condition_share").items()}
    assert shares == pytest.approx(dict.fromkeys(shares, 0.0) | {"order": 1.0})
    assert [*shares] == [
        *("question", "order", "wording", "conditions, together"),
        *("question × order", "question × wording", "question × rest"),
    ]
    assert math.isnan(found(run, "condition_share")["order"].low)  # all questions are alike
    (warning,) = [text for text in run.results.warnings if "the conditions matter more" in text]
    assert "only 0.0 % is the question's" in warning
    assert not measured(PLACES, "order").results.warnings


def test_a_model_that_likes_a_wording_or_goes_by_the_question():
    run = measured(Habit(lambda request: sigmoid(float(request.prompt.startswith("Yes")))), "wording")
    effects = {name: e.value for name, e in found(run, "condition_effect").items()}
    apart = sigmoid(1) - 0.5
    assert effects == pytest.approx({"wording: usual": -apart / 2, "wording: long": apart / 2})
    assert [*found(run, "condition_share")] == ["question", "wording", "question × wording"]
    other = measured(Habit(lambda request: 0.6 if number(request) % 3 else 0.4), "wording,order")
    assert found(other, "condition_share")["question"].value == pytest.approx(1)
    assert found(other, "condition_flips")[""].value == 0
    assert not [text for text in other.results.warnings if "conditions matter" in text]


def test_neither_a_constant_model_nor_few_questions_have_components():
    few = Habit(lambda request: sigmoid(number(request))), Sentences(limit=9)
    for model, task in ((Habit(), Sentences()), few):
        run = measured(model, "order", task)
        assert not found(run, "condition_share")
        assert found(run, "condition_flips")[""].value == 0


def test_questions_without_an_answer_under_some_condition_are_left_out():
    silent = Habit(lambda request: math.nan if number(request) == 7 and yes_first(request) else 0.9)
    run = measured(silent, "order")
    assert "habit:: 1 question without an answer under some condition: left out" in run.results.notes
    assert found(run, "condition_flips")[""].clusters == 29


def test_texts_have_half_an_answer_of_each_kind_more():
    """Three of four texts say yes: log(3.5 / 1.5)."""
    seen = Seen("c", np.array([[0.75, 0.25]]), [()], [{}], None, 0.0, [4.0])
    assert seen.log_odds == pytest.approx([math.log(3.5 / 1.5)])
    assert seen._replace(texts=[math.inf]).log_odds == pytest.approx([math.log(3)])
    assert condition_estimates([None], {}) == []


def test_texts_count_by_what_they_say_under_their_condition():
    """A writer that repeats the word that comes first says yes and no as often, whatever the words."""

    def written(request: Any) -> list[str]:
        first = re.findall(r'"(\w+)"', request.prompt)[0]
        return [f"{first.upper()}!"] * 3 + ["As an AI, no."]

    given = {"conditions": "order,labels", "questions": ["q1"], "trials": 4, "limit": 12, "method": "sample"}
    run = ps.evaluate("judgments", Habit(texts=written), **given, store=None, quiet=True)
    assert found(run, "place_pull")["1st"].value == pytest.approx(0.5)
    assert run.table().row(0, named=True)["p_yes"] == pytest.approx(0.75 / 2)
    instead = {e.by["word"]: e.value for e in run.results.estimates if e.measure == "first_word_mass"}
    assert instead == pytest.approx({"As": 0.25})


def test_what_a_task_lists_keeps_its_order_in_a_store(tmp_path):
    """A store sorts mappings; "yes" comes before "no" in the labels."""
    given = {"conditions": "wording,order", "store": tmp_path / "a.db", "quiet": True}
    run = ps.evaluate(Sentences(), Habit(), **given)
    assert Sentences().listed(run.items[0]) == ["yes", "no"]
    with Store.open(tmp_path / "a.db") as store:
        stored = store.items(run.record)
    assert [run.task.requests(item, "labels", {}) for item in stored] == [
        run.task.requests(item, "labels", {}) for item in run.items
    ]
