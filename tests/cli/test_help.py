"""What ``--help`` shows: the common options, those of what is named, and no other's."""

from __future__ import annotations

import re
from itertools import cycle

import pytest

from probsense.core.options import Option
from probsense.models.registry import model_options, model_schemes
from probsense.tasks.registry import task_names, task_options
from support.command import Probsense

COMMON = {"limit", "seed"}
"""Options of tasks that the command has by itself."""


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERMINAL_WIDTH", "160")


def shown(text: str) -> set[str]:
    """The flags that begin a line."""
    return set(re.findall(r"^│ \*? *(--[a-z][a-z.-]*)", text, re.MULTILINE))


def flags(options: dict[str, Option]) -> set[str]:
    return {option.flag for name, option in options.items() if name not in COMMON}


def test_a_run_has_the_options_of_its_task_and_model_alone(probsense: Probsense) -> None:
    alone = probsense("run", "--help")
    common = shown(alone.out)
    assert {"--model", "--limit", "--seed", "--store", "--json", "--write-results"} <= common
    assert len(model_schemes()) >= len(task_names())  # each stands with one of the others at least
    for scheme, task in zip(model_schemes(), cycle(task_names()), strict=False):
        done = probsense("run", task, "--model", f"{scheme}:x", "--help")
        assert (alone.code, done.code, done.err) == (0, 0, "")
        assert shown(done.out) == common | flags(task_options(task)) | flags(model_options(scheme))


@pytest.mark.parametrize(
    ("words", "there", "absent"),
    [
        (("score", "--model", "openai:x"), "--base-url", "--revision"),
        (("doctor", "hf:x"), "--revision", "--base-url"),
        (("batch", "write", "suite", "--model", "openai:x"), "--temp", "--sizes"),
        (("batch", "read", "--model", "openai:x"), "--base-url", "--temp"),
    ],
)
def test_other_verbs_show_the_options_of_what_they_name(
    probsense: Probsense, words: tuple[str, ...], there: str, absent: str
) -> None:
    done = probsense(*words, "--help")
    assert done.code == 0
    assert there in done.out
    assert absent not in done.out
