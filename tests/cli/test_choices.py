"""The commands with choices: check, analyse, run, compare, page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Probsense, assert_refused

ROWS = "question,text,option,count\n" + "".join(
    f"q{n},Is {n} even?,{option},{count}\n"
    for n in range(12)
    for option, count in (("Yes", 30 - n), ("No", 5 + n))
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twelve questions with two options each."""
    path = tmp_path / "data.csv"
    path.write_text(ROWS)
    return path


def test_a_file_is_checked(probsense: Probsense, data: Path) -> None:
    done = probsense("data", "check", data)
    assert done.code == 0
    assert done.out.startswith(
        "12 questions, 2 options each\nread as CSV separated by commas\nnote: 35 people"
    )
    assert "Is 0 even?\n\nA. Yes\nB. No\n" in done.out
    assert probsense("data", "check", data, "--task", "choices").out == done.out
    assert json.loads(probsense("data", "check", data, "--json").out)["items"] == 12


def test_people_are_analysed_without_a_model(probsense: Probsense, data: Path) -> None:
    document = json.loads(probsense("analyse", "choices", data, "--json").out)
    told = {(one["measure"], one["by"]["model"], one["method"]) for one in document["estimates"]}
    for model in ("uniform", "majority", "halves"):
        for measure in ("total_variation", "jensen_shannon", "root_jensen_shannon", "kl", "squared_distance"):
            assert (measure, model, "plug-in") in told
        method = "by definition" if model == "halves" else "corrected"
        assert ("squared_distance_corrected", model, method) in told
    assert {("entropy", "people", "plug-in"), ("majority_share", "people", "plug-in")} <= told
    assert probsense("analyse", "choices", data, "--full").out.startswith("Distance from people")


def test_a_run_by_every_method_and_its_page(probsense: Probsense, data: Path, tmp_path: Path) -> None:
    models = {"labels": "random:1", "options": "random:1", "sample": "builtin:tiny", "stated": "builtin:tiny"}
    for method, model in models.items():
        words = (
            "--data",
            data,
            "--method",
            method,
            "-m",
            model,
            "--answers",
            "4",
            "--limit",
            "4",
            "--json",
            "-q",
        )
        done = probsense("run", "choices", *words)
        assert done.code == 0, done.err
        told = [one["by"]["model"] for one in json.loads(done.out)["estimates"]]
        assert told[0] == "people"
        assert {"uniform", "majority"} < {*told}
    page = tmp_path / "page.html"
    assert probsense("report", "--out", page).code == 0
    assert "Distance from people" in page.read_text()


def test_two_models_are_compared_by_their_distance(probsense: Probsense, data: Path) -> None:
    for model in ("random:1", "random:2"):
        assert (
            probsense("run", "choices", "--data", data, "-m", model, "-q", "--name", model[-1] + "!").code
            == 0
        )
    done = probsense("compare", "1!", "2!")
    assert done.code == 0, done.err
    assert "Squared distance, corrected" in done.out


def test_what_is_wrong_is_told_in_one_line(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("question,option,count\nq,a,1\nq,b,-1\n")
    for words in (
        ("data", "check", path),
        ("analyse", "choices", path),
        ("run", "choices", "--data", path, "-m", "random"),
    ):
        assert_refused(probsense(*words), "line 3", "count is '-1'")
    assert_refused(probsense("data", "check", path, "--reader", "simbank"), "--reader 'simbank'", "simbench")
