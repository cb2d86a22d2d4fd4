"""``ps.plan`` takes runs of every task as pilots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import probsense as ps
from probsense.models.base import Model
from probsense.studies.planning.chains import numbers_of_chains, with_chains
from probsense.tasks.base import Plans
from probsense.tasks.judgments.planned import _expected_of
from probsense.tasks.registry import task_names, task_type


def test_every_task_of_the_package_can_plan() -> None:
    """Each knows how its studies are laid out and measured."""
    assert [name for name in task_names() if not isinstance(task_type(name), Plans)] == []


def test_runs_of_worldsense_tell_how_models_answer() -> None:
    """A model that guesses is right half of the time, and not more so in some skins."""
    options: dict[str, Any] = {"problems": ["Infer.normal"], "sizes": [3], "quiet": True, "store": None}
    runs = [ps.evaluate("worldsense", f"random:{seed}", **options) for seed in (1, 2)]
    plan = ps.plan("worldsense", width=0.3, pilot=runs, studies=50, quiet=True)
    assumed = plan.planned.assumed
    assert assumed["accuracy"] == pytest.approx(0.5, abs=0.15)
    assert assumed["alike"] == pytest.approx(0, abs=0.3)
    assert assumed["shared"] == pytest.approx(0, abs=0.25)
    assert [note for note in plan.planned.notes if "forms" not in note] == []


def test_a_run_of_frames_tells_its_distance(tiny: Model) -> None:
    """That over all frames."""
    known: dict[str, Any] = {"limit": 2, "answers": 3, "similarity": "exact"}
    run = ps.evaluate("frames", tiny, **known, quiet=True, store=None)
    (value,) = [e.value for e in run.summary() if e.measure == "normalised" and "frame" not in e.by]
    task: Any = task_type("frames")
    assert task.plan(pilot=[run.answered]).value == pytest.approx(value)


def test_a_run_of_judgments_tells_its_score(tmp_path: Path) -> None:
    """By our method, and over all statements, if it was set beside people."""
    rows = [
        {"statement_id": statement, "person": f"p{person}", "q1": int((statement + person) % 3 > 0)}
        for statement in range(1, 13)
        for person in range(5)
    ]
    people = tmp_path / "people.csv"
    pl.DataFrame(rows).write_csv(people)
    run = ps.evaluate("judgments", "random:1", humans=[people], questions=["q1"], quiet=True, store=None)
    found = [e for e in run.summary() if e.measure == "consensus" and e.by["model"] == run.model]
    (value,) = [e.value for e in found if e.method == "two-way bootstrap"]
    assert len(found) > 1
    assert _expected_of([run.answered], "consensus") == pytest.approx(value)
    assert _expected_of([run.answered], "share_r") is None


def test_a_pilot_that_thought_weighs_chains_against_questions(tiny: Model, tmp_path: Path) -> None:
    """With the first chains of each question alone, a pilot is what a run with fewer chains would have been."""
    known: dict[str, Any] = {"limit": 8, "thinking": "on", "thinking_budget": 4, "quiet": True}
    known |= {"think_start": "So:", "think_end": "Answer:", "store": tmp_path / "a.db"}
    run, fewer = (ps.evaluate("winogrande", tiny, chains=chains, **known) for chains in (3, 2))
    assert fewer.asked == 0  # its chains are the first two
    assert numbers_of_chains([run]) == [1, 2, 3]
    (score, expected) = (
        [one.value for one in found.results.estimates] for found in (with_chains(run, 2), fewer)
    )
    assert score == expected
    assert score != [one.value for one in run.results.estimates]
    plan = ps.plan("winogrande", width=0.5, pilot=run, studies=50, quiet=True)
    assert [one.chains for one in plan.chains] == [1, 2, 3]
    last = plan.chains[-1]
    assert (last.size, last.value) == (plan.found[0].for_width, plan.planned.value)
    assert last.cost == 3 * last.questions
    table = plan.tables()[1]
    assert table.columns == ("Chains", "Accuracy", "Schemas", "Chains in all")
    least = min(plan.chains, key=lambda one: one.cost)
    assert [row[0] for row in table.rows if "←" in row[0]] == [f"{least.chains} ←"]
    assert plan.to_json()["chains"][-1]["cost"] == last.cost  # type: ignore[index,call-overload]


def test_a_pilot_without_several_chains_weighs_nothing(tiny: Model) -> None:
    run = ps.evaluate("winogrande", tiny, limit=8, quiet=True, store=None)
    assert numbers_of_chains([run]) == []
    plan = ps.plan("winogrande", width=0.5, pilot=run, studies=50, quiet=True)
    assert (len(plan.tables()), "chains" in plan.to_json()) == (1, False)
    assert not any("chains of thought" in note for note in plan.planned.notes)


@pytest.mark.parametrize(
    ("task", "asked", "wanted", "why"),
    [
        ("winogrande", {"chains": 2}, {"difference": 0.3}, "for an interval (--width)"),
        ("winogrande", {"chains": 1}, {"width": 0.5}, "one before each answer"),
        ("worldsense", {"method": "sample"}, {"width": 0.5}, "a chain of its own"),
    ],
)
def test_a_plan_says_why_it_weighs_no_chains(
    tiny: Model, task: str, asked: dict[str, Any], wanted: dict[str, float], why: str
) -> None:
    known: dict[str, Any] = {"limit": 8, "thinking": "on", "thinking_budget": 2, "store": None, "quiet": True}
    known |= {"limit": 24} if task == "worldsense" else {}
    run = ps.evaluate(task, tiny, think_start="So:", think_end="Answer:", **known, **asked)
    plan = ps.plan(task, pilot=run, studies=50, quiet=True, **wanted)  # type: ignore[arg-type]
    assert len(plan.tables()) == 1
    said = plan.planned.notes[-1]
    assert said.startswith("chains of thought are not weighed against questions: ")
    assert why in said
