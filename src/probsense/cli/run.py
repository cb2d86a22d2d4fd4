"""Defines ``probsense run``: asks a model, and resumes where it was interrupted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import (
    MODEL_HELP,
    Format,
    JsonFlag,
    Limit,
    Method,
    Quiet,
    Seed,
    Store,
    choose_format,
    print_json,
)
from probsense.cli.owners import load
from probsense.cli.tasks import make_tasks
from probsense.errors import InputError

Tasks = Annotated[
    list[str],
    typer.Argument(help="Tasks to run. After their names, --help shows their options.", metavar="TASK…"),
]


def run(
    context: typer.Context,
    tasks: Tasks,
    model: Annotated[
        list[str],
        typer.Option(
            "--model",
            "-m",
            help=f"{MODEL_HELP} May be repeated. After it, --help shows the options of the model.",
        ),
    ],
    limit: Limit = None,
    method: Method = None,
    seed: Seed = 0,
    store: Store = Path("probsense.db"),
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", help="Also write a page, with every question and answer.", metavar="FILE.html"
        ),
    ] = None,
    write_results: Annotated[
        Path | None,
        typer.Option(
            "--write-results",
            help="Write the answers to files in a folder, for 'analyse' and other programs.",
            metavar="DIR",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say how many requests and tokens the run would take, and what they would cost.",
        ),
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="Stop asking at this cost; the model needs a table of prices."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            help="Name of the run, to find it by and to tell it from other runs of the model; a run that exists is "
            "renamed.",
        ),
    ] = None,
    json: JsonFlag = False,
    format: Format = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print all tables of several tasks, not just a line for each task.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Ask models the questions of one task or several, and print the results with their uncertainty.

    Several models are loaded first, and then asked one after the other. Interrupted runs resume; repeated runs cost
    nothing.
    """
    from probsense.cli.printing import print_runs
    from probsense.run.dry_run import forecast
    from probsense.run.evaluate import check_budget, evaluate
    from probsense.run.names import checked_name
    from probsense.run.plan import choose_methods
    from probsense.run.progress import show_waiting
    from probsense.tasks.base import WritesResults
    from probsense.tasks.registry import tasks_with

    form = choose_format(format, json)
    if name is not None:
        checked_name(name)
    made = make_tasks(tasks, context.obj, limit=limit, seed=seed)
    if write_results is not None and not any(isinstance(task, WritesResults) for task in made):
        names = " and ".join(task.name for task in made)
        able = " or ".join(tasks_with(WritesResults))
        raise InputError(f"--write-results, though {names} has no files of results", expected=able)
    for task in made:
        task.items()  # shows what is wrong with the questions before a model is loaded
    asked = []
    for spec in dict.fromkeys(model):
        loaded = load(spec, context.obj, quiet=quiet)
        # Show what cannot be asked before asking anything; a server may have to be examined for it.
        with show_waiting(f"getting {spec} ready", quiet=quiet):
            asked += [(task, loaded, way) for task in made for way in choose_methods(task, loaded, method)]
        check_budget(loaded, max_cost)
    if dry_run:
        forecasts = [forecast(task, one, method=way, store=store) for task, one, way in asked]
        if form == "json":
            print_json({"schema": 1, "dry_run": [each.to_json() for each in forecasts]})
        else:
            print(*forecasts, sep="\n\n")
        return
    runs = [
        evaluate(task, one, method=way, seed=seed, store=store, quiet=quiet, max_cost=max_cost, name=name)
        for task, one, way in asked
    ]
    # Comparing texts with people's answers takes long, too.
    with show_waiting("measuring", quiet=quiet):
        for done in runs:
            done.measured  # noqa: B018
    for done in runs:
        if isinstance(done.task, WritesResults):
            for path in done.task.write_results(write_results, done.answered):
                print(f"answers written to {path}", file=sys.stderr)
    if report is not None:
        from probsense.reporting.runs import report as write_page

        write_page(runs, report)
    print_runs(runs, form, brief=not full)
