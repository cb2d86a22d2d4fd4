"""``probsense runs``: list, show, export, remove."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import weakref
from pathlib import Path

import polars as pl
import pytest

from probsense.models.random import RandomModel


def ask(probsense, task: str = "winogrande", *more: object) -> None:
    assert probsense("run", task, "--model", "random:", "--limit", 20, "-q", *more).code == 0


def test_a_list_a_run_and_its_items(probsense, tmp_path: Path) -> None:
    ask(probsense)
    ask(probsense, "worldsense", "--name", "mine")
    listed = json.loads(probsense("runs", "--json").out)
    assert [run["task"] for run in listed["runs"]] == ["winogrande", "worldsense"]
    assert [run["name"] for run in listed["runs"]] == [None, "mine"]
    shown = probsense("runs").out
    assert all(words in shown for words in ("mine", "worldsense", listed["runs"][0]["run"][:8]))
    one = probsense("runs", "show", "mine")
    assert "Fingerprint" in one.out
    assert "Consist.normal" in one.out
    assert (
        json.loads(probsense("runs", "show", "mine", "--json").out)["run"]["id"] == listed["runs"][1]["run"]
    )


def test_items_in_three_formats_are_the_same(probsense, tmp_path: Path) -> None:
    ask(probsense)
    ask(probsense, "suite")
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert probsense("runs", "export", "probsense.db", "--out", name).code == 0
    frame = pl.read_parquet(tmp_path / "a.parquet")
    assert pl.read_ndjson(tmp_path / "a.jsonl")["prompt"].to_list() == frame["prompt"].to_list()
    with (tmp_path / "a.csv").open(newline="") as stream:
        rows = [*csv.DictReader(stream)]
    assert [row["answer_text"] for row in rows] == frame["answer_text"].to_list()
    for row, known in zip(rows, frame.iter_rows(named=True), strict=True):
        assert json.loads(row["choices"]) == known["choices"]
        probabilities = json.loads(row["probabilities"])
        assert probabilities == known["probabilities"]
        assert known["choices"][known["resp"]] == row["answer_text"]
        if known["gold"] is not None:
            assert known["choices"][known["gold"]] == row["gold_text"]
            assert abs(probabilities[known["gold"]] - known["p_gold"]) < 1e-12
    assert probsense("runs", "export", "probsense.db", "--task", "suite", "--out", "s.csv").code == 0
    assert (tmp_path / "s.csv").read_text().count("random:") == len(
        frame.filter(pl.col("suite").is_not_null())
    )


def test_written_texts_are_exported(probsense, tmp_path: Path) -> None:
    words = ("run", "frames", "--model", "builtin:tiny", "--limit", 2, "--answers", 5, "-q")
    assert probsense(*words).code == 0
    assert probsense("runs", "export", "probsense.db", "--out", "a.parquet").code == 0
    for row in pl.read_parquet(tmp_path / "a.parquet").iter_rows(named=True):
        assert row["prompt"]
        assert {text.strip() for text in row["texts"]} == {*row["choices"]}
        assert abs(sum(row["probabilities"]) - 1) < 1e-9


def test_removal_asks_first(probsense, tmp_path: Path) -> None:
    ask(probsense)
    run = json.loads(probsense("runs", "--json").out)["runs"][0]["run"]
    refused = probsense("runs", "rm", run[:6])
    assert refused.code == 2
    assert "--yes" in refused.err
    done = probsense("runs", "rm", run[:6], "--yes")
    assert done.code == 0
    assert "and 20 answers" in done.err
    assert json.loads(probsense("runs", "--json").out)["runs"] == []
    assert "no runs" in probsense("runs").err


def test_bad_use_is_one_line(probsense, tmp_path: Path) -> None:
    ask(probsense)
    (tmp_path / "junk.db").write_bytes(b"\x00junk" * 99)
    for words in (
        ("runs", "--store", "none.db"),
        ("runs", "--store", "junk.db"),
        ("runs", "show", "zz"),
        ("runs", "rm", "zz", "--yes"),
        ("runs", "export", "probsense.db", "--out", "a.xlsx"),
        ("runs", "export", "probsense.db", "--task", "suite", "--out", "a.csv"),
        ("report", "none.db"),
    ):
        done = probsense(*words)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert not [*tmp_path.glob("a.*")]
    assert "none.db" in probsense("report", "none.db").err


def test_a_model_that_cannot_answer_leaves_no_run_behind(probsense, tmp_path: Path) -> None:
    done = probsense("run", "judgments", "--model", "oracle:", "--limit", 3, "-q")
    assert done.code == 1
    assert json.loads(probsense("runs", "--json").out)["runs"] == []


def test_an_interrupted_command_says_so(tmp_path: Path) -> None:
    program = (
        "import probsense.run.evaluate as e, probsense.cli as c, sys\n"
        "def stop(*args, **more): raise KeyboardInterrupt\n"
        "e.evaluate = stop\n"
        "sys.argv = ['probsense', 'run', 'suite', '--model', 'random:', '--store', sys.argv[1]]\n"
        "c.main()\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "a.db")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "probsense: interrupted\n")


def test_several_models_are_asked_and_several_tasks_are_a_line_each(probsense, tmp_path: Path) -> None:
    words = ("run", "winogrande", "suite", "--model", "random:", "--model", "random:1", "--limit", 20, "-q")
    done = probsense(*words)
    assert done.code == 0
    runs = json.loads(probsense("runs", "--json").out)["runs"]
    assert [(run["task"], run["model"]) for run in runs] == [
        ("winogrande", "random:"),
        ("suite", "random:"),
        ("winogrande", "random:1"),
        ("suite", "random:1"),
    ]
    assert "Winogrande: accuracy" in done.out
    assert "Suite: accuracy" in done.out
    assert "random:1" in done.out
    assert "Coverage" not in done.out
    assert "--full prints all tables" in done.err
    full = probsense(*words, "--full")
    assert "Coverage" in full.out
    assert len(full.out) > 3 * len(done.out)
    one = probsense("run", "winogrande", "--model", "random:", "--limit", 20, "-q")
    assert "Coverage" in one.out


def test_one_model_at_a_time_is_in_memory(probsense, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[object]] = []

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
        done = probsense("run", "winogrande", "suite", *words, "--limit", 5, "-q", *more)
        assert done.code == 0, done.err
    assert len(alive) == 2 * len(models)


def test_a_misspelt_second_model_ends_the_command_before_the_first_is_asked(
    probsense, tmp_path: Path
) -> None:
    for second in ("random", "randon:1"):
        done = probsense("run", "winogrande", "--model", "random:", "--model", second)
        assert (done.code, len(done.err.splitlines())) == (2, 1)
        assert not (tmp_path / "probsense.db").exists()


def test_commands_of_one_model_refuse_two(probsense, tmp_path: Path) -> None:
    for words in (("score", "The sky is", " blue", " red"), ("batch", "write", "suite")):
        done = probsense(*words, "--model", "random:", "--model", "random:1")
        assert (done.code, len(done.err.splitlines())) == (2, 1)
        assert "several models: random:, random:1" in done.err
