"""Defines ``probsense batch``: asks a batch endpoint by files, which costs less and takes some hours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, Limit, Method, ModelSpec, Seed, Store, print_json
from probsense.cli.owners import OfModel, OfTasksAndModel, load
from probsense.cli.run import Tasks
from probsense.cli.tasks import make_tasks

app = typer.Typer(help="Ask a batch endpoint by files, for less money.", no_args_is_help=True)


@app.command("write", cls=OfTasksAndModel)
def write(
    context: typer.Context,
    tasks: Tasks,
    model: ModelSpec,
    out: Annotated[Path, typer.Option("--out", help="The file to write.", metavar="FILE.jsonl")],
    limit: Limit = None,
    method: Method = None,
    seed: Seed = 0,
    store: Store = Path("probsense.db"),
    json: JsonFlag = False,
) -> None:
    """Write the requests of a run to a file, for a batch endpoint to answer."""
    from probsense.runs.ask.batch import write_batch
    from probsense.runs.ask.plan import plans

    made = make_tasks(tasks, context.obj, limit=limit, seed=seed)
    loaded = load(model, context.obj)
    planned = [one for task in made for one in plans(task, loaded, method)]
    done = write_batch(planned, out, seed=seed, store=store)
    if json:
        print_json({"schema": 1, **done.to_json()})
        return
    if not done.files:
        print(f"nothing to ask: all {done.stored:,} answers are in {store}")
        return
    print(f"{done.requests:,} requests in {done.lines:,} lines ({done.stored:,} are answered in the store)")
    print(*done.files, sep="\n")


@app.command("read", cls=OfModel)
def read(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(help="Files from the batch endpoint, with answers and errors.", metavar="FILE…"),
    ],
    model: ModelSpec,
    store: Store = Path("probsense.db"),
    json: JsonFlag = False,
) -> None:
    """Read the answers of a batch endpoint into the store, where probsense run with the options of write finds them."""
    from probsense.runs.ask.batch import read_batch

    done = read_batch(files, load(model, context.obj), store=store)
    if json:
        print_json({"schema": 1, **done.to_json()})
        return
    print(f"{done.answers:,} answers are new in {store}, {done.known:,} were known")
    for reason, count in done.failures.items():
        print(f"failed: {reason} ({count:,} requests)")
    if done.failures:
        print("repeat the probsense batch write command to ask the failed requests again", file=sys.stderr)
    if done.strangers:
        print(f"note: {done.strangers:,} lines belong to no run of this model in the store", file=sys.stderr)
