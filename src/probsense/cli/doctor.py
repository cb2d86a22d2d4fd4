"""Defines ``probsense doctor``: examines what a model or an endpoint can really do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final

import typer

from probsense.cli.common import JsonFlag, print_json
from probsense.cli.declared import Given
from probsense.cli.owners import load
from probsense.core.records import Json

if TYPE_CHECKING:
    from probsense.models.base import Finding, Model
    from probsense.tasks.base import Task

COMMAND: Final = "command"
"""The name of the command that follows an advice, in the data of its finding."""
CHOOSING: Final = ("chat", "route", "prompt_format")
"""Options of models that choose what stands around prompts."""


def doctor(
    context: typer.Context,
    model: Annotated[
        str,
        typer.Argument(
            help="SCHEME:ARGUMENT, as for run. After it, --help shows the options of the model.",
            metavar="MODEL",
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help="Check that the model can answer this method: options, labels or sample."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            help="Try the prompt formats on some questions of a task, and recommend one.",
            metavar="TASK",
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--show", help="Print the tokens of sample prompts, and where prompt and answer join."),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Examine a model on known strings before you trust its results; the exit code is 1 if something is wrong."""
    from probsense.models.doctor import check_method, examine, sample_tokens
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.examine import examinable

    check_method(method)
    examined = None if task is None else examinable(task)
    loaded = load(model, context.obj)
    with show_waiting(f"examining {loaded.name}", quiet=False):
        findings = examine(loaded, method)
        if examined is not None:
            findings += _for_task(examined, loaded, method, context.obj)
    tokens = sample_tokens(loaded) if show else []
    if json:
        from dataclasses import asdict

        print_json(
            {
                "schema": 1,
                "model": loaded.name,
                "details": dict(loaded.details),
                "capabilities": asdict(loaded.capabilities),
                "findings": [asdict(finding) for finding in findings],
                "tokens": [asdict(one) for one in tokens],
            }
        )
    else:
        from rich.console import Console

        from probsense.results.tables import findings_text, tokens_table
        from probsense.show.tables import print_tables

        console = Console()
        print(findings_text(findings, console.width))
        for finding in findings:
            if COMMAND in finding.data:
                print(f"\n{finding.data[COMMAND]}")  # unbroken, to be copied
        if tokens:
            print()
            print_tables(console, [tokens_table(one) for one in tokens])
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)


def _for_task(task: Task, model: Model, method: str | None, given: Given) -> list[Finding]:
    """Try the prompt formats on a task, and add the advice, with the command that follows it."""
    from probsense.models.base import Finding
    from probsense.runs.examine import examine_for

    found, advice = examine_for(task, model, method)
    name = f"{task.name}, advice"
    if advice is None:
        return [*found, Finding(name, False, "no prompt format could be tried")]
    if advice.best is None:
        return [*found, Finding(name, False, advice.advice)]
    command = command_line(task.name, model.name, given, advice.best, advice.options)
    data: dict[str, Json] = {
        "prompt_format": advice.best,
        "options": dict(advice.options),
        COMMAND: command,
    }
    return [*found, Finding(name, True, advice.advice, data)]


def command_line(task: str, model: str, given: Given, prompt_format: str, options: Mapping[str, Json]) -> str:
    """Write the command that runs a task with the options of the model that were given, but in another format.

    Parameters
    ----------
    task, model : str
    given : Given
        Options of the model; those that choose a format are left out.
    prompt_format : str
        :data:`~probsense.runs.examine.OWN` where there is no choice.
    options : Mapping
        Options of the task.
    """
    from probsense.models.registry import model_options
    from probsense.runs.examine import OWN

    scheme = model.partition(":")[0]
    known = model_options(scheme)
    kept = {name: value for name, value in given.get(scheme, {}).items() if name not in CHOOSING}
    words = ["probsense", "run", task, "--model", model]
    for name, value in kept.items():
        words += known[name].words(value)
    if prompt_format != OWN:
        words += ["--prompt-format", prompt_format]
    for name, option in options.items():
        words += ["--" + name.replace("_", "-"), str(option)]
    return shlex.join(words)
