"""Bad input of every kind: one clear line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import Probsense, assert_refused

WORDS = {
    "data get": ("Missing argument 'name'.", "data get [OPTIONS] {name}"),
    "data get a b": ("Got unexpected extra argument(s) (b)", "data get [OPTIONS] {name}"),
    "run": ("Missing argument 'TASK…'.", "run [OPTIONS] {TASK…}..."),
    "run winogrande --rull sum": ("no such option: --rull; did you mean", "run [OPTIONS] {TASK…}..."),
    "nothing": ("No such command 'nothing'.", "[OPTIONS] COMMAND [ARGS]..."),
}


RUN: dict[str, tuple[str, str]] = {
    "a second model without a scheme": ("winogrande -m random -m oracle", "did you mean 'oracle:'?"),
    "a second model of no scheme": ("winogrande -m random -m randon:1", "did you mean 'random'?"),
    "a second model that is not there": ("winogrande -m random -m hf:./no-model-here", "no-model-here"),
    "a second file that is not there": ("winogrande -m random -m recorded:nope.jsonl", "nope.jsonl"),
    "a second built-in model of no name": ("winogrande -m random -m builtin:huge", "tiny"),
    "a rule of one task": ("winogrande worldsense -m random --rule full", "no rule 'full'"),
    "a method of one task": ("worldsense winogrande -m random --method labels", "has no method 'labels'"),
    "no model": ("winogrande", "Missing option '--model'"),
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
        ("analyse frames --ratings a.csv", "--ratings is an option of judgments"),
        ("batch write suite -m random -m random:1", "several models: random, random:1"),
    ],
)
def test_other_commands_that_cannot_be(probsense: Probsense, words: str, fact: str) -> None:
    assert_refused(probsense(*words.split()), fact)


@pytest.mark.parametrize("words", WORDS)
def test_an_error_about_words_says_what_the_command_takes(probsense: Probsense, words: str) -> None:
    done = probsense(*words.split())
    assert_refused(done, WORDS[words][0])
    assert done.err.splitlines()[1] == f"usage: probsense {WORDS[words][1]}"
