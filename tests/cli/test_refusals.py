"""Bad input of every kind: one clear line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command import Probsense, assert_refused

WORDS = {
    "data get": ("Missing argument 'name'.", "data get [OPTIONS] {name}"),
    "data get a b": ("Got unexpected extra argument(s) (b)", "data get [OPTIONS] {name}"),
    "run": ("Missing argument 'TASK…'.", "run [OPTIONS] {TASK…}..."),
    "run winogrande --rull sum": ("no such option: --rull; did you mean", "run [OPTIONS] {TASK…}..."),
    "nothing": ("No such command 'nothing'.", "[OPTIONS] COMMAND [ARGS]..."),
}

Records = list[dict[str, Any]]

RUN: dict[str, tuple[str, str]] = {
    "no such task": ("winogrand -m random", "did you mean 'winogrande'?"),
    "no such scheme": ("worldsense -m rnadom:3", "did you mean 'random'?"),
    "no scheme at all": ("worldsense -m gpt2", "did you mean 'hf:gpt2'?"),
    "a second model without a scheme": ("winogrande -m random -m oracle", "did you mean 'oracle:'?"),
    "a second model of no scheme": ("winogrande -m random -m randon:1", "did you mean 'random'?"),
    "a second model that is not there": ("winogrande -m random -m hf:./no-model-here", "no-model-here"),
    "a second file that is not there": ("winogrande -m random -m recorded:nope.jsonl", "nope.jsonl"),
    "a second built-in model of no name": ("winogrande -m random -m builtin:huge", "tiny"),
    "no such built-in model": ("worldsense -m builtin:huge", "tiny"),
    "no such model folder": ("worldsense -m hf:./no-model-here", "no-model-here"),
    "no such recorded file": ("worldsense -m recorded:nope.jsonl", "nope.jsonl"),
    "no such data": ("winogrande -m random --data nowhere.jsonl", "nowhere.jsonl: no such file"),
    "no such rule": ("worldsense -m random --rule best", "mean_prob"),
    "two rules": ("suite -m random --rule sum --norm", "'token'"),
    "a rule that one of the tasks has not": (
        "winogrande worldsense -m random --rule full",
        "no rule 'full'",
    ),
    "no such method": ("worldsense -m random --method guess", "options"),
    "a method beyond the model": ("worldsense -m random --method sample", "random"),
    "texts from a model that has none": ("judgments -m random --method sample", "cannot answer"),
    "a method that one of the tasks has not": (
        "worldsense winogrande -m random --method labels",
        "winogrande has no method 'labels'",
    ),
    "a limit of nothing": ("worldsense -m random --limit 0", "a limit of 0"),
    "a limit below a tuple": ("worldsense -m random --limit 1", "tuple"),
    "a limit below a pair": ("winogrande -m random --limit 1", "whole cluster"),
    "a word that is no choice": (
        "judgments -m random --questions q1,q7",
        "--questions 'q7' (expected one of q1, q2, q3)",
    ),
    "neither true nor false": ("suite -m random --norm=no", "--norm 'no' (expected true or false)"),
    "an option of another task": ("winogrande -m random --norm", "--norm is an option of suite, not named"),
    "an option of another model": ("worldsense -m random --dtype float32", "--dtype is an option of"),
    "an option of other models": (
        "judgments -m builtin:tiny --system-prompt Hi",
        "--system-prompt is an option of gguf, hf, openai and vllm",
    ),
    "a misspelt flag": ("winogrande -m random --rull sum", "no such option: --rull; did you mean '--rule'?"),
    "no model": ("winogrande", "Missing option '--model'"),
    "no whole number": ("winogrande -m random --limit x", "Invalid value for '--limit'"),
    "a flag without its value": ("winogrande -m random --rule", "--rule has no value (expected text)"),
    "one flag for two things": (
        "winogrande worldsense -m random --data x",
        "--data means different things to winogrande and worldsense "
        "(expected --winogrande.data or --worldsense.data)",
    ),
    "files of a task that has none": (
        "winogrande -m random --write-results x",
        "--write-results, though winogrande has no files of results (expected",
    ),
    "no such format": (
        "winogrande -m random --format latx",
        "did you mean 'latex'? (expected md, latex, csv)",
    ),
    "two formats": ("winogrande -m random --format md --json", "--json and --format md (expected one of"),
    "a name like an id": ("winogrande -m random --name dead", "dead"),
    "a shard beyond the last": ("winogrande -m random --shard 4/3", "'4/3' as a shard (expected number/of"),
    "a page of a shard": ("winogrande -m random --shard 1/3 --report a.html", "--shard with --report,"),
    "a dry run of a shard": ("winogrande -m random --shard 1/3 --dry-run", "--shard with --report,"),
    "a budget without prices": ("judgments -m random --max-cost 3", "the prices of random are not known"),
    "a budget below nought": ("judgments -m random --max-cost -1", "a budget of -1"),
}


@pytest.mark.parametrize("fault", RUN)
def test_a_run_that_cannot_be_asks_nothing(probsense: Probsense, tmp_path: Path, fault: str) -> None:
    words, fact = RUN[fault]
    assert_refused(probsense("run", *words.split()), fact)
    assert not [*tmp_path.glob("*.db"), *tmp_path.glob("*.html")]


OTHERS: dict[str, tuple[str, str]] = {
    "no such command": ("analyze worldsense", "No such command 'analyze'"),
    "a flag of no command": ("--models", "No such option: --models"),
    "no run to remove": ("runs rm", "Missing argument 'RUN'"),
    "no such folder": ("analyse worldsense nowhere", "nowhere"),
    "no folder": ("analyse worldsense", "analyse worldsense needs DATA"),
    "a folder that is not taken": ("analyse judgments x --ratings r.csv", "analyse judgments takes no 'x'"),
    "no such task": ("analyse judgement --ratings r.csv", "did you mean 'judgments'?"),
    "no ratings": ("analyse judgments --majority m.csv", "analyse judgments needs --ratings"),
    "no people": ("analyse judgments --ratings r.csv", "nothing to set the models against"),
    "no such policy": (
        "analyse judgments --ratings r.csv --majority m.csv --other x",
        "--other 'x' (expected one of split, drop, wrong, separate)",
    ),
    "too few draws": ("analyse judgments --ratings r.csv --majority m.csv --draws 1", "1 draws"),
    "no targets": ("analyse frames", "analyse frames needs DATA"),
    "no predictions": ("analyse frames --data mine.jsonl", "analyse frames needs --predictions"),
    "an option of another task": ("analyse frames --ratings a.csv", "--ratings is an option of judgments"),
    "no such method": ("analyse frames --data mine.jsonl --method best", "--method 'best' (expected one of"),
    "a size too large": ("generate worldsense new --sizes 13", "3 to 12"),
    "a size in words": ("generate worldsense new --sizes three", "a whole number"),
    "no such problem": ("generate worldsense new --problems Infer.hard", "Infer.normal"),
    "no such skins": ("generate worldsense new --skins mine.yaml", "mine.yaml"),
    "no such data set": ("data get worldsens", "did you mean 'worldsense'?"),
    "no store to merge": ("merge all.db none.db", "none.db: no such store"),
    "two models to score": ("score a b -m random -m random:1", "several models: random, random:1"),
    "two models of a batch": (
        "batch write suite -m random -m random:1",
        "several models: random, random:1",
    ),
}


@pytest.mark.parametrize("fault", OTHERS)
def test_other_commands_that_cannot_be_write_nothing(
    probsense: Probsense, tmp_path: Path, fault: str
) -> None:
    words, fact = OTHERS[fault]
    assert_refused(probsense(*words.split()), fact)
    assert not [*tmp_path.glob("*.db"), *tmp_path.glob("new")]


@pytest.fixture(scope="module")
def records(testset: Path) -> Records:
    return [json.loads(line) for line in bz2.open(testset / "trials.jsonl.bz2", "rt")]


def lines(records: Records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


TRIALS: dict[str, tuple[Callable[[Records], str], str, str]] = {
    "missing field": (
        lambda r: lines([r[0], {k: v for k, v in r[1].items() if k != "problemname"}]),
        "line 2",
        "problemname",
    ),
    "not a number": (
        lambda r: lines([*r[:2], r[2] | {"problemsize": float("nan")}]),
        "line 3",
        "problemsize",
    ),
    "half a tuple": (lambda r: lines(r[1:]), "line", "tuple"),
    "malformed line": (lambda r: lines(r[:1]) + "{oops\n", "line 2", "JSON"),
    "empty": (lambda r: "", "", "no trials"),
}


@pytest.mark.parametrize("fault", TRIALS)
def test_faulty_trials(probsense: Probsense, records: Records, tmp_path: Path, fault: str) -> None:
    make, *facts = TRIALS[fault]
    (tmp_path / "results").mkdir()
    path = tmp_path / "trials.jsonl"
    path.write_text(make(records))
    (tmp_path / "results" / "basic___m___results.jsonl").write_text('{"Key": 1, "resp": "TRUE"}\n')
    assert_refused(probsense("analyse", "worldsense", tmp_path, "--no-audit"), str(path), *facts)
    assert_refused(
        probsense("run", "worldsense", "--data", tmp_path, "-m", "random", "-q"), str(path), *facts
    )


def test_broken_compression(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    whole = (testset / "trials.jsonl.bz2").read_bytes()
    (tmp_path / "trials.jsonl.bz2").write_bytes(whole[: len(whole) // 2])
    assert_refused(probsense("audit", "worldsense", tmp_path), "trials.jsonl.bz2")


def test_faulty_results(probsense: Probsense, testset: Path, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "trials.jsonl.bz2").write_bytes((testset / "trials.jsonl.bz2").read_bytes())
    assert_refused(probsense("analyse", "worldsense", tmp_path), "results")
    path = tmp_path / "results" / "basic___m___results.jsonl"
    path.write_text('{"Key": 1, "resp": "TRUE"}\n{"Key": 1,\n')
    assert_refused(probsense("analyse", "worldsense", tmp_path), str(path), "line 2")


def test_faulty_lines_of_other_tasks(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"qID": "q", "sentence": "Ice.", "option1": "a", "option2": "b"}\n')
    assert_refused(probsense("run", "winogrande", "--data", "mine.jsonl", "-m", "random"), "line 1: 0 times")
    (tmp_path / "a.csv").write_text("statement\nA.\n")
    (tmp_path / "people.csv").write_text("statement,person,q1,q2\nA.,P01,2,1\n")
    words = ("--data", "a.csv", "--humans", "people.csv", "-m", "random")
    assert_refused(probsense("run", "judgments", *words), "people.csv, line 2: q1 is '2'")
    (tmp_path / "frame.jsonl").write_text(
        '{"id": "a", "context": "A.", "question": "B?", "clusters": {"b": {"c": 1}}}\n'
    )
    (tmp_path / "junk.json").write_bytes(b"\x80\xff\x00")
    words = ("--data", "frame.jsonl", "--predictions", "junk.json", "--report", "page.html")
    assert_refused(probsense("analyse", "frames", *words), "junk.json, line 1: not UTF-8")
    assert not (tmp_path / "page.html").exists()


def test_a_foreign_file_as_store(probsense: Probsense, tmp_path: Path) -> None:
    store = tmp_path / "notes.txt"
    store.write_text("my own notes\n" * 100)
    words = ("run", "worldsense", "-m", "random", "--limit", "10", "--quiet", "--store", store)
    assert_refused(probsense(*words), "notes.txt")
    assert store.read_text() == "my own notes\n" * 100


def test_test_set_and_generation_exclude_each_other(probsense: Probsense, testset: Path) -> None:
    assert_refused(
        probsense("run", "worldsense", "-m", "random", "--data", testset, "--sizes", "3"),
        "regime, depths describe fresh questions, and data names an existing set",
    )


def test_an_existing_set_is_kept(probsense: Probsense, testset: Path) -> None:
    before = (testset / "trials.jsonl.bz2").read_bytes()
    assert_refused(probsense("generate", "worldsense", testset, "--quiet"), "already there")
    assert (testset / "trials.jsonl.bz2").read_bytes() == before


@pytest.mark.parametrize("words", WORDS)
def test_an_error_about_words_says_what_the_command_takes(probsense: Probsense, words: str) -> None:
    done = probsense(*words.split())
    assert_refused(done, WORDS[words][0])
    assert done.err.splitlines()[1] == f"usage: probsense {WORDS[words][1]}"
