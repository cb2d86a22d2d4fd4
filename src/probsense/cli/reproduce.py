"""Defines ``reproduce``: asks once more what runs asked, and compares every figure."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from probsense.cli.options import JsonFlag, Quiet
from probsense.cli.owners import options_of
from probsense.cli.printing import print_json, print_notes

if TYPE_CHECKING:
    from probsense.analysis.inference.estimate import Estimate
    from probsense.runs.reproduce import Figure, Reproduced
    from probsense.show.tables import Table

SHOWN: Final = 30
"""The most figures that a table lists."""


def reproduce(
    context: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(
            help="Files with what 'probsense run --json' printed, names of runs, or beginnings of their ids.",
            metavar="FILE|RUN…",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="The model, if it lies elsewhere now, or another one; other options stay those of the run.",
        ),
    ] = None,
    store: Annotated[
        Path,
        typer.Option("--store", "-s", help="Store of the runs that are named.", metavar="FILE"),
    ] = Path("probsense.db"),
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            help="Another store for the new answers, so that an interrupted command resumes.",
            metavar="FILE",
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="Stop asking at this cost; the model needs a table of prices."),
    ] = None,
    json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Ask once more what runs asked, and say figure by figure what came out the same.

    The task, its options, the seed, the model and how it was asked come from the results. The exit code is 1 if a
    figure moved by more than rounding.
    """
    from probsense.runs.evaluate import load_run
    from probsense.runs.reproduce import ask_again, recipe_of, recipes_in

    recipes = [
        recipe
        for name in what
        for recipe in (
            recipes_in(Path(name)) if Path(name).is_file() else [recipe_of(load_run(name, store=store))]
        )
    ]
    given = {} if model is None else options_of(model, context.obj)
    found = [ask_again(one, model, store=into, quiet=quiet, max_cost=max_cost, **given) for one in recipes]
    if json:
        print_json({"schema": 1, "reproduced": [one.to_json() for one in found]})
    else:
        for one in found:
            _print(one)
    if not all(one.same for one in found):
        raise typer.Exit(1)


def _print(one: Reproduced) -> None:
    from rich.console import Console

    from probsense.show.tables import print_tables

    print(one)
    moved = [figure for figure in one.figures if figure.verdict not in ("equal", "rounding")]
    if moved:
        print_tables(Console(), [_table(one, moved)])
    print_notes(one.differences)
    if len(moved) > SHOWN:
        print(f"{len(moved) - SHOWN:,} more figures: --json lists all", file=sys.stderr)


def _table(one: Reproduced, moved: list[Figure]) -> Table:
    from probsense.show.measure import both_ends
    from probsense.show.tables import Table

    words = one.run.words
    says = {"interval": "within", "apart": "outside", "missing": "in one run alone"}

    def shown(estimate: Estimate | None) -> str:
        return "" if estimate is None else both_ends(estimate, words.measure(estimate.measure))

    rows = []
    for figure in moved[:SHOWN]:
        known = figure.before or figure.after
        assert known is not None
        of = ", ".join(str(value) for key, value in known.by.items() if key not in ("model", "prompting"))
        title = words.measure(known.measure).heading
        title = f"{title}, {of}" if of else title
        rows.append((title, shown(figure.before), shown(figure.after), says[figure.verdict]))
    heads = ("Figure", "Before", "Now", "Interval")
    return Table("Figures that are not the same", heads, tuple(rows))
