"""Personas: how far groups of them differ, beside the same groups of people, by hand and in what a run says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from probsense.tasks.base import Answered, Task
from probsense.tasks.conditions.crossed import under
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.results import Results
from support.habit import Habit

pytestmark = pytest.mark.usefixtures("short_bootstrap")

Floats = NDArray[np.float64]
Ask = Callable[..., Answered]


class Study(NamedTuple):
    """Where the files of a study are."""

    statements: Path
    personas: Path
    humans: Path
    demographics: Path

    def task(self, **options: Any) -> Task:
        given = {"humans": [self.humans], "demographics": self.demographics, "questions": ["q1"]}
        return under(Judgments(self.statements, **(given | options)), f"persona={self.personas}")


def study(
    folder: Path, answers: Floats, groups: Sequence[str], personas: Sequence[tuple[str, str, float]]
) -> Study:
    """Write people's answers (people × statements), each person's group, and personas (name, group, weight)."""
    folder.mkdir(exist_ok=True)
    found = Study(*(folder / f"{name}.csv" for name in Study._fields))
    names = [f"P{p}" for p in range(len(answers))]
    texts = [f"Statement {i:03d}." for i in range(answers.shape[1])]
    pl.DataFrame({"statement": texts}).write_csv(found.statements)
    cast = pl.DataFrame(personas, schema=["persona", "gender", "weight"], orient="row")
    cast.with_columns(description=pl.format("You are {}.", "persona")).write_csv(found.personas)
    yes = answers.ravel().astype(int)
    asked = {"statement": texts * len(names), "person": np.repeat(names, len(texts)), "q1": yes, "q2": yes}
    pl.DataFrame(asked).write_csv(found.humans)
    pl.DataFrame({"person": names, "gender": groups}).write_csv(found.demographics)
    return found


def acting(p: Floats, names: Sequence[str]) -> Habit:
    """Return a model that agrees as whoever it is told it is: with these chances by persona and statement."""

    def yes(request: Any) -> float:
        told = [k for k, name in enumerate(names) if f"You are {name}." in request.system]
        return float(p[told[0], int(re.findall(r"Statement (\d+)", request.prompt)[0])]) if told else 0.5

    def texts(request: Any) -> list[str]:
        count = round(yes(request) * request.n)
        return ["Yes."] * count + ["No."] * (request.n - count)

    return Habit(yes, texts, part=1.0, name="actor:")


def sizes(measured: Results) -> dict[tuple[str, str], float]:
    """Find the differences between groups by model and comparison."""
    found = (e for e in measured.estimates if e.measure == "contrast_size")
    return {(str(e.by["model"]), str(e.by["people"])): e.value for e in found}


GENDERS = ["woman"] * 5 + ["man"] * 5


def test_differences_between_groups_by_hand(tmp_path, ask):
    """Ten people and four personas on four statements."""
    yes = {"woman": (5, 4, 2, 0), "man": (1, 3, 2, 4)}
    answers = np.array([[float(k % 5 < yes[group][i]) for i in range(4)] for k, group in enumerate(GENDERS)])
    cast = [("Ann", "Woman", 1.0), ("Eve", "woman", 1.0), ("Bob", "man", 1.0), ("Jim", "man", 1.0)]
    p = np.array([[0.9, 0.7, 0.5, 0.1], [0.7, 0.7, 0.3, 0.3], [0.3, 0.5, 0.5, 0.9], [0.1, 0.7, 0.3, 0.7]])
    files = study(tmp_path, answers, GENDERS, cast)
    actor = acting(p, [name for name, _, _ in cast])
    measured = ask(files.task(), actor).results
    both = ask(files.task(questions=["q1", "q2"]), actor).results
    against = "gender: man against woman"
    each = [(model, f"{question}, {against}") for question in ("q1", "q2") for model in ("actor:", "people")]
    assert [*sizes(both)] == each
    ours = p[2:].mean(axis=0) - p[:2].mean(axis=0)
    theirs = answers[5:].mean(axis=0) - answers[:5].mean(axis=0)
    noise = sum(g.mean(axis=0) * (1 - g.mean(axis=0)) / 4 for g in (answers[5:], answers[:5]))
    size = math.sqrt((theirs**2 - noise).mean())
    alone = p[2:].var(axis=0, ddof=1) / 2 + p[:2].var(axis=0, ddof=1) / 2
    own_size = math.sqrt((ours**2 - alone).mean())
    assert sizes(measured) == pytest.approx({("actor:", against): own_size, ("people", against): size})


def test_what_does_not_match_is_said(tmp_path, ask):
    answers = np.tile([1.0, 0.0, 1.0, 0.0], (12, 1))
    cast = [("Ann", "woman", 1.0), ("Bob", "man", 1.0), ("Kim", "robot", 1.0)]
    files = study(tmp_path, answers, ["woman", "man"] * 6, cast)
    pl.read_csv(files.personas).with_columns(country=pl.Series(["X", "Y", "X"])).write_csv(files.personas)
    found = " ".join(ask(files.task(), Habit(part=1.0)).results.warnings)
    assert "no group of people is gender: robot" in found
    assert "people have no two groups by “country”, so the personas' are not compared" in found
    assert "fewer than 5 personas of a group: gender: man (1)" in found
    study(tmp_path, answers, ["woman"] * 6 + ["man"] * 6, [cast[0], ("Eve", "woman", 1.0)])
    found = " ".join(ask(files.task(), Habit(part=1.0)).results.warnings)
    assert "personas and people have fewer than two groups by “gender” in common" in found


def test_numbers_of_personas_are_in_bands_of_people(tmp_path, ask):
    answers = (np.random.default_rng(2).random((80, 8)) < 0.5).astype(float)
    files = study(tmp_path, answers, ["x"] * 80, [(f"No {k}", "x", 1.0) for k in range(4)])
    files.demographics.write_text("person,age\n" + "".join(f"P{k},{20 + k}\n" for k in range(80)))
    personas = pl.read_csv(files.personas).drop("gender").with_columns(age=pl.Series([21, 39, 44, 200]))
    personas.write_csv(files.personas)
    measured = ask(files.task(), Habit(part=1.0)).results
    assert {people for _, people in sizes(measured)} == {"age: 20–39 against 40–59"}
    assert "no group of people is age: 200" in measured.warnings


def test_without_people_the_model_alone_is_measured(tmp_path, ask):
    cast = [("Ann", "woman", 1.0), ("Eve", "woman", 1.0), ("Bob", "man", 1.0), ("Jim", "man", 1.0)]
    p = np.array([[0.9, 0.7, 0.5]] * 2 + [[0.3, 0.5, 0.5]] * 2)
    task = study(tmp_path, np.ones((5, 3)), ["a"] * 5, cast).task(humans=(), demographics=None)
    measured = ask(task, acting(p, [name for name, _, _ in cast])).results
    size = math.sqrt((0.36 + 0.04) / 3)
    assert sizes(measured) == pytest.approx({("actor:", "gender: man against woman"): size})


def test_the_population_answers_by_weights(tmp_path, ask):
    """Ann stands for three people, Bob for one; texts are counted by what they say, and weigh as much."""
    files = study(tmp_path, np.ones((5, 3)), ["a"] * 5, [("Ann", "a", 3.0), ("Bob", "b", 1.0)])
    actor = acting(np.array([[0.8, 0.5, 0.5], [0.2, 0.5, 0.5]]), ["Ann", "Bob"])
    for method in ("labels", "sample"):
        task = files.task(humans=(), demographics=None, trials=5)
        answered = ask(task, actor, method)
        table = answered.results.table
        assert table is not None
        assert table["id"].to_list() == ["0-q1", "1-q1", "2-q1"]
        yes = (3 * 0.8 + 0.2) / 4
        assert table["p_yes"].to_list() == pytest.approx([yes, *[0.4 if method == "sample" else 0.5] * 2])
        assert task.item_scores(answered).scores["yes_mass"][0] == pytest.approx(yes)
    for request in task.requests(task.questions[0], "labels", {}):
        assert request.system in ("You are Ann.", "You are Bob.")  # type: ignore[union-attr]


def test_texts_of_few_people_have_noise(tmp_path, ask):
    """Two texts a question: the variance of a share of ½ is ¼ for each persona, and is no difference of groups."""
    cast = [("Ann", "a", 1.0), ("Bob", "b", 1.0)]
    files = study(tmp_path, np.ones((5, 8)), ["a"] * 5, cast)
    task = files.task(humans=(), demographics=None, trials=2)
    p = np.where(np.arange(8) % 2, [[0.5], [1.0]], [[1.0], [0.5]])
    found = ask(task, acting(p, ["Ann", "Bob"]), "sample").results
    # (½² − ¼ − 0) on every statement.
    assert sizes(found) == pytest.approx({("actor:", "gender: a against b"): 0})
