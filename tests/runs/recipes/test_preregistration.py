"""Plans that are fixed before the data: read and refused, and what of a run was not as planned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import probsense as ps
from probsense.core.errors import InputError
from probsense.results.part import parts_of_runs
from probsense.runs.recipes.preregistration import departures, read_plan, said_of_plan
from probsense.runs.store.maintenance import merge
from probsense.runs.store.store import Store
from probsense.studies.planning import planned
from probsense.studies.planning.planned import write_plan

OPTIONS = {"data": None, "rule": "partial", "neutral": None, "seed": 0}
CONTENT = {
    "schema": 1,
    "id": "mine",
    "task": "winogrande",
    "measures": ["accuracy"],
    "sample": {"items": 12, "rationale": "as many as there was time for"},
    "options": OPTIONS,
}


def write(path: Path, **changed: Any) -> Path:
    path.write_text(yaml.safe_dump({**CONTENT, **changed}))
    return path


def asked(
    folder: Path, *, model: str = "random:1", limit: int = 12, plan: bool = True, **options: Any
) -> ps.Run:
    follows = folder / "plan.yaml" if plan else None
    return ps.evaluate(
        "winogrande", model, limit=limit, store=folder / "a.db", quiet=True, plan=follows, **options
    )


def test_a_run_as_planned(tmp_path: Path) -> None:
    plan = read_plan(write(tmp_path / "plan.yaml"))
    run = asked(tmp_path)
    again = ps.load_run(run.id, store=tmp_path / "a.db")
    for one in (run, again):
        assert departures(one) == []
        assert said_of_plan(one) == (
            "Plan mine: as planned. Planned: Accuracy, 12 items; other measures are exploratory."
        )
        assert one.planned == {"id": "mine", "digest": plan.digest, "departures": []}
    assert ps.recipe(run).plan == run.planned
    assert parts_of_runs([run, asked(tmp_path, model="random:2")])[0].planned == [said_of_plan(run)]


def test_an_end_within_a_cluster_is_as_planned(tmp_path: Path) -> None:
    write(tmp_path / "plan.yaml", sample={"items": 13})
    assert departures(asked(tmp_path, limit=13)) == []
    assert departures(asked(tmp_path, limit=10)) == ["10 items were asked, and 13 planned"]


def test_what_was_not_planned_is_said(tmp_path: Path) -> None:
    write(
        tmp_path / "plan.yaml",
        measures=["accuracy", "beauty"],
        options={**OPTIONS, "method": "sample", "rule": "sum"},
    )
    assert departures(asked(tmp_path, limit=20, seed=3)) == [
        "20 items were asked, and 12 planned",
        "rule is 'partial', and 'sum' was planned",
        "seed is 3, and 0 was planned",
        "method is 'options', and 'sample' was planned",
        "not measured: beauty",
    ]
    write(tmp_path / "plan.yaml", id="another", options={})
    (first, *_) = departures(asked(tmp_path, model="random:2"))
    assert first == "rule is 'partial', and was not planned"


def test_a_plan_that_is_changed_after_its_first_run_is_seen(tmp_path: Path) -> None:
    write(tmp_path / "plan.yaml")
    first = asked(tmp_path)
    changed = write(tmp_path / "plan.yaml", measures=["brier"], exclusions=["odd items"])
    said = "the plan was changed after its first run (measures, exclusions)"
    for run in (asked(tmp_path), asked(tmp_path, model="random:2")):
        assert departures(run) == [said]
    assert departures(ps.load_run(first.id, store=tmp_path / "a.db")) == [said]
    changed.write_text(f"# a comment\n{changed.read_text()}")
    write(tmp_path / "plan.yaml")
    assert departures(asked(tmp_path, model="random:3")) == []


def test_answers_before_the_plan_are_seen(tmp_path: Path) -> None:
    write(tmp_path / "plan.yaml")
    before = asked(tmp_path, plan=False)
    said = [f"the model was asked before the plan was ({before.id[:8]})"]
    assert departures(asked(tmp_path)) == said
    assert departures(asked(tmp_path)) == said
    larger = asked(tmp_path, limit=20, seed=1)
    assert departures(larger)[-1] == said[0]
    assert departures(asked(tmp_path, model="random:2")) == []


def test_files_and_plan_are_merged(tmp_path: Path) -> None:
    write(tmp_path / "plan.yaml")
    run = asked(tmp_path)
    merge(tmp_path / "all.db", tmp_path / "a.db")
    assert ps.load_run(run.id, store=tmp_path / "all.db").record.plan == run.record.plan
    with Store.open(tmp_path / "all.db") as store:
        store.mark_removable((), ())
        store.remove_run(run.id)
        assert store._rows("SELECT * FROM origins") == []


def test_another_task_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "plan.yaml", task="worldsense")
    with pytest.raises(InputError, match="the plan mine is for worldsense, and winogrande is asked"):
        asked(tmp_path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"schema": 2}, "a plan of schema 2; this version reads schema 1"),
        ({"id": 3}, "id is 3"),
        ({"task": "nothing"}, "nothing"),
        ({"measures": []}, "measures is"),
        ({"sample": {"items": 0}}, "items is 0"),
        ({"sample": {"item": 3}}, "unknown key sample.item; did you mean 'items'"),
        ({"hypotheses": "one"}, "hypotheses is 'one'"),
        ({"options": [1]}, "options is [1]"),
        ({"hypothesis": []}, "unknown key hypothesis; did you mean 'hypotheses'"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    path = write(tmp_path / "plan.yaml", **changed)
    with pytest.raises(InputError, match=r"plan\.yaml|no such task") as error:
        read_plan(path)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "a: !!python/name:os.system", "{", "x: 1", yaml.safe_dump(CONTENT) + "power: 2026-01-01"],
)
def test_a_file_that_is_no_plan_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"plan\.yaml") as error:
        read_plan(path)
    assert "\n" not in str(error.value)


def test_a_plan_is_written_and_fixes_what_was_found(tmp_path: Path) -> None:
    made = ps.plan("winogrande", width=0.3, difference=0.3, studies=50, out=tmp_path / "a.yaml", quiet=True)
    write_plan(tmp_path / "b.yaml", made)
    found = read_plan(tmp_path / "a.yaml")
    assert found == read_plan(tmp_path / "b.yaml")
    sizes = (made.found[0].for_width, made.found[0].for_difference)
    assert found.content["sample"]["items"] == max(size for size in sizes if size)
    assert found.content["measures"] == ["accuracy"]
    assert found.content["options"] == OPTIONS
    assert "a difference of 30.0 points is found with 80 % power" in found.content["comparisons"][0]


def test_a_plan_that_leaves_several_ways_is_refused_before_anything_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planned, "make_plan", None)
    with pytest.raises(InputError, match="several ways to lay the study out: “30 people” or “100 people”"):
        ps.plan("frames", width=0.5, out=tmp_path / "plan.yaml", quiet=True)
    assert not [*tmp_path.iterdir()]
