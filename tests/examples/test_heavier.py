"""The example package, installed: every command does for its task and its model what it does for those of ProbSense."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from probsense import cli
from probsense.studies.collect.study_file import read_study
from probsense.tasks.registry import words_named
from rehearsal import Simulated, fill, serving
from support.sweeping import ANSWERS, asked, faults


class Done(NamedTuple):
    """How a command ended."""

    out: str
    err: str


Probsense = Callable[..., Done]
BOTH = ("--model", "random", "--limit", "12", "--quiet", "--sizes", "3", "--problems", "Infer.trivial")
"""How both tasks are asked about a few questions."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all commands run: its store keeps the runs."""
    return tmp_path_factory.mktemp("heavier")


@pytest.fixture(scope="module")
def probsense(installed_example: Path, folder: Path) -> Probsense:
    """Run the command in this process with the example installed; it must end with the exit code ``code``."""

    def run(*words: object, code: int = 0) -> Done:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(folder)
            patch.syspath_prepend(installed_example)
            patch.setenv("COLUMNS", "200")
            patch.setenv("PROBSENSE_CACHE", str(folder / "cache"))
            patch.setattr("sys.argv", ["probsense", *map(str, words)])
            with pytest.raises(SystemExit) as stopped:
                cli.main()
        assert (stopped.value.code or 0) == code, err.getvalue()
        return Done(out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="module")
def runs(probsense: Probsense) -> dict[str, Any]:
    """Two runs of the task with their results and a page; what each printed as JSON, by the model."""
    found = {}
    for model, words in {"shortest:": ("--per-letter", "0.1"), "random": ("--report", "page.html")}.items():
        words = (*words, "--write-results", "results", "--quiet", "--json")
        found[model] = json.loads(probsense("run", "heavier", "--model", model, *words).out)
    return found


def test_help_shows_the_options_of_task_and_model_with_their_words(probsense: Probsense) -> None:
    shown = probsense("run", "heavier", "--model", "shortest:", "--help").out
    assert "Which of the two things the question asks for. [default: heavier]" in shown
    assert "heavier|lighter" in shown
    assert "By how much each letter lowers the log-probability of an option, in nats. [default: 1.0]" in shown
    assert "--sizes" not in shown


def test_a_run_keeps_its_options(runs: dict[str, Any]) -> None:
    run = runs["shortest:"]["run"]
    assert run["options"]["ask"] == "heavier"
    assert run["details"]["per_letter"] == 0.1
    assert run["items"] == 24


def test_the_measures_are_those_that_the_letters_give(runs: dict[str, Any]) -> None:
    # In three pairs the heavy thing has the shorter name, in three both are equally long and the first one wins.
    found = {(e["measure"], e["by"].get("position")): e["value"] for e in runs["shortest:"]["estimates"]}
    del found["p_gold", None]
    assert found == {
        ("accuracy", None): 9 / 24,
        ("accuracy", "first"): 6 / 12,
        ("accuracy", "second"): 3 / 12,
        ("named_first", None): 15 / 24,
    }
    assert runs["shortest:"]["coverage"][0]["decided by order"] == 3


def test_options_change_the_questions(probsense: Probsense, folder: Path) -> None:
    (folder / "own.jsonl").write_text('{"light": "a cup", "heavy": "a lorry", "factor": 9000}\n')
    words = ("--model", "shortest:", "--format", "csv", "--quiet")
    done = probsense("run", "heavier", *words, "--data", "own.jsonl", "--ask", "lighter")
    rows = csv.DictReader(io.StringIO(done.out))
    (overall,) = [row for row in rows if row["measure"] == "accuracy" and not row["position"]]
    assert (overall["n"], overall["value"]) == ("2", "1.0")
    done = probsense("run", "heavier", *words, "--ask", "heaver", code=2)
    assert done.err == (
        "probsense: --ask 'heaver'; did you mean 'heavier'? (expected one of heavier, lighter)\n"
    )
    (folder / "own.jsonl").write_text('{"light": "a cup", "heavy": "a lorry"}\n')
    assert (
        "own.jsonl, line 1: this is no pair"
        in probsense("run", "heavier", *words, "--data", "own.jsonl", code=2).err
    )


def test_the_page_has_the_words_charts_and_questions_of_the_task(runs: dict[str, Any], folder: Path) -> None:
    page = (folder / "page.html").read_text()
    assert "<title>ProbSense: Heavier</title>" in page
    assert "Knowledge of weights" in page
    assert "how often the answer is the thing that the question names first" in page
    assert "Pairs whose things differ more in weight should be easier." in page
    assert "Probability of the right answer by factor, for random." in page  # the chart's own words
    assert "picks the right thing in" in page
    assert "heavier-p_gold_by_factor.csv" in page


def test_recorded_results_are_measured_like_the_runs(
    runs: dict[str, Any], probsense: Probsense, folder: Path
) -> None:
    found = json.loads(probsense("analyse", "heavier", "results", "--json", "--figures", "charts").out)
    for run in runs.values():
        bare = [{key: value for key, value in e.items() if key != "coverage"} for e in run["estimates"]]
        assert [e for e in found["estimates"] if e["by"]["model"] == run["run"]["model"]] == bare
    files = {path.name for path in (folder / "charts").iterdir()}
    assert {"p_gold_by_factor.csv", "p_gold_by_factor.svg", "accuracy.csv", "accuracy.svg"} <= files


def test_analyse_has_options_of_its_own(runs: dict[str, Any], probsense: Probsense) -> None:
    done = probsense(
        "analyse", "heavier", "results", "--min-factor", "1000", "--full", "--report", "analysis.html"
    )
    assert "Knowledge of weights" in done.out
    assert done.err == "note: pairs with a factor below 1000 are left out\n"
    words = ("analyse", "heavier", "results", "--min-factor", "1000", "--json")
    assert {row["pairs"] for row in json.loads(probsense(*words).out)["coverage"]} == {3}
    shown = probsense("analyse", "heavier", "--help").out
    assert (
        "Leave out pairs in which the heavier thing is fewer times as heavy as this. [default: 1.0]" in shown
    )
    done = probsense("analyse", "heavier", "results", "--min-factor", "1e9", code=2)
    assert "no results with a factor of at least 1e+09" in done.err


def test_runs_and_their_results_files_compare_alike(runs: dict[str, Any], probsense: Probsense) -> None:
    ids = [run["run"]["id"][:8] for run in runs.values()]
    files = ("results/shortest.heavier.jsonl", "results/random.heavier.jsonl")
    of_runs = json.loads(probsense("compare", *ids, "--json").out)
    of_files = json.loads(probsense("compare", *files, "--json").out)
    for of in ("estimates", "differences", "by_part", "changes"):
        assert of_runs[of] == of_files[of]
    (difference,) = of_runs["differences"]
    assert (difference["measure"], difference["n"], difference["clusters"]) == ("accuracy_difference", 24, 12)
    assert {part["by"]["part"] for part in of_files["by_part"]} == {"first", "second"}
    fewer = json.loads(probsense("compare", "results", "--min-factor", "1000", "--json").out)
    assert fewer["differences"][0]["n"] == 6


def test_report_sets_the_task_beside_others(runs: dict[str, Any], probsense: Probsense, folder: Path) -> None:
    probsense("run", "heavier", "worldsense", *BOTH, "--heavier.ask", "lighter")
    probsense("report", "--out", "all.html")
    page = (folder / "all.html").read_text()
    assert "Heavier: right answers" in page  # the row of the profile
    assert "WorldSense" in page
    assert "were not asked the same questions" in page
    assert "comes first." not in page


def test_figure_draws_the_chart_of_the_task(runs: dict[str, Any], probsense: Probsense, folder: Path) -> None:
    probsense("figure", "p_gold_by_factor", runs["shortest:"]["run"]["id"], "--out", "run.svg")
    assert "Times as heavy" in (folder / "run.svg").read_text()


def test_figure_takes_the_task_before_the_name(
    runs: dict[str, Any], probsense: Probsense, folder: Path
) -> None:
    probsense("run", "heavier", "worldsense", *BOTH, "--store", "two.db")
    done = probsense("figure", "accuracy", "two.db", "--out", "one.svg", code=2)
    assert (
        done.err == "probsense: accuracy of heavier and of worldsense"
        " (expected heavier.accuracy or worldsense.accuracy)\n"
    )
    probsense("figure", "heavier.accuracy", "two.db", "--out", "one.svg")
    assert "Accuracy by position for random" in (folder / "one.svg").read_text()


def test_the_verb_of_the_task_is_a_command(probsense: Probsense) -> None:
    listed = probsense("pairs", "heavier", "--min-factor", "5000").out
    assert listed.splitlines() == [
        "a melon > a pea (× 5,000)",
        "a horse > a mouse (× 25,000)",
        "a brick > a feather (× 500,000)",
    ]
    assert len(json.loads(probsense("pairs", "heavier", "--json").out)["pairs"]) == 12
    assert "A file of pairs" in probsense("pairs", "heavier", "--help").out
    shown = probsense("pairs", "heavier", "--help").out
    assert "List the pairs, those with the smallest difference in weight first." in shown
    assert "A file of pairs; by default that of the package." in shown
    assert "worldsense has no verb 'pairs' (expected heavier)" in probsense("pairs", "worldsense", code=2).err


def test_people_are_asked_and_stand_beside_models(
    probsense: Probsense, installed_example: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "weights.jsonl").write_text('{"light": "a cup", "heavy": "a lorry", "factor": 9000}\n')
    study = {
        "title": "Weights",
        "consent": "What it is about.",
        "instructions": "Choose.",
        "items": [{"kind": "heavier", "data": "weights.jsonl"}],
        "per_item": 4,
    }
    (folder / "study.yaml").write_text(json.dumps(study))
    checked = probsense("collect", "check", "study.yaml").out
    assert "heavier: 2 items, 2 a person, 4 people an item: 4 people at least" in checked
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(installed_example)
    found_study = read_study(Path("study.yaml"))
    with serving(found_study, folder / "answers.db") as address:
        fill(found_study, address, Simulated(0), 4, 0)
    probsense("collect", "export", "answers.db", "--out", "people")
    asked = ("--model", "shortest:", "--data", "weights.jsonl", "--store", "weights.db", "--quiet")
    probsense("run", "heavier", *asked, "--name", "letters")
    found = json.loads(
        probsense("compare", "letters", "people/choices.csv", "--store", "weights.db", "--json").out
    )
    rows = [*csv.DictReader((folder / "people" / "choices.csv").open())]
    assert {row["option"] for row in rows} <= {"a cup", "a lorry"}
    people = sum(row["option"] == "a lorry" for row in rows) / len(rows)
    (level,) = [one for one in found["estimates"] if one["by"]["model"] == "people"]
    assert level["value"] == pytest.approx(people)


def test_a_flag_of_two_tasks_needs_the_name_of_one(probsense: Probsense) -> None:
    words = ("run", "heavier", "worldsense", "--model", "random", "--quiet")
    done = probsense(*words, "--data", "pairs.jsonl", code=2)
    assert done.err == (
        "probsense: --data means different things to heavier and worldsense"
        " (expected --heavier.data or --worldsense.data)\n"
    )
    assert "pairs.jsonl: no such file" in probsense(*words, "--heavier.data", "pairs.jsonl", code=2).err
    done = probsense("run", "worldsense", "--model", "random", "--ask", "lighter", code=2)
    assert done.err.startswith("probsense: --ask is an option of heavier, not named here\n")


@pytest.mark.parametrize("known", [True, False])
def test_a_process_of_its_own_knows_the_task_if_the_package_is_installed(
    known: bool, installed_example: Path, tmp_path: Path
) -> None:
    paths = filter(None, [str(installed_example) * known, os.environ.get("PYTHONPATH")])
    done = subprocess.run(
        [sys.executable, "-m", "probsense", "run", "heavier", "--model", "random", "--full"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    if known:
        assert "Knowledge of weights" in done.stdout, done.stderr
    else:
        assert "no such task: 'heavier'" in done.stderr


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_no_interval_leaves_its_bounds_or_claims_certainty(
    n: int, installed_example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(installed_example)
    words = words_named("heavier")
    for how in (*ANSWERS, "random"):
        run = asked("heavier", "options", how, {"limit": 2 * n})
        assert run.summary()
        assert not [*faults(run.summary(), words)], how
