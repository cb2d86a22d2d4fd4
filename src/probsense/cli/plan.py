"""Defines ``probsense plan``: how large a study must be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, Quiet, Seed, print_json
from probsense.cli.owners import of_task_function

Plan = of_task_function(lambda task: getattr(task, "plan", None), ("pilot",))


def plan(
    context: typer.Context,
    task: Annotated[
        str, typer.Argument(help="A task. After its name, --help shows its options.", metavar="TASK")
    ],
    width: Annotated[
        float | None,
        typer.Option("--width", help="Width of the 95 % interval, from end to end: .08 is ± 4 points."),
    ] = None,
    difference: Annotated[
        float | None, typer.Option("--difference", help="Difference between models that is to be found.")
    ] = None,
    power: Annotated[float, typer.Option("--power", help="Probability of finding it.")] = 0.8,
    models: Annotated[
        int,
        typer.Option(
            "--models", help="How many models are compared at once; tests are adjusted for all pairs of them."
        ),
    ] = 2,
    pilot: Annotated[
        list[str] | None,
        typer.Option(
            "--pilot",
            help="A run of the task that tells what can be assumed: its name or the beginning of its id. Two runs tell "
            "also how far models err on the same questions. May be repeated.",
            metavar="RUN",
        ),
    ] = None,
    store: Annotated[Path, typer.Option("--store", help="Store to find pilots in.")] = Path("probsense.db"),
    studies: Annotated[
        int, typer.Option("--studies", help="How many studies to simulate for the power at each size.")
    ] = 1000,
    seed: Seed = 0,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="Also draw the curve: .pdf, .svg or .png.", metavar="FILE"),
    ] = None,
    json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Find how large a study must be for an interval of a width or to show a difference, by simulating whole studies.

    The simulated studies are measured as runs are, so a report will show what the plan says.
    """
    from probsense.cli.printing import print_notes
    from probsense.results.charts import kind_of_picture
    from probsense.studies.planning.planned import plan as find

    kind = None if figure is None else kind_of_picture(figure)
    found = find(
        task,
        width=width,
        difference=difference,
        power=power,
        models=models,
        pilot=pilot or None,
        studies=studies,
        seed=seed,
        store=store,
        quiet=quiet,
        **context.obj.get(task, {}),
    )
    if figure is not None and kind is not None:
        from probsense.core.files.write import writing
        from probsense.show.render import file_bytes

        content = file_bytes(found.chart(), kind)
        with writing(figure) as stream:
            stream.write(content)
        print(f"written: {figure}", file=sys.stderr)
    if json:
        print_json(found.to_json())
        return
    from rich.console import Console

    from probsense.show.tables import print_tables

    print(found)
    print()
    print_tables(Console(), [found.short_table()])
    print_notes(found.planned.notes)
