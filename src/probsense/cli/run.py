"""Defines ``probsense run``: asks a model, and resumes where it was interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

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
from probsense.cli.owners import load, options_of
from probsense.cli.tasks import make_tasks
from probsense.core.errors import InputError

if TYPE_CHECKING:
    from probsense.models.ray.pooled import Workers

T = TypeVar("T")
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
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            help="Ask one part of the questions, such as 3/8, into a store of its own. 'probsense merge' puts the "
            "stores together, and the same command without --shard then prints the results.",
            metavar="I/N",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", help="Load the model in so many processes of Ray, and ask them all.", metavar="N"
        ),
    ] = None,
    gpus_per_worker: Annotated[
        float,
        typer.Option("--gpus-per-worker", help="GPUs of each of them; .5 lets two share one.", metavar="G"),
    ] = 0.0,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            help="Address of the Ray cluster of --workers; without it, RAY_ADDRESS, or else this machine.",
            metavar="ADDRESS",
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

    Several models are loaded and asked one after the other, so there is one at a time in memory. Interrupted runs
    resume; repeated runs cost nothing.
    """
    from probsense.cli.printing import print_runs, print_shards
    from probsense.core.names import checked_name
    from probsense.models.registry import check_spec
    from probsense.runs.ask.forecast import forecast
    from probsense.runs.ask.plan import check_budget, plans
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.evaluate import ask_plan
    from probsense.runs.shards import Shard
    from probsense.runs.store.find import told_apart
    from probsense.tasks.base import WritesResults
    from probsense.tasks.registry import tasks_with

    form = choose_format(format, json)
    part = None if shard is None else Shard.parse(shard)
    if part is not None and (report, write_results, dry_run) != (None, None, False):
        raise InputError(
            "--shard with --report, --write-results or --dry-run",
            expected="these with the command that asks for all parts",
        )
    if name is not None:
        checked_name(name)
    made = make_tasks(tasks, context.obj, limit=limit, seed=seed)
    if write_results is not None and not any(isinstance(task, WritesResults) for task in made):
        names = " and ".join(task.name for task in made)
        able = " or ".join(tasks_with(WritesResults))
        raise InputError(f"--write-results, though {names} has no files of results", expected=able)
    for task in made:
        task.items()  # shows what is wrong with the questions before a model is loaded
    specs = [*dict.fromkeys(model)]
    for spec in specs:
        check_spec(spec, options_of(spec, context.obj))
    pool = _workers(workers, gpus_per_worker, ray, quiet=quiet)

    def each(act: Callable[..., T]) -> list[T]:
        return [done for spec in specs for done in of_model(spec, act)]

    def of_model(spec: str, act: Callable[..., T]) -> list[T]:
        """Act on a model for each task and method; no name holds it afterwards, so its memory is free again."""
        loaded = load(spec, context.obj, quiet=quiet, workers=pool)
        # Show what cannot be asked before asking anything; a server may have to be examined for it.
        with show_waiting(f"getting {spec} ready", quiet=quiet):
            planned = [one for task in made for one in plans(task, loaded, method)]
        check_budget(loaded, max_cost)
        return [act(one) for one in planned]

    try:
        forecasts = each(partial(forecast, store=store)) if dry_run else []
        asking = partial(
            ask_plan, seed=seed, store=store, quiet=quiet, max_cost=max_cost, name=name, shard=part
        )
        runs = [] if dry_run else each(asking)
    finally:
        if pool is not None:
            pool.close()  # measuring takes long, and needs no GPU
    if dry_run:
        if form == "json":
            print_json({"schema": 1, "dry_run": [one.to_json() for one in forecasts]})
        else:
            print(*forecasts, sep="\n\n")
        return
    if part is not None:
        print_shards(runs, part, store, form)
        return
    for done in runs:
        if isinstance(done.task, WritesResults):
            for path in done.task.write_results(write_results, done.answered):
                print(f"answers written to {path}", file=sys.stderr)
    # Results are measured under the names that they are shown with: comparing texts with people's takes long.
    shown = runs if form in {"json", "csv"} else told_apart(runs)
    with show_waiting("measuring", quiet=quiet):
        for done in shown:
            done.measured  # noqa: B018
    if report is not None:
        from probsense.results.page.report import report as write_page

        write_page(report, *shown)
    print_runs(shown, form, brief=not full)


def _workers(number: int | None, gpus: float, address: str | None, *, quiet: bool) -> Workers | None:
    """Start the workers that the options ask for; None if they ask for none."""
    from probsense.runs.ask.progress import show_waiting

    if number is None:
        if gpus or address is not None:
            raise InputError(
                "--gpus-per-worker or --ray without --workers", expected="--workers N beside them"
            )
        return None
    from probsense.models.ray.workers import RayWorkers

    with show_waiting("starting workers", quiet=quiet):
        return RayWorkers(number, gpus, address)
