"""``probsense run``: how it ends, tasks of one's own in a file that the user names, and ``analyse``."""

from __future__ import annotations

import csv
import json
import re
import runpy
import shlex
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

import probsense as ps
from probsense.analysis.open_answers.probeval import PublishedGold, published_automatic_gold
from probsense.analysis.open_answers.questions import Question
from probsense.core.records import LabelRequest, LabelResponse, ScoreRequest
from probsense.tasks.registry import task_type


def steps(err: str) -> dict[str, list[str]]:
    """Read the commands by what they give."""
    lines = err.partition("Next:\n")[2].splitlines()
    return {
        gives: shlex.split(command)
        for gives, command in (line.strip().split("  probsense ") for line in lines)
    }


def test_one_model_ends_with_two_steps_that_work(probsense):
    words = ("run", "winogrande", "--model", "builtin:tiny", "-M", "dtype=float32", "--limit", 10, "-q")
    words = (*words, "--store", "a b.db")
    done = probsense(*words)
    assert done.code == 0
    assert done.err.startswith("Next:")
    found = {gives.strip(): command for gives, command in steps(done.err).items()}
    assert found["a page with charts and every question"] == ["report", "--store", "a b.db"]
    rest = found["all tables, warnings and notes"]
    assert rest == [*map(str, words), "--full"]
    full = probsense(*rest)
    assert full.code == 0
    assert "Next:" not in full.err
    assert "Coverage" in full.out


def test_two_models_are_to_be_compared_and_the_command_works(probsense):
    done = probsense("run", "winogrande", "-m", "random:1", "--model=random:2", "--limit", 10, "-q")
    found = {gives.strip(): command for gives, command in steps(done.err).items()}
    assert probsense(*found["which model is better"]).code == 0


@pytest.mark.parametrize(
    ("similarity", "threshold"), [("exact", 0.4123), ("cosine", 0.215), ("gaussian", 0.298)]
)
def test_published_clusters_have_the_settings_of_their_matching(
    probsense, monkeypatch, similarity, threshold
):
    question = {"id": "q", "context": "A word.", "question": "Which?", "answers": {"tea": 2, "oj": 1}}
    Path("targets.jsonl").write_text(json.dumps(question) + "\n")
    Path("m.jsonl").write_text(json.dumps({"id": "q", "answers": {"tea": 1}}) + "\n")
    module, cut = "probsense.tasks.frames.measures", list[float]()

    def clustered(question: Question, *, embed: object, threshold: float) -> PublishedGold:
        cut.append(threshold)
        return published_automatic_gold(question, embed, threshold)

    embed = lambda strings: np.array([[len(one), 1.0] for one in strings])  # noqa: E731
    monkeypatch.setattr(f"{module}.published.probeval.published_automatic_gold", clustered)
    monkeypatch.setattr(f"{module}.similarities._sentence_transformer", lambda _: embed)
    asked = "analyse frames targets.jsonl --predictions m.jsonl --json --method published --clusters hac"
    done = probsense(*asked.split(), "--similarity", similarity, "--embeddings", f"st:{similarity}")
    assert (done.code, {*cut}) == (0, {threshold})


EXAMPLE = Path(__file__).parents[2] / "examples" / "heavier.py"


class Weather(ps.Task):
    """Items with labels; people answered the first."""

    def items(self) -> list[ps.Item]:
        labels = {"yes": ["yes", "Yes"], "no": ["no"]}
        people = {"yes": 3, "no": 1}
        first = {"prompt": "Rain 0?", "labels": labels, "people": people}
        return [
            ps.Item("w0", "", "yes", first),
            ps.Item("w1", "", "", {"prompt": "Rain 1?", "labels": labels}),
        ]


def test_labels_are_asked_and_measured_beside_gold_and_people():
    task = Weather()
    assert (task.name, task.options, task.methods) == ("weather", {"limit": None, "seed": 0}, ["labels"])
    assert task.requests(task.questions[0], "labels", {}) == [
        LabelRequest("Rain 0?", (("yes", ("yes", "Yes")), ("no", ("no",))))
    ]
    answers = {}
    for item, (yes, no) in zip(task.questions, [(0.6, 0.2), (0.0, 0.0)], strict=True):
        (request,) = task.requests(item, "labels", {})
        answers[request] = LabelResponse({"yes": yes, "no": no}, 1 - yes - no)
    measured = task.measure(task.questions, "labels", answers, {"model": "m"}).estimates
    found = {(e.measure, *map(str, e.by.values())): e.value for e in measured}
    assert found == pytest.approx(
        {
            ("accuracy", "m"): 1.0,
            ("p_gold", "m"): 0.75,
            ("label_mass", "m", "yes"): 0.75,
            ("label_mass", "m", "no"): 0.25,
            ("other_mass", "m"): (0.2 + 1.0) / 2,
            ("accuracy", "people"): 0.75,
            ("total_variation", "m"): 0.0,
            # Less the variance of people's shares.
            ("squared_distance_corrected", "m"): -2 * 0.75 * 0.25 / 3,
            ("total_variation", "people"): found["total_variation", "people"],
        }
    )


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Copies the example into a folder with a cache of its own."""
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.py"
    path.write_text(EXAMPLE.read_text())
    return path


def test_the_example_runs_with_every_command(own, probsense, tmp_path):
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


def test_no_code_runs_from_a_file_that_the_user_has_not_named(own, probsense, monkeypatch, tmp_path):
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
def test_a_file_that_is_no_task(code, said, probsense, tmp_path):
    path = tmp_path / "bad.py"
    if code is not None:
        path.write_text(code)
    done = probsense("run", path, "--model", "random:1")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"bad.py: {said}" in done.err


def test_the_example_of_a_model_answers_the_example_of_a_task():
    model = runpy.run_path(str(EXAMPLE.with_name("shortest.py")))["load"]("", per_letter=0.1)
    run = ps.evaluate(task_type(str(EXAMPLE))(), model, store=None, quiet=True)
    # The longer name wins, or the first of two that are equally long, which is right in half of the orders.
    pairs = [(len(light), len(heavy)) for light, heavy, *_ in sys.modules[run.task.__module__].PAIRS]
    right = sum((heavy < light) + (heavy == light) / 2 for light, heavy in pairs)
    assert run.summary()[0].value == pytest.approx(right / len(pairs))


def test_the_defaults_ask_options_as_they_follow_the_prompt():
    task = task_type(str(EXAMPLE))(ask="heavier")
    [request] = task.requests(task.questions[0], "options", {})
    assert request == ScoreRequest(
        "Which is heavier, a feather or a brick? It is", (" a feather", " a brick")
    )


@pytest.mark.usefixtures("undrawn")
def test_two_people_are_too_few_for_a_score_and_are_said_to_be(probsense, tmp_path):
    (tmp_path / "people.csv").write_text("statement,person,q1,q2\nA.,P1,1,1\nB.,P1,0,0\nA.,P2,1,1\n")
    (tmp_path / "statements.csv").write_text("statement\nA.\nB.\n")
    data = ("--data", "statements.csv", "--humans", "people.csv")
    probsense("run", "judgments", "-m", "random:1", *data, "--write-results", "out", "-q")
    words = ("analyse", "judgments", "--ratings", "out/random-1_ratings.csv", *data)
    done = probsense(*words, "--report", "page.html", "--full")
    assert done.out.startswith("Warning: 2 people and 2 statements: with so few, all estimates are rough\n")
    assert Path("page.html").stat().st_size
    assert json.loads(probsense(*words, "--json").out)["task"] == "judgments"
    assert "--report report.html" in probsense(*words).err


def test_the_original_command_of_probsem(probsense, tmp_path):
    """A test that expects nothing has its distribution printed."""
    content = {
        "pretext": "Answer True or False.",
        "context": [{"text": "Ice is cold.", "expected": -1}],
        "posttext": "The answer is:",
        "queries": ["True", "False"],
    }
    (tmp_path / "one.txt").write_text("This is prompt one.\n")
    (tmp_path / "one_B.json").write_text(json.dumps(content))
    words = ("run", "suite", "--prompt", "one", "--test", "B", "--model", "builtin:tiny", "-q", "--norm")
    done = probsense(*words, "--temp", 100, "--input_dir", tmp_path, "--output-dir", "flat")
    assert done.code == 0, done.err
    shown = dict(re.findall(r"(True|False) +([0-9.]+)", done.out.partition("Probabilities of queries")[2]))
    with (tmp_path / "flat" / "one_B_builtin-tiny_results.csv").open(newline="") as stream:
        found = [*csv.DictReader(stream)]
    assert [row["query"] for row in found] == ["True", "False"]
    assert {row["text"] for row in found} == {"Answer True or False.\nIce is cold.\nThe answer is:"}
    shares = [100 * float(row["score"]) for row in found]
    assert [float(shown[query]) for query in ("True", "False")] == pytest.approx(shares, abs=0.05)
    assert shares == pytest.approx([50, 50], abs=5)
    assert sum(shares) == pytest.approx(100)
