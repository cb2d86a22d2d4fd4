"""``--format`` of the verbs that print figures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Probsense = Callable[..., "Done"]  # noqa: F821 - tests/cli/conftest.py
WORDS = ("run", "winogrande", "--model", "random:", "--quiet")


def test_a_run_for_a_paper(probsense: Probsense) -> None:
    done = probsense(*WORDS, "--format", "md")
    assert done.out.startswith("**Accuracy in % (with the ends of the 95 % interval)")
    assert "| :--- | ---: |" in done.out
    assert "note: random:" in done.err
    assert r"\toprule" in probsense(*WORDS, "--format", "latex").out


def test_csv_has_the_figures_of_the_json(probsense: Probsense) -> None:
    rows = list(csv.DictReader(io.StringIO(probsense(*WORDS, "--format", "csv").out)))
    document = json.loads(probsense(*WORDS, "--format", "json").out)
    assert document == json.loads(probsense(*WORDS, "--json").out)
    assert [float(row["value"]) for row in rows] == [e["value"] for e in document["estimates"]]
    assert {row["task"] for row in rows} == {"winogrande"}


def test_several_tasks_are_apart(probsense: Probsense) -> None:
    words = ("run", "winogrande", "suite", "--model", "random:", "--quiet", "--format")
    assert "## winogrande\n\n**Accuracy" in probsense(*words, "md").out
    assert "% suite\n\n" in probsense(*words, "latex").out
    rows = csv.DictReader(io.StringIO(probsense(*words, "csv").out))
    assert {row["task"] for row in rows} == {"winogrande", "suite"}


def test_stored_runs_for_a_paper(probsense: Probsense, tmp_path: Path) -> None:
    for model in ("random:1", "random:2"):
        assert probsense("run", "winogrande", "--model", model, "--quiet").code == 0
    done = probsense("report", "--format", "md")
    assert done.code == 0
    assert "| View | random:1 | random:2 |" in done.out
    assert not (tmp_path / "report.html").exists()


def test_runs_of_one_model_are_told_apart(probsense: Probsense) -> None:
    for limit in (10, 20):
        words = ("worldsense", "--model", "random:1", "--limit", limit, "--quiet", "--json")
        assert probsense("run", *words).code == 0
    documents = json.loads(probsense("report", "--format", "json").out)["runs"]
    ids = [document["run"]["id"] for document in documents]
    columns = " | ".join(f"random:1 [{run[:8]}]" for run in ids)
    assert f"| Problem | {columns} |" in probsense("report", "--format", "md").out
    assert " & ".join(f"random:1 [{run[:8]}]" for run in ids) in probsense("report", "--format", "latex").out
    rows = list(csv.DictReader(io.StringIO(probsense("report", "--format", "csv").out)))
    for document in documents:
        own = [float(row["value"]) for row in rows if row["run"] == document["run"]["id"]]
        assert own == [estimate["value"] for estimate in document["estimates"]]


def test_names_tell_runs_apart_wherever_they_stand(probsense: Probsense, tmp_path: Path) -> None:
    for limit, name in ((10, "short"), (20, "long")):
        words = (
            "winogrande",
            "worldsense",
            "--model",
            "random:1",
            "--limit",
            limit,
            "--name",
            name,
            "--quiet",
        )
        assert probsense("run", *words).code == 0
    columns = "random:1 [short] | random:1 [long]"
    assert columns in probsense("report", "--format", "md").out
    assert "random:1 [short] & random:1 [long]" in probsense("report", "--format", "latex").out
    assert (
        "random:1 [long]" in probsense("report", "short", "long").out + (tmp_path / "report.html").read_text()
    )
    rows = list(csv.DictReader(io.StringIO(probsense("report", "long", "--format", "csv").out)))
    assert {(row["run_name"], row["task"]) for row in rows} == {
        ("long", "winogrande"),
        ("long", "worldsense"),
    }
    documents = json.loads(probsense("report", "--format", "json").out)["runs"]
    assert [document["run"]["name"] for document in documents] == ["short", "short", "long", "long"]


def test_a_name_goes_wherever_an_id_does(probsense: Probsense, tmp_path: Path) -> None:
    for name, model in (("one", "random:1"), ("two", "random:1"), ("two", "random:2")):
        limit = {"one": 10, "two": 20}[name]
        words = ("winogrande", "--model", model, "--limit", limit, "--name", f"{name} {model[-1]}", "--quiet")
        assert probsense("run", *words).code == 0
    done = probsense("compare", "two 1", "two 2", "--json")
    assert [model["source"] for model in json.loads(done.out)["models"]] == ["run two 1", "run two 2"]
    done = probsense("compare", "one 1", "two 1", "--intersection")
    assert "random:1 (run one 1)" in " ".join(done.out.split())
    assert probsense("figure", "accuracy", "one 1", "two 2", "--out", tmp_path / "accuracy.svg").code == 0
    done = probsense("compare", "three", "two 1")
    assert done.code == 2
    assert "no such file, and no run's name or id: 'three'" in done.err
    done = probsense("run", "winogrande", "--model", "random:", "--name", "dead")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_an_analysis_for_a_paper(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "set"
    shutil.copytree(testset, folder)
    words = ("--data", folder, "--write-results", folder, "--quiet")
    assert probsense("run", "worldsense", "--model", "random:", *words).code == 0
    done = probsense("analyse", "worldsense", folder, "--format", "latex")
    assert done.code == 0
    assert r"\caption{Accuracy in \%" in done.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--format", "latx"), "did you mean 'latex'? (expected md, latex, csv, json)"),
        (("--format", "md", "--json"), "--json and --format md (expected one of them)"),
    ],
)
def test_a_wrong_format_is_said_before_anything_is_asked(
    probsense: Probsense, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    done = probsense(*WORDS, *more)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert not (tmp_path / "probsense.db").exists()
