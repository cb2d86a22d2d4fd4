"""Defines ``probsense analyse``: measures recorded answers, without a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import Format, JsonFlag, Seed, choose_format, print_json
from probsense.cli.declared import Owner, positional
from probsense.cli.owners import of_task_function
from probsense.core.errors import InputError

Analyse = of_task_function(lambda task: getattr(task, "analyse", None), ("seed",))


def analyse(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            help="A task and its data. After the name of a task, --help shows its options.",
            metavar="TASK [DATA]",
        ),
    ],
    seed: Seed = 0,
    charts: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            help="Write each chart (SVG) and the data behind it (CSV) into a folder.",
            metavar="DIR",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write a page.", metavar="FILE.html")
    ] = None,
    json: JsonFlag = False,
    format: Format = None,
) -> None:
    """Analyse recorded results in their published formats, and print tables with 95 % intervals, or JSON."""
    from probsense.cli.printing import print_parts
    from probsense.core.options import declared
    from probsense.results.part import part_of_analysis
    from probsense.tasks.base import Analyses
    from probsense.tasks.registry import task_type, tasks_with

    form = choose_format(format, json)
    task = task_type(words[0])
    if not isinstance(task, Analyses):
        able = " or ".join(tasks_with(Analyses))
        raise InputError(f"{words[0]} cannot analyse recorded results", expected=able)
    given = positional(
        Owner(words[0], declared(task.analyse, skip=("seed",))),
        words[1:],
        context.obj.get(words[0], {}),
        f"analyse {words[0]}",
    )
    found = task.analyse(**given, **({"seed": seed} if "seed" in declared(task.analyse) else {}))
    if charts is not None:
        from probsense.results.page.report import write_charts

        for path in write_charts(charts, found):
            print(f"written: {path}", file=sys.stderr)
    if report is not None:
        from probsense.results.page.report import report_analysis

        report_analysis(report, found)
    if form == "json":
        print_json(found.to_json())
    else:
        print_parts([part_of_analysis(found)], form)
