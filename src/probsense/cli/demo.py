"""``probsense demo``: the whole path on the built-in model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import Quiet, Seed, print_runs

MODELS = ("oracle:", "builtin:tiny", "random:")


def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where to write.")] = Path("demo"),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Generate a test set, ask three models, print the tables and write a report; no network."""
    from probsense.report.runs import report_runs
    from probsense.run.evaluate import evaluate
    from probsense.tasks.worldsense.generate import Design, write_testset

    testset = folder / f"worldsense-seed{seed}"
    if not (testset / "trials.jsonl.bz2").exists():
        total = write_testset(testset, Design(seed=seed))
        typer.echo(
            f"{total:,} fresh questions, every gold label checked by the solver, are in {testset}", err=True
        )
    runs = [
        evaluate("worldsense", model, testset=testset, seed=seed, store=folder / "probsense.db", quiet=quiet)
        for model in MODELS
    ]
    print_runs(runs, None)
    report_runs(folder / "report.html", runs)
    typer.echo(f"the report is in {folder / 'report.html'}", err=True)
