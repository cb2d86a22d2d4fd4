"""``probsense run winogrande``, alone and with other tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Probsense = Callable[..., "Done"]  # noqa: F821 - tests/cli/conftest.py
SCHEMA = {"qID": "q-1", "sentence": "_ is cold.", "option1": "Ice", "option2": "Fire", "answer": "1"}


def test_the_packaged_schemas(probsense: Probsense) -> None:
    done = probsense("run", "winogrande", "--model", "random:1", "-q")
    assert done.code == 0
    assert all(view in done.out for view in ("partial", "full", "mean_prob", "sum"))
    assert "schemas of the package" in done.err


@pytest.mark.parametrize("rule", ["sum", "mean_prob", "partial", "full", "pmi"])
def test_a_file_by_every_rule(probsense: Probsense, tmp_path: Path, rule: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(SCHEMA) + "\n" + json.dumps(SCHEMA | {"qID": "q-2", "answer": "2"}) + "\n")
    words = ("--data", path, "--rule", rule, "--neutral", "Well,", "-m", "builtin:tiny", "-q", "--json")
    done = probsense("run", "winogrande", *words)
    document = json.loads(done.out)
    assert document["estimates"][0]["by"]["view"] == rule
    assert document["estimates"][0]["clusters"] == 1
    assert document["run"]["options"]["data"] == str(path)


def test_three_tasks_in_one_run(probsense: Probsense, tmp_path: Path) -> None:
    words = ("winogrande", "suite", "worldsense", "winogrande", "--model", "builtin:tiny", "--limit", "12")
    done = probsense("run", *words, "--full", "--report", tmp_path / "all.html")
    assert done.code == 0, done.err
    headings = [line for line in done.out.splitlines() if line.startswith("# ")]
    assert headings == ["# winogrande", "# suite", "# worldsense"]
    pages = {path.name for path in tmp_path.glob("*.html")}
    assert pages == {"all.html"}
    page = (tmp_path / "all.html").read_text()
    assert all(f">{name}</h2>" in page for name in ("Winogrande", "Suite", "WorldSense"))
    quiet = probsense("run", *words, "--json", "-q")
    documents = json.loads(quiet.out)["runs"]
    assert [document["task"] for document in documents] == ["winogrande", "suite", "worldsense"]
    assert all(0 < document["run"]["items"] <= 12 for document in documents)
    assert all(document["run"]["asked"] == 0 for document in documents)


def test_one_task_has_one_page(probsense: Probsense, tmp_path: Path) -> None:
    assert probsense("run", "winogrande", "-m", "random:1", "-q", "--report", tmp_path / "one.html").code == 0
    assert [path.name for path in tmp_path.glob("*.html")] == ["one.html"]


def test_an_option_goes_to_the_tasks_that_take_it(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(SCHEMA) + "\n")
    words = ("--winogrande.data", path, "--sizes", "3", "--temp", "2", "--rule", "byte", "--limit", "6")
    done = probsense("run", "winogrande", "suite", "worldsense", *words, "-m", "random:1", "-q", "--json")
    options = {document["task"]: document["run"]["options"] for document in json.loads(done.out)["runs"]}
    assert options["winogrande"]["data"] == str(path)
    assert options["suite"]["temp"] == 2
    assert options["worldsense"]["sizes"] == [3]
    assert {own["rule"] for own in options.values()} == {"byte"}


FAULTS: dict[str, tuple[tuple[str, ...], str]] = {
    "no such file": (("winogrande", "--data", "nowhere.jsonl"), "nowhere.jsonl: no such file"),
    "an option of another task": (
        ("winogrande", "--norm"),
        "--norm is an option of suite, not named here",
    ),
    "a flag that is gone": (
        ("winogrande", "--generate"),
        "no such option: --generate (expected no flag: without --data, a task asks questions of its own)",
    ),
    "a flag of an earlier version": (
        ("winogrande", "--file", "x"),
        "no such option: --file (expected --data, as it is called now)",
    ),
    "a misspelt flag": (("winogrande", "--rull", "sum"), "no such option: --rull; did you mean '--rule'?"),
    "files of a task that has none": (
        ("winogrande", "--write-results", "x"),
        "--write-results, though winogrande has no files of results (expected",
    ),
    "one flag for two things": (
        ("winogrande", "worldsense", "--data", "x"),
        "--data means different things to winogrande and worldsense "
        "(expected --winogrande.data or --worldsense.data)",
    ),
    "a flag with nothing behind it": (("winogrande", "--rule"), "--rule has no value (expected text)"),
    "a rule that one of the tasks has not": (
        ("winogrande", "worldsense", "--rule", "full"),
        "no rule 'full'",
    ),
    "a method that one of the tasks has not": (
        ("worldsense", "winogrande", "--method", "labels"),
        "winogrande has no method 'labels'",
    ),
    "a limit below a pair": (("winogrande", "--limit", "1"), "whole cluster"),
    "pmi without a neutral prefix": (("winogrande", "--rule", "pmi"), "neutral prefix"),
    "no such task": (("winogrand",), "did you mean 'winogrande'?"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_line_and_nothing_is_asked(probsense: Probsense, tmp_path: Path, fault: str) -> None:
    words, part = FAULTS[fault]
    done = probsense("run", *words, "-m", "random:1")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert part in done.err
    assert not (tmp_path / "probsense.db").exists()


def test_faulty_lines(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        json.dumps(SCHEMA) + "\n" + json.dumps(SCHEMA | {"qID": "q-2", "sentence": "Ice."}) + "\n"
    )
    done = probsense("run", "winogrande", "--data", path, "-m", "random:1")
    assert (done.code, done.out) == (2, "")
    assert f"{path}, line 2: 0 times" in done.err
