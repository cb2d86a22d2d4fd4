"""``probsense reproduce``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Probsense, assert_refused

ASK = ("run", "winogrande", "--model", "random:1", "--limit", 12, "-q")


def test_printed_results_are_reproduced(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(probsense(*ASK, "--json").out)
    done = probsense("reproduce", path, "-q")
    assert done.code == 0, done.err
    assert done.out.startswith("winogrande, random:1: ")
    assert done.out.endswith(" figures are equal\n")


def test_a_run_of_a_store_that_moves_ends_with_1(probsense: Probsense) -> None:
    probsense(*ASK, "--name", "first")
    done = probsense("reproduce", "first", "--model", "random:2", "-q")
    assert done.code == 1
    assert "within the former interval" in done.out
    assert "Figures that are not the same" in done.out
    assert "note: model: seed was 1, and is 2" in done.err
    found = json.loads(probsense("reproduce", "first", "--model", "random:2", "-q", "--json").out)
    (one,) = found["reproduced"]
    assert not one["same"]
    assert one["counts"]["equal"] == 0
    assert {figure["verdict"] for figure in one["figures"]} <= {"interval", "apart", "missing"}


def test_what_is_no_result_is_refused(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_bytes(b"\x00\xff")
    assert_refused(probsense("reproduce", path), "none.json")
    assert_refused(probsense("reproduce", "nothing"), "probsense.db")


def test_a_page_is_reproduced_and_its_recipe_run_elsewhere(
    probsense: Probsense, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    first = json.loads(probsense(*ASK, "--report", page, "--json").out)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    done = probsense("reproduce", page, "-q")
    assert done.code == 0, done.err
    assert done.out.endswith(" figures are equal\n")
    done = probsense("run", "--recipe", page, "--store", "new.db", "-q", "--json")
    again = json.loads(done.out)
    assert (again["run"]["id"], again["digest"]) == (first["run"]["id"], first["digest"])
    done = probsense("run", "--recipe", page, "--model", "random:2", "--store", "new.db", "-q", "--json")
    assert json.loads(done.out)["run"]["model"] == "random:2"


def test_nothing_beside_a_recipe_says_what_is_asked(probsense: Probsense, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(probsense(*ASK, "--json").out)
    assert_refused(probsense("run", "worldsense", "--recipe", path), "a task beside --recipe")
    assert_refused(probsense("run", "--recipe", path, "--limit", 3), "--limit beside --recipe")
    assert_refused(probsense("run", "--recipe", path, "-m", "random:1", "-m", "random:2"), "several models")
    assert_refused(probsense("run"), "Missing argument 'TASK…'.")
    document = json.loads(path.read_text())
    for name, value, said in (("version", 9, "a newer ProbSense"), ("model", "nothing", "how to load it")):
        path.write_text(json.dumps({**document, "run": {**document["run"], name: value}}))
        assert_refused(probsense("run", "--recipe", path), said)
    path.write_text(json.dumps({**document, "task": "nothing"}))
    assert_refused(probsense("run", "--recipe", path), "no such task: 'nothing'")
