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
