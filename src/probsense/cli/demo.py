"""Defines ``probsense demo``: runs everything once on the built-in models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import Quiet, Seed


def demo(
    folder: Annotated[Path, typer.Option("--out", help="Folder to write to.")] = Path("demo"),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Ask the built-in models the package's questions, print the tables and write a report, without a network."""
    from probsense.cli.printing import print_runs
    from probsense.reporting.runs import report as write_page
    from probsense.run.evaluate import evaluate
    from probsense.tasks.base import Demonstrated
    from probsense.tasks.registry import tasks_with

    store = folder / "probsense.db"
    folder.mkdir(parents=True, exist_ok=True)
    runs = [
        evaluate(name, model, seed=seed, store=store, quiet=quiet)
        for name, task in tasks_with(Demonstrated).items()
        for model in task.demo_models
    ]
    print_runs(runs, None)
    write_page(folder / "report.html", *runs)
    typer.echo(f"the report is in {folder / 'report.html'}", err=True)
