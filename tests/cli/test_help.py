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


def test_each_option_is_shown_with_its_words_values_and_default(probsense: Probsense) -> None:
    text = " ".join(probsense("run", "worldsense", "--model", "hf:x", "--help").out.split())
    assert "--sizes <int>,… Numbers of entities of the fresh set, 3 to 12. [default: 4,5,6]" in text
    assert "--regime <str> How the fresh set draws normal problems:" in text
    assert "[default: matched]" in text
    assert (
        "--chat/--no-chat Use the chat template of the tokenizer; by default for questions, not for texts to continue."
        in text
    )
    assert "--revision <str> Branch, tag or commit on the hub." in text


def test_what_two_tasks_call_alike_is_shown_with_their_names(probsense: Probsense) -> None:
    found = shown(probsense("run", "winogrande", "worldsense", "--help").out)
    assert {"--winogrande.data", "--worldsense.data", "--rule"} <= found
    assert "--data" not in found


def test_without_a_task_the_help_names_them(probsense: Probsense) -> None:
    said = f" Tasks: {', '.join(task_names())}. --help after the name of a task shows its options."
    assert said in probsense("run", "--help").out
    assert "Tasks:" not in probsense("run", "suite", "--help").out
    assert " Tasks: worldsense. --help after" in probsense("audit", "--help").out
    assert "worldsense" in probsense("analyse", "--help").out


@pytest.mark.parametrize(
    ("words", "there", "absent"),
    [
        (("score", "--model", "openai:x"), "--base-url", "--revision"),
        (("doctor", "hf:x"), "--revision", "--base-url"),
        (("batch", "write", "suite", "--model", "openai:x"), "--temp", "--sizes"),
        (("batch", "read", "--model", "openai:x"), "--base-url", "--temp"),
        (("analyse", "worldsense"), "--no-audit", "--ratings"),
        (("generate", "worldsense"), "--training", "--audit"),
        (("compare",), "--input-dir", "--sizes"),
    ],
)
def test_other_verbs_show_the_options_of_what_they_name(
    probsense: Probsense, words: tuple[str, ...], there: str, absent: str
) -> None:
    done = probsense(*words, "--help")
    assert done.code == 0
    assert there in done.out
    assert absent not in done.out


def test_all_commands_are_on_one_screen_in_groups(
    probsense: Probsense, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 100)  # read once, at the first import
    for words in ((), ("--help",)):
        lines = probsense(*words).out.splitlines()
        assert len(lines) <= 41
        assert max(map(len, lines)) <= 100
        heads = [line.split()[1] for line in lines if line.startswith("╭")]
        assert heads == ["Options", "Measure", "Read", "Make", "Help"]
        named = {line.split()[1] for line in lines if line.startswith("│")}
        assert {"run", "report", "collect", "generate", "demo"} <= named
        assert "--install-completion" not in "".join(lines)


def test_options_stand_in_groups(probsense: Probsense) -> None:
    everything = probsense("run", "judgments", "--help").out
    for head in (
        "Asking",
        "judgments: asking",
        "judgments: people",
        "judgments: rare",
    ):
        assert f"─ {head} ─" in everything
    assert {"--shard", "--think-start", "--wording", "--variants"} <= shown(everything)


def test_rare_options_are_options_like_others(probsense: Probsense) -> None:
    refused = probsense("run", "judgments", "-m", "random:1", "--variants", "x")
    assert refused.code == 2
    assert "--variants" in refused.err
