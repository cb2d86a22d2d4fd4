"""Defines ``probsense runs``: lists, shows, exports and removes the runs of a store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, OfTask, Quiet, Stores, print_json, stores_of
from probsense.core.errors import InputError

app = typer.Typer(help="List the runs of a store; show, export and remove them.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(help="Name of the run, or the beginning of its id.", metavar="RUN")]
Names = Annotated[
    list[str],
    typer.Argument(
        help="Runs by their names or the beginning of their ids, or stores for all their runs.",
        metavar="RUN…",
    ),
]


@app.callback()
def runs(context: typer.Context, store: Stores = None, json: JsonFlag = False, quiet: Quiet = False) -> None:
    """List the runs of a store: id, task, model, how much was answered, and the main estimate."""
    if context.invoked_subcommand:
        return
    from rich.console import Console

    from probsense.results.listing import listed_runs, runs_table
    from probsense.runs.ask.progress import show_waiting
    from probsense.show.tables import print_tables

    with show_waiting("measuring", quiet=quiet):
        found = listed_runs(stores_of(store))
    if json:
        print_json({"schema": 1, "runs": [one.to_json() for one in found]})
    elif found:
        print_tables(Console(), [runs_table(found)])
    else:
        print("no runs", file=sys.stderr)


@app.command()
def show(run: Name, store: Stores = None, json: JsonFlag = False) -> None:
    """Show one run: everything that defines it, and its results."""
    from rich.console import Console

    from probsense.cli.printing import print_runs
    from probsense.results.tables import facts_tables
    from probsense.runs.store.find import find_runs
    from probsense.show.tables import print_tables

    found, _ = find_runs([run], stores_of(store))
    if not json:
        for one in found:
            print_tables(Console(), facts_tables([one.facts()]))
    print_runs(found, "json" if json else None)


@app.command()
def export(
    names: Names,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="File to write; or, without an ending, a folder of Parquet files for many items.",
            metavar="FILE.csv|parquet|jsonl|DIR",
        ),
    ],
    store: Stores = None,
    task: OfTask = None,
) -> None:
    """Write every item of some runs with its question, options, texts, probabilities, right answer and answer."""
    from probsense.cli.printing import print_notes
    from probsense.interop.exported import export_folder
    from probsense.results.formats import check_ending, export_runs
    from probsense.runs.store.find import find_runs
    from probsense.show.text import counted

    write = export_runs if out.suffix else export_folder
    if out.suffix:
        check_ending(out)
    found, left_out = find_runs(names, stores_of(store), task)
    print_notes(left_out)
    write(out, found)
    print(f"{counted(len(found), 'run')} in {out}", file=sys.stderr)


@app.command("rm")
def remove(
    run: Name,
    store: Stores = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a run, and the answers that no other run needs; ask first."""
    from probsense.runs.store.find import find_record
    from probsense.runs.store.maintenance import remove_run

    where, record = find_record(run, stores_of(store))
    what = f"{record.task} by {record.method}, {record.model}, started {record.started} ({record.label})"
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"nobody can be asked whether to remove {what}", expected="--yes")
        typer.confirm(f"Remove {what} from {where}?", abort=True)
    removed = remove_run(where, record.id)
    print(f"removed: {what}, and {removed:,} answers", file=sys.stderr)
