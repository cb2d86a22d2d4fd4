"""``probsense runs`` and ``reproduce``; and what ``probsense run`` does with several models."""

from __future__ import annotations

import json
import sqlite3
import weakref
from contextlib import closing

import probsense as ps
from probsense.models.small.random import RandomModel
from support.command import assert_refused


def test_a_store_is_checked(probsense, tmp_path):
    assert probsense("run", "winogrande", "-m", "random", "--limit", "4", "-q").code == 0
    assert (probsense("runs", "check").code, probsense("runs", "check").out) == (
        0,
        "1 run can be read; 0 rows cannot\n",
    )
    with closing(sqlite3.connect(tmp_path / "probsense.db")) as db:
        db.execute("UPDATE responses SET body = '[]' WHERE rowid = 2")
        db.commit()
    done = probsense("runs", "check")
    assert done.code == 1
    assert "of the table responses is damaged" in done.out
    assert done.out.endswith("1 run can be read; 1 row cannot\n")
    known = json.loads(probsense("runs", "check", "--json").out)
    assert (known["runs"], len(known["damaged"])) == (1, 1)


def test_removal_asks_first(probsense):
    run = ps.evaluate("winogrande", "random", limit=20, quiet=True).id
    assert_refused(probsense("runs", "rm", run[:6]), "--yes")
    done = probsense("runs", "rm", run[:6], "--yes")
    assert done.code == 0
    assert "and 20 answers" in done.err
    assert json.loads(probsense("runs", "--json").out)["runs"] == []
    assert "no runs" in probsense("runs").err


def test_an_interrupted_command_says_so(probsense, monkeypatch):
    def stop(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("probsense.runs.evaluate.ask_plan", stop)
    done = probsense("run", "suite", "--model", "random")
    assert (done.code, done.err) == (1, "probsense: interrupted\n")


def test_one_model_at_a_time_is_in_memory(probsense, monkeypatch):
    alive = []

    class Referred(RandomModel):
        """Can be referred to weakly."""

    def load_one(spec: str, **options: object) -> object:
        assert [model for model in alive if model() is not None] == []
        model = Referred(spec, int(spec.partition(":")[2]))
        alive.append(weakref.ref(model))
        return model

    monkeypatch.setattr("probsense.models.registry.load_model", load_one)
    models = ("random:1", "random:2", "random:3")
    words = [word for model in models for word in ("--model", model)]
    for more in ((), ("--dry-run",)):
        done = probsense("run", "winogrande", *words, "--limit", 5, "-q", *more)
        assert done.code == 0, done.err
    assert len(alive) == 2 * len(models)


ASK = ("run", "winogrande", "--model", "random:1", "--limit", 12, "-q")


def test_a_run_of_a_store_that_moves_ends_with_1(probsense):
    probsense(*ASK, "--name", "first")
    done = probsense("reproduce", "first", "--model", "random:2", "-q")
    assert done.code == 1
    assert "within the former interval" in done.out
    assert " before, " in done.out.splitlines()[1]
    assert "note: model: seed was 1, and is 2" in done.err
    found = json.loads(probsense("reproduce", "first", "--model", "random:2", "-q", "--json").out)
    (one,) = found["reproduced"]
    assert not one["same"]
    assert one["counts"]["equal"] == 0
    assert {figure["verdict"] for figure in one["figures"]} <= {"interval", "apart", "missing"}
