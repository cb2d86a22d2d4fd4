"""``probsense generate``: new test and training sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import (
    Problems,
    Quiet,
    Seed,
    Sizes,
    Skins,
    Tuples,
    check_task,
    parse_problems,
    parse_sizes,
)


def generate(
    task: Annotated[str, typer.Argument(help="worldsense")],
    folder: Annotated[Path, typer.Argument(help="Where to write; made if missing.")],
    seed: Seed = 0,
    sizes: Sizes = "3,4,5",
    problems: Problems = "standard",
    tuples: Tuples = 1,
    skins: Skins = "",
    training: Annotated[
        bool, typer.Option("--training", help="A training set (training.jsonl.bz2), in the training skins.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Generate questions whose gold labels have all passed the solver, in the published file format."""
    check_task(task, having="a generator")
    from probsense.run.progress import show_progress
    from probsense.tasks.worldsense.generate import Design, count_trials, write_testset, write_training
    from probsense.tasks.worldsense.problems import STANDARD
    from probsense.tasks.worldsense.skins import load_skins

    chosen = parse_problems(problems)
    if training and chosen == STANDARD:
        chosen = (*STANDARD, "Infer.ordered")
    design = Design(
        seed, parse_sizes(sizes), chosen, tuples, load_skins(skins or ("train" if training else "test"))
    )
    total, done = count_trials(design), 0
    with show_progress("generate worldsense", quiet=quiet) as progress:

        def count(n: int) -> None:
            nonlocal done
            done += n
            progress(done, total)

        (write_training if training else write_testset)(folder, design, count)
    if not quiet:
        print(f"{total:,} trials, every gold label checked by the solver, are in {folder}")
