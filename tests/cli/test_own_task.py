"""Tests of a task of one's own: a class with items alone, in a file that the user names."""

from __future__ import annotations

import json
import math
import runpy
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, LabelResponse, ScoreRequest
from probsense.tasks.base import Method
from probsense.tasks.registry import task_type
from support.command import Probsense

EXAMPLE = Path(__file__).parents[2] / "examples" / "heavier.py"


class Weather(ps.Task):
    """Items with labels; people answered the first two."""

    labels: ClassVar[Any] = {"yes": ["yes", "Yes"], "no": ["no"]}

    def items(self) -> list[ps.Item]:
        people: Sequence[Mapping[str, int]] = ({"yes": 3, "no": 1}, {"yes": 1, "no": 3}, {})
        return [
            ps.Item(
                f"w{i}",
                f"c{i // 2}",
                ("yes", "no", "")[i],
                {"prompt": f"Rain {i}?", "labels": self.labels, "people": p},
            )
            for i, p in enumerate(people)
        ]


def measured(
    task: ps.Task, method: Method, masses: Sequence[Sequence[float]]
) -> dict[tuple[str, ...], float]:
    """Measure answers with these masses of the labels."""
    items = task.questions
    answers = {}
    for item, mass in zip(items, masses, strict=True):
        [request] = task.requests(item, method, {})
        assert isinstance(request, LabelRequest)
        names = [name for name, _ in request.labels]
        answers[request] = LabelResponse(dict(zip(names, mass, strict=True)), 1 - sum(mass))
    found = task.measure(items, method, answers, {"model": "m"})
    return {(e.measure, *map(str, e.by.values())): e.value for e in found.estimates}


def test_labels_are_asked_and_measured_beside_gold_and_people() -> None:
    task = Weather()
    assert (task.name, task.options, task.methods) == ("weather", {"limit": None, "seed": 0}, ["labels"])
    assert task.requests(task.questions[0], "labels", {}) == [
        LabelRequest("Rain 0?", (("yes", ("yes", "Yes")), ("no", ("no",))))
    ]
    found = measured(task, "labels", [(0.6, 0.2), (0.3, 0.1), (0.0, 0.0)])
    assert found == pytest.approx(
        {
            ("accuracy", "m"): 0.5,
            ("p_gold", "m"): (0.75 + 0.25) / 2,
            ("label_mass", "m", "yes"): 0.75,
            ("label_mass", "m", "no"): 0.25,
            ("other_mass", "m"): (0.2 + 0.6 + 1.0) / 3,
            ("accuracy", "people"): 0.75,
            ("total_variation", "m"): (0 + 0.5) / 2,
            # The squared distance less the variance of people's shares, 2 · ¾ · ¼ / 3 for each.
            ("squared_distance_corrected", "m"): (0 + 0.5) / 2 - 2 * 0.75 * 0.25 / 3,
            ("total_variation", "people"): found["total_variation", "people"],
        }
    )


@pytest.mark.parametrize(
    ("data", "gold", "said"),
    [
        ({"options": ["a"]}, "", "has no prompt"),
        ({"prompt": "?"}, "", "lists no answers"),
        ({"prompt": "?", "options": ["a", "b"]}, "c", "has the right answer 'c'"),
        ({"prompt": "?", "options": ["a", "b"], "people": {"z": 1}}, "a", "people answered 'z'"),
    ],
)
def test_an_item_that_cannot_be_asked_is_refused(data: dict[str, Any], gold: str, said: str) -> None:
    class Wrong(ps.Task):
        def items(self) -> list[ps.Item]:
            return [ps.Item("i", "c", gold, data)]

    with pytest.raises(InputError, match=f"item 'i' {said}|{said}.*item 'i'"):
        ps.evaluate(Wrong(), "random:1", method="options", store=None, quiet=True).results  # noqa: B018


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies the example into a folder with a cache of its own."""
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.py"
    path.write_text(EXAMPLE.read_text())
    return path


def test_the_example_runs_with_every_command(own: Path, probsense: Probsense, tmp_path: Path) -> None:
    found = {}
    for model in ("random:1", "random:2"):
        done = probsense("run", own, "--model", model, "--ask", "lighter", "--limit", "8", "-q", "--json")
        found[model] = json.loads(done.out)
        assert (done.code, found[model]["run"]["options"]["ask"]) == (0, "lighter")
    [people] = [
        e
        for e in found["random:1"]["estimates"]
        if (e["measure"], e["by"]["model"]) == ("accuracy", "people")
    ]
    assert 0.7 < people["value"] < 1
    # From now on its name is known: to stored runs, studies and exports.
    compared = json.loads(probsense("compare", "probsense.db", "--json").out)
    assert compared["differences"][0]["clusters"] == 4
    assert probsense("report", "--out", "all.html").code == 0
    assert "Which is heavier?" in (tmp_path / "all.html").read_text()
    study = {"title": "t", "consent": "c", "instructions": "i", "items": [{"kind": "heavier"}], "per_item": 4}
    Path("study.yaml").write_text(json.dumps(study))
    assert "heavier: 24 items" in probsense("collect", "check", "study.yaml").out
    assert "heavier, random:1: 24 requests" in probsense("profile", "random:1", own, "--dry-run").out
    assert "[default: heavier]" in probsense("run", own, "--help").out


def test_no_code_runs_from_a_file_that_the_user_has_not_named(
    own: Path, probsense: Probsense, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    probsense("run", own, "--model", "random:1", "-q")
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "another"))
    done = probsense("report", "--out", "all.html")
    assert done.code != 0
    assert "heavier" in done.err
    # Nor does a file that a store names.
    with sqlite3.connect("probsense.db") as store:
        store.execute("UPDATE runs SET task = ?", (str(own),))
    done = probsense("report", "--out", "all.html")
    assert f"data that name the file {own} as their task" in done.err


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, "no such file (expected a Python file with a task)"),
        ("x = 1 /", "SyntaxError"),
        ("raise ValueError('no')", "ValueError: no"),
        ("x = 1", "defines no task (expected one subclass of probsense.Task)"),
        ("import probsense as p\nclass A(p.Task): ...\nclass B(p.Task): ...", "defines A, B"),
        ("import probsense as p\nclass Frames(p.Task): ...", "calls its task 'frames', as an installed one"),
    ],
)
def test_a_file_that_is_no_task(code: str | None, said: str, probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    if code is not None:
        path.write_text(code)
    done = probsense("run", path, "--model", "random:1")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"bad.py: {said}" in done.err


def test_the_example_of_a_model_answers_the_example_of_a_task() -> None:
    model = runpy.run_path(str(EXAMPLE.with_name("shortest.py")))["load"]("", per_letter=0.1)
    run = ps.evaluate(task_type(str(EXAMPLE))(), model, store=None, quiet=True)
    # In seven pairs the heavier thing has the longer name, in two both are equally long, and the first one wins.
    lengths = [(len(light), len(heavy)) for light, heavy, *_ in sys.modules[run.task.__module__].PAIRS]
    right = (
        sum(heavy < light for light, heavy in lengths) + sum(heavy == light for light, heavy in lengths) / 2
    )
    assert run.summary()[0].value == pytest.approx(right / len(lengths))


def test_the_defaults_ask_options_as_they_follow_the_prompt() -> None:
    task = task_type(str(EXAMPLE))(ask="heavier")
    [request] = task.requests(task.questions[0], "options", {})
    assert request == ScoreRequest(
        "Which is heavier, a feather or a brick? It is", (" a feather", " a brick")
    )
    people = task.people(task.questions[0])
    assert people is not None
    assert (people.shares[0], people.n) == (("a brick", 39 / 40), 40)
    assert math.isclose(sum(share for _, share in people.shares), 1)
