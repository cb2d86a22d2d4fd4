"""``--format`` of the verbs that print figures, and names of runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import probsense as ps
from support.command import Probsense, assert_refused


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.usefixtures("stores")
def test_a_run_for_a_paper(probsense: Probsense) -> None:
    words = ("run", "winogrande", "--model", "random:1", "--limit", 20, "--quiet")
    done = probsense(*words, "--format", "md")
    assert done.out.startswith("**Accuracy in % (with the ends of the 95 % interval)")
    assert "| :--- | ---: |" in done.out
    assert "note: random:1" in done.err
    assert r"\toprule" in probsense(*words, "--format", "latex").out
    document = json.loads(probsense(*words, "--json").out)
    assert document == json.loads(probsense(*words, "--json").out)
    table = rows(probsense(*words, "--format", "csv").out)
    assert [float(row["value"]) for row in table] == [e["value"] for e in document["estimates"]]
    assert {row["task"] for row in table} == {"winogrande"}


def test_several_tasks_are_apart(probsense: Probsense) -> None:
    words = ("run", "winogrande", "suite", "--model", "random", "--limit", 9, "--quiet", "--format")
    assert "## winogrande\n\n**Accuracy" in probsense(*words, "md").out
    assert "% suite\n\n" in probsense(*words, "latex").out
    assert {row["task"] for row in rows(probsense(*words, "csv").out)} == {"winogrande", "suite"}


@pytest.mark.usefixtures("stores")
def test_stored_runs_for_a_paper(probsense: Probsense, tmp_path: Path) -> None:
    done = probsense("report", "--format", "md")
    assert done.code == 0
    assert "| View | random:1 | random:2 | random:3 |" in done.out
    assert not (tmp_path / "report.html").exists()


def test_runs_of_one_model_are_told_apart(probsense: Probsense) -> None:
    for limit in (6, 10):
        ps.evaluate("winogrande", "random:1", limit=limit, quiet=True)
    documents = json.loads(probsense("report", "--json").out)["runs"]
    names = [f"random:1 [{document['run']['id'][:8]}]" for document in documents]
    assert f"| View | {' | '.join(names)} |" in probsense("report", "--format", "md").out
    assert " & ".join(names) in probsense("report", "--format", "latex").out
    table = rows(probsense("report", "--format", "csv").out)
    for document in documents:
        own = [float(row["value"]) for row in table if row["run"] == document["run"]["id"]]
        assert own == [estimate["value"] for estimate in document["estimates"]]


@pytest.mark.usefixtures("undrawn")
def test_names_tell_runs_apart_wherever_they_stand(probsense: Probsense, tmp_path: Path) -> None:
    for limit, name in ((6, "short"), (10, "long")):
        words = ("--model", "random:1", "--limit", limit, "--name", name, "--quiet")
        assert probsense("run", "winogrande", "worldsense", *words).code == 0
    assert "random:1 [short] | random:1 [long]" in probsense("report", "--format", "md").out
    assert "random:1 [short] & random:1 [long]" in probsense("report", "--format", "latex").out
    assert probsense("report", "short", "long").code == 0
    assert "random:1 [long]" in (tmp_path / "report.html").read_text()
    table = rows(probsense("report", "long", "--format", "csv").out)
    assert {(row["run_name"], row["task"]) for row in table} == {
        ("long", "winogrande"),
        ("long", "worldsense"),
    }
    documents = json.loads(probsense("report", "--json").out)["runs"]
    assert [document["run"]["name"] for document in documents] == ["short", "short", "long", "long"]


def test_a_name_goes_wherever_an_id_does(probsense: Probsense, tmp_path: Path) -> None:
    for name, model, limit in (
        ("one 1", "random:1", 6),
        ("two 1", "random:1", 10),
        ("two 2", "random:2", 10),
    ):
        ps.evaluate("winogrande", model, limit=limit, name=name, quiet=True)
    done = probsense("compare", "two 1", "two 2", "--json")
    assert [model["source"] for model in json.loads(done.out)["models"]] == ["run two 1", "run two 2"]
    done = probsense("compare", "one 1", "two 1", "--intersection")
    assert "random:1 (run one 1)" in " ".join(done.out.split())
    assert probsense("figure", "accuracy", "one 1", "two 2", "--out", tmp_path / "accuracy.svg").code == 0
    done = probsense("compare", "three", "two 1")
    assert_refused(done, "no such file, and no run's name or id: 'three'")
