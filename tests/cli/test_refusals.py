"""Bad input of every kind: one clear line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import Probsense, assert_refused

WORDS = {
    "data get": ("Missing argument 'name'.", "data get [OPTIONS] {name}"),
    "data get a b": ("Got unexpected extra argument(s) (b)", "data get [OPTIONS] {name}"),
    "run winogrande": ("Missing option '--model'", "run winogrande [OPTIONS]"),
    "run winogrande --rull sum": (
        "no such option: --rull; did you mean '--rule'?",
        "run winogrande [OPTIONS]",
    ),
    "run winogrande suite -m random": (
        "Got unexpected extra argument(s) (suite)",
        "run winogrande [OPTIONS]",
    ),
    "nothing": ("No such command 'nothing'.", "[OPTIONS] COMMAND [ARGS]..."),
}


RUN: dict[str, tuple[str, str]] = {
    "a second model without a scheme": ("winogrande -m random -m oracle", "did you mean 'oracle:'?"),
    "a second model of no scheme": ("winogrande -m random -m randon:1", "did you mean 'random'?"),
    "a second model that is not there": ("winogrande -m random -m hf:./no-model-here", "no-model-here"),
    "a second file that is not there": ("winogrande -m random -m recorded:nope.jsonl", "nope.jsonl"),
    "a second built-in model of no name": ("winogrande -m random -m builtin:huge", "tiny"),
    "a rule of another task": ("worldsense -m random --rule full", "no rule 'full'"),
    "a method of another task": ("winogrande -m random --method labels", "has no method 'labels'"),
    "a value of another kind": (
        "judgments -m random --trials few",
        "--trials 'few' (expected a whole number)",
    ),
    "a value of no choice": (
        "judgments -m random --questions q9",
        "--questions 'q9' (expected one of q1, q2, q3)",
    ),
    "an option of no model": (
        "winogrande -m random -m builtin:tiny -M dtpye=a",
        "-M dtpye; did you mean 'dtype'?",
    ),
    "no pair": ("winogrande -m builtin:tiny -M dtype", "-M 'dtype' (expected KEY=VALUE)"),
    "an option twice": ("winogrande -m builtin:tiny -M dtype=float32 -M dtype=float64", "-M dtype twice"),
    "a wrong value": ("winogrande -m builtin:tiny -M dtype=int8", "-M dtype 'int8' (expected one of"),
    "files of a task that has none": ("winogrande -m random --write-results x", "has no files of results"),
    "two formats": ("winogrande -m random --format md --json", "--json and --format md (expected one of"),
    "a page of a shard": ("winogrande -m random --shard 1/3 --report a.html", "--shard with --report,"),
    "a dry run of a shard": ("winogrande -m random --shard 1/3 --dry-run", "--shard with --report,"),
    "a budget below nought": ("judgments -m random --max-cost -1", "a budget of -1"),
}


@pytest.mark.parametrize("fault", RUN)
def test_a_run_that_cannot_be_asks_nothing(probsense: Probsense, tmp_path: Path, fault: str) -> None:
    words, fact = RUN[fault]
    assert_refused(probsense("run", *words.split()), fact)
    assert not [*tmp_path.glob("*.db"), *tmp_path.glob("*.html")]


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ("analyse judgement --ratings r.csv", "did you mean 'judgments'?"),
        ("analyse frames a.csv --ratings a.csv", "no such option: --ratings"),
        ("compare a b -O input=x", "no such option: -O input; did you mean 'input_dir'?"),
    ],
)
def test_other_commands_that_cannot_be(probsense: Probsense, words: str, fact: str) -> None:
    assert_refused(probsense(*words.split()), fact)


@pytest.mark.parametrize("words", WORDS)
def test_an_error_about_words_says_what_the_command_takes(probsense: Probsense, words: str) -> None:
    done = probsense(*words.split())
    assert_refused(done, WORDS[words][0])
    assert done.err.splitlines()[1] == f"usage: probsense {WORDS[words][1]}"
