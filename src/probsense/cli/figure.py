"""Defines ``probsense figure``: draws one chart of a report for a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import OfTask


def figure(
    name: Annotated[
        str,
        typer.Argument(
            help="A measure (accuracy, …), a chart of a task (calibration, …), or a table from 'analyse --figures'; "
            "TASK.NAME if several tasks have one of that name.",
            metavar="NAME",
        ),
    ],
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Runs by their names or the beginning of their ids, or stores; or one folder of published results, "
            "one table (CSV), or one folder of tables.",
            metavar="SOURCE…",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write: .pdf, .svg or .png.", metavar="FILE")],
    store: Annotated[Path, typer.Option("--store", help="Store to find runs in by name or id.")] = Path(
        "probsense.db"
    ),
    task: OfTask = None,
    width: Annotated[
        int, typer.Option("--width", min=240, max=2400, help="Width of the chart, in pixels of 1/72 inch.")
    ] = 720,
) -> None:
    """Draw one chart of a report to a file, on white."""
    from probsense.results.charts import write_chart

    write_chart(name if task is None else f"{task}.{name}", sources, out, store=store, width=width)
    print(f"written: {out}", file=sys.stderr)
