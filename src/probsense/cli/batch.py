"""``probsense batch``: ask by files, as batch endpoints take them, for less money and some hours later."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from probsense.cli import model_options, run, task_options
from probsense.cli.common import print_json
from probsense.cli.several import TakesSeveral

F = TypeVar("F", bound=Callable[..., None])

app = typer.Typer(help="Ask by batch files instead of at once.", no_args_is_help=True)

_OF_ANSWERS = ("report", "dry_run", "max_cost", "write_results", "output_dir", "format", "quiet")
"""Options of ``probsense run`` that have no sense before there are answers."""


def _with_options_of_run(which: Callable[[str], bool]) -> Callable[[F], F]:
    """Give a command those parameters of ``probsense run``, besides its own, so that the words of both are the same."""

    def give(command: F) -> F:
        own = [p for p in _parameters(command) if p.kind is not p.VAR_KEYWORD]
        more = [p for p in _parameters(run.run) if which(p.name) and p.name not in {one.name for one in own}]
        named = [p.replace(kind=p.KEYWORD_ONLY) for p in (*own, *more)]
        command.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
        return command

    return give


def _parameters(command: Callable[..., None]) -> list[inspect.Parameter]:
    return list(inspect.signature(command, eval_str=True).parameters.values())


@app.command("write", cls=TakesSeveral)
@_with_options_of_run(lambda name: name not in _OF_ANSWERS)
def write(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="The file to write.", metavar="FILE.jsonl")],
    **_: Any,
) -> None:
    """Write what a run would ask now into a batch file, for a batch endpoint to answer."""
    from probsense.run.batch import write_batch
    from probsense.run.plan import choose_methods

    given = context.params
    made = task_options.make_tasks(context, given["tasks"], limit=given["limit"], seed=given["seed"])
    loaded = model_options.load(context)
    asked = [(task, way) for task in made for way in choose_methods(task, loaded, given["method"])]
    done = write_batch(asked, loaded, out, seed=given["seed"], store=given["store"])
    if given["json"]:
        print_json({"schema": 1, **done.to_json()})
        return
    if not done.files:
        print(f"nothing to ask: all {done.stored:,} answers are in {given['store']}")
        return
    print(f"{done.requests:,} requests in {done.lines:,} lines ({done.stored:,} are answered in the store)")
    print(*done.files, sep="\n")


@app.command("read")
@_with_options_of_run(lambda name: name in ("model", "store", "json", *model_options.NAMES))
def read(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(help="What the batch endpoint gave back: answers and errors.", metavar="FILE…"),
    ],
    **_: Any,
) -> None:
    """Read the answers of a batch endpoint into the store; then probsense run, with the words of write, has them."""
    from probsense.run.batch import read_batch

    given = context.params
    done = read_batch(files, model_options.load(context), store=given["store"])
    if given["json"]:
        print_json({"schema": 1, **done.to_json()})
        return
    print(f"{done.answers:,} answers are new in {given['store']}, {done.known:,} were known")
    for reason, count in done.failures.items():
        print(f"failed: {reason} ({count:,} requests)")
    if done.failures:
        print(
            "probsense batch write, with the words of before, writes those that failed again", file=sys.stderr
        )
    if done.strangers:
        print(f"note: {done.strangers:,} lines belong to no run of this model in the store", file=sys.stderr)
